"""The server's thread over real sockets, and its stream of events read as a browser would."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from web.web_fakes import Site, settings_with, site

from junod.web.access import AccessError
from junod.web.server import FaceServer

LIMIT_S = 60.0


def wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


@contextmanager
def served(folder: Path, port: int = 0, find_ip: Callable[[], str] | None = None, **web: Any) -> Iterator[Server]:
    with site(folder) as made:
        run = folder / "run"
        settings = settings_with(port=port, **web).web
        server = FaceServer(lambda _: made.app, settings, run, find_ip=find_ip or no_network, look_again_s=0.05)
        server.start()
        assert server.wait(LIMIT_S)
        rig = Server(made, server, run)
        try:
            yield rig
        finally:
            rig.end()


def no_network() -> str:
    raise AccessError("This device is on no network.")


class Server:
    def __init__(self, made: Site, server: FaceServer, run: Path) -> None:
        self.site, self.server, self.run = made, server, run

    def end(self) -> None:
        """Ask it to stop; it does, also where the machine has too much to do for it to be done in seconds."""
        self.server.stop()
        self.server._thread.join(LIMIT_S)
        assert not self.server._thread.is_alive()

    @contextmanager
    def follow(self, last: str | None = None) -> Iterator[Stream]:
        headers = {"Last-Event-ID": last} if last else {}
        with (
            httpx.Client(base_url=self.server.home, timeout=LIMIT_S) as client,
            client.stream("GET", "/api/events", headers=headers) as response,
        ):
            assert response.headers["content-type"].startswith("text/event-stream")
            yield Stream(response)


class Stream:
    """The events of one response, read as a browser would."""

    def __init__(self, response: httpx.Response) -> None:
        self._lines = response.iter_lines()
        self._has_begun = False
        self.last_id: str | None = None

    def next(self) -> tuple[str, dict[str, Any]]:
        """Name and data of the next event; the beat with which each stream begins is one, those that come by the
        clock are not.
        """
        event = self._read()
        while self._has_begun and event[0] == "beat":
            event = self._read()
        self._has_begun = True
        return event

    def _read(self) -> tuple[str, dict[str, Any]]:
        fields: dict[str, str] = {}
        for line in self._lines:
            if not line:
                break
            name, _, value = line.partition(": ")
            fields[name] = value
        else:
            raise EOFError
        self.last_id = fields.get("id", self.last_id)
        return fields["event"], json.loads(fields["data"])

    def until(self, name: str) -> dict[str, Any]:
        while True:
            found, data = self.next()
            if found == name:
                return data
