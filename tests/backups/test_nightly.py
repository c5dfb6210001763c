"""When a backup is due: every night, after erasing, under a wrong clock, and never in a rush."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.clock import SimulatedClock
from junod.errors import StoreError
from junod.nightly import LOOK_EVERY_S, NightlyBackup, is_due, last_time
from junod.sections import BackupSettings

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 3, 24, 17, tzinfo=UTC)
DAY_S = 86_400


@dataclass
class FakeBackup:
    made_at: datetime


@dataclass
class FakePlace:
    made: list[FakeBackup] = field(default_factory=list)
    count: int = 0
    failure: StoreError | None = None

    def list(self) -> Sequence[FakeBackup]:
        return tuple(self.made)

    def make(self, now: datetime, *, keep: int) -> FakeBackup:
        self.count += 1
        if self.failure:
            raise self.failure
        self.made = [FakeBackup(now), *self.made][:keep]
        return self.made[0]


class Rig:
    def __init__(self, **settings: object) -> None:
        self.clock, self.place = SimulatedClock(START), FakePlace()
        self.job = NightlyBackup(self.place, BackupSettings.model_validate(settings), self.clock, BERLIN)

    def live(self, seconds: float) -> None:
        for _ in range(round(seconds / LOOK_EVERY_S)):
            self.job.tick()
            self.clock.advance(LOOK_EVERY_S)


def test_the_first_is_made_at_once_and_then_one_a_night() -> None:
    rig = Rig(hour=3)
    rig.live(3 * DAY_S)
    times = [each.made_at.astimezone(BERLIN) for each in reversed(rig.place.made)]
    assert [(each.day, each.hour) for each in times] == [(24, 18), (25, 3), (26, 3), (27, 3)]


def test_after_erasing_one_is_made_soon_but_not_in_a_rush() -> None:
    rig = Rig()
    rig.live(60)
    for _ in range(60):  # something expires every minute for an hour
        rig.place.made = []
        rig.live(60)
    assert 5 <= rig.place.count <= 8
    rig.live(660)
    assert len(rig.place.made) == 1


def test_a_wrong_clock_neither_stops_them_nor_makes_one_a_minute() -> None:
    """m53: the clock is years off after a power cut, either way, and put right later."""
    rig = Rig()
    for years in (-20, 30, 0):
        rig.clock.set_wall(START + timedelta(days=365 * years))
        before = rig.place.count
        rig.live(2 * DAY_S)
        assert 2 <= rig.place.count - before <= 4


def test_a_full_disk_is_logged_once_and_again_when_over(caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig()
    rig.place.failure = StoreError("There is no room.", permanent=False)
    with caplog.at_level(logging.INFO):
        rig.live(DAY_S)
        assert len(caplog.records) == 1
        rig.place.failure = None
        rig.live(1200)
    assert caplog.records[-1].message == "A backup was made again"
    assert rig.place.count > 100


def test_switched_off_means_off() -> None:
    rig = Rig(enabled=False)
    rig.live(2 * DAY_S)
    assert rig.place.count == 0


@given(st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)), st.integers(0, 23))
def test_the_last_time_is_within_a_day_also_when_clocks_change(moment: datetime, hour: int) -> None:
    now = moment.replace(tzinfo=UTC)
    found = last_time(now, hour, BERLIN)
    assert now - timedelta(hours=25) <= found <= now + timedelta(hours=1)
    assert not is_due([now], now, hour, BERLIN)
    assert is_due([now - timedelta(hours=26)], now, hour, BERLIN)
