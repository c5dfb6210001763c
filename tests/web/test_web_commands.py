"""Commands that talk to the running daemon, and what the daemon serves beside the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner
from web.web_fakes import site
from web.web_server_rig import LIMIT_S, Server, served

from junod.assembly.house import House
from junod.cli.app import app
from junod.cli.ear import off_record_body
from junod.cli.talk import NoDaemonError, RefusedError, ask_daemon, follow_daemon
from junod.errors import UsageError
from junod.mcp_server.http import TokenGuard, http_app
from junod.mcp_server.server import build_server
from junod.web.faces import Assistants
from junod.web.server import FaceServer


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("JUNOD_RUNTIME_DIR", str(tmp_path / "run"))
    with served(tmp_path) as server:
        yield server


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    if done.exception:
        raise done.exception
    return done.stdout


def test_the_ears_switches(daemon: Server) -> None:
    assert run("mute") == "The ear is muted.\n"
    assert daemon.site.ear.muted
    assert run("mute", "--toggle") == "The ear is listening.\n"
    assert run("mute", "--toggle") == "The ear is muted.\n"
    assert json.loads(run("unmute", "--json"))["state"] == "listening"
    assert "off-record until 2026-03-24T18:30" in run("off-record", "30m")
    run("on-record")
    assert daemon.site.ear.until is None
    run("media", "on")
    assert daemon.site.ear.media == "on"


def test_the_page_says_where_it_is_and_lets_a_device_in(daemon: Server) -> None:
    assert run("page").startswith("http://127.0.0.1:8765\n")
    assert json.loads(run("page", "--json"))["lan"] == ""
    assert "type" in run("page", "--pair")
    assert json.loads(run("page", "--lan", "on", "--json"))["url"] == "http://192.168.1.20:8765/pair"
    assert "closed" in run("page", "--lan", "off")
    assert "http://127.0.0.1:8765/calendar.ics?token=" in run("page", "--calendar")


@pytest.mark.parametrize("arguments", [("media", "loud"), ("page", "--lan", "maybe"), ("off-record", "soon")])
def test_wrong_use_is_said_before_the_daemon_is_asked(arguments: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        run(*arguments)


@pytest.mark.parametrize(
    ("words", "body"),
    [("10m", {"minutes": 10}), ("1h", {"minutes": 60}), ("2 h", {"minutes": 120}), ("Morning", {"until": "morning"})]
)  # fmt: skip
def test_durations_as_people_write_them(words: str, body: dict[str, Any]) -> None:
    assert off_record_body(words) == body


@pytest.mark.parametrize("words", ["", "0m", "25h", "9999h", "-5m", "m", "tomorrow"])
def test_other_durations_are_refused(words: str) -> None:
    with pytest.raises(UsageError):
        off_record_body(words)


def test_without_a_daemon_the_commands_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUNOD_RUNTIME_DIR", str(tmp_path))
    with pytest.raises(NoDaemonError, match="No daemon"):
        run("mute")


def test_what_the_daemon_refuses_is_passed_on(daemon: Server) -> None:
    with pytest.raises(RefusedError) as refused:
        ask_daemon("POST", "/api/ear/off-record", {})
    assert refused.value.hint


def test_events_are_followed_over_the_socket(daemon: Server) -> None:
    followed = follow_daemon(1)
    assert next(followed) == "beat"
    ask_daemon("POST", "/api/ear/mute")
    assert next(name for name in followed if name != "beat") == "ear"
    daemon.end()
    assert set(followed) <= {"beat"}


def test_assistants_reach_the_memories_beside_the_page_with_their_own_token(tmp_path: Path) -> None:
    """The daemon serves the same tools over HTTP."""

    def with_mcp(house: House) -> Assistants:
        inner = http_app(build_server(house), port=8765)
        return Assistants(TokenGuard(inner, "t" * 40), inner.router.lifespan_context(inner))

    with site(tmp_path, mcp=with_mcp) as made:
        server = FaceServer(lambda _: made.app, made.settings.web.model_copy(update={"port": 0}), tmp_path / "run")
        server.start()
        assert server.wait(LIMIT_S)
        ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        headers = {"Accept": "application/json, text/event-stream", "Host": "127.0.0.1:8765"}
        refused = httpx.post(f"{server.home}/mcp", json=ask, headers=headers, timeout=LIMIT_S)
        assert refused.status_code == 401
        headers["Authorization"] = "Bearer " + "t" * 40
        answered = httpx.post(f"{server.home}/mcp", json=ask, headers=headers, timeout=LIMIT_S)
        assert "recall_memory" in answered.text
        server.stop()


def test_assistants_are_not_served_to_the_network(tmp_path: Path) -> None:
    with site(tmp_path) as made:
        made.lan.turn(True)
        told = made.refused("POST", "/mcp", 403, source="lan", base="http://192.168.1.20:8765")
        assert "device itself" in told["message"]
