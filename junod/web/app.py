"""The application: routes over one open household, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

import junod
from junod.assembly.house import House
from junod.assembly.parts import masked
from junod.errors import JunodError, NotFoundError
from junod.events import EventBus
from junod.health import StageHealth
from junod.memory.paired import PairedDevices
from junod.settings import Settings
from junod.web.access import AccessError, Pairing
from junod.web.api_access import AccessApi, Entrance, LanSwitch
from junod.web.api_ear import EarApi
from junod.web.api_feeds import FeedsApi
from junod.web.api_home import HomeApi
from junod.web.api_learned import LearnedApi
from junod.web.api_live import LiveApi
from junod.web.api_memories import MemoriesApi
from junod.web.api_privacy import PrivacyApi
from junod.web.api_setup import SetupApi
from junod.web.api_talk import TalkApi
from junod.web.ear import EarControlLike
from junod.web.feed import EventFeed
from junod.web.finder import Finder, LazyEmbedder
from junod.web.guard import MCP_PATH, Door, Guard, error_body, status_of
from junod.web.present import Presenter
from junod.web.setup_writer import SetupWriter
from junod.web.shapes import ErrorOut

if TYPE_CHECKING:
    from junod.web.faces import Assistants

STATIC = Path(__file__).parent / "static"
PAGES = {"/": "index.html", "/pair": "pair.html"}
_NAMES = {404: "not-found", 405: "wrong-method", 413: "too-large"}


class NoLan:
    """A server that cannot open another door."""

    address = ""

    def turn(self, on: bool) -> None:
        if on:
            raise AccessError("This server cannot be opened to the network.", hint="Start the daemon: `junod run`.")


@dataclass(frozen=True)
class Surroundings:
    """What the daemon adds; each part has a stand-in without one."""

    stages: Callable[[], tuple[StageHealth, ...]] = lambda: ()
    reload: Callable[[], None] = lambda: None
    """Read the settings again."""
    config: Path | None = None
    """The settings file that was named on the command line."""
    lan: LanSwitch = field(default_factory=NoLan)
    names: Callable[[], Collection[str]] = lambda: ()
    """Lower-case host names and addresses under which the local network reaches us now."""
    mcp: Assistants | None = None
    """The server for assistants, with guards of its own."""
    port: int | None = None
    """Where it really listens; None = as set."""


def create_app(
    house: House,
    ear: EarControlLike,
    bus: EventBus,
    settings: Settings,
    around: Surroundings | None = None,
) -> FastAPI:
    """The page's server over an open household. `app.state.feed` is its stream of events: close it before the server.

    Args:
        ear: the daemon's.
        bus: where the daemon tells what it does.
    """
    around = around or Surroundings()

    def present() -> Presenter:
        return Presenter(house.clock.now(), house.zone, house.rules.active())

    feed = EventFeed(bus, house.clock, house.store, present)
    devices = PairedDevices(house.store.sessions)
    app = FastAPI(
        title="junod",
        version=junod.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan(feed, around.mcp),
        responses={status: {"model": ErrorOut} for status in (400, 401, 403, 404, 409, 422, 503)},
    )
    app.state.feed = feed
    home = f"http://127.0.0.1:{around.port or settings.web.port}"
    entrance = Entrance(Pairing(house.clock), devices, around.lan, home)
    finder = Finder(house.store, house.clock, LazyEmbedder(house.embedder, house.clock))
    for router in (
        MemoriesApi(house, finder, feed, bus, present=present, masked=masked).router(),
        HomeApi(house, ear, settings.device, present=present).router(),
        LearnedApi(house).router(),
        EarApi(ear, present=present).router(),
        LiveApi(feed, ear, around.stages, present=present, reading_again=house.reading_again).router(),
        TalkApi(house, present=present).router(),
        PrivacyApi(house, ear, present=present).router(),
        SetupApi(settings, SetupWriter(around.config), around.reload, zone=house.zone).router(),
        AccessApi(entrance, present=present).router(),
        FeedsApi(house, devices).router(),
        _pages(),
    ):
        app.include_router(router)
    if STATIC.is_dir():
        app.mount("/static", StaticFiles(directory=STATIC))
    if around.mcp is not None:
        app.router.routes.append(Route(MCP_PATH, around.mcp.app))
    _handle_errors(app)
    app.add_middleware(Guard, door=_door(devices, around, settings))
    return app


def _door(devices: PairedDevices, around: Surroundings, settings: Settings) -> Door:
    def known(token: str) -> str | None:
        paired = devices.known(token)
        return paired.id if paired and paired.scope == "device" else None

    return Door(names=around.names, known=known, require_token=settings.web.require_token)


def _lifespan(feed: EventFeed, mcp: Assistants | None) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if mcp is not None:
                await stack.enter_async_context(mcp.lifespan)
            feed.start()
            yield
            feed.close()

    return lifespan


def _pages() -> APIRouter:
    router = APIRouter(include_in_schema=False)
    for path, name in PAGES.items():
        router.add_api_route(path, _page(STATIC / name), methods=["GET", "HEAD"], response_class=FileResponse)
    return router


def _page(file: Path) -> Callable[[], FileResponse]:
    def page() -> FileResponse:
        if not file.is_file():
            raise NotFoundError(f"The page's file {file.name} is missing.", hint="Install junod again.")
        return FileResponse(file, headers={"cache-control": "no-cache"})

    return page


def _handle_errors(app: FastAPI) -> None:
    """Every error is JSON with a hint; none shows a traceback or repeats what was sent."""

    @app.exception_handler(JunodError)
    async def of_junod(_: Request, error: JunodError) -> JSONResponse:
        return JSONResponse(error_body(error.code, error.message, error.hint), status_of(error))

    @app.exception_handler(HTTPException)
    async def of_http(_: Request, error: HTTPException) -> JSONResponse:
        code = _NAMES.get(error.status_code, "wrong-use")
        hint = "GET /api/openapi.json says what there is, and what it takes."
        return JSONResponse(error_body(code, f"{error.detail}.".replace("..", "."), hint), error.status_code)

    @app.exception_handler(RequestValidationError)
    async def of_input(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        hint = "GET /api/openapi.json says what is allowed."
        return JSONResponse(error_body("wrong-use", f"{place}: {first['msg']}.", hint), 422)
