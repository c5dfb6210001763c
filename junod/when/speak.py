"""How a resolved time reads from two metres away: 'Tue 31 Mar 2026, 15:00'. English, whatever the locale."""

from __future__ import annotations

from datetime import date, datetime

from junod.when.expressions import Part

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day(moment: date) -> str:
    """'Tue 31 Mar 2026'."""
    return f"{_DAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def instant(moment: datetime) -> str:
    """'Tue 31 Mar 2026, 15:00', in the moment's own zone."""
    return f"{day(moment.date())}, {moment:%H:%M}"


def part(moment: date, part_of_day: Part) -> str:
    """'Tue 31 Mar 2026, morning'."""
    return f"{day(moment)}, {part_of_day.value}"


def span(first: date, last: date) -> str:
    """'Thu 2 – Sun 5 Apr 2026': what both ends share is said once."""
    if first == last:
        return day(first)
    opening = f"{_DAYS[first.weekday()]} {first.day}"
    if first.year != last.year:
        opening = day(first)
    elif first.month != last.month:
        opening += f" {_MONTHS[first.month - 1]}"
    return f"{opening} – {day(last)}"
