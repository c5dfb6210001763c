"""Adapter: the days to come as an iCalendar feed, by icalendar. What was heard beside a memory stays here."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import icalendar

import junod
from junod.agenda.entries import Entry
from junod.agenda.repeats import Repeat

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
REFRESH = timedelta(minutes=30)
_ZONE_BEFORE, _ZONE_AFTER = timedelta(days=2 * 366), timedelta(days=10 * 366)
"""For how long the changes of the clock are spelled out."""


def calendar_text(entries: Iterable[Entry], zone: ZoneInfo, now: datetime) -> bytes:
    """An RFC 5545 calendar: appointments timed, events all-day, repeats as rules in local time.

    What has no day (lasting facts, tasks without a date, shopping lists) is not in it.
    """
    calendar = icalendar.Calendar()
    calendar.add("prodid", f"-//junod//junod {junod.__version__}//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("name", "junod")
    calendar.add("x-wr-calname", "junod")
    calendar.add("x-wr-timezone", zone.key)
    calendar.add("refresh-interval", REFRESH, parameters={"value": "DURATION"})
    for entry in entries:
        event = _event(entry, zone)
        if event is not None:
            calendar.add_component(event)
    today = now.astimezone(zone).date()
    calendar.add_missing_timezones(first_date=today - _ZONE_BEFORE, last_date=today + _ZONE_AFTER)
    text: bytes = calendar.to_ical()
    return text


def _event(entry: Entry, zone: ZoneInfo) -> icalendar.Event | None:
    if entry.repeat is None and entry.first is None:
        return None
    event = icalendar.Event()
    event.add("uid", f"{entry.memory.id}@junod")
    event.add("dtstamp", entry.memory.created_at)
    event.add("summary", entry.text)
    if entry.repeat is not None:
        _add_repeat(event, entry.repeat, zone)
    elif entry.at is not None:
        event.add("dtstart", entry.at.astimezone(zone))
    elif entry.first is not None and entry.last is not None:
        _add_days(event, entry.first, entry.last)
    return event


def _add_days(event: icalendar.Event, first: date, last: date) -> None:
    event.add("dtstart", first)
    event.add("dtend", last + timedelta(days=1))  # RFC 5545: the end is not part of it
    event.add("transp", "TRANSPARENT")


def _add_repeat(event: icalendar.Event, repeat: Repeat, zone: ZoneInfo) -> None:
    if repeat.at is None:
        _add_days(event, repeat.first, repeat.first)
    else:
        event.add("dtstart", datetime.combine(repeat.first, repeat.at, zone))
    rule: dict[str, object] = {"freq": repeat.frequency}
    if repeat.interval > 1:
        rule["interval"] = repeat.interval
    if repeat.weekdays:
        rule["byday"] = [_DAYS[day] for day in repeat.weekdays]
    event.add("rrule", rule)
