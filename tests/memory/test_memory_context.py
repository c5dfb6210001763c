"""Memories as an assistant's context: which, in what words, and within which budget."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.memory.context import MAX_MEMORIES, arranged, distinct, tokens
from junod.memory.telling import DATA_NOTE, age, told
from junod.records import Memory

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 25, 17, 0, tzinfo=UTC)


def memory(text: str, **changes: object) -> Memory:
    fields: dict[str, object] = {
        "id": f"019d0000-0000-7000-8000-{abs(hash(text)) % 10**12:012d}",
        "memory": text,
        "transcript": "",
        "room": "kitchen",
        "device_id": "",
        "spoken_at": NOW - timedelta(hours=3),
        "created_at": NOW,
        "expires_at": None,
        "archived": False,
        "source": "voice",
        "confidence": 1.0,
    }
    return Memory(**(fields | changes))  # type: ignore[arg-type]


def arrange(*memories: Memory, budget_tokens: int = 400) -> tuple[str, list[str]]:
    found = arranged(memories, now=NOW, zone=BERLIN, budget_tokens=budget_tokens)
    return found.text, [each.memory for each in found.memories]


def test_a_memory_is_told_on_one_line_with_dates_ages_and_state() -> None:
    told_line = told(
        memory("Shopping list:\n- milk\n- eggs", expires_at=NOW + timedelta(days=8, hours=1)), now=NOW, zone=BERLIN
    )
    assert told_line.startswith(
        "Shopping list: milk, eggs [said Wed 25 Mar 2026, 15:00, 3 hours ago; kitchen; "
        "until Thu 2 Apr 2026, 20:00, in 8 days; id "
    )


@pytest.mark.parametrize(
    ("since", "words"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=13), "13 days ago"),
        (timedelta(days=14), "2 weeks ago"),
        (timedelta(days=400), "1 year ago"),
        (-timedelta(seconds=30), "in a moment"),
        (-timedelta(days=8, hours=2), "in 8 days"),
    ],
)
def test_ages_are_in_whole_units(since: timedelta, words: str) -> None:
    assert age(NOW - since, NOW) == words


def test_superseded_archived_and_done_ones_never_come_in() -> None:
    _, chosen = arrange(
        memory("old", superseded_by=("x",)),
        memory("away", archived=True),
        memory("~~done~~", source="done"),
        memory("kept"),
    )
    assert chosen == ["kept"]


def test_there_are_at_most_five_and_repeats_take_no_place() -> None:
    repeats = [memory("The spare key is under the pot"), memory("the spare key, is under the pot!")]
    _, chosen = arrange(*repeats, *(memory(f"Number {number}") for number in range(9)))
    assert len(chosen) == MAX_MEMORIES
    assert chosen[:2] == ["The spare key is under the pot", "Number 0"]


def test_what_differs_in_a_number_or_its_end_is_no_repeat() -> None:
    pairs = [
        (memory("Rent is due on the 15th"), memory("Rent is due on the 16th")),
        (memory("Dentist"), memory("Dentist", expires_at=NOW + timedelta(days=1))),
    ]
    assert all(len(distinct(pair)) == 2 for pair in pairs)


def test_the_fuller_of_two_that_say_the_same_is_kept() -> None:
    assert [
        each.memory for each in distinct([memory("Dentist for Leo"), memory("Dentist for Leo at the new place")])
    ] == ["Dentist for Leo at the new place"]


def test_without_memories_there_is_no_text() -> None:
    assert arrange() == ("", [])


def test_a_memory_too_long_for_the_budget_is_left_out_whole_and_a_shorter_one_takes_its_place() -> None:
    text, chosen = arrange(memory("Never give Mia nuts " * 80), memory("Key under pot"), budget_tokens=200)
    assert chosen == ["Key under pot"]
    assert tokens(text) <= 200


@given(st.lists(st.text(min_size=1, max_size=200), max_size=8), st.integers(100, 800))
def test_any_text_stays_within_its_frame_and_budget(texts: list[str], budget: int) -> None:
    text, chosen = arrange(*(memory(each) for each in texts), budget_tokens=budget)
    if not chosen:
        assert text == ""
        return
    assert text.startswith(DATA_NOTE)
    assert tokens(text) <= budget
    assert text.count("<") == text.count(">") == 2
    assert len([line for line in text.split("\n") if line.startswith("- ")]) == len(chosen)
