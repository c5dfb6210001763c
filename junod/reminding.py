"""Reminds of what is due: once each, over restarts too. Runs among the daemon's chores."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from junod.clock import Clock
from junod.errors import StoreError
from junod.events import ReminderDue
from junod.rules.quiet import muted_until
from junod.rules.reminders import Reminder, worded
from junod.rules.schema import RuleSpec

log = logging.getLogger(__name__)

REMIND_EVERY_S = 10.0
AHEAD = timedelta(minutes=5)


class GivenLike(Protocol):
    """What is asked of `junod.memory.reminders.GivenReminders`."""

    def was_given(self, memory_id: str, begins_at: datetime) -> bool: ...

    def note(self, memory_id: str, begins_at: datetime) -> None: ...


class Plan:
    """What is due, worked out anew when something changed, else every five minutes: reading all memories takes a while.

    Args:
        work_out: what is to be reminded of between two moments.
        mark: another one whenever memories or rules changed.
    """

    def __init__(self, work_out: Callable[[datetime, datetime], Sequence[Reminder]], mark: Callable[[], int]) -> None:
        self._work_out, self._mark = work_out, mark
        self._marked: int | None = None
        self._since = self._until = datetime.max.replace(tzinfo=UTC)
        self._reminders: Sequence[Reminder] = ()

    def due(self, now: datetime) -> Sequence[Reminder]:
        """Not over; given before or not."""
        mark = self._mark()
        if mark != self._marked or not self._since <= now <= self._until:
            self._since, self._until = now, now + AHEAD
            self._reminders = self._work_out(now, self._until)
            self._marked = mark
        return [each for each in self._reminders if each.at <= now < each.over_at]


class Reminding:
    """Publishes `ReminderDue` when it is time, and none while the clock is not set or the rules want quiet.

    A reminder is noted as given after it was published: a crash between the two gives it again rather than never.

    Args:
        due: what is due at a moment and not over.
        is_set: whether the clock can be believed.
    """

    def __init__(
        self,
        due: Callable[[datetime], Sequence[Reminder]],
        rules: Callable[[], Sequence[RuleSpec]],
        given: GivenLike,
        publish: Callable[[ReminderDue], None],
        clock: Clock,
        zone: ZoneInfo,
        is_set: Callable[[], bool],
    ) -> None:
        self._due, self._rules, self._given, self._publish = due, rules, given, publish
        self._clock, self._zone, self._is_set = clock, zone, is_set
        self._published: set[tuple[str, datetime]] = set()

    def tick(self) -> None:
        """Look, and remind of what is due."""
        now = self._clock.now()
        if not self._is_set():
            return
        try:
            if muted_until(now.astimezone(self._zone), self._rules()) is None:
                for reminder in self._due(now):
                    self._remind(reminder, now)
        except StoreError as error:
            log.warning("Reminders wait for the store: %s", error.message)

    def _remind(self, reminder: Reminder, now: datetime) -> None:
        key = reminder.memory_id, reminder.begins_at
        if key not in self._published and not self._given.was_given(*key):
            self._published.add(key)
            self._publish(ReminderDue(reminder.memory_id, worded(reminder, now), reminder.begins_at))
            self._given.note(*key)
