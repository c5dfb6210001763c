"""Time words are told from the rest of a sentence; what a day was before is told from what it is now."""

from __future__ import annotations

import pytest

from junod.dedup.times import find_times


@pytest.mark.parametrize(
    ("text", "days", "clocks", "rest"),
    [
        ("Dentist for Leo — Tue 31 Mar 2026, 15:00", {"tue", "03-31"}, {180}, "Dentist for Leo — ,"),
        ("Bins go out on Tuesdays", {"tue"}, set(), "Bins go out on"),
        ("Rent is due on the 15th", {"d15"}, set(), "Rent is due on"),
        ("Oil change 1 March", {"03-01"}, set(), "Oil change"),
        ("Ana lives at 4 Mill Lane", set(), set(), "Ana lives at 4 Mill Lane"),
        ("Two eggs to 3 cups of flour", set(), set(), "Two eggs to 3 cups of flour"),
        ("Choir at half past seven", set(), {450}, "Choir at"),
        ("Choir at quarter to eight", set(), {465}, "Choir at"),
        ("Lunch at noon on the twenty-third of April", {"04-23"}, {0}, "Lunch at on"),
        ("Every Thursday at 5 Leo has football", {"thu"}, {300}, "Leo has football"),
        ("Parents' evening", set(), set(), "Parents' evening"),
    ],
)
def test_days_and_hours_are_found(text: str, days: set[str], clocks: set[int], rest: str) -> None:
    found = find_times(text)
    assert (found.days, found.clocks, found.rest) == (frozenset(days), frozenset(clocks), rest)


def test_what_it_was_before_is_kept_apart() -> None:
    moved = find_times("the dentist moved from three to four on Monday, not Friday")
    assert (set(moved.clocks), set(moved.was_clocks)) == ({240}, {180})
    assert (set(moved.days), set(moved.was_days)) == ({"mon"}, {"fri"})


def test_repeats_and_relative_words_are_noted() -> None:
    assert find_times("Water the ferns every week").is_recurring
    assert find_times("Call Olga tomorrow").relative == {"tomorrow"}
    assert find_times("Call Olga").is_empty
