"""A machine whose clock is set by what the test says."""

from __future__ import annotations

from datetime import datetime, timedelta

from junod.clock import SimulatedClock
from junod.timekeeper import Timekeeper


class FakeSync:
    """A time server that is there or not."""

    def __init__(self, is_there: bool = False, *, trusts: bool = False) -> None:
        self.is_there = is_there
        self.trusts = trusts
        """The wall clock is believed without a server."""

    def is_set(self, now: datetime) -> bool:
        return self.is_there or self.trusts

    def is_confirmed(self) -> bool:
        return self.is_there


class Machine:
    """A board: its wall clock, its time server, and the seconds since it was switched on."""

    def __init__(self, shows: datetime, *, boot_id: str = "boot-1", trusts: bool = False) -> None:
        self.clock = SimulatedClock(shows)
        self.sync = FakeSync(trusts=trusts)
        self.boot_id = boot_id
        self.keeper = self.start()

    def start(self) -> Timekeeper:
        """The daemon starts (again)."""
        elapsed_s = self.clock.monotonic_s
        self.keeper = Timekeeper(self.clock, self.sync, elapsed_s=elapsed_s, boot_id=self.boot_id)
        return self.keeper

    def set_clock(self, moment: datetime) -> None:
        """A time server answers: the wall clock jumps and is confirmed."""
        self.clock.set_wall(moment)
        self.sync.is_there = True

    def wait(self, **time: float) -> None:
        self.clock.advance(timedelta(**time).total_seconds())
