"""How much was heard, kept and thrown away: counts from the events, by the household's day."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Protocol

from junod.clock import Clock
from junod.errors import StoreError
from junod.events import Discarded, Event, Heard, MemorySaved

log = logging.getLogger(__name__)

HEARD = "heard"
KEPT = "kept"
DAYS_SHOWN = 7


class TallyRows(Protocol):
    """Where counts are kept over a restart."""

    def add(self, day: date, counts: Mapping[str, int]) -> None: ...

    def since(self, day: date) -> dict[date, dict[str, int]]: ...

    def rejected_since(self, moment: datetime) -> dict[str, int]: ...

    def prune(self, before: date) -> int: ...


@dataclass(frozen=True, slots=True)
class DayCount:
    day: date
    heard: int
    kept: int


@dataclass(frozen=True, slots=True)
class Trust:
    """What became of what was heard in the last days, as counts."""

    days: tuple[DayCount, ...]
    """The newest first, today included."""
    thrown_away: dict[str, int]
    """Stage -> utterances ('guards') or passages (all others) it threw away in those days."""


class Tally:
    """Thread-safe. `flush` writes what `collect` counted; what a crash takes in between is lost from the counts alone.

    Args:
        rows: None keeps counts in memory alone.
    """

    def __init__(self, rows: TallyRows | None, clock: Clock, zone: tzinfo) -> None:
        self._rows = rows
        self._clock = clock
        self._zone = zone
        self._lock = threading.Lock()
        self._unwritten: dict[date, Counter[str]] = {}
        self._day = self._local_day()
        self._written = self._read(self._day)

    def collect(self, events: Iterable[Event]) -> None:
        """Count what happened just now."""
        counted = Counter(stage for event in events if (stage := _stage_of(event)))
        if counted:
            with self._lock:
                self._unwritten.setdefault(self._local_day(), Counter()).update(counted)

    def today(self) -> tuple[int, int]:
        """(utterances heard, memories kept) since local midnight."""
        day = self._local_day()
        with self._lock:
            if day != self._day:
                self._day, self._written = day, Counter()
            counts = self._written + self._unwritten.get(day, Counter())
        return counts[HEARD], counts[KEPT]

    def flush(self) -> None:
        """Write what was counted; where that fails it is tried again next time."""
        with self._lock:
            waiting, self._unwritten = self._unwritten, {}
            if self._rows is None:
                self._add_written(waiting)
                return
            try:
                while waiting:
                    day = next(iter(waiting))
                    self._rows.add(day, waiting[day])
                    self._add_written({day: waiting.pop(day)})
            except StoreError as error:
                log.warning("The counts of the day could not be written: %s", error.message)
                self._unwritten = waiting

    def prune(self) -> None:
        """Delete the counts of days that are shown no more.

        Raises:
            StoreError: from the rows.
        """
        if self._rows is not None:
            self._rows.prune(self._local_day() - timedelta(days=DAYS_SHOWN))

    def forget(self) -> None:
        """Everything was deleted, the counts with it."""
        with self._lock:
            self._unwritten.clear()
            self._written.clear()

    def trust(self) -> Trust:
        """The last seven days.

        Raises:
            StoreError: the database cannot be read.
        """
        self.flush()
        today = self._local_day()
        first = today - timedelta(days=DAYS_SHOWN - 1)
        rows = self._rows.since(first) if self._rows else {}
        days = [today - timedelta(days=back) for back in range(DAYS_SHOWN)]
        midnight = datetime.combine(first, time(), self._zone)
        thrown = Counter(self._rows.rejected_since(midnight) if self._rows else {})
        for counts in rows.values():
            thrown.update({stage: number for stage, number in counts.items() if stage not in (HEARD, KEPT)})
        shown = [DayCount(day, rows.get(day, {}).get(HEARD, 0), rows.get(day, {}).get(KEPT, 0)) for day in days]
        return Trust(tuple(shown), dict(thrown))

    def _add_written(self, counts: Mapping[date, Counter[str]]) -> None:
        self._written.update(counts.get(self._day, Counter()))

    def _local_day(self) -> date:
        return self._clock.now().astimezone(self._zone).date()

    def _read(self, day: date) -> Counter[str]:
        return Counter(self._rows.since(day).get(day, {}) if self._rows else {})


def _stage_of(event: Event) -> str:
    """What an event counts for; '' for nothing."""
    if isinstance(event, Heard):
        return HEARD
    if isinstance(event, MemorySaved):
        return KEPT if event.memory.source == "voice" else ""
    return event.stage if isinstance(event, Discarded) else ""
