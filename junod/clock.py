"""Wall and monotonic time behind one protocol, so that tests and replay can hold time still."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Aware wall-clock time, UTC."""
        ...

    def monotonic_s(self) -> float:
        """Seconds that never run backwards."""
        ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic_s(self) -> float:
        return time.monotonic()


class SimulatedClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("a simulated clock needs an aware start")
        self._now = start.astimezone(UTC)
        self._elapsed_s = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic_s(self) -> float:
        return self._elapsed_s

    def advance(self, seconds: float) -> None:
        """Move both clocks forward."""
        if seconds < 0:
            raise ValueError("monotonic time cannot run backwards; use set_wall for a clock jump")
        self._now += timedelta(seconds=seconds)
        self._elapsed_s += seconds

    def advance_to(self, moment: datetime) -> None:
        """Move forward to `moment`; a moment already over changes nothing."""
        self.advance(max(0.0, (moment - self._now).total_seconds()))

    def set_wall(self, moment: datetime) -> None:
        """Jump the wall clock alone, either way, as a time-sync does."""
        self._now = moment.astimezone(UTC)
