"""Counts of past days go when nobody looks at them any more."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from junod.clock import SimulatedClock
from junod.memory.day_counts import DayCountStore
from junod.memory.store import MemoryStore
from junod.tally import DAYS_SHOWN, Tally

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 24, 18, tzinfo=BERLIN)


def test_days_that_are_shown_stay_and_older_ones_go(tmp_path: Path) -> None:
    clock = SimulatedClock(NOW)
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as store:
        rows = DayCountStore(store.sessions)
        for age in range(20):
            rows.add(NOW.date() - timedelta(days=age), {"heard": 1})
        Tally(rows, clock, BERLIN).prune()
        assert min(rows.since(date.min)) == NOW.date() - timedelta(days=DAYS_SHOWN)
        assert len(rows.since(date.min)) == DAYS_SHOWN + 1
