"""Rules carried out: names, lists, tags, reminders, usual times, quiet hours, and the order among them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory.memory_fakes import new
from rules.rules_fakes import household

from junod.errors import UsageError
from junod.records import Decision, NewMemory, Outcome, Passage
from junod.rules.apply import (
    applied,
    collapse,
    expand,
    is_muted_at,
    lead_minutes,
    mentions,
    tags_of,
    usual_time,
    with_tag,
    without_excluded,
)
from junod.rules.conflicts import conflicts
from junod.rules.finding import readings
from junod.rules.reading import read_rules
from junod.rules.schema import RuleSpec, parse_spec, told

BERLIN = ZoneInfo("Europe/Berlin")
AT = datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)


def specs(*said: str) -> list[RuleSpec]:
    return [one.spec for words in said for one in read_rules(words).declared]


SYLVIE = specs("When I say Sylvie I mean my mum")
NUTS = specs("Never put nuts on the list")


def decided(memory: str, transcript: str) -> tuple[Decision, Passage]:
    passage = Passage("p", transcript, AT, "kitchen")
    new = NewMemory(memory, expand(transcript, SYLVIE), AT, None, "kitchen")
    return Decision("p", Outcome.KEPT, "kept", 0.9, memories=(new,)), passage


def test_a_name_is_spelt_out_once_and_the_transcript_stays_as_spoken() -> None:
    assert expand("Sylvie comes, and sylvie's bag", SYLVIE) == "Sylvie (my mum) comes, and sylvie's bag"
    decision, passage = decided("Sylvie (my mum) comes — Fri\n> Sylvie (my mum) comes Friday", "Sylvie comes Friday")
    (new,) = applied(decision, passage, SYLVIE).memories
    assert new.memory == "Sylvie (my mum) comes — Fri\n> Sylvie comes Friday"
    assert new.transcript == "Sylvie comes Friday"


@given(st.text(alphabet="Sylvie my mum()., ", max_size=60))
def test_spelling_out_can_be_undone(text: str) -> None:
    plain = collapse(text, SYLVIE)
    assert collapse(expand(plain, SYLVIE), SYLVIE) == plain


def test_no_list_holds_what_is_excluded() -> None:
    assert without_excluded("Shopping list:\n- mixed nuts\n- peanuts", NUTS) == "Shopping list:\n- peanuts"
    decision, passage = decided("Shopping list:\n- nuts", "we need nuts")
    gone = applied(decision, passage, NUTS)
    assert (gone.outcome, gone.stage, gone.reason, gone.memories) == (Outcome.REJECTED, "rules", "excluded", ())


def test_an_excluded_item_may_still_be_spoken_of_elsewhere() -> None:
    assert without_excluded("Mia is allergic to nuts", NUTS) == "Mia is allergic to nuts"


def test_of_what_may_not_be_kept_not_even_the_words_stay() -> None:
    rules = specs("Never write down anything about the surprise party")
    decision, passage = decided("Dentist for Leo", "Dentist for Leo. The surprise party is at ours.")
    assert applied(decision, passage, rules).memories[0].transcript == ""
    decision, passage = decided("The surprise party is on Friday", "The surprise party is on Friday")
    assert applied(decision, passage, rules).outcome is Outcome.REJECTED


def test_tags_come_from_the_rules_of_the_day_and_are_never_stored() -> None:
    rules = specs("Doctor things belong to health", "Tag everything about Leo as leo")
    assert tags_of("The doctor's letter for Leo", rules) == ("health", "leo")
    assert tags_of("The doctor's letter for Leo", []) == ()


def test_a_reminder_comes_earlier_and_the_first_rule_wins() -> None:
    rules = specs("Always remind us an hour before the dentist", "Always remind us a day before the dentist")
    assert lead_minutes("Dentist for Leo", rules) == 60
    assert lead_minutes("Piano", rules) is None


@pytest.mark.parametrize(
    ("phrase", "hint", "gives"),
    [
        ("Tuesday", "Swimming with Leo\nSwimming on Tuesday", "Tuesday at 17:00"),
        ("Tuesday at three", "Swimming\nSwimming on Tuesday at three", "Tuesday at three"),
        ("Tuesday", "Swimming\nSwimming on Tuesday\nSwimming on Tuesday at three", "Tuesday"),
        ("Tuesday", "Piano\nPiano on Tuesday", "Tuesday"),
        ("buy swimming goggles", "Buy swimming goggles", "buy swimming goggles"),
    ],
)
def test_a_day_gets_the_usual_hour_of_the_thing_alone_where_none_was_said(phrase: str, hint: str, gives: str) -> None:
    assert usual_time(phrase, hint, specs("When we say swimming it is always at five")) == gives


def test_quiet_hours_go_over_midnight_and_end() -> None:
    rules = specs("No reminders after nine in the evening")
    assert [is_muted_at(AT.replace(hour=hour), rules) for hour in (20, 21, 23, 0, 6, 7)] == [
        False, True, True, True, True, False,
    ]  # fmt: skip
    assert not is_muted_at(AT.replace(hour=22), rules, "listening")


def test_a_search_goes_both_ways() -> None:
    rules = [*SYLVIE, *specs("doctor things belong to health")]
    assert readings("when does Sylvie come", rules) == ("when does Sylvie come", "when does mum come")
    assert readings("my mum's birthday", rules) == ("my mum's birthday", "Sylvie's birthday")
    assert readings("#health", rules) == ("#health", "doctor")
    assert readings("bins", rules) == ("bins",)


def test_conflicts_are_named() -> None:
    rules = specs(
        "When I say Sylvie I mean my mum",
        "When I say Sylvie I mean our neighbour",
        "Never write down anything about the dentist",
        "Always remind us an hour before the dentist",
        "Doctor things belong to health",
        "Doctor things belong to money",
    )
    assert [(one.first, one.second) for one in conflicts(rules)] == [(0, 1), (2, 3)]


def test_a_name_that_means_a_name_is_not_expanded_twice() -> None:
    rules = specs("From now on Bear means Sylvie", "From now on Sylvie means my mum")
    assert expand("Bear comes", rules) == "Bear (Sylvie) comes"
    assert conflicts(rules)


def test_mentions_needs_every_word_in_any_form() -> None:
    assert mentions("both dentists' appointments", "dentist appointment")
    assert not mentions("peanuts", "nuts")


@pytest.mark.parametrize(
    "data",
    [
        '{"trigger": {"about": "nuts"}, "action": {"do": "run", "command": "ls"}}',
        '{"trigger": {"about": ""}, "action": {"do": "exclude", "where": "list"}}',
        '{"trigger": {"about": "x"}, "action": {"do": "mute-hours", "start": "21:00", "end": "07:00"}}',
        '{"trigger": {"about": ""}, "action": {"do": "mute-hours", "start": "21:00", "end": "21:00"}}',
        '{"trigger": {"about": "x"}, "action": {"do": "remind-earlier", "minutes": "60"}}',
        '{"trigger": {"about": "x"}, "action": {"do": "tag", "tag": "a b"}}',
        '{"trigger": {"about": "x"}, "action": {"do": "expand-name", "to": "y <b>"}}',
        '{"trigger": {"about": "x"}, "action": {"do": "exclude"}, "then": "exec"}',
        "not json",
    ],
)
def test_nothing_outside_the_schema_is_a_rule(data: str) -> None:
    with pytest.raises(UsageError, match="This is no rule"):
        parse_spec(data)


def test_every_kind_is_told_in_plain_words() -> None:
    said = specs(
        "Always remind us an hour and a half before the dentist",
        "No reminders after nine in the evening",
        "Never write down anything about money",
        "Swimming is always at five",
    )
    assert [told(one) for one in said] == [
        "Remind 90 minutes before dentist.",
        "No reminders from 21:00 to 07:00.",
        "Keep nothing about money.",
        "Swimming is at 17:00 where no time is said.",
    ]


def test_memories_are_chosen_by_a_tag_and_an_unknown_tag_is_an_error(tmp_path: Path) -> None:
    rules = specs("Doctor things belong to health", "Tag everything about Leo as leo")
    with household(tmp_path) as (store, _, _):
        for text in ("The doctor moved to Elm Street", "Leo's shoes are a 37", "Doctor for Leo", "Milk is out"):
            store.add(new(text))
        listed = store.list()
    assert {each.memory for each in with_tag(listed, "#Health", rules)} == {
        "The doctor moved to Elm Street", "Doctor for Leo",
    }  # fmt: skip
    assert len(with_tag(listed, "leo", rules, 1)) == 1
    assert len(with_tag(listed, "", rules, 3)) == 3
    with pytest.raises(UsageError, match="helth"):
        with_tag(listed, "helth", rules)
