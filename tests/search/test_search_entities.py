"""Whom and what memories are about: told by rules, filled later, gone with the memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory.memory_fakes import NOW, new

from junod.clock import SimulatedClock
from junod.memory import entity_index
from junod.memory.entities import MAX_ENTITIES, SCHEMAS, EntityKind, about
from junod.memory.store import MemoryStore

CLOCK = SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=CLOCK) as opened:
        yield opened


def told(text: str, kind: EntityKind) -> set[str]:
    return {entity.label for entity in about(text).entities if entity.kind is kind}


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Dentist appointment for Ben on Tue 14 Oct 2025, 15:30", {"Ben"}),
        ("Noa's recital is on Sat 6 Dec 2025", {"Noa"}),
        ("Outing with Fenna and Rolf", {"Fenna", "Rolf"}),
        ("Mr. Kowalski services the boiler", {"Kowalski"}),
        ("Aunt Farida lands at 21:10", {"Farida"}),
        ("Linnea works at Teichmann now", {"Linnea"}),
        ("Strawberries need a net", set()),
        ("Gutters were cleaned on 5 March 2026", set()),
        ("Shopping list:\n- Milk\n- eggs", set()),
        ("No mowing on Sundays in May", set()),
    ],
)
def test_people_are_told_from_words_that_only_begin_a_sentence(text: str, people: set[str]) -> None:
    assert told(text, EntityKind.PERSON) == people


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Samir is in Rotterdam from 12 to 14 January", {"Rotterdam"}),
        ("Choir concert in St. Brannoc's church", {"church"}),
        ("The sledge is in the attic", {"attic"}),
        ("We meet at Hannah's", set()),
    ],
)
def test_places_are_names_behind_in_or_at_and_known_places(text: str, places: set[str]) -> None:
    assert told(text, EntityKind.PLACE) == places


def test_things_are_one_in_singular_and_plural() -> None:
    one, two = about("Buy an egg"), about("Buy eggs")
    assert {entity.key for entity in one.entities} == {entity.key for entity in two.entities} == {"egg"}


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("Shopping list:\n- halloumi", "food"),
        ("Elias is allergic to penicillin", "health"),
        ("Maths test on fractions", "school"),
        ("The boiler service is on Thursday", "house"),
        ("The garage rent is 85 euros", "money"),
        ("The ferry cannot be booked, flight on Monday", "travel"),
    ],
)
def test_each_schema_is_recognised(text: str, schema: str) -> None:
    assert schema in about(text).schemas


@given(st.text(max_size=300))
def test_any_text_has_few_entities_with_labels_and_known_schemas(text: str) -> None:
    found = about(text)
    assert len(found.entities) <= MAX_ENTITIES
    assert all(entity.label and entity.key for entity in found.entities)
    assert found.schemas <= set(SCHEMAS)


def test_the_index_is_filled_later_in_pieces_and_shows_who_is_linked_to_what(store: MemoryStore) -> None:
    ids = [store.add(new(text)).id for text in ("Noa's piano lesson", "Noa's braces", "The sledge is in the attic")]
    before = entity_index.constellation(store.sessions)
    assert len(before.memories) == 3
    assert before.links == ()
    assert [entity_index.fill(store.sessions, 2), entity_index.fill(store.sessions, 2)] == [2, 1]
    assert entity_index.fill(store.sessions) == 0
    shown = entity_index.constellation(store.sessions)
    noa = next(body for body in shown.entities if body.label == "Noa")
    assert (noa.kind, noa.memories) == ("person", 2)
    assert {memory for memory, entity in shown.links if entity == noa.id} == set(ids[:2])
    assert shown.entities[0] == noa
    assert len(entity_index.constellation(store.sessions, limit=1).memories) == 1


def test_superseded_archived_and_forgotten_memories_are_not_in_the_sky(store: MemoryStore) -> None:
    old = store.add(new("Lunch with Kofi"))
    store.edit(old.id, "Lunch with Thea")
    store.archive(store.add(new("Tea with Selma")).id)
    entity_index.fill(store.sessions)
    assert {body.label for body in entity_index.constellation(store.sessions).entities} >= {"Thea"}
    assert not {body.label for body in entity_index.constellation(store.sessions).entities} & {"Kofi", "Selma"}


def test_a_name_is_erased_with_the_last_memory_that_has_it(store: MemoryStore) -> None:
    gone = store.add(new("Zbigniew's lesson is in Xanadu", transcript="about him"))
    store.add(new("Noa's lesson"))
    entity_index.fill(store.sessions)
    store.forget(gone.id)
    assert {body.label for body in entity_index.constellation(store.sessions).entities} == {"Noa", "lesson"}
    store.finish_erasing()
    files = [path for path in store.path.parent.iterdir() if path.name.startswith(store.path.name)]
    for path in files:
        assert not any(word in path.read_bytes() for word in (b"Zbigniew", b"zbigniew", b"Xanadu", b"xanadu"))
