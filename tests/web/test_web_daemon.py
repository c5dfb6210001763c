"""The page's server in a running daemon: what is spoken shows, mute is obeyed, a broken page leaves the ear alone."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo

import httpx
import pytest
from daemon_rig import Rig, say, wait_for
from fakes import FakeEmbedder
from midnight import clear_of_midnight
from web.web_fakes import MARK
from web.web_server_rig import Stream

from junod.assembly.house import house_of
from junod.assembly.sessions import FaceParts
from junod.clock import SystemClock
from junod.daemon import Daemon
from junod.faces_keeper import Faces
from junod.memory.context_stream import ContextStream, StreamParts
from junod.memory.talk import CurrentTalk
from junod.records import NewMemory
from junod.web.doors import SOCKET_FILE
from junod.web.faces import build_faces

LIMIT_S = 60.0


def rig_with_page(folder: Path, port: int) -> Rig:
    """A daemon of fakes with the real faces; the factory is called when the rig is there."""
    made: list[Rig] = []

    def faces(daemon: Daemon) -> Faces:
        rig = made[0]
        web = rig.settings.web.model_copy(update={"port": port})
        settings = rig.settings.model_copy(update={"web": web})
        house = replace(house_of(settings, rig.store, SystemClock()), talk=rig.talk)
        parts = FaceParts(settings, house, rig.bus, daemon.stages, daemon.request_reload, daemon.control)
        return build_faces(parts, folder / "junod.toml")

    made.append(Rig(folder, faces))
    (folder / "junod.toml").touch()
    return made[0]


class Build(Protocol):
    """Starts a daemon, whose parts may be prepared before."""

    def __call__(self, port: int, prepare: Callable[[Rig], None] = ...) -> Rig: ...


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Build]:
    monkeypatch.setenv("JUNOD_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("JUNOD_DATA_DIR", str(tmp_path / "data"))
    rigs: list[Rig] = []

    def started(port: int, prepare: Callable[[Rig], None] = lambda rig: None) -> Rig:
        rigs.append(rig_with_page(tmp_path, port))
        prepare(rigs[0])
        rigs[0].start()
        return rigs[0]

    yield started
    if rigs[0].thread.is_alive():
        rigs[0].stop()
    rigs[0].store.close()


def test_what_is_spoken_comes_to_the_page_and_mute_closes_the_microphone(build: Build) -> None:
    """Case m103."""
    clear_of_midnight()
    rig = build(0)
    wait_for(lambda: rig.daemon.status().page != "")
    with httpx.Client(base_url=rig.daemon.status().page, timeout=LIMIT_S) as page:
        with page.stream("GET", "/api/events") as response:
            stream = Stream(response)
            stream.next()
            say(rig)
            assert stream.until("saved")["memory"]["memory"] == "remember the milk"
            assert httpx.post(f"{page.base_url}/api/ear/mute", headers=MARK, timeout=LIMIT_S).json()["muted"] is True
            while not stream.until("ear")["snapshot"]["muted"]:
                pass
        wait_for(lambda: rig.microphones[-1].is_closed)
        wait_for(lambda: page.get("/api/home").json()["counts"] == {"heard": 1, "kept": 1})
        assert page.get("/health").status_code == 200
        assert page.get("/api/trust").json()["days"][0]["kept"] == 1
        erased = page.post("/api/forget-all", json={"typed": "delete everything"}, headers=MARK)
        assert len(erased.json()["forgotten"]) == 1
    rig.stop()
    assert rig.in_time == [True]


def test_what_is_being_said_brings_up_what_bears_on_it_until_the_ear_is_muted(build: Build) -> None:
    def follow(rig: Rig) -> None:
        parts = StreamParts(rig.store, FakeEmbedder, rig.clock, ZoneInfo("UTC"))
        rig.talk = CurrentTalk(ContextStream(parts), rig.clock)
        rig.store.add(NewMemory("The milk: remember it on Fridays", "", rig.clock.now(), None, "kitchen"))

    rig = build(0, follow)
    wait_for(lambda: rig.daemon.status().page != "")
    with httpx.Client(base_url=rig.daemon.status().page, timeout=LIMIT_S) as page:
        assert page.get("/api/context").json() == {"heard": False, "text": "", "memories": []}
        say(rig, quiet_s=0.5)
        wait_for(lambda: page.get("/api/context").json()["heard"])
        told = page.get("/api/context").json()
        assert "remember it on Fridays" in told["text"]
        assert "remember the milk" not in str(told)
        httpx.post(f"{page.base_url}/api/ear/mute", headers=MARK, timeout=LIMIT_S)
        assert page.get("/api/context").json()["heard"] is False
    rig.talk.stop()


def test_a_port_that_is_taken_does_not_stop_the_ear(build: Build, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        rig = build(other.getsockname()[1])
        wait_for(lambda: "cannot be had" in rig.daemon.status().page_problem)
        say(rig)
        wait_for(lambda: len(rig.store.list()) == 1)
        assert (tmp_path / "run" / SOCKET_FILE).exists()
