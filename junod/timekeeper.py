"""Which time to believe: a wall clock that may be unset at boot, jump when it is set, or be set wrongly.

Without a clock that runs on while it is off (Raspberry Pi), a board boots with the time it last knew. Time that passed
since boot is always known, so a moment can be noted as seconds since boot (`ClockAnchor`) and made absolute once the
wall clock is set.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, Protocol

from junod.clock import Clock
from junod.records import ClockAnchor, Passage

MAX_JUMP_S = 86_400.0
"""A wall clock that moves by more against the time since boot is believed only once a time server confirms it.

Whoever sets a clock by hand, in the wrong zone even, moves it by less.
"""
FLOOR = datetime(2024, 1, 1, tzinfo=UTC)
"""A clock that shows an earlier time started from nothing."""
_TIME_ERROR = 5
_TIMEX_BYTES = 1_024
"""More than `struct timex` has on any machine; all zeros, it asks and changes nothing."""
_SYNC_MARK = Path("/run/systemd/timesync/synchronized")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_DEVICE_TREE = Path("/proc/device-tree/model")
_RTC = Path("/sys/class/rtc/rtc0/since_epoch")
_RTC_AGREES_S = 3_600.0

Trust = Literal["auto", "always", "sync"]


class SyncSource(Protocol):
    def is_set(self, now: datetime) -> bool:
        """Whether a wall clock that shows `now` can be believed."""
        ...

    def is_confirmed(self) -> bool:
        """Whether a time server confirms it at this moment."""
        ...


class SystemSync:
    """What Linux knows about its clock: adjtimex(2), systemd-timesyncd's mark, the hardware clock.

    Args:
        trust: 'always' believes the wall clock whatever it shows; 'sync' only a time server; 'auto' also a clock that
            ran on while the machine was off: one that agrees with the system's time, or any of a PC.
    """

    def __init__(self, trust: Trust = "auto") -> None:
        self._trust = trust

    def is_set(self, now: datetime) -> bool:
        if self._trust == "always" or self.is_confirmed() or (_kernel_state() is None and _SYNC_MARK.exists()):
            return True
        return self._trust == "auto" and now >= FLOOR and (not _DEVICE_TREE.exists() or _hardware_agrees(now))

    def is_confirmed(self) -> bool:
        state = _kernel_state()
        return state != _TIME_ERROR if state is not None else _is_marked_lately()


class SteadyClock:
    """A wall clock that never jumps: as it was at the start, plus the time that passed. Stamps what is heard."""

    def __init__(self, clock: Clock, start: datetime, elapsed_s: Callable[[], float]) -> None:
        self._clock, self._start, self._elapsed_s = clock, start, elapsed_s
        self._start_s = elapsed_s()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed_s() - self._start_s)

    def monotonic_s(self) -> float:
        return self._clock.monotonic_s()


class Timekeeper:
    """A `Clock` that shows the time to believe, and knows whether it is set. Thread-safe.

    Args:
        clock: the machine's.
        sync: what is known about it.
        elapsed_s: seconds since boot, suspended ones counted.
        boot_id: another one after each boot.
    """

    def __init__(
        self,
        clock: Clock,
        sync: SyncSource,
        *,
        elapsed_s: Callable[[], float] | None = None,
        boot_id: str | None = None,
    ) -> None:
        self._clock, self._sync = clock, sync
        self._elapsed_s = elapsed_s or since_boot_s
        self.boot_id = boot_id or read_boot_id()
        start = clock.now()
        self._offset_s = self._first_offset_s = start.timestamp() - self._elapsed_s()
        self.steady = SteadyClock(clock, start, self._elapsed_s)
        """For the microphone: moments it stamps go through `stamp`."""

    def now(self) -> datetime:
        """The wall clock, unless it jumped by more than a day and nobody confirms that: then as if it had not."""
        wall = self._clock.now()
        elapsed_s = self._elapsed_s()
        if self._follows(wall.timestamp() - elapsed_s):
            return wall
        return datetime.fromtimestamp(elapsed_s + self._offset_s, UTC)

    def monotonic_s(self) -> float:
        return self._clock.monotonic_s()

    @property
    def is_set(self) -> bool:
        """Whether `now` can be believed: nothing may end by a clock that is not set."""
        wall = self._clock.now()
        return self._follows(wall.timestamp() - self._elapsed_s()) and self._sync.is_set(wall)

    def anchor(self) -> ClockAnchor:
        """This moment, in a way that outlasts a change of the wall clock."""
        return ClockAnchor(self.boot_id, self._elapsed_s())

    def moment(self, anchor: ClockAnchor) -> datetime | None:
        """When that was, by the clock as it is now; None for a moment before the last boot."""
        if anchor.boot_id != self.boot_id:
            return None
        self.now()  # follows a clock that was just set
        return datetime.fromtimestamp(anchor.elapsed_s + self._offset_s, UTC)

    def stamp(self, passage: Passage) -> Passage:
        """A passage heard on the steady clock, its moments by the wall clock of now; marked where that is not set."""
        is_set = self.is_set
        shift = timedelta(seconds=self._offset_s - self._first_offset_s)
        elapsed_s = passage.spoken_at.timestamp() - self._first_offset_s
        return replace(
            passage,
            spoken_at=_later(passage.spoken_at, shift),
            utterance_starts=tuple(_later(start, shift) for start in passage.utterance_starts),
            clock_synced=is_set,
            anchor=None if is_set else ClockAnchor(self.boot_id, elapsed_s),
        )

    def restamp(self, passage: Passage) -> Passage:
        """A passage that waited in the spool, its moments put right where the clock has been set meanwhile."""
        moment = self.moment(passage.anchor) if passage.anchor and self.is_set else None
        if moment is None:
            return passage
        shift = moment - passage.spoken_at
        return replace(
            passage,
            spoken_at=_later(passage.spoken_at, shift),
            utterance_starts=tuple(_later(start, shift) for start in passage.utterance_starts),
            clock_synced=True,
            anchor=None,
        )

    def _follows(self, offset_s: float) -> bool:
        """Take over where the wall clock stands against the time since boot; False for a jump that nobody confirms."""
        if abs(offset_s - self._offset_s) > MAX_JUMP_S and not self._sync.is_confirmed():
            return False
        self._offset_s = offset_s
        return True


def since_boot_s() -> float:
    """Seconds since the machine started, those it was suspended included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def read_boot_id() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return f"process-{time.time_ns()}"  # no moment is then known across a restart


def _later(moment: datetime, shift: timedelta) -> datetime:
    """In real time, also across a change to summer time."""
    return (moment.astimezone(UTC) + shift).astimezone(moment.tzinfo)


def _kernel_state() -> int | None:
    """What adjtimex(2) says: 5 = the clock is not synchronised; None where it may not be asked (a hardened unit)."""
    try:
        state = int(ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES)))
    except (OSError, AttributeError):
        return None
    return state if state >= 0 else None


def _is_marked_lately() -> bool:
    """timesyncd set the clock, and nobody moved it far since."""
    try:
        return abs(_SYNC_MARK.stat().st_mtime - time.time()) < MAX_JUMP_S
    except OSError:
        return False


def _hardware_agrees(now: datetime) -> bool:
    """A hardware clock that shows the same time ran on while the power was off; an empty one starts in 1970."""
    try:
        return abs(int(_RTC.read_text("ascii")) - now.timestamp()) < _RTC_AGREES_S
    except (OSError, ValueError):
        return False
