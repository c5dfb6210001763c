"""The faces of a running daemon: the page with its API, and the server for assistants, behind one set of doors."""

from __future__ import annotations

import logging
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from junod.assembly.sessions import FaceParts
from junod.daemon import Faces, NoFaces
from junod.errors import SettingsError
from junod.settings import data_dir, runtime_dir

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp

    from junod.web.server import FaceServer

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assistants:
    """The MCP server, to be put beside the page."""

    app: ASGIApp
    """With its guards."""
    lifespan: AbstractAsyncContextManager[object]


def build_faces(parts: FaceParts, config: Path | None = None) -> Faces:
    """What `junod run` serves, not started yet; nothing where the settings say so."""
    if not parts.settings.web.enabled:
        return NoFaces()
    from junod.web.server import FaceServer

    def build(server: FaceServer) -> FastAPI:
        return _app(parts, server, config)

    return FaceServer(build, parts.settings.web, runtime_dir())


def _app(parts: FaceParts, server: FaceServer, config: Path | None) -> FastAPI:
    from junod.web.app import Surroundings, create_app

    around = Surroundings(
        stages=parts.stages,
        reload=parts.reload,
        config=config,
        lan=server,
        names=server.names,
        mcp=_assistants(parts),
    )
    return create_app(parts.house, parts.ear, parts.bus, parts.settings, around)


def _assistants(parts: FaceParts) -> Assistants | None:
    from junod.mcp_server.http import TokenGuard, http_app, read_token
    from junod.mcp_server.server import build_server

    try:
        token = read_token(data_dir() / "mcp-token")
    except SettingsError as error:
        log.warning("Assistants are not served over HTTP: %s", error)
        return None
    logging.getLogger("mcp").setLevel(logging.WARNING)  # below that it would log answers, which hold speech
    app = http_app(build_server(parts.house), port=parts.settings.web.port)
    return Assistants(TokenGuard(app, token), app.router.lifespan_context(app))
