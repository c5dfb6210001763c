"""What two memories are to each other: vetoes first, then what code can tell, then the model."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from dedup.dedup_fakes import BERLIN, memory, parsed

from junod.dedup.policy import Relation, judge, list_expiry


def relation(older: str, newer: str, **newer_changes: Any) -> tuple[str, str]:
    verdict = judge(parsed(older, 30), parsed(newer, 1, **newer_changes))
    return verdict.relation.value, verdict.reason


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        ("Bus 42 goes to the harbour", "Bus 43 goes to the harbour", "number"),
        ("Rent due 15th", "Rent due 16th", "date"),
        ("Oil change 1 March", "Oil change 1 September", "date"),
        ("Swim practice for Leo", "Swim practice for Mia", "name"),
        ("We owe Ana what Ben owes", "We owe Ben what Ana owes", "name-order"),
        ("Somehow Ana eats fish", "Somehow Ana does not eat fish", "negation"),
        ("Ana does not eat fish", "The fish man comes Friday", "negation"),
        ("My dentist is in Mill Lane", "His dentist is in Mill Lane", "owner"),
        ("Turn the heating on", "Turn the heating off", "polarity"),
        ("Olga gave us the red bowl", "We gave Olga the red bowl", "roles"),
        ("Cat food is in the pantry", "Dog food is in the pantry", "different-thing"),
        ("Leo is allergic to eggs", "Leo is allergic to nuts now", "different-thing"),
        ("Ben's party", "Buy a present for Ben's party", "task"),
        ("Ana has a guitar", "Ana has a guitar lesson", "compound"),
        ("The freezer is in the cellar", "The freezer in the cellar needs defrosting", "task"),
        ("Guitar lesson on Mondays", "Guitar lesson on Thursdays too", "said-as-addition"),
    ],
)
def test_near_twins_stay_apart_for_a_stated_reason(older: str, newer: str, reason: str) -> None:
    """m62, m64, m65, m67: numbers, dates, names, negation, owner; nobody is asked."""
    assert relation(older, newer) == ("apart", reason)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Bins go out Tuesday", "Bins go out on Tuesday."),
        ("Call the plumber about the leak", "Ring the plumber about the leak"),
        ("Mia's shoe size is 34", "Mia's shoe size is thirty-four"),
        ("The cellar has 20 m ²", "The cellar has 20 m ²"),
        ("The meter reads " + "9" * 5_000, "The meter reads " + "9" * 5_000),
        ("Ben does not eat mushrooms", "Ben doesn't eat mushrooms"),
    ],
)
def test_the_same_in_other_words_is_a_repeat(older: str, newer: str) -> None:
    """m55."""
    assert relation(older, newer)[0] == "repeat"


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("Vet is Friday", "Vet moved to Monday", "reschedule"),
        ("Book club is on Mondays", "Book club is on Thursdays now", "reschedule"),
        ("Ana works at the bakery", "Ana works at the library now", "correction"),
        ("Tariq lives in Leeds", "Tariq lives in Bristol now", "correction"),
        ("Leo's shoe size is 34", "Leo's shoe size is 36 now", "correction"),
        ("Ines eats meat", "Ines no longer eats meat", "correction"),
    ],
)
def test_a_stated_change_makes_the_later_word_count(older: str, newer: str, expected: str) -> None:
    """m58, m68."""
    assert relation(older, newer)[0] == expected


def test_words_of_change_elsewhere_in_a_long_transcript_do_not_count() -> None:
    talk = (
        "Vet is Monday as well for the rabbit. " + "And then we talked about the garden and the fence for a while. "
        "By the way Olga moved to Bristol and the choir has changed its name."
    )
    assert relation("Vet is Friday", "Vet is Monday", transcript=talk)[0] == "apart"


def test_two_hours_of_one_appointment_on_one_day_are_a_change() -> None:
    three, four = (datetime(2026, 3, 31, hour, tzinfo=BERLIN) for hour in (15, 16))
    older = parsed("Dentist for Leo — Tue 31 Mar 2026, 15:00", 30, expires_at=three)
    newer = parsed("Dentist for Leo — Tue 31 Mar 2026, 16:00", 1, expires_at=four)
    assert judge(older, newer).relation is Relation.RESCHEDULE


def test_two_hours_of_a_task_on_one_day_are_two_tasks() -> None:
    eight, twenty = (datetime(2026, 3, 25, hour, tzinfo=BERLIN) for hour in (8, 20))
    older = parsed("Give the cat its pill — Wed 25 Mar 2026, 08:00", 30, expires_at=eight)
    newer = parsed("Give the cat its pill — Wed 25 Mar 2026, 20:00", 1, expires_at=twenty)
    assert judge(older, newer).relation is Relation.APART


def test_what_is_over_is_another_occasion() -> None:
    """m64: a later occurrence is not folded into the old one, whatever is said to have moved."""
    over = datetime(2026, 3, 23, 12, tzinfo=BERLIN)
    older = parsed("Oil change — Mon 23 Mar 2026, 12:00", 200, expires_at=over)
    newer = parsed("Oil change moved — Tue 1 Sep 2026", 1, expires_at=datetime(2026, 9, 2, tzinfo=BERLIN))
    assert judge(older, newer).reason == "another-occasion"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ana is allergic to nuts", "Ana is allergic to nuts and shellfish"),
        ("The ladder is in the garage", "The ladder is in the garage behind the freezer"),
        ("Call the school about the trip", "Call the school"),
    ],
)
def test_a_sentence_that_goes_on_where_the_other_ends_is_the_same_with_more(older: str, newer: str) -> None:
    assert relation(older, newer) == ("repeat", "said-with-more")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The sledge hangs in the shed", "The red sledge hangs in the shed"),
        ("Ines plays violin", "Ines plays violin at Olga's wedding"),
    ],
)
def test_words_added_or_left_out_inside_are_for_the_model_to_judge(older: str, newer: str) -> None:
    assert relation(older, newer)[0] == "ask"


def test_a_merged_list_never_outlives_or_undercuts_its_sources() -> None:
    """m74: the end comes from the sources."""
    early, late = (datetime(2026, 3, day, tzinfo=BERLIN) for day in (25, 27))
    dated = [memory("a", expires_at=late), memory("b", expires_at=early)]
    assert list_expiry(dated) == late
    assert list_expiry([*dated, memory("c")]) is None
    assert list_expiry([]) is None
