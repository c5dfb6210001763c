"""Where a text speaks of time."""

from __future__ import annotations

import pytest

from junod.records import Kind
from junod.when import complete, find_time_phrases
from junod.when.numbers import tokenize


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Dentist Friday at ten, and grab some milk.", ["Friday at ten"]),
        (
            "The plumber's coming Thursday. Yeah, about nine in the morning.",
            ["coming Thursday", "about nine in the morning"],
        ),
        ("Mum is here from Thursday until Sunday, both nights.", ["from Thursday until Sunday"]),
        ("I'll post it by Friday, promise.", ["by Friday"]),
        ("Not Tuesday, no, Wednesday at half seven.", ["Not Tuesday, no, Wednesday at half seven"]),
        ("Every Tuesday at seven it's choir.", ["Every Tuesday at seven"]),
        ("What time? Eleven, then.", ["Eleven"]),
        ("Wait a second, I have two left and three people.", []),
        ("The code is four four nine one seven.", []),
        ("She may march in the sun.", []),
        ("Add 1/2 cup and 14.5 ounces, that is $4,000 or 5% off.", []),
        ("Thus the first one is a second time.", []),
        ("Ten to twenty miles a day.", []),
        ("", []),
    ],
)
def test_the_longest_phrases_are_found(text: str, phrases: list[str]) -> None:
    assert [phrase.text for phrase in find_time_phrases(text)] == phrases


def test_a_phrase_knows_its_place_and_what_it_names() -> None:
    text = "Dentist next Friday, at half past two."
    (phrase,) = find_time_phrases(text)
    assert text[phrase.start : phrase.end] == phrase.text == "next Friday, at half past two"
    assert phrase.has_day
    assert phrase.has_hour
    assert not phrase.is_weak


def test_a_lone_number_is_weak() -> None:
    (phrase,) = find_time_phrases("Five.")
    assert phrase.is_weak


@pytest.mark.parametrize(
    ("text", "norms"),
    [
        ("twenty-third", ["23th"]),
        ("the 23rd", ["the", "23th"]),
        ("seven thirty", ["7", "30"]),
        ("seven oh five", ["7", "05"]),
        ("7.30 p.m.", ["7:30", "pm"]),
        ("five o'clock", ["5", "oclock"]),
        ("two thousand and twenty six", ["2026"]),
        ("a second", ["a", "second"]),
        ("the second of May", ["the", "2th", "of", "may"]),
        ("noon-ish", ["noon", "ish"]),
    ],
)
def test_numbers_get_one_spelling(text: str, norms: list[str]) -> None:
    assert [token.norm for token in tokenize(text)] == norms


TALK = "The plumber called. Thursday? Yes, I said yes. He comes about nine, so be up. We saw Ann last Friday."


def test_a_lone_hour_gets_the_day_said_nearest() -> None:
    assert complete("about nine", TALK, kind=Kind.APPOINTMENT) == ["Thursday", "about nine"]


def test_a_lone_day_gets_the_hour_of_an_appointment_only() -> None:
    assert complete("Thursday", TALK, kind=Kind.APPOINTMENT) == ["Thursday", "about nine"]
    assert complete("Thursday", TALK, kind=Kind.EVENT) == ["Thursday"]
    assert complete("Thursday", TALK, kind=Kind.REMINDER) == ["Thursday"]


def test_a_time_in_another_spelling_is_found_in_the_talk() -> None:
    assert complete("9", TALK, kind=Kind.APPOINTMENT) == ["Thursday", "9"]


@pytest.mark.parametrize("when", ["Thursday at nine", "in ten minutes", "every Monday", "tonight", "", "on Mars"])
def test_what_lacks_nothing_or_was_not_said_stays_as_it_is(when: str) -> None:
    assert complete(when, TALK, kind=Kind.APPOINTMENT) == [when]
