"""Reminders of the configured household: the daemon's chore, and what is to come, for the faces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from junod.assembly.parts import active_rules
from junod.clock import Clock
from junod.events import EventBus
from junod.settings import Settings, household_zone

if TYPE_CHECKING:
    from junod.assembly.house import House
    from junod.memory.store import MemoryStore
    from junod.rules.reminders import Reminder
    from junod.rules.schema import RuleSpec
    from junod.sections import RemindersSettings

MAX_DAYS = 366


def reminder_chore(
    settings: Settings, store: MemoryStore, clock: Clock, bus: EventBus, is_set: Callable[[], bool]
) -> tuple[Callable[[], None], float]:
    """The daemon's periodic job that reminds, and how often it is due, in seconds.

    Args:
        is_set: whether the clock can be believed.
    """
    from junod.memory.reminders import GivenReminders
    from junod.reminding import REMIND_EVERY_S, Plan, Reminding

    zone, day_first = household_zone(settings), settings.household.day_first

    def work_out(now: datetime, until: datetime) -> Sequence[Reminder]:
        return _between(store, active_rules(store), settings.reminders, zone, day_first, now, until)

    given = GivenReminders(store.sessions)
    reminding = Reminding(
        Plan(work_out, given.mark).due,
        lambda: active_rules(store),
        given,
        bus.publish,
        clock,
        zone,
        lambda: settings.reminders.enabled and is_set(),
    )
    return reminding.tick, REMIND_EVERY_S


def coming_reminders(house: House, days: int) -> tuple[Reminder, ...]:
    """What will be reminded of in the next so many days, as things are now, the soonest first; given ones left out.

    () where reminders are off.
    """
    from junod.memory.reminders import GivenReminders

    if not house.reminder_settings.enabled:
        return ()
    now, given = house.clock.now(), GivenReminders(house.store.sessions)
    until = now + timedelta(days=min(days, MAX_DAYS))
    found = _between(
        house.store, house.rules.active(), house.reminder_settings, house.zone, house.day_first, now, until
    )
    return tuple(each for each in found if not given.was_given(each.memory_id, each.begins_at))


def reminder_row(reminder: Reminder, zone: ZoneInfo) -> dict[str, Any]:
    """For programs; the keys are a contract, readers must ignore those they do not know."""
    return {
        "memory": reminder.memory_id,
        "text": reminder.text,
        "remind_at": reminder.at.astimezone(zone).isoformat(timespec="seconds"),
        "begins_at": reminder.begins_at.isoformat(timespec="minutes"),
        "all_day": not reminder.is_timed,
        "by_rule": reminder.by_rule,
    }


def begins(reminder: Reminder) -> str:
    """'Tue 24 Mar 2026, 18:00', or the day alone."""
    return f"{reminder.begins_at:%a %-d %b %Y, %H:%M}" if reminder.is_timed else f"{reminder.begins_at:%a %-d %b %Y}"


def _between(
    store: MemoryStore,
    rules: Sequence[RuleSpec],
    settings: RemindersSettings,
    zone: ZoneInfo,
    day_first: bool,
    now: datetime,
    until: datetime,
) -> tuple[Reminder, ...]:
    from junod.agenda.entries import entry_of
    from junod.rules.reminders import reminders

    memories = (memory for memory in store.list() if memory.source != "done" and memory.clock_synced)
    entries = (entry_of(memory, zone, day_first=day_first) for memory in memories)
    return reminders(entries, rules, settings, zone, now=now, until=until)
