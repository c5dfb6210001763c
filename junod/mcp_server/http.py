"""The server over streamable HTTP: on loopback alone, behind a token.

Two guards, as any page in a browser can send requests to loopback: the token (compared in constant time), and the
SDK's check of Host and Origin against DNS rebinding.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from junod.errors import SettingsError, UsageError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
PATH = "/mcp"
MIN_TOKEN_CHARS = 32
_TOKEN_BYTES = 32


def serve(server: MCPServer, listener: socket.socket, token: str) -> None:
    """Serve until SIGINT or SIGTERM."""
    app = guarded_app(server, port=listener.getsockname()[1], token=token)
    config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=5)
    uvicorn.Server(config).run(sockets=[listener])


def guarded_app(server: MCPServer, *, port: int, token: str) -> ASGIApp:
    """The ASGI application with both guards."""
    return TokenGuard(http_app(server, port=port), token)


def http_app(server: MCPServer, *, port: int) -> Starlette:
    """The application with the guard against DNS rebinding alone; its lifespan must be run by whoever mounts it."""
    names = (LOOPBACK, "localhost")
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[f"{name}:{port}" for name in names],
        allowed_origins=[f"http://{name}:{port}" for name in names],
    )
    return server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, transport_security=security
    )


class TokenGuard:
    """Lets pass only requests with 'Authorization: Bearer <token>'."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and not self._is_known(scope):
            refusal = PlainTextResponse("Give the token: Authorization: Bearer <token>\n", status_code=401)
            refusal.headers["WWW-Authenticate"] = "Bearer"
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        given = Headers(scope=scope).get("authorization", "")
        return hmac.compare_digest(given.encode(), self._expected)


def listen(port: int) -> socket.socket:
    """A socket on loopback; port 0 = any free one.

    Raises:
        UsageError: the port is taken or cannot be had.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()  # from here on a client waits instead of being refused
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"Port {port} cannot be had: {reason}.", hint="Choose another with --port.") from error
    return listener


def read_token(path: Path) -> str:
    """The token in `path`, which is made (mode 0600) where there is none.

    Raises:
        SettingsError: others may read the file, it cannot be read or written, or what it holds is too short.
    """
    try:
        if not path.exists():
            _make_token(path)
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise SettingsError(f"Others may read the token in {path}.", hint="Delete it: a new one is made.")
        token = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The token file {path} cannot be used: {error}.", hint="Check its permissions.") from error
    if len(token) < MIN_TOKEN_CHARS:
        raise SettingsError(f"The token in {path} is too short.", hint="Delete the file: a new one is made.")
    return token


def _make_token(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:  # another junod was faster
        return
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        opened.write(secrets.token_urlsafe(_TOKEN_BYTES) + "\n")
