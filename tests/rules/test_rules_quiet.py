"""Hours without listening: the ear is shut when they begin, once, and until they end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from junod.clock import SimulatedClock
from junod.errors import StoreError
from junod.records import EarSnapshot
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


class Ear:
    """Controls that note what was asked, and may fail at first."""

    def __init__(self, clock: SimulatedClock, failures: int = 0) -> None:
        self._clock, self._failures = clock, failures
        self.asked: list[datetime] = []
        self.muted = False
        self._until: datetime | None = None

    def off_the_record(self, until: datetime) -> None:
        self.asked.append(until)
        if len(self.asked) <= self._failures:
            raise StoreError("locked")
        self._until = until

    def on_the_record(self) -> None:
        self._until = None

    @property
    def until(self) -> datetime | None:
        if self._until is not None and self._until <= self._clock.now():
            self._until = None
        return self._until

    def snapshot(self) -> EarSnapshot:
        state = "muted" if self.muted else "off-record" if self.until else "listening"
        return EarSnapshot(state, self.muted, self.until, None, None, "auto", 0, 0)


TEN = datetime(2026, 3, 24, 21, 0, tzinfo=UTC)
"""Ten in the evening."""
SIX = datetime(2026, 3, 25, 6, 0, tzinfo=BERLIN)


@dataclass
class Night:
    """Quiet hours on a clock, ticked every ten seconds."""

    clock: SimulatedClock
    ear: Ear
    rules: list[RuleSpec]
    quiet: QuietHours

    def go_on(self, seconds: float = 10) -> datetime | None:
        self.clock.advance(seconds)
        self.quiet.tick()
        return self.ear.until

    def restarted(self) -> Night:
        return night(self.clock, self.ear, self.rules)


def night(clock: SimulatedClock, ear: Ear, rules: list[RuleSpec]) -> Night:
    quiet = QuietHours(lambda: rules, clock, BERLIN)
    quiet.obeyed_by(ear)
    return Night(clock, ear, rules, quiet)


@pytest.fixture
def evening() -> Night:
    clock = SimulatedClock(TEN - timedelta(seconds=15))
    return night(clock, Ear(clock), list(NIGHT))


def test_the_ear_is_shut_when_the_hours_begin_and_open_when_they_end_every_day(evening: Night) -> None:
    assert evening.go_on() is None
    assert evening.go_on() == SIX
    for _ in range(4):
        assert evening.go_on() == SIX
    assert evening.go_on(8 * 3600) is None
    assert evening.go_on(16 * 3600) == SIX + timedelta(days=1)
    assert len(evening.ear.asked) == 2


def test_who_opens_the_ear_again_within_the_hours_is_not_overruled(evening: Night) -> None:
    evening.go_on(20)
    evening.ear.on_the_record()
    assert evening.go_on() is None
    assert evening.go_on(3600) is None


def test_what_a_person_shut_is_neither_opened_nor_shortened(evening: Night) -> None:
    evening.ear.muted = True
    evening.go_on(20)
    evening.go_on(9 * 3600)
    assert evening.ear.snapshot().state == "muted"
    noon = SIX + timedelta(hours=6)
    evening.ear.off_the_record(noon + timedelta(days=1))
    evening.go_on(15 * 3600)
    assert evening.ear.until == noon + timedelta(days=1)


def test_a_shorter_time_off_the_record_is_made_longer(evening: Night) -> None:
    evening.ear.off_the_record(TEN + timedelta(minutes=5))
    assert evening.go_on(20) == SIX


def test_a_rule_switched_off_or_changed_within_its_hours_counts_at_once(evening: Night) -> None:
    evening.go_on(20)
    evening.rules[:] = specs("Don't listen between ten at night and seven in the morning")
    assert evening.go_on() == SIX + timedelta(hours=1)
    evening.rules.clear()
    assert evening.go_on() is None


def test_after_a_restart_within_the_hours_it_is_still_the_rules_that_shut_it(evening: Night) -> None:
    evening.go_on(20)
    again = evening.restarted()
    assert again.go_on() == SIX
    assert len(again.ear.asked) == 1
    again.rules.clear()
    assert again.go_on() is None


def test_a_failure_is_tried_again() -> None:
    clock = SimulatedClock(TEN)
    broken = night(clock, Ear(clock, failures=1), list(NIGHT))
    assert broken.go_on() is None
    assert broken.go_on() == SIX
    broken.go_on()
    assert len(broken.ear.asked) == 2
