"""/api/memories: find, add, change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from web.web_fakes import BERLIN, Site, site

from junod.errors import ModelError


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def texts(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    return [row["memory"] for row in answer["memories"]]


def test_without_a_query_the_newest_comes_first(house: Site) -> None:
    house.say("older", timedelta(hours=2))
    house.say("newer", timedelta(hours=1))
    assert texts(house.get("/api/memories")) == ["newer", "older"]
    assert texts(house.get("/api/memories?mode=chronological")) == ["older", "newer"]
    assert texts(house.get("/api/memories?limit=1")) == ["newer"]


def test_a_memory_has_what_the_contract_names(house: Site) -> None:
    said = house.say("Dentist for Leo — Wed 25 Mar 2026, 15:00", expires_at=datetime(2026, 3, 25, 15, tzinfo=BERLIN))
    row = house.get(f"/api/memories/{said.id}")
    assert row["transcript"].startswith("somebody said")
    assert row["expires_at"] == "2026-03-25T15:00:00+01:00"
    assert row["html"] == "<p>Dentist for Leo — Wed 25 Mar 2026, 15:00</p>\n"
    assert (row["can_undo"], row["age"]) == (True, "just now")


def test_search_finds_while_somebody_types(house: Site) -> None:
    house.say("The dentist called about Leo")
    house.say("Bins go out on Tuesday")
    assert texts(house.get("/api/memories?q=den")) == ["The dentist called about Leo"]
    assert texts(house.get("/api/memories?q=dentist")) == ["The dentist called about Leo"]


def test_filters_by_time_words_room_and_source(house: Site) -> None:
    house.say("yesterday's", timedelta(days=1))
    house.say("the bedroom's", room="bedroom")
    house.say("by hand", source="manual")
    assert texts(house.get("/api/memories?since=yesterday&until=yesterday")) == ["yesterday's"]
    assert texts(house.get("/api/memories?room=bedroom")) == ["the bedroom's"]
    assert texts(house.get("/api/memories?source=manual")) == ["by hand"]
    assert texts(house.get("/api/memories?source=manual&q=hand")) == ["by hand"]
    assert texts(house.get("/api/memories?source=voice&q=hand")) == []


def test_memories_have_the_tags_of_the_rules_and_are_found_by_them(house: Site) -> None:
    house.say("The doctor moved to Elm Street")
    house.say("Milk is out")
    rule = house.house.rules.propose("Doctor things belong to health", source="page").rule
    assert house.ask("GET", "/api/memories?tag=health").status_code == 400
    house.house.rules.confirm(rule.id, by="page")
    (found,) = house.ask("GET", "/api/memories?tag=health").json()["memories"]
    assert found["tags"] == ["health"]
    assert [each["tags"] for each in house.ask("GET", "/api/memories").json()["memories"]] == [[], ["health"]]


def test_superseded_ones_are_shown_when_asked_for(house: Site) -> None:
    old = house.say("Piano at four")
    house.post(f"/api/memories/{old.id}/edit", {"text": "Piano at five"})
    assert texts(house.get("/api/memories")) == ["Piano at five"]
    assert set(texts(house.get("/api/memories?include=superseded,archived"))) == {"Piano at four", "Piano at five"}
    assert set(texts(house.get("/api/memories?include=superseded&q=piano"))) == {"Piano at four", "Piano at five"}


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("limit=-1", 422), ("limit=0", 422), ("limit=99999", 422), ("limit=many", 422), ("mode=psychic", 422),
        ("room=attic", 400), ("source=gossip", 400), ("since=blorp", 400), ("include=secrets", 400),
        ("since=today&until=yesterday", 400),
        ("q=" + "x" * 3000, 422),
    ],
)  # fmt: skip
def test_odd_questions_are_refused_with_a_hint(house: Site, query: str, status: int) -> None:
    assert house.refused("GET", f"/api/memories?{query}", status)["hint"]


@pytest.mark.parametrize("path", ["zzz", "../../etc/passwd", "00000000", "%00", "0" * 37])
def test_a_memory_that_is_not_there_is_not_found(house: Site, path: str) -> None:
    assert house.ask("GET", f"/api/memories/{path}").status_code in (404, 422)
    assert house.ask("POST", f"/api/memories/{path}/done").status_code in (404, 422)


def test_a_memory_written_by_hand_is_masked_and_ends_when_said(house: Site) -> None:
    row = house.post("/api/memories", {"text": "The wifi password is hunter2222", "until": "tomorrow at 17:00"})
    assert "hunter2222" not in row["memory"]
    assert row["expires_at"] == "2026-03-25T17:00:00+01:00"
    assert row["source"] == "manual"


def test_the_same_words_are_stored_once(house: Site) -> None:
    first = house.post("/api/memories", {"text": "The key is under the pot"})
    assert house.post("/api/memories", {"text": "The key is under the pot"})["id"] == first["id"]


@pytest.mark.parametrize(
    "body", [{}, {"text": ""}, {"text": "  "}, {"text": "x" * 4001}, {"text": 7}, {"txt": "x"}, []]
)
def test_a_body_that_makes_no_sense_is_refused(house: Site, body: object) -> None:
    house.refused("POST", "/api/memories", 422, json=body)
    assert house.store.list() == ()


def test_an_end_that_is_over_or_no_time_is_refused(house: Site) -> None:
    for words in ("yesterday", "blorp"):
        house.refused("POST", "/api/memories", 400, json={"text": "x", "until": words})


def test_done_strikes_it_through_and_undo_takes_that_back(house: Site) -> None:
    said = house.say("Call the plumber")
    done = house.post(f"/api/memories/{said.id}/done")
    assert (done["memory"], done["html"]) == ("~~Call the plumber~~", "<p><s>Call the plumber</s></p>\n")
    assert house.refused("POST", f"/api/memories/{done['id']}/done", 409)["hint"]
    assert house.post(f"/api/memories/{done['id']}/undo")["memory"] == "Call the plumber"


def test_history_tells_what_superseded_what(house: Site) -> None:
    said = house.say("Piano at four")
    edited = house.post(f"/api/memories/{said.id}/edit", {"text": "Piano at five"})
    history = house.get(f"/api/memories/{edited['id']}/history")
    assert texts(history) == ["Piano at four", "Piano at five"]
    assert [(link["old"], link["new"]) for link in history["links"]] == [(said.id, edited["id"])]


def test_what_was_archived_comes_back_when_restored(house: Site) -> None:
    said = house.say("An old tale")
    assert house.post(f"/api/memories/{said.id}/archive")["archived"]
    assert not house.post(f"/api/memories/{said.id}/restore")["archived"]


def test_what_is_forgotten_is_gone_at_once_and_comes_back_within_its_time(house: Site) -> None:
    said = house.say("A secret")
    forgotten = house.post(f"/api/memories/{said.id}/forget")
    assert forgotten == {"forgotten": [said.id], "undo_until": "2026-03-24T18:01:00+01:00"}
    house.refused("GET", f"/api/memories/{said.id}", 404)
    assert house.post(f"/api/memories/{said.id}/unforget")["memory"] == "A secret"
    house.refused("POST", f"/api/memories/{said.id}/unforget", 409)


def test_what_is_erased_does_not_come_back(house: Site) -> None:
    said = house.say("A secret")
    house.post(f"/api/memories/{said.id}/forget")
    house.clock.advance(61)
    house.store.erase_forgotten()
    house.refused("POST", f"/api/memories/{said.id}/unforget", 404)


def test_undo_of_a_fresh_memory_forgets_it_and_undo_of_that_brings_it_back(house: Site) -> None:
    said = house.say("The television said so")
    assert house.post(f"/api/memories/{said.id}/undo")["forgotten"] == [said.id]
    assert house.post(f"/api/memories/{said.id}/undo")["id"] == said.id


def test_undo_of_an_edit_and_of_a_merge_brings_back_what_was_before(house: Site) -> None:
    four = house.say("Piano at four")
    five = house.post(f"/api/memories/{four.id}/edit", {"text": "Piano at five"})
    assert house.post(f"/api/memories/{five['id']}/undo")["id"] == four.id
    other = house.say("Piano lesson")
    merged = house.say("Piano at six", source="merge", supersedes=(four.id, other.id), reason="moved")
    house.post(f"/api/memories/{merged.id}/undo")
    assert set(texts(house.get("/api/memories"))) == {"Piano at four", "Piano lesson"}
    links = house.get(f"/api/memories/{four.id}/history")["links"]
    assert all(link["withdrawn_at"] for link in links)


def test_what_is_too_old_cannot_be_undone_and_says_so(house: Site) -> None:
    said = house.say("An old tale")
    house.clock.advance(25 * 3600)
    assert house.get(f"/api/memories/{said.id}")["can_undo"] is False
    house.refused("POST", f"/api/memories/{said.id}/undo", 409)


def test_ticking_milk_strikes_its_line_in_a_successor(house: Site) -> None:
    said = house.say("Shopping list:\n- milk\n- eggs")
    ticked = house.post(f"/api/shopping/{said.id}/tick", {"item": "milk"})
    assert ticked["memory"] == "Shopping list:\n- ~~milk~~\n- eggs"
    assert ticked["supersedes"] == [said.id]
    again = house.post(f"/api/shopping/{ticked['id']}/tick", {"item": "milk", "done": False})
    assert again["memory"] == "Shopping list:\n- milk\n- eggs"
    house.refused("POST", f"/api/shopping/{again['id']}/tick", 404, json={"item": "salt"})
    house.refused("POST", f"/api/shopping/{house.say('no list').id}/tick", 400, json={"item": "salt"})


def test_an_item_is_ticked_by_the_text_that_is_shown(house: Site) -> None:
    said = house.say("Shopping list:\n- \u202emilk\n- eggs")
    (shown, _) = house.get("/api/home")["shopping"]
    assert shown["item"] == "milk"
    assert "~~" in house.post(f"/api/shopping/{said.id}/tick", {"item": shown["item"]})["memory"]


def test_without_the_model_words_are_searched_and_the_answer_says_so(tmp_path: Path) -> None:
    with site(tmp_path, ModelError("gone")) as house:
        house.say("The dentist called")
        first = house.get("/api/memories?q=dentist")
        assert texts(first) == ["The dentist called"]
        assert "words alone" in first["note"]
        house.refused("GET", "/api/memories?q=dentist&mode=semantic", 503)
