"""Hours in which nobody is to be listened to: told to the ear's controls when they begin, and over by themselves."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta, tzinfo
from typing import Protocol

from junod.clock import Clock
from junod.errors import JunodError
from junod.records import EarSnapshot
from junod.rules.apply import is_muted_at
from junod.rules.schema import Muted, MuteHours, RuleSpec

log = logging.getLogger(__name__)

QUIET_EVERY_S = 10.0


def muted_until(moment: datetime, rules: Sequence[RuleSpec], what: Muted = "reminders") -> datetime | None:
    """When the quiet that holds at this local moment ends; None = there is none.

    Hours that begin before others end are one quiet time; it is never told to be longer than a day.
    """
    if not is_muted_at(moment, rules, what):
        return None
    end = moment
    hours = [spec.action for spec in rules if isinstance(spec.action, MuteHours) and spec.action.what == what]
    while is_muted_at(end, rules, what) and end - moment < timedelta(days=1):
        end = min(_next(end, one.end) for one in hours)
    return end


def _next(after: datetime, hour: str) -> datetime:
    """The next time the clock on the wall shows this hour."""
    today = datetime.combine(after.date(), time.fromisoformat(hour), after.tzinfo)
    return today if today > after else datetime.combine(after.date() + timedelta(days=1), today.time(), after.tzinfo)


class EarHold(Protocol):
    """What is asked of `junod.control.EarControl`."""

    def off_the_record(self, until: datetime) -> None: ...

    def on_the_record(self) -> None: ...

    def snapshot(self) -> EarSnapshot: ...


class QuietHours:
    """Shuts the ear for hours without listening, and opens it when a rule is switched off within them.

    A person is not overruled: who opens the ear again within the hours, mutes it, or put it off the record for longer.

    Args:
        rules: those in force.
        clock: whose hours count.
        zone: the household's.
    """

    def __init__(self, rules: Callable[[], Sequence[RuleSpec]], clock: Clock, zone: tzinfo) -> None:
        self._rules, self._clock, self._zone = rules, clock, zone
        self._ear: EarHold | None = None
        self._within = False
        self._ours: datetime | None = None
        """Until when the ear is off the record because of the rules."""

    def obeyed_by(self, ear: EarHold) -> None:
        """Args: ear: its controls."""
        self._ear = ear

    def tick(self) -> None:
        """Called now and then by the daemon alone."""
        if self._ear is None:
            return
        try:
            end = muted_until(self._clock.now().astimezone(self._zone), self._rules(), "listening")
            self._keep(self._ear, end)
        except JunodError as error:  # tried again at the next tick
            log.warning("Quiet hours could not be kept: %s", error.message)

    def _keep(self, ear: EarHold, end: datetime | None) -> None:
        until = ear.snapshot().off_record_until
        is_ours = until is not None and until == self._ours
        if end is None:
            if is_ours:
                ear.on_the_record()
            self._within, self._ours = False, None
            return
        if (until is None or until < end) if not self._within else (is_ours and until != end):
            ear.off_the_record(end)
            self._ours = end
        elif until == end:  # as before a restart
            self._ours = end
        self._within = True
