"""When to remind of what: ahead, at the moment, of a day, by rule, through quiet hours and changes of the clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.agenda.entries import entry_of
from junod.records import Memory
from junod.rules.reading import read_rules
from junod.rules.reminders import AT_THE_MOMENT, Reminder, reminders, worded
from junod.rules.schema import RuleSpec
from junod.sections import RemindersSettings

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 24, 12, 0, tzinfo=BERLIN)
"""A Tuesday."""
SAID = NOW - timedelta(days=2)
MONTH = timedelta(days=31)


def specs(*said: str) -> list[RuleSpec]:
    return [one.spec for words in said for one in read_rules(words).declared]


def memory(text: str, ends: datetime | None = None, said: datetime = SAID) -> Memory:
    return Memory(
        "m1", text, "", "kitchen", "kitchen", said, said, ends, archived=False, source="voice", confidence=1.0
    )


def of(found: Memory, *rules: str, now: datetime = NOW, until: timedelta = MONTH) -> list[Reminder]:
    entry = entry_of(found, BERLIN)
    return list(reminders([entry], specs(*rules), RemindersSettings(), BERLIN, now=now, until=now + until))


def local(moment: datetime) -> str:
    return f"{moment.astimezone(BERLIN):%a %-d %H:%M:%S}"


DENTIST = memory("Dentist for Leo — Wed 25 Mar 2026, 15:00", datetime(2026, 3, 25, 15, 0, tzinfo=BERLIN))
CALL = memory("Call Ida — Wed 25 Mar 2026, 15:00", datetime(2026, 3, 25, 15, 0, tzinfo=BERLIN))
OPTICIAN = memory("Optician — Fri 27 Mar 2026", datetime(2026, 3, 28, 0, 0, tzinfo=BERLIN))
BINS = memory("The bins go out every Thursday")


@pytest.mark.parametrize(
    ("found", "rules", "at"),
    [
        (DENTIST, (), "Wed 25 14:30:00"),
        (CALL, (), "Wed 25 14:59:30"),
        (OPTICIAN, (), "Fri 27 08:00:00"),
        (BINS, (), "Thu 26 08:00:00"),
        (memory("Swimming every Thursday at 5 in the afternoon"), (), "Thu 26 16:30:00"),
        (DENTIST, ("Always remind us an hour before the dentist",), "Wed 25 14:00:00"),
        (DENTIST, ("Always remind us a day before the dentist",), "Tue 24 15:00:00"),
        (DENTIST, ("Always remind us an hour before the plumber",), "Wed 25 14:30:00"),
        (BINS, ("Always remind us a day before the bins",), "Wed 25 18:00:00"),
        (DENTIST, ("No reminders between one and three in the afternoon",), None),
        (OPTICIAN, ("No reminders before nine in the morning",), "Fri 27 09:00:00"),
    ],
)
def test_what_is_reminded_of_when(found: Memory, rules: tuple[str, ...], at: str | None) -> None:
    assert [local(each.at) for each in of(found, *rules)[:1]] == ([at] if at else [])


def test_what_has_no_day_reminds_of_nothing() -> None:
    for text in ("The spare key is under the blue pot", "Call Ida", "Shopping list:\n- milk", "Feed the cat every day"):
        assert of(memory(text)) == []


def test_said_shortly_before_it_is_told_at_its_moment() -> None:
    ends = NOW + timedelta(minutes=10)
    cake = memory("Cake out of the oven — Tue 24 Mar 2026, 12:10", ends, said=NOW)
    (reminder,) = of(cake)
    assert reminder.at == ends - AT_THE_MOMENT
    assert worded(reminder, reminder.at) == "Cake out of the oven now"


def test_a_rule_that_comes_too_late_gives_way_to_the_usual_time() -> None:
    said = datetime(2026, 3, 25, 9, 0, tzinfo=BERLIN)
    (reminder,) = of(replace(DENTIST, spoken_at=said), "Always remind us a day before the dentist", now=said)
    assert local(reminder.at) == "Wed 25 14:30:00"


def test_what_is_over_is_not_told_and_what_is_late_is() -> None:
    assert len(of(DENTIST, now=datetime(2026, 3, 25, 14, 52, tzinfo=BERLIN), until=timedelta())) == 1
    assert of(DENTIST, now=datetime(2026, 3, 25, 15, 0, tzinfo=BERLIN)) == []
    assert of(DENTIST, now=datetime(2026, 3, 25, 14, 29, tzinfo=BERLIN), until=timedelta()) == []


@pytest.mark.parametrize(
    ("found", "left", "words"),
    [
        (DENTIST, timedelta(minutes=30, seconds=-8), "Dentist for Leo in 30 minutes"),
        (DENTIST, timedelta(minutes=60), "Dentist for Leo in 1 hour"),
        (DENTIST, timedelta(minutes=90), "Dentist for Leo in 90 minutes"),
        (DENTIST, timedelta(hours=12), "Dentist for Leo in 12 hours"),
        (DENTIST, timedelta(hours=20), "Dentist for Leo tomorrow at 15:00"),
        (DENTIST, timedelta(days=3), "Dentist for Leo on Wed 25 Mar at 15:00"),
        (CALL, timedelta(minutes=1), "In 1 minute: Call Ida"),
        (OPTICIAN, timedelta(days=1), "Tomorrow: Optician"),
        (OPTICIAN, timedelta(hours=-8), "Today: Optician"),
        (memory("Swimming every Thursday at 5 in the afternoon"), timedelta(minutes=30),
         "In 30 minutes: Swimming every Thursday at 5 in the afternoon"),
    ],
)  # fmt: skip
def test_the_words_tell_how_long_it_is(found: Memory, left: timedelta, words: str) -> None:
    (reminder, *_) = of(found)
    assert worded(reminder, reminder.begins_at.astimezone(UTC) - left) == words


def test_summer_time_moves_no_reminder() -> None:
    """Clocks go forward on 29 March at two, back on 25 October at three."""
    after = memory("Brunch — Sun 29 Mar 2026, 03:15", datetime(2026, 3, 29, 3, 15, tzinfo=BERLIN))
    (reminder,) = of(after)
    assert local(reminder.at) == "Sun 29 01:45:00"  # half an hour that passes, as two o'clock is three o'clock
    (day_before,) = of(after, "Always remind us a day before brunch")
    assert local(day_before.at) == "Sat 28 03:15:00"
    left_out = memory("Train — Sun 29 Mar 2026, 02:30", datetime(2026, 3, 29, 2, 30, tzinfo=BERLIN))
    assert local(of(left_out)[0].at) == "Sun 29 03:00:00"
    october = datetime(2026, 10, 20, 12, 0, tzinfo=BERLIN)
    back = memory("Brunch — Sun 25 Oct 2026, 10:00", datetime(2026, 10, 25, 10, 0, tzinfo=BERLIN), said=october)
    assert local(of(back, "Always remind us a day before brunch", now=october)[0].at) == "Sat 24 10:00:00"
    bins = of(memory("Bins every Sunday at 7 in the morning", said=october), now=october, until=timedelta(days=14))
    assert [local(each.at) for each in bins] == ["Sun 25 06:30:00", "Sun 1 06:30:00"]


@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 30)),
    st.integers(1, 60 * 24 * 14),
    st.sampled_from([(), ("Always remind us a day before the dentist",), ("No reminders after nine in the evening",)]),
)
def test_no_reminder_comes_after_what_it_is_about_nor_in_quiet_hours(
    ends: datetime, said_before_min: int, rules: tuple[str, ...]
) -> None:
    moment = ends.replace(second=0, microsecond=0, tzinfo=BERLIN)
    said = (moment.astimezone(UTC) - timedelta(minutes=said_before_min)).astimezone(BERLIN)
    found = memory(f"Dentist — {moment:%a %-d %b %Y}, {moment:%H:%M}", moment, said=said)
    for reminder in of(found, *rules, now=said):
        assert reminder.at < reminder.over_at <= reminder.begins_at.astimezone(UTC) + timedelta(days=1, hours=1)
        hour = reminder.at.astimezone(BERLIN).hour
        assert "nine in the evening" not in " ".join(rules) or 7 <= hour < 21
