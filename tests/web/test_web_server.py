"""The server's thread with real sockets: doors, streams, a quick end."""

from __future__ import annotations

import socket
import stat
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from web.learned_fakes import rule_said
from web.web_fakes import MARK, settings_with
from web.web_server_rig import LIMIT_S, served, wait_for

from junod.events import MemoriesMerged, MemoryRepeated, MemorySaved, ReminderDue, RuleProposed, RuleUnclear
from junod.memory import verbs
from junod.web.access import AccessError
from junod.web.doors import SOCKET_FILE
from junod.web.feed import BEAT_S
from junod.web.server import FaceServer


def test_a_saved_memory_arrives_with_a_number(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        assert stream.next() == ("beat", {})
        server.site.bus.publish(MemorySaved(server.site.say("Milk is <b>out</b>")))
        data = stream.until("saved")
        assert data["memory"]["html"] == "<p>Milk is &lt;b&gt;out&lt;/b&gt;</p>\n"
        assert data["repeats"] == 0
        assert stream.last_id is not None
        assert stream.last_id.isdecimal()


def test_a_reminder_arrives_with_a_key_that_tells_it_from_others(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        memory = server.site.say("Dentist for Leo — Tue 24 Mar 2026, 18:30")
        begins_at = server.site.clock.now()
        server.site.bus.publish(ReminderDue(memory.id, "Dentist for Leo in 30 minutes", begins_at))
        due = stream.until("due")
        assert due == {
            "memory": memory.id,
            "text": "Dentist for Leo in 30 minutes",
            "key": f"{memory.id} {begins_at.isoformat()}",
        }


def test_a_page_that_was_away_gets_what_it_missed_and_nothing_twice(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        with server.follow() as stream:
            server.site.bus.publish(MemorySaved(server.site.say("first")))
            stream.until("saved")
            last = stream.last_id
        for text in ("second", "third"):
            server.site.bus.publish(MemorySaved(server.site.say(text)))
        with server.follow(last) as stream:
            assert [stream.until("saved")["memory"]["memory"] for _ in range(2)] == ["second", "third"]


def test_a_page_that_went_away_before_anything_happened_misses_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        with server.follow() as stream:
            stream.next()
            last = stream.last_id
        server.site.bus.publish(MemorySaved(server.site.say("first")))
        with server.follow(last) as stream:
            assert stream.until("saved")["memory"]["memory"] == "first"


def test_a_page_from_before_a_restart_is_reset_and_still_gets_what_is_fresh(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        server.site.bus.publish(MemorySaved(server.site.say("said while the page looked for us")))
        wait_for(lambda: bool(server.site.app.state.feed.after(0)[1:]))
        with server.follow("5") as stream:
            stream.until("reset")
            assert stream.until("saved")["memory"]["memory"] == "said while the page looked for us"


def test_merges_and_changes_are_told(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        stream.next()
        old = server.site.say("Piano at four")
        merged = server.site.say("Piano at five", source="merge", supersedes=(old.id,), reason="moved")
        server.site.bus.publish(MemoriesMerged(merged, (old.id,)))
        assert stream.until("merged")["superseded"] == [old.id]
        httpx.post(f"{server.server.home}/api/memories/{merged.id}/done", headers=MARK, timeout=LIMIT_S)
        assert stream.until("changed")["superseded"] == [merged.id]
        httpx.post(f"{server.server.home}/api/ear/mute", headers=MARK, timeout=LIMIT_S)
        assert stream.until("ear")["snapshot"]["muted"] is True


def test_what_another_process_does_is_told_once(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        stream.next()
        by_hand = server.site.say("written by another program", source="manual")
        assert stream.until("saved")["memory"]["id"] == by_hand.id
        server.site.store.forget(by_hand.id)
        assert stream.next() == ("gone", {"ids": [by_hand.id]})


def test_what_another_process_takes_back_is_told(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        said = server.site.say("Call the plumber", source="manual")
        stream.until("saved")
        done = server.site.store.done(said.id)
        assert stream.until("changed") == {"id": done.id, "superseded": [said.id]}
        verbs.undo(server.site.store, done.id)
        assert stream.until("changed") == {"id": said.id, "superseded": [done.id]}
        verbs.forget(server.site.store, said.id)
        assert stream.until("gone") == {"ids": [said.id]}
        verbs.unforget(server.site.store, said.id)
        assert stream.until("changed")["id"] == said.id


def test_what_the_page_itself_does_is_told_once(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        home = server.server.home
        made = httpx.post(f"{home}/api/memories", json={"text": "Buy salt"}, headers=MARK, timeout=LIMIT_S).json()
        done = httpx.post(f"{home}/api/memories/{made['id']}/done", headers=MARK, timeout=LIMIT_S).json()
        httpx.post(f"{home}/api/memories/{done['id']}/undo", headers=MARK, timeout=LIMIT_S)
        httpx.post(f"{home}/api/memories/{made['id']}/archive", headers=MARK, timeout=LIMIT_S)
        httpx.post(f"{home}/api/memories/{made['id']}/restore", headers=MARK, timeout=LIMIT_S)
        httpx.post(f"{home}/api/memories/{made['id']}/forget", headers=MARK, timeout=LIMIT_S)
        last = server.site.say("the last", source="manual")
        names: list[str] = []
        while names[-1:] != ["the last"]:
            name, data = stream.next()
            names.append("the last" if name == "saved" and data["memory"]["id"] == last.id else name)
        assert sorted(names[:-1]) == ["beat", "changed", "changed", "changed", "changed", "gone", "saved"]


def test_the_same_words_again_count_up(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        for _ in range(2):
            server.site.bus.publish(MemorySaved(server.site.say("Buy milk")))
        assert [stream.until("saved")["repeats"] for _ in range(2)] == [0, 1]


def test_what_is_known_and_said_again_is_told_as_a_repeat(tmp_path: Path) -> None:
    """Case m32: a toast read aloud makes no new row, and no new toast."""
    with served(tmp_path) as server, server.follow() as stream:
        said = server.site.say("Buy milk", timedelta(days=2))
        server.site.bus.publish(MemoryRepeated(said))
        told = stream.until("saved")
        assert (told["memory"]["id"], told["repeats"]) == (said.id, 1)


def test_what_the_ear_forgets_and_how_it_is_are_told(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        said = server.site.say("just now", source="manual")
        stream.until("saved")
        server.site.ear.forget_last(timedelta(minutes=5))
        assert stream.until("gone") == {"ids": [said.id]}
        server.site.ear.mute()
        assert stream.next() == ("ear", {"snapshot": server.site.get("/api/ear")})


def test_the_end_comes_quickly_while_pages_follow(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        stream.next()
        begun = time.monotonic()
        server.end()
        assert time.monotonic() - begun < BEAT_S, "a page would be told something only then"
        with pytest.raises(EOFError):
            stream.until("never")


def test_a_port_that_is_taken_is_said_and_taken_up_when_it_is_free(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with served(tmp_path, port=other.getsockname()[1]) as server:
            assert "cannot be had" in server.server.problem
            assert server.server.home == ""
            assert (server.run / SOCKET_FILE).exists()
            other.close()
            wait_for(lambda: server.server.home != "" and server.server.problem == "")
            assert httpx.get(f"{server.server.home}/health", timeout=LIMIT_S).status_code == 200


def test_the_socket_belongs_to_its_owner_alone_and_goes_with_the_server(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        path = server.run / SOCKET_FILE
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with httpx.Client(
            transport=httpx.HTTPTransport(uds=str(path)), base_url="http://junod", timeout=LIMIT_S
        ) as client:
            assert client.get("/api/ear").json()["state"] == "listening"
    assert not path.exists()


def test_a_socket_left_by_a_dead_daemon_is_replaced_and_one_of_a_living_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "run").mkdir()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "one" / "run" / SOCKET_FILE))
    with served(tmp_path / "one") as server:
        assert server.server.problem == ""
        (tmp_path / "two" / "run").symlink_to(server.run)
        with served(tmp_path / "two") as second:
            assert "Another junod" in second.server.problem


def test_the_network_door_opens_and_closes_at_once(tmp_path: Path) -> None:
    with served(tmp_path, find_ip=lambda: "127.0.0.2") as server:
        assert server.server.address == ""
        server.server.turn(True)
        address = server.server.address
        assert address.startswith("http://127.0.0.2:")
        refused = httpx.get(f"{address}/api/home", headers={"host": "127.0.0.1"}, timeout=LIMIT_S)
        assert (refused.status_code, refused.json()["error"]) == (401, "not-paired")
        server.server.turn(False)
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{address}/health", timeout=LIMIT_S)
        assert httpx.get(f"{server.server.home}/api/home", timeout=LIMIT_S).status_code == 200


def test_a_device_that_moves_to_another_address_follows_it(tmp_path: Path) -> None:
    where = ["127.0.0.2"]
    with served(tmp_path, find_ip=lambda: where[0], lan=True) as server:
        wait_for(lambda: "127.0.0.2" in server.server.address)
        where[0] = "127.0.0.3"
        wait_for(lambda: "127.0.0.3" in server.server.address)


def test_without_a_network_the_door_stays_shut_and_says_why(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        with pytest.raises(AccessError, match="no network"):
            server.server.turn(True)
        assert server.server.problem == ""


def test_an_app_that_cannot_be_built_is_a_problem_and_no_end(tmp_path: Path) -> None:
    def broken(_: FaceServer) -> Any:
        raise ImportError("no fastapi")

    server = FaceServer(broken, settings_with(port=0).web, tmp_path)
    server.start()
    assert server.wait(LIMIT_S)
    assert "ImportError" in server.problem
    server.stop()


def test_many_pages_follow_without_a_thread_each(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        before = threading.active_count()
        with server.follow(), server.follow(), server.follow():
            wait_for(lambda: server.site.app.state.feed.listeners == 3)
            assert threading.active_count() <= before + 1


def test_a_rule_that_was_said_is_told_at_once_and_a_question_back(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        stream.next()
        rule_id = rule_said(server.site)
        server.site.bus.publish(RuleProposed(rule_id, "Never put nuts on the list."))
        assert stream.until("rule") == {"id": rule_id, "rule": "Never put nuts on the list."}
        server.site.bus.publish(RuleUnclear("How long before the dentist?"))
        assert stream.until("asked") == {"question": "How long before the dentist?"}


def test_what_another_process_does_to_a_rule_is_told(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.follow() as stream:
        stream.next()
        rule_id = rule_said(server.site)
        assert stream.until("learned") == {}
        server.site.house.rules.confirm(rule_id, by="cli")
        assert stream.until("learned") == {}
