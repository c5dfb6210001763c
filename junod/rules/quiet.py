"""Hours in which nobody is to be listened to: told to the ear's controls when they begin, and over by themselves."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta, tzinfo

from junod.clock import Clock
from junod.errors import JunodError
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


class QuietHours:
    """Shuts the ear when hours without listening begin. Who opens it again within them is not overruled.

    Args:
        rules: those in force.
        clock: whose hours count.
        zone: the household's.
    """

    def __init__(self, rules: Callable[[], Sequence[RuleSpec]], clock: Clock, zone: tzinfo) -> None:
        self._rules, self._clock, self._zone = rules, clock, zone
        self._shut: Callable[[datetime], None] | None = None
        self._within = False

    def obeyed_by(self, shut: Callable[[datetime], None]) -> None:
        """Args: shut: off the record until that moment."""
        self._shut = shut

    def tick(self) -> None:
        """Called now and then by the daemon alone."""
        try:
            end = muted_until(self._clock.now().astimezone(self._zone), self._rules(), "listening")
            if end is not None and not self._within and self._shut is not None:
                self._shut(end)
            self._within = end is not None
        except JunodError as error:  # tried again at the next tick
            log.warning("Quiet hours could not be kept: %s", error.message)
