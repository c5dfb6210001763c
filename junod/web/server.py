"""The faces' server: one thread with an event loop, three doors (loopback, a unix socket, the local network if asked).

Nothing here can stop the ear: what cannot be opened is logged, shown in `problem`, and tried again.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Collection
from concurrent.futures import TimeoutError as WaitedTooLongError
from contextlib import suppress
from pathlib import Path

from fastapi import FastAPI

from junod.errors import JunodError
from junod.sections import WebSettings
from junod.web.access import AccessError
from junod.web.doors import SOCKET_FILE, OpenDoor, inherited_listener, tcp_listener, unix_listener
from junod.web.guard import Source, where
from junod.web.lan import host_names, lan_ip

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
LOOK_AGAIN_S = 15.0
SWITCH_S = 5.0
STOP_S = 3.0

BuildApp = Callable[["FaceServer"], FastAPI]


class FaceServer:
    """Serves one app until `stop`. Thread-safe.

    Args:
        build: makes the app; called in the server's thread, as what it imports takes a second.
        folder: of the unix socket.
        find_ip: this device's address on its network.
    """

    def __init__(
        self,
        build: BuildApp,
        settings: WebSettings,
        folder: Path,
        *,
        find_ip: Callable[[], str] = lan_ip,
        look_again_s: float = LOOK_AGAIN_S,
    ) -> None:
        self._build, self._settings, self._folder = build, settings, folder
        self._find_ip, self._look_again_s = find_ip, look_again_s
        self._thread = threading.Thread(target=self._run, name="faces", daemon=True)
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._looking = asyncio.Lock()
        self._app: FastAPI | None = None
        self._doors: dict[Source, OpenDoor] = {}
        self._problems: dict[Source | str, str] = {}
        self._wants_lan = settings.lan
        self._lan_ip = ""
        self.port = settings.port

    def start(self) -> None:
        """Begin in the background; `wait` tells when the doors are open."""
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Until every door was tried once."""
        return self._ready.wait(timeout_s)

    def stop(self) -> None:
        """End streams and answers, within a few seconds."""
        if self._loop is not None and self._thread.is_alive():
            with suppress(RuntimeError):  # the loop ended by itself a moment ago
                self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(STOP_S)

    @property
    def home(self) -> str:
        """The page's address on this device; '' while that door is shut."""
        return f"http://{LOOPBACK}:{self.port}" if "loopback" in self._doors else ""

    @property
    def problem(self) -> str:
        """What does not work and why; '' for nothing."""
        return " ".join(self._problems.values())

    @property
    def address(self) -> str:
        """See `LanSwitch`."""
        return f"http://{self._lan_ip}:{self.port}" if self._lan_ip else ""

    def names(self) -> Collection[str]:
        """Names under which the local network reaches us now."""
        return host_names(self._lan_ip) if self._lan_ip else ()

    def turn(self, on: bool) -> None:
        """Open or close the door to the local network.

        Raises:
            AccessError: it cannot be opened.
        """
        if self._loop is None:
            raise AccessError("The page's server has not started yet.", hint="Try again in a moment.")
        self._wants_lan = on
        try:
            asyncio.run_coroutine_threadsafe(self._look_at_lan(), self._loop).result(SWITCH_S)
        except WaitedTooLongError as error:
            raise AccessError("The network did not answer in time.", hint="Try again in a moment.") from error
        if on and not self._lan_ip:
            self._wants_lan = False
            raise AccessError(self._problems.pop("lan", "There is no network."), hint="Connect it, then try again.")

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:  # the edge of a thread; the ear goes on without a page
            log.error("The page's server ended: %s", where(error))
            self._problems["server"] = f"The page's server ended ({type(error).__name__})."
        finally:
            self._doors.clear()
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._app = self._build(self)
        async with self._app.router.lifespan_context(self._app):
            while not self._stopping.is_set():
                await self._open_doors()
                self._ready.set()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), self._look_again_s)
            self._app.state.feed.close()
            await asyncio.gather(*(door.close() for door in self._doors.values()))
            (self._folder / SOCKET_FILE).unlink(missing_ok=True)

    async def _open_doors(self) -> None:
        self._try("unix", lambda: unix_listener(self._folder))
        self._try("loopback", self._loopback)
        await self._look_at_lan()

    def _loopback(self) -> socket.socket:
        listener = inherited_listener("loopback") or tcp_listener(LOOPBACK, self._settings.port)
        self.port = listener.getsockname()[1]
        return listener

    async def _look_at_lan(self) -> None:
        """Bring the door to the network in line with what is wanted and where the network is now."""
        async with self._looking:
            ip = self._wanted_ip()
            if ip != self._lan_ip and "lan" in self._doors:
                self._lan_ip = ""
                await self._doors.pop("lan").close()
            if ip:
                self._try("lan", lambda: tcp_listener(ip, self.port))
            self._lan_ip = ip if "lan" in self._doors else ""

    def _wanted_ip(self) -> str:
        if not self._wants_lan:
            self._problems.pop("lan", None)
            return ""
        try:
            return self._find_ip()
        except AccessError as error:
            self._complain("lan", error)
            return ""

    def _try(self, source: Source, listen: Callable[[], socket.socket]) -> None:
        if source in self._doors or self._app is None:
            return
        try:
            listener = listen()
        except JunodError as error:
            self._complain(source, error)
            return
        self._doors[source] = OpenDoor(self._app, source, listener)
        if self._problems.pop(source, ""):
            log.info("The page's server listens on its %s door again", source)

    def _complain(self, source: Source, error: JunodError) -> None:
        if self._problems.get(source) != str(error):
            log.warning("The page is not served as set: %s", error)
        self._problems[source] = str(error)
