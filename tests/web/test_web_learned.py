"""/api/learned, and what a person answers, confirms, switches and deletes there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web.learned_fakes import COFFEE, WANTED, coffee_is_due, rule_said, sylvie_dreads_the_dentist
from web.web_fakes import Site, site


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def test_a_household_of_which_nothing_is_learned_has_nothing_to_show(house: Site) -> None:
    house.say("Tomas is allergic to walnuts")
    nothing: dict[str, Any] = {"proposed": [], "rules": [], "habits": [], "suggestion": None, "impressions": []}
    assert house.get("/api/learned") == nothing


def test_what_is_due_is_suggested_until_it_is_answered(house: Site) -> None:
    coffee_is_due(house)
    learned = house.get("/api/learned")
    assert [habit["sentence"] for habit in learned["habits"]] == ["You usually buy coffee about every 9 days."]
    asked = learned["suggestion"]
    assert asked["text"] == COFFEE
    answer = house.post(f"/api/habits/{asked['habit']}/yes")
    assert answer["proposal"] == "Shopping list:\n- coffee"
    assert house.get("/api/home")["shopping"] == [], "only a person puts it on the list"
    assert house.get("/api/learned")["suggestion"] is None


def test_a_no_keeps_the_habit_and_ends_the_question(house: Site) -> None:
    coffee_is_due(house)
    house.post(f"/api/habits/{house.get('/api/learned')['suggestion']['habit']}/no")
    assert house.get("/api/learned")["suggestion"] is None


def test_a_deleted_habit_is_gone_and_its_memories_stay(house: Site) -> None:
    coffee_is_due(house)
    (habit,) = house.get("/api/learned")["habits"]
    assert house.ask("DELETE", f"/api/habits/{habit['id']}").json() == {"deleted": [habit["id"]]}
    assert house.get("/api/learned")["habits"] == []
    assert house.get("/api/memories?include=superseded,archived")["memories"]
    house.refused("DELETE", f"/api/habits/{habit['id']}", 404)


def test_a_rule_waits_is_confirmed_switched_and_deleted(house: Site) -> None:
    rule_id = rule_said(house)
    (proposed,) = house.get("/api/learned")["proposed"]
    assert (proposed["id"], proposed["state"], proposed["said"]) == (rule_id, "proposed", "never put nuts on the list")
    assert house.house.rules.active() == ()
    house.refused("POST", f"/api/rules/{rule_id}/off", 409)
    assert house.post(f"/api/rules/{rule_id}/confirm")["state"] == "on"
    assert len(house.house.rules.active()) == 1
    assert house.post(f"/api/rules/{rule_id}/off")["state"] == "off"
    learned = house.get("/api/learned")
    assert (learned["proposed"], [rule["state"] for rule in learned["rules"]]) == ([], ["off"])
    assert house.post(f"/api/rules/{rule_id}/on")["state"] == "on"
    assert house.ask("DELETE", f"/api/rules/{rule_id}").json() == {"deleted": [rule_id]}
    assert house.get("/api/learned")["rules"] == []


def test_a_page_of_somebody_else_confirms_no_rule(house: Site) -> None:
    rule_id = rule_said(house)
    foreign = {"Origin": "http://elsewhere.example"}
    house.refused("POST", f"/api/rules/{rule_id}/confirm", 403, headers=foreign)
    house.refused("DELETE", f"/api/rules/{rule_id}", 403, headers=foreign)
    assert house.get("/api/learned")["proposed"][0]["state"] == "proposed"


def test_impressions_are_shown_and_deleted_where_they_are_wanted(tmp_path: Path) -> None:
    with site(tmp_path, house_parts={"persona_settings": WANTED}) as house:
        sylvie_dreads_the_dentist(house)
        (shown,) = house.get("/api/learned")["impressions"]
        assert shown["statement"] == "Sylvie dreads the dentist"
        assert house.get(f"/api/why/{shown['id']}")["layer"] == "impression"
        house.ask("DELETE", f"/api/impressions/{shown['id']}")
        assert house.get("/api/learned")["impressions"] == []


def test_impressions_that_are_off_are_not_told(house: Site) -> None:
    sylvie_dreads_the_dentist(house)
    assert house.get("/api/learned")["impressions"] == []


def test_why_a_memory_is_known_names_the_words_and_the_layer(house: Site) -> None:
    said = house.say("Tomas is allergic to walnuts")
    known = house.get(f"/api/why/{said.id}")
    assert (known["layer"], known["says"]) == ("memory", "Tomas is allergic to walnuts")
    assert [(each["text"], each["memory"]) for each in known["evidence"]] == [(said.transcript, said.id)]
    assert known["since"].endswith("+01:00")
    assert house.refused("GET", "/api/why/00000000-0000", 404)["error"] == "not-found"


def test_why_a_rule_or_habit_is_known(house: Site) -> None:
    coffee_is_due(house)
    known = house.get(f"/api/why/{rule_said(house)}")
    assert (known["layer"], known["evidence"][0]["text"]) == ("rule", "never put nuts on the list")
    habit = house.get("/api/learned")["habits"][0]["id"]
    assert house.get(f"/api/why/{habit}")["layer"] == "habit"


def test_a_rule_is_put_ahead_of_others_of_its_kind(house: Site) -> None:
    first, second = (rule_said(house, f"swimming is always at {hour}") for hour in ("five", "six"))
    for rule_id in (first, second):
        house.post(f"/api/rules/{rule_id}/confirm")
    assert [rule["id"] for rule in house.get("/api/learned")["rules"]] == [second, first]
    moved = house.post(f"/api/rules/{first}/first")
    assert moved["kind"] == "default-time"
    assert [rule["id"] for rule in house.get("/api/learned")["rules"]] == [first, second]
    house.refused("POST", f"/api/rules/{first}/first", 403, headers={"Origin": "http://elsewhere.example"})


def test_a_rule_is_tried_out_on_last_week_and_changes_nothing(house: Site) -> None:
    nuts = house.say("Shopping list:\n- nuts\n- bread")
    rule_id = rule_said(house)
    tried = house.get(f"/api/rules/{rule_id}/dry-run")
    (wanted,) = tried["changes"]
    assert (tried["days"], wanted["memory"], wanted["before"]) == (7, nuts.id, nuts.memory)
    assert wanted["after"] == "Shopping list:\n- bread"
    assert "<li>bread</li>" in wanted["after_html"]
    assert house.store.get(nuts.id).memory == nuts.memory
    assert house.house.rules.active() == ()
    house.clock.advance(8 * 86_400)
    assert house.get(f"/api/rules/{rule_id}/dry-run")["changes"] == []
    assert house.get(f"/api/rules/{rule_id}/dry-run?days=9")["changes"] == [wanted]
    house.refused("GET", f"/api/rules/{rule_id}/dry-run?days=0", 422)


def test_an_impression_reads_as_it_was_corrected_and_never_clinically(tmp_path: Path) -> None:
    with site(tmp_path, house_parts={"persona_settings": WANTED}) as house:
        sylvie_dreads_the_dentist(house)
        (shown,) = house.get("/api/learned")["impressions"]
        where = f"/api/impressions/{shown['id']}/correct"
        assert (
            house.post(where, {"text": "Sylvie likes her new dentist"})["statement"] == "Sylvie likes her new dentist"
        )
        assert house.get("/api/learned")["impressions"][0]["statement"] == "Sylvie likes her new dentist"
        house.refused("POST", where, 400, json={"text": "Sylvie has a depression"})
        house.refused("POST", where, 422, json={"text": " "})
        assert house.get("/api/learned")["impressions"][0]["statement"] == "Sylvie likes her new dentist"


def test_a_rule_is_declared_in_plain_words_and_waits(house: Site) -> None:
    declared = house.post("/api/rules", {"text": "never put nuts on the list"})
    assert declared["is_new"] is True
    assert (declared["rule"]["rule"], declared["rule"]["state"]) == ("Never put nuts on the list.", "proposed")
    assert house.house.rules.active() == ()
    assert house.post("/api/rules", {"text": "never put nuts on the list"})["is_new"] is False
    refused = house.ask("POST", "/api/rules", json={"text": "always remind us before the dentist"})
    assert (refused.status_code, refused.json()["hint"]) == (400, "How long before the dentist?")
    assert (
        "Write it as you would say it" in house.ask("POST", "/api/rules", json={"text": "we eat at six"}).json()["hint"]
    )
