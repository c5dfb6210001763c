"""/api/home, /api/ear, /api/constellation, /health and the pages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from web.web_fakes import BERLIN, Site, site

from junod.errors import StoreError
from junod.health import StageHealth
from junod.memory import entity_index
from junod.memory.context import MemoryContext
from junod.memory.reembedding import Progress
from junod.memory.talk import NoTalk, TalkContext


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def at(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=BERLIN)


def test_home_tells_the_two_days_in_order(house: Site) -> None:
    house.say("Choir — Tue 24 Mar 2026, 19:30", expires_at=at(24, 19, 30))
    house.say("Grandma is here — Mon 23 – Wed 25 Mar 2026", expires_at=at(26))
    house.say("Dentist for Leo — Wed 25 Mar 2026, 15:00", expires_at=at(25, 15))
    house.say("Bins go out every Tuesday at 7 pm")
    house.say("Concert — Fri 27 Mar 2026, 20:00", expires_at=at(27, 20))
    today, tomorrow = house.get("/api/home")["days"]
    assert (today["label"], today["date"]) == ("Today", "2026-03-24")
    assert [(entry["time"], entry["text"]) for entry in today["entries"]] == [
        (None, "Grandma is here"),
        ("19:00", "Bins go out every Tuesday at 7 pm"),
        ("19:30", "Choir"),
    ]
    assert [entry["text"] for entry in tomorrow["entries"]] == ["Grandma is here", "Dentist for Leo"]


def test_home_tells_reminders_with_a_day_first(house: Site) -> None:
    house.say("Call the plumber")
    house.say("Take the chicken out — by Fri 27 Mar 2026", expires_at=at(28))
    house.say("The spare key is under the pot")
    reminders = house.get("/api/home")["reminders"]
    assert [(one["text"], one["due"]) for one in reminders] == [
        ("Take the chicken out", "2026-03-28T00:00:00+01:00"),
        ("Call the plumber", None),
    ]


def test_home_tells_what_to_buy_line_by_line(house: Site) -> None:
    house.say("Shopping list:\n- milk\n- ~~eggs~~\n- [x] salt", timedelta(hours=2))
    second = house.say("Shopping list:\n- Milk\n- bread", timedelta(hours=1))
    shopping = house.get("/api/home")["shopping"]
    assert [(line["item"], line["done"]) for line in shopping] == [
        ("milk", False), ("eggs", True), ("salt", True), ("bread", False)
    ]  # fmt: skip
    assert shopping[3]["memory_id"] == second.id


def test_a_list_that_is_wholly_bought_goes_after_a_while(house: Site) -> None:
    done = house.store.done(house.say("Shopping list:\n- milk").id)
    assert [line["done"] for line in house.get("/api/home")["shopping"]] == [True]
    house.clock.advance(13 * 3600)
    assert house.get("/api/home")["shopping"] == []
    assert done.source == "done"


def test_what_is_done_is_no_longer_ahead(house: Site) -> None:
    house.store.done(house.say("Dentist — Wed 25 Mar 2026, 15:00", expires_at=at(25, 15)).id)
    assert house.get("/api/home")["days"][1]["entries"] == []


def test_night_comes_by_the_clock(house: Site) -> None:
    assert house.get("/api/home")["night"] is False
    house.clock.advance(4 * 3600)
    assert house.get("/api/home")["night"] is True


def test_memories_heard_before_the_clock_was_set_are_said_to_be_unsure(house: Site) -> None:
    assert house.get("/api/home")["unsynced"] is False
    house.say("Dentist", clock_synced=False)
    assert house.get("/api/home")["unsynced"] is True


def test_the_switches_reach_the_ear(house: Site) -> None:
    """Case m103: mute, and unmute, are honoured at once."""
    assert house.post("/api/ear/mute")["state"] == "muted"
    assert house.post("/api/ear/unmute")["state"] == "listening"
    assert house.post("/api/ear/off-record", {"minutes": 10})["off_record_until"] == "2026-03-24T18:10:00+01:00"
    assert house.post("/api/ear/off-record", {"until": "morning"})["off_record_until"] == "2026-03-25T06:00:00+01:00"
    assert house.post("/api/ear/on-record")["off_record_until"] is None
    assert house.post("/api/ear/media", {"state": "on"})["media"] == "on"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("off-record", {}, 400),
        ("off-record", {"minutes": 5, "until": "morning"}, 400),
        ("off-record", {"minutes": -5}, 422),
        ("off-record", {"minutes": 10**9}, 422),
        ("off-record", {"until": "doomsday"}, 422),
        ("forget-last", {}, 422),
        ("forget-last", {"minutes": 0}, 422),
        ("media", {"state": "loud"}, 422),
    ],
)
def test_a_switch_in_no_known_position_is_refused(house: Site, path: str, body: object, status: int) -> None:
    house.refused("POST", f"/api/ear/{path}", status, json=body)


def test_the_last_minutes_are_forgotten(house: Site) -> None:
    house.say("earlier", timedelta(minutes=20))
    house.say("just now", timedelta(minutes=1))
    house.post("/api/ear/forget-last", {"minutes": 5})
    assert [memory.memory for memory in house.store.list()] == ["earlier"]


def test_health_tells_of_a_stage_that_hangs(tmp_path: Path) -> None:
    fine = StageHealth("ear", "working", "", 0.1, 42.0, 7)
    hanging = StageHealth("hear", "working", "", 500.0, 180.0, 7)
    stages = [fine]
    with site(tmp_path, around={"stages": lambda: tuple(stages)}) as house:
        house.say("something said at home")
        assert house.get("/health")["alive"] is True
        stages.append(hanging)
        response = house.ask("GET", "/health")
        assert response.status_code == 503
        assert [stage["alive"] for stage in response.json()["stages"]] == [True, False]
        assert "said" not in response.text


def test_health_tells_how_far_a_change_of_the_embedding_model_is(tmp_path: Path) -> None:
    def unreadable() -> None:
        raise StoreError("The database is locked.", permanent=False)

    with site(tmp_path, house_parts={"reading_again": lambda: Progress(16, 220)}) as house:
        assert house.get("/health")["reading_again"] == {"done": 16, "total": 220}
    with site(tmp_path, house_parts={"reading_again": unreadable}) as house:
        assert house.get("/health")["reading_again"] is None


class Said(NoTalk):
    def __init__(self, found: MemoryContext) -> None:
        self._found = found

    def context(self, budget_tokens: int = 0) -> TalkContext:
        return TalkContext(self._found, "somebody asked for the key")


def test_context_is_what_bears_on_what_is_being_said_without_the_words(tmp_path: Path, house: Site) -> None:
    assert house.get("/api/context") == {"heard": False, "text": "", "memories": []}
    said = house.say("The spare key is under the pot")
    with site(tmp_path / "other", house_parts={"talk": Said(MemoryContext("as data", (said,)))}) as other:
        told = other.get("/api/context?tokens=200")
        assert (told["heard"], told["text"], [row["id"] for row in told["memories"]]) == (True, "as data", [said.id])
        assert "somebody asked" not in str(told)
        other.refused("GET", "/api/context?tokens=1", 422)


def test_the_constellation_has_a_star_for_each_memory(house: Site) -> None:
    said = house.say("Leo plays chess")
    nodes = house.get("/api/constellation")["nodes"]
    assert {"id": said.id, "kind": "memory", "label": "Leo plays chess"} in nodes


def test_what_memories_share_is_a_star_that_links_them(house: Site) -> None:
    said = {house.say(text).id for text in ("Mira's piano lesson moves", "Mira needs new shoes")}
    house.say("The sledge is in the attic")
    assert house.get("/api/constellation")["links"] == [], "nothing is indexed yet"
    entity_index.fill(house.store.sessions)
    sky = house.get("/api/constellation")
    (shared,) = [node for node in sky["nodes"] if node["kind"] != "memory"]
    assert (shared["kind"], shared["label"]) == ("person", "Mira")
    assert {link["source"] for link in sky["links"]} == said
    assert {link["target"] for link in sky["links"]} == {shared["id"]}


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/memories/", "/static/../app.py", "/static/%2e%2e/app.py", "/x"]
)
def test_what_is_not_there_is_json_too(house: Site, path: str) -> None:
    response = house.ask("GET", path)
    assert response.status_code in (404, 307)
    if response.status_code == 404:
        assert response.json()["error"] == "not-found"


def test_wrong_methods_are_refused(house: Site) -> None:
    assert house.refused("PUT", "/api/home", 405)["error"] == "wrong-method"
    assert house.ask("TRACE", "/api/home").status_code == 405
