"""Regularity and strength of moments."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.decay import weight
from junod.habits.rhythm import chance_of_gaps, iso_weeks, rhythm, slot

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 1, 5, 19, 0, tzinfo=BERLIN)
DAY = timedelta(days=1)


def every(days: float, times: int) -> list[datetime]:
    return [MONDAY + days * DAY * number for number in range(times)]


def strength(moments: list[datetime], now: datetime, punished: tuple[datetime, ...] = ()) -> float:
    return weight(moments, now=now, half_life_days=21, gain=0.3, punished=punished)


def test_weight_grows_with_repetition_and_halves_in_a_half_life() -> None:
    three, four = every(7, 3), every(7, 4)
    assert 0 < strength(three, three[-1]) < strength(four, four[-1]) < 1
    later = four[-1] + 21 * DAY
    assert strength(four, later) == pytest.approx(strength(four, four[-1]) / 2)


def test_a_no_halves_the_weight_and_the_future_counts_for_nothing() -> None:
    moments = every(7, 5)
    now = moments[3] + DAY
    assert strength(moments, now) == strength(moments[:4], now)
    assert strength(moments[:4], now, (now,)) == pytest.approx(strength(moments[:4], now) / 2)


@given(st.lists(st.integers(0, 500), max_size=20), st.integers(0, 600))
def test_weight_stays_between_0_and_1(days: list[int], now: int) -> None:
    moments = [MONDAY + day * DAY for day in days]
    assert 0 <= strength(moments, MONDAY + now * DAY, (MONDAY + 3 * DAY,)) <= 1


def test_the_chance_of_equal_gaps_is_that_of_a_simulation() -> None:
    """Volumes of ball and simplex against drawn gaps, where the ball lies inside the simplex."""
    draw = random.Random(3)
    gaps = [9.0, 10.0, 11.0, 10.5]

    def spread(values: list[float]) -> float:
        return sum((value / sum(values) - 1 / len(values)) ** 2 for value in values)

    wide = [7.0, 10.0, 12.0, 11.0]
    drawn = [spread([draw.expovariate(1) for _ in wide]) for _ in range(40_000)]
    simulated = sum(value <= spread(wide) for value in drawn) / len(drawn)
    assert chance_of_gaps(wide) == pytest.approx(simulated, rel=0.15)
    assert chance_of_gaps(gaps) < chance_of_gaps(wide)


def test_a_holiday_may_be_left_out_at_a_price() -> None:
    plain = rhythm(every(9, 7))
    broken = rhythm([*every(9.1, 4), *(at + 20 * DAY for at in every(9, 7)[4:])])
    assert plain is not None
    assert broken is not None
    assert broken.period_days == pytest.approx(9, abs=0.2)
    assert plain.chance < broken.chance < 0.01


def test_two_gaps_are_no_rhythm() -> None:
    assert rhythm(every(9, 3)) is None


def test_an_hour_of_the_week_survives_the_change_of_clocks_and_midnight() -> None:
    """Household time, not UTC: at seven in the evening before and after the last Sunday of March."""
    moments = [datetime(2026, 3, day, 19, 0, tzinfo=BERLIN).astimezone(UTC) for day in (16, 23, 30)]
    found = slot(moments, BERLIN, 60)
    assert found is not None
    assert (found.weekday, found.minute) == (0, 19 * 60)
    around = [datetime(2026, 3, 15, 23, 50, tzinfo=BERLIN), datetime(2026, 3, 23, 0, 10, tzinfo=BERLIN)]
    night = slot(around, BERLIN, 60)
    assert night is not None
    assert (night.weekday, night.minute) == (0, 0)


def test_scattered_hours_are_likely_chance() -> None:
    draw = random.Random(5)
    scattered = [MONDAY + timedelta(hours=draw.uniform(0, 2_000)) for _ in range(12)]
    found = slot(scattered, BERLIN, 60)
    assert found is not None
    assert found.chance > 0.05
    assert slot([], BERLIN, 60) is None


def test_the_turn_of_the_year_is_two_iso_weeks_apart_from_nothing() -> None:
    assert iso_weeks([datetime(2026, 12, 31, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)], BERLIN) == 1
