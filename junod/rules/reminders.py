"""When to remind of what, and in which words (pure).

An appointment is reminded of some time ahead, a task at its moment, a day in its morning; a rule of the household
("remind us an hour before the dentist") says otherwise, and quiet hours put off what falls into them. Moments are
compared in UTC, and 'a day before' is the same hour of the wall clock, so that summer time changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from junod.agenda.entries import Entry
from junod.rules.apply import lead_minutes
from junod.rules.quiet import muted_until
from junod.rules.schema import MAX_MINUTES, RuleSpec
from junod.sections import RemindersSettings

AT_THE_MOMENT = timedelta(seconds=30)
"""A memory is gone at its moment, so 'at five' is told so much before."""
_DAY_MINUTES = 24 * 60
_LONGEST_LEAD = timedelta(minutes=MAX_MINUTES)


@dataclass(frozen=True, slots=True)
class Reminder:
    memory_id: str
    text: str
    """Without its time."""
    at: datetime
    """When to remind: aware, UTC."""
    begins_at: datetime
    """What it is about, in the household's zone; the midnight that begins the day where no hour is named."""
    over_at: datetime
    """From then on it is of no use."""
    is_timed: bool
    reads_on: bool
    """The text can go on with a time: 'Dentist in 30 minutes', and not 'Call Ida in 30 minutes'."""
    by_rule: bool
    """A rule of the household made it this early."""


def reminders(
    entries: Iterable[Entry], rules: Sequence[RuleSpec], settings: RemindersSettings, zone: ZoneInfo, *,
    now: datetime, until: datetime,
) -> tuple[Reminder, ...]:  # fmt: skip
    """Everything to be reminded of up to `until` that is not over at `now`, the soonest first."""
    found = [
        reminder
        for entry in entries
        for reminder in _of_entry(entry, rules, settings, zone, now, until)
        if reminder.over_at > now and reminder.at <= until
    ]
    return tuple(sorted(found, key=lambda each: (each.at, each.begins_at, each.memory_id)))


def worded(reminder: Reminder, now: datetime) -> str:
    """'Dentist in 30 minutes', 'In 2 hours: Call Ida', 'Tomorrow: Bins'."""
    when = _in_words(reminder, now)
    return f"{reminder.text} {when}" if reminder.reads_on else f"{when[:1].upper()}{when[1:]}: {reminder.text}"


def _of_entry(
    entry: Entry, rules: Sequence[RuleSpec], settings: RemindersSettings, zone: ZoneInfo, now: datetime, until: datetime
) -> Iterator[Reminder]:
    lead = lead_minutes(entry.memory.memory, rules)
    for begins_at, is_timed in _occasions(entry, zone, now, until):
        over_at = begins_at if is_timed else datetime.combine(begins_at.date() + timedelta(days=1), time(0), zone)
        find = _before_a_moment if is_timed else _before_a_day
        at = _after_quiet(find(entry, begins_at, lead, settings, zone), rules, zone)
        if at is not None and at < over_at:
            reads_on = is_timed and not entry.is_task and entry.repeat is None
            yield Reminder(
                entry.memory.id, entry.text, at, begins_at, over_at.astimezone(UTC), is_timed, reads_on, bool(lead)
            )


def _after_quiet(at: datetime | None, rules: Sequence[RuleSpec], zone: ZoneInfo) -> datetime | None:
    """Put off to the end of the quiet hours in which it falls."""
    return ((muted_until(at.astimezone(zone), rules) or at).astimezone(UTC)) if at else None


def _occasions(entry: Entry, zone: ZoneInfo, now: datetime, until: datetime) -> Iterator[tuple[datetime, bool]]:
    """Moments and days that may have a reminder up to `until`, and whether each has an hour."""
    today = now.astimezone(zone).date()
    if entry.repeat is None:
        if entry.at is not None:
            yield _on_the_wall(entry.at, zone), True
        elif entry.first is not None and entry.first >= today:
            yield datetime.combine(entry.first, time(0), zone), False
        return
    at = entry.repeat.at
    if entry.repeat.frequency == "DAILY" and at is None:
        return  # every day the same is no reminder
    days = ((until + _LONGEST_LEAD).astimezone(zone).date() - today).days + 1
    for day in (today + timedelta(days=n) for n in range(days)):
        if entry.repeat.falls_on(day):
            yield _on_the_wall(datetime.combine(day, at or time(0), zone), zone), at is not None


def _before_a_moment(
    entry: Entry, begins_at: datetime, lead: int | None, settings: RemindersSettings, zone: ZoneInfo
) -> datetime:
    """As early as rule or setting say, unless it was not said by then: then at the moment."""
    choices = [_earlier(begins_at, lead, zone)] if lead else []
    if not entry.is_task:
        choices.append(_earlier(begins_at, settings.ahead_min, zone))
    at_the_moment = begins_at.astimezone(UTC) - AT_THE_MOMENT
    return next((at for at in choices if at > entry.memory.spoken_at and at < at_the_moment), at_the_moment)


def _before_a_day(
    entry: Entry, begins_at: datetime, lead: int | None, settings: RemindersSettings, zone: ZoneInfo
) -> datetime | None:
    """In the evening so many days before where a rule wants days, in the morning else; None where that was over."""
    choices: list[datetime] = []
    day = begins_at.date()
    if lead and lead >= _DAY_MINUTES:
        before = day - timedelta(days=lead // _DAY_MINUTES)
        choices.append(datetime.combine(before, time.fromisoformat(settings.eve_at), zone))
    choices.append(datetime.combine(day, time.fromisoformat(settings.day_at), zone))
    return next((at for each in choices if (at := each.astimezone(UTC)) > entry.memory.spoken_at), None)


def _earlier(begins_at: datetime, minutes: int, zone: ZoneInfo) -> datetime:
    """Whole days by the wall clock, anything else by the time that passes."""
    days, rest = divmod(minutes, _DAY_MINUTES)
    if rest:
        return begins_at.astimezone(UTC) - timedelta(minutes=minutes)
    return (begins_at.astimezone(zone) - timedelta(days=days)).astimezone(UTC)


def _on_the_wall(moment: datetime, zone: ZoneInfo) -> datetime:
    """An hour that the clocks leave out becomes the one after it."""
    return moment.astimezone(UTC).astimezone(zone)


def _in_words(reminder: Reminder, now: datetime) -> str:
    local = now.astimezone(reminder.begins_at.tzinfo)
    days = (reminder.begins_at.date() - local.date()).days
    day = ("today", "tomorrow")[days] if days in (0, 1) else f"on {reminder.begins_at:%a %-d %b}"
    if not reminder.is_timed:
        return day
    left = reminder.begins_at.astimezone(UTC) - now.astimezone(UTC)
    minutes = round(left.total_seconds() / 60)
    if minutes < 1:
        return "now"
    if minutes % 60 == 0 and minutes <= 12 * 60:
        return f"in {minutes // 60} hour{'s' if minutes > 60 else ''}"
    if minutes < 120:
        return f"in {minutes} minute{'s' if minutes > 1 else ''}"
    return f"{day} at {reminder.begins_at:%H:%M}"
