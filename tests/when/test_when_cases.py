"""Faults that other projects met, by their case id."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from junod.records import Kind, Resolution
from junod.when import find_time_phrases, resolve

BERLIN = ZoneInfo("Europe/Berlin")


def test_the_hour_is_local_and_its_offset_kept() -> None:
    """m35: 2 pm was stored as 9 pm at GMT+7."""
    bangkok = ZoneInfo("Asia/Bangkok")
    got = resolve(
        "at two pm",
        spoken_at=datetime(2026, 3, 24, 3, 0, tzinfo=UTC),
        zone=bangkok,
        kind=Kind.APPOINTMENT,
        hint="call at two pm",
    )
    assert got.expires_at is not None
    assert got.expires_at.isoformat() == "2026-03-24T14:00:00+07:00"


def test_a_real_date_is_stored_as_said() -> None:
    """m37: real dates were called errors because they lay in the future."""
    got = resolve(
        "Tax due 21 May 2026",
        spoken_at=datetime(2026, 3, 24, 9, 0, tzinfo=BERLIN),
        zone=BERLIN,
        kind=Kind.REMINDER,
    )
    assert got == Resolution(datetime(2026, 5, 22, tzinfo=BERLIN), said="Thu 21 May 2026")


@pytest.mark.parametrize("text", ["the boiler man came", "Ben likes rye bread"])
def test_no_date_is_invented(text: str) -> None:
    """m38, m40: a missing date was invented, or became today 00:00 UTC."""
    got = resolve(text, spoken_at=datetime(2026, 3, 24, 9, 0, tzinfo=BERLIN), zone=BERLIN, kind=Kind.FACT, hint=text)
    assert got == Resolution(None)
    assert find_time_phrases(text) == []


def test_in_a_minute_is_one_minute_away() -> None:
    """m43: 'in a minute' became eight hours later."""
    spoken = datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)
    got = resolve("pasta off in a minute", spoken_at=spoken, zone=BERLIN, kind=Kind.REMINDER)
    assert got.expires_at == spoken + timedelta(minutes=1)


def test_after_lunch_is_the_local_afternoon_and_fuzzy() -> None:
    """m44: 'after lunch' was taken as noon UTC."""
    spoken = datetime(2026, 3, 24, 9, 0, tzinfo=BERLIN)
    got = resolve("after lunch, post the parcel", spoken_at=spoken, zone=BERLIN, kind=Kind.REMINDER)
    assert got.expires_at == datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)
    assert got.approximate


@pytest.mark.parametrize(
    ("spoken", "phrase", "day"),
    [
        (datetime(2026, 3, 27, 9, 0, tzinfo=BERLIN), "Friday", 3),
        (datetime(2026, 3, 27, 9, 0, tzinfo=BERLIN), "next Friday", 3),
        (datetime(2026, 3, 29, 9, 0, tzinfo=BERLIN), "Friday", 3),
        (datetime(2026, 3, 29, 9, 0, tzinfo=BERLIN), "this Friday", 3),
        (datetime(2026, 3, 29, 9, 0, tzinfo=BERLIN), "next Friday", 3),
        (datetime(2026, 3, 30, 9, 0, tzinfo=BERLIN), "next Friday", 10),
    ],
)
def test_friday_and_next_friday_follow_the_written_rule(spoken: datetime, phrase: str, day: int) -> None:
    """m46: the wrong week. 'Friday' is the coming one, 'next Friday' that of the following ISO week, never past."""
    got = resolve(phrase, spoken_at=spoken, zone=BERLIN, kind=Kind.EVENT)
    assert got.expires_at == datetime(2026, 4, day + 1, tzinfo=BERLIN)
    assert not got.is_past


def test_next_weekend_is_marked_as_ambiguous() -> None:
    """m46: people mean either of two by 'next weekend'."""
    spoken = datetime(2026, 3, 25, 9, 0, tzinfo=BERLIN)
    assert resolve("next weekend", spoken_at=spoken, zone=BERLIN, kind=Kind.EVENT).approximate


@pytest.mark.parametrize("zone_name", ["Asia/Singapore", "America/Los_Angeles"])
def test_a_day_ends_at_local_midnight(zone_name: str) -> None:
    """m47: expiry was early or late by the offset."""
    zone = ZoneInfo(zone_name)
    spoken = datetime(2026, 3, 23, 20, 0, tzinfo=zone)
    ends = resolve("tomorrow", spoken_at=spoken, zone=zone, kind=Kind.EVENT).expires_at
    assert ends is not None
    assert datetime(2026, 3, 24, 23, 30, tzinfo=zone) < ends < datetime(2026, 3, 25, 0, 30, tzinfo=zone)


def test_the_calendar_day_is_that_of_the_zone() -> None:
    """m49: a hard-coded zone made the 24th the 23rd."""
    utc = ZoneInfo("UTC")
    got = resolve("today", spoken_at=datetime(2026, 3, 24, 2, 0, tzinfo=utc), zone=utc, kind=Kind.EVENT)
    assert got.said == "Tue 24 Mar 2026"


def test_a_nonexistent_time_moves_forward_by_the_gap_and_is_marked() -> None:
    """m50: half past two does not exist on the night clocks go forward: 02:30 reads 03:30."""
    got = resolve(
        "Sunday half past two at night",
        spoken_at=datetime(2026, 3, 27, 18, 0, tzinfo=BERLIN),
        zone=BERLIN,
        kind=Kind.APPOINTMENT,
    )
    assert got.expires_at is not None
    assert got.expires_at.isoformat() == "2026-03-29T03:30:00+02:00"
    assert got.approximate
    assert got.said == "Sun 29 Mar 2026, 03:30"


def test_a_time_that_comes_twice_is_the_first_unless_that_is_over() -> None:
    """m50, the other way round: 02:30 comes twice on 25 October."""
    spoken = datetime(2026, 10, 24, 20, 0, tzinfo=BERLIN)
    first = resolve("tomorrow at 02:30", spoken_at=spoken, zone=BERLIN, kind=Kind.APPOINTMENT)
    assert first.expires_at is not None
    assert first.expires_at.isoformat() == "2026-10-25T02:30:00+02:00"
    assert first.approximate
    between = datetime(2026, 10, 25, 2, 45, tzinfo=BERLIN)
    second = resolve("at 02:30", spoken_at=between, zone=BERLIN, kind=Kind.APPOINTMENT)
    assert second.expires_at is not None
    assert second.expires_at.isoformat() == "2026-10-25T02:30:00+01:00"


def test_a_weekly_hour_keeps_its_wall_clock_across_a_change_of_clocks() -> None:
    """m52: a weekly event shifted by an hour. It is kept as words, never as an instant."""
    said = {
        resolve("Every Monday at 7", spoken_at=spoken, zone=BERLIN, kind=Kind.FACT)
        for spoken in (datetime(2026, 3, 23, 9, tzinfo=BERLIN), datetime(2026, 3, 30, 9, tzinfo=BERLIN))
    }
    assert said == {Resolution(None, said="Every Monday, 07:00", recurring=True)}
