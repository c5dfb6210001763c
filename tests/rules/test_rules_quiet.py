"""Hours without listening: the ear is shut when they begin, once, and until they end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from junod.clock import SimulatedClock
from junod.errors import StoreError
from junod.rules.quiet import QuietHours, muted_until
from junod.rules.reading import read_rules
from junod.rules.schema import RuleSpec

BERLIN = ZoneInfo("Europe/Berlin")


def specs(*said: str) -> list[RuleSpec]:
    return [one.spec for words in said for one in read_rules(words).declared]


NIGHT = specs("Don't listen between ten at night and six in the morning")


@pytest.mark.parametrize(
    ("at", "until"),
    [
        (datetime(2026, 3, 24, 21, 59, tzinfo=BERLIN), None),
        (datetime(2026, 3, 24, 22, 0, tzinfo=BERLIN), datetime(2026, 3, 25, 6, 0, tzinfo=BERLIN)),
        (datetime(2026, 3, 25, 5, 59, tzinfo=BERLIN), datetime(2026, 3, 25, 6, 0, tzinfo=BERLIN)),
        (datetime(2026, 3, 28, 23, 0, tzinfo=BERLIN), datetime(2026, 3, 29, 6, 0, tzinfo=BERLIN)),
    ],
)
def test_it_ends_when_the_wall_clock_says_so_summer_time_included(at: datetime, until: datetime | None) -> None:
    assert muted_until(at, NIGHT, "listening") == until


def test_hours_that_overlap_are_one_and_the_whole_day_ends() -> None:
    evening = specs("Never listen between nine and eleven in the evening")
    at = datetime(2026, 3, 24, 21, 30, tzinfo=BERLIN)
    assert muted_until(at, [*NIGHT, *evening], "listening") == datetime(2026, 3, 25, 6, 0, tzinfo=BERLIN)
    all_day = [*NIGHT, *specs("Never listen between six in the morning and ten at night")]
    end = muted_until(at, all_day, "listening")
    assert end is not None
    assert end - at <= timedelta(days=2)


def test_the_ear_is_shut_once_and_who_opens_it_again_is_not_overruled() -> None:
    clock = SimulatedClock(datetime(2026, 3, 24, 20, 59, 50, tzinfo=UTC))
    quiet, shut = QuietHours(lambda: NIGHT, clock, BERLIN), list[datetime]()
    quiet.obeyed_by(shut.append)
    for _ in range(4):
        quiet.tick()
        clock.advance(10)
    assert [end.astimezone(BERLIN).hour for end in shut] == [6]
    clock.advance(12 * 3600)
    quiet.tick()
    clock.advance(12 * 3600)
    quiet.tick()
    assert len(shut) == 2


def test_a_failure_is_tried_again() -> None:
    clock = SimulatedClock(datetime(2026, 3, 24, 22, 0, tzinfo=UTC))
    quiet, tries = QuietHours(lambda: NIGHT, clock, BERLIN), list[datetime]()

    def fail_first(end: datetime) -> None:
        tries.append(end)
        if len(tries) == 1:
            raise StoreError("locked")

    quiet.obeyed_by(fail_first)
    quiet.tick()
    quiet.tick()
    quiet.tick()
    assert len(tries) == 2
