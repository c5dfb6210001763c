"""The household's hold on the ear: mute, off the record, forget, and whether the television is on.

Every face calls this one object. What it shuts stays shut over a restart (`ear_state`); off the record ends by
itself. Nothing in here decides what is kept: it decides what is heard.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Literal, Protocol

from junod.clock import Clock
from junod.ear_state import MEDIA_STATES, EarFile, EarWishes, next_morning
from junod.errors import JunodError, UsageError
from junod.events import EarChanged, Event, MemoriesForgotten
from junod.memory.wipe import Wiped
from junod.records import EarSnapshot as EarSnapshot
from junod.sections import PrivacySettings
from junod.spoken_orders import Order, OrderKind
from junod.tally import Trust

log = logging.getLogger(__name__)

LONGEST_OFF_RECORD = timedelta(days=7)
LONGEST_FORGET = timedelta(days=1)
LATEST_ORDER = timedelta(minutes=6)
"""No order waits longer for the recogniser: the mailbox holds five minutes. More is a clock that was set."""
_CLOCK_WENT_BACK_S = 60.0


class EarLike(Protocol):
    """The ear as its controls see it. Each call returns within about a second."""

    @property
    def state(self) -> str: ...

    @property
    def problem(self) -> str: ...

    @property
    def last_audio_age_s(self) -> float | None: ...

    @property
    def level_dbfs(self) -> float | None: ...

    def shut(self, reason: str) -> None:
        """Close the microphone and forget all that was heard and is not a passage in the spool yet."""
        ...

    def open(self) -> None:
        """Listen again."""
        ...

    def wipe(self) -> None:
        """Forget as `shut` does, and go on listening."""
        ...


class ForgettingStore(Protocol):
    def forget_spoken(self, since: datetime | None = None, until: datetime | None = None) -> Wiped: ...


class DayCounts(Protocol):
    def today(self) -> tuple[int, int]:
        """(utterances heard, memories kept) since local midnight."""
        ...

    def trust(self) -> Trust: ...

    def forget(self) -> None:
        """Everything was deleted, the counts with it."""
        ...


@dataclass(frozen=True, slots=True)
class ControlParts:
    """What the controls work with."""

    ear: EarLike
    store: ForgettingStore
    counts: DayCounts
    clock: Clock
    zone: tzinfo
    publish: Callable[[Event], None]
    file: EarFile


class EarControl:
    """Thread-safe.

    Args:
        parts: the ear is shut before this returns where it was muted or off the record when the last daemon ended.
        settings: when morning is, and how far back 'forget that' reaches.
        passage_s: longest passage, in seconds: a memory bears the time its passage began.
    """

    def __init__(self, parts: ControlParts, settings: PrivacySettings, passage_s: float = 0.0) -> None:
        self._parts = parts
        self._settings = settings
        self._passage_s = passage_s
        self._lock = threading.RLock()
        self._shown: tuple[object, ...] = ()
        self._wishes, self._problem = parts.file.load()
        self._asked_at = parts.clock.now()
        self._ends_s = self._countdown_s(self._wishes.off_record_until)
        if self._problem:
            log.error("%s", self._problem)
        if reason := self._shut_because():
            parts.ear.shut(reason)
            log.warning("The ear starts %s.", reason)

    @property
    def media(self) -> str:
        return self._wishes.media

    def mute(self) -> None:
        """Close the microphone and forget what was heard and is no passage yet; holds over restarts.

        Raises:
            JunodError: it is muted, but a restart would not know.
        """
        self._ask(replace(self._wishes, muted=True))

    def unmute(self) -> None:
        """Listen again, unless it is off the record.

        Raises:
            JunodError: it listens, but will be muted after a restart.
        """
        self._ask(replace(self._wishes, muted=False))

    def off_the_record(self, until: datetime) -> None:
        """As `mute`, by itself over at `until`.

        Raises:
            UsageError: a moment without offset, over, or more than seven days away.
            JunodError: as for `mute`.
        """
        now = self._parts.clock.now()
        if until.utcoffset() is None or not now < until <= now + LONGEST_OFF_RECORD:
            raise UsageError(
                f"'{until.isoformat()}' is no moment within the next seven days.",
                hint="Give a moment to come, with its UTC offset.",
            )
        self._ask(replace(self._wishes, off_record_until=until))

    def on_the_record(self) -> None:
        """End `off_the_record` early; what is muted stays muted."""
        self._ask(replace(self._wishes, off_record_until=None))

    def morning(self) -> datetime:
        """When 'until morning' ends."""
        return next_morning(self._parts.clock.now(), self._parts.zone, self._settings.morning)

    def set_media(self, state: Literal["on", "off", "auto"]) -> None:
        """Whether a television or radio is on, stamped on each passage from now on.

        Raises:
            UsageError: another word.
        """
        if state not in MEDIA_STATES:
            raise UsageError(f"'{state}' is no state of the media.", hint="Say on, off or auto.")
        self._ask(replace(self._wishes, media=state))

    def forget_last(self, duration: timedelta) -> Wiped:
        """Erase what was spoken in that time: memories with their lineages, undecided passages, all buffers.

        A memory bears the time its passage began, so a passage that reaches into the time goes whole.

        Raises:
            UsageError: a time that is not above zero and at most a day.
            StoreError: the buffers are empty, but the database could not be written.
        """
        if not timedelta(0) < duration <= LONGEST_FORGET:
            raise UsageError("Only a time of up to a day can be forgotten.", hint="Give minutes, for example 5.")
        since = self._parts.clock.now() - duration - timedelta(seconds=self._passage_s)
        self._parts.ear.wipe()
        wiped = self._parts.store.forget_spoken(since)
        if wiped.memories:
            self._parts.publish(MemoriesForgotten(wiped.memories))
        log.info("Forgotten at somebody's word: %d memories, %d passages", len(wiped.memories), len(wiped.passages))
        return wiped

    def forget_everything(self) -> Wiped:
        """Erase all memories, all that waits, all buffers and all counts. The ear goes on as it is.

        Raises:
            StoreError: as for `forget_last`.
        """
        self._parts.ear.wipe()
        wiped = self._parts.store.forget_spoken()
        self._parts.counts.forget()
        self._parts.publish(MemoriesForgotten(wiped.memories))
        return wiped

    def trust(self) -> Trust:
        """What became of what was heard in the last seven days, as counts.

        Raises:
            StoreError: the database cannot be read.
        """
        return self._parts.counts.trust()

    def obey(self, order: Order, spoken_at: datetime) -> None:
        """Do what was said. What cannot be noted on the disk still holds, and is said in the snapshot."""
        now = self._parts.clock.now()
        try:
            if order.kind is OrderKind.MUTE:
                self.mute()
            elif order.kind is OrderKind.OFF_RECORD:
                self.off_the_record(self._until(order, now))
            else:
                asked = order.duration or timedelta(seconds=self._settings.forget_that_s)
                late = min(max(timedelta(0), now - spoken_at), LATEST_ORDER)
                self.forget_last(min(asked + late, LONGEST_FORGET))
        except JunodError as error:
            log.error("An order by voice: %s", error)
            self._problem = str(error)
        self.tick()

    def _until(self, order: Order, now: datetime) -> datetime:
        if order.until_morning:
            return self.morning()
        return now + (order.duration or timedelta(minutes=self._settings.off_record_min))

    def snapshot(self) -> EarSnapshot:
        ear, wishes, reason = self._parts.ear, self._wishes, self._shut_because()
        heard, kept = self._parts.counts.today()
        return EarSnapshot(
            state=reason or ear.state,
            muted=wishes.muted,
            off_record_until=wishes.off_record_until,
            last_audio_age_s=ear.last_audio_age_s,
            level_dbfs=None if reason else ear.level_dbfs,
            media=wishes.media,
            heard_today=heard,
            kept_today=kept,
            problem=self._problem or ear.problem,
        )

    def tick(self) -> None:
        """Called now and then: ends what is over, and tells of a change."""
        with self._lock:
            if self._wishes.off_record_until is not None and self._is_over(self._wishes.off_record_until):
                self._end_off_record()
        self._tell()

    def _end_off_record(self) -> None:
        log.info("Off the record is over.")
        try:
            self.on_the_record()
        except JunodError as error:
            log.warning("%s", error)

    def _ask(self, wishes: EarWishes) -> None:
        """Shut at once, then note; the ear obeys also where nothing can be noted."""
        with self._lock:
            before, self._wishes = self._wishes, wishes
            if wishes.off_record_until != before.off_record_until:
                self._asked_at = self._parts.clock.now()
                self._ends_s = self._countdown_s(wishes.off_record_until)
            reason = self._shut_because()
            if reason:
                self._parts.ear.shut(reason)
            elif before.muted or before.off_record_until is not None:
                self._parts.ear.open()
            try:
                self._parts.file.save(wishes)
                self._problem = ""
            finally:
                self._tell()

    def _shut_because(self) -> str:
        if self._wishes.muted:
            return "muted"
        return "off-record" if self._wishes.off_record_until is not None else ""

    def _countdown_s(self, until: datetime | None) -> float:
        """Monotonic time at which it has lasted as long as was asked."""
        clock = self._parts.clock
        return clock.monotonic_s() + ((until - clock.now()).total_seconds() if until else 0.0)

    def _is_over(self, until: datetime) -> bool:
        """Both clocks must agree, so that a wall clock put right does not open the ear early.

        A wall clock that went back is not waited for.
        """
        if self._parts.clock.monotonic_s() < self._ends_s:
            return False
        now = self._parts.clock.now()
        return now >= until or (self._asked_at - now).total_seconds() > _CLOCK_WENT_BACK_S

    def _tell(self) -> None:
        shown = self.snapshot()
        said = (shown.state, shown.muted, shown.off_record_until, shown.media, shown.problem)
        with self._lock:
            is_news, self._shown = said != self._shown, said
        if is_news:
            self._parts.publish(EarChanged(shown))
