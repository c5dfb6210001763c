"""Time words that look back, as asked on Wednesday 25 March 2026 at 18:00 in Berlin."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.when.past import past_range

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 25, 18, 0, tzinfo=BERLIN)


def asked(words: str, now: datetime = NOW) -> tuple[str, str] | None:
    found = past_range(words, now=now, zone=BERLIN)
    return (f"{found.start:%Y-%m-%d %H:%M}", f"{found.end:%Y-%m-%d %H:%M}") if found else None


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("today", "2026-03-25 00:00", "2026-03-26 00:00"),
        ("yesterday", "2026-03-24 00:00", "2026-03-25 00:00"),
        ("the day before yesterday", "2026-03-23 00:00", "2026-03-24 00:00"),
        ("This week", "2026-03-23 00:00", "2026-03-30 00:00"),
        ("last week", "2026-03-16 00:00", "2026-03-23 00:00"),
        ("last month", "2026-02-01 00:00", "2026-03-01 00:00"),
        ("last year", "2025-01-01 00:00", "2026-01-01 00:00"),
        ("the weekend", "2026-03-21 00:00", "2026-03-23 00:00"),
        ("Monday", "2026-03-23 00:00", "2026-03-24 00:00"),
        ("since Monday", "2026-03-23 00:00", "2026-03-24 00:00"),
        ("on Wednesday", "2026-03-25 00:00", "2026-03-26 00:00"),
        ("Friday", "2026-03-20 00:00", "2026-03-21 00:00"),
        ("last Friday", "2026-03-20 00:00", "2026-03-21 00:00"),
        ("two days ago", "2026-03-23 00:00", "2026-03-24 00:00"),
        ("March", "2026-03-01 00:00", "2026-04-01 00:00"),
        ("in November", "2025-11-01 00:00", "2025-12-01 00:00"),
        ("Sept 2024", "2024-09-01 00:00", "2024-10-01 00:00"),
        ("2025", "2025-01-01 00:00", "2026-01-01 00:00"),
        ("24 April", "2025-04-24 00:00", "2025-04-25 00:00"),
        ("the 30th", "2026-01-30 00:00", "2026-01-31 00:00"),
        ("Christmas", "2025-12-25 00:00", "2025-12-26 00:00"),
        ("2026-03-24", "2026-03-24 00:00", "2026-03-25 00:00"),
        ("2026-03-24T17:30", "2026-03-24 17:30", "2026-03-24 17:30"),
        ("this morning", "2026-03-25 04:00", "2026-03-25 12:00"),
        ("last night", "2026-03-24 18:00", "2026-03-25 05:00"),
        ("yesterday evening", "2026-03-24 17:00", "2026-03-25 00:00"),
        ("an hour ago", "2026-03-25 17:00", "2026-03-25 17:00"),
        ("the last 3 days", "2026-03-22 18:00", "2026-03-25 18:00"),
        ("past week", "2026-03-18 18:00", "2026-03-25 18:00"),
        ("the last couple of hours", "2026-03-25 16:00", "2026-03-25 18:00"),
        ("from Monday to Wednesday", "2026-03-23 00:00", "2026-03-26 00:00"),
    ],
)
def test_words_cover_the_range_that_a_person_means(words: str, start: str, end: str) -> None:
    assert asked(words) == (start, end)


@pytest.mark.parametrize(
    "words", ["", "banana", "every Monday", "marmalade", "second helping", "9999-12-31", "0001-01-01"]
)
def test_what_is_not_understood_is_none_and_never_a_guess(words: str) -> None:
    assert asked(words) is None


def test_an_offset_that_is_given_is_kept() -> None:
    found = past_range("2026-03-24T17:30:00-05:00", now=NOW, zone=BERLIN)
    assert found is not None
    assert found.start == found.end == datetime(2026, 3, 24, 23, 30, tzinfo=BERLIN)


def test_days_begin_at_local_midnight_and_last_hours_are_real_ones_across_a_change_of_clocks() -> None:
    monday = datetime(2026, 3, 30, 1, 0, tzinfo=BERLIN)
    sunday = past_range("yesterday", now=monday, zone=BERLIN)
    assert sunday is not None
    assert sunday.end.timestamp() - sunday.start.timestamp() == 23 * 3600
    recent = past_range("last 24 hours", now=monday, zone=BERLIN)
    assert recent is not None
    assert recent.end.timestamp() - recent.start.timestamp() == 24 * 3600


@given(
    st.sampled_from(
        ["today", "yesterday", "last week", "Monday", "sunday", "last month", "May", "this weekend", "the 31st"]
    ),
    st.integers(0, 3 * 366 * 24),
)
def test_a_range_has_begun_and_does_not_end_before_it_begins(words: str, hours: int) -> None:
    now = (NOW + timedelta(hours=hours)).astimezone(BERLIN)
    found = past_range(words, now=now, zone=BERLIN)
    assert found is not None
    assert found.start.timestamp() <= now.timestamp()
    assert found.start.timestamp() < found.end.timestamp()
