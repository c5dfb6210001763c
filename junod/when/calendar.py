"""Typed days -> calendar dates, and local wall-clock times -> instants. Pure; no clock is read.

Household conventions: a bare weekday is the next one (today counts while its hour is still ahead), 'next Friday' is the
Friday of the following ISO week, a day of the month is the next such day that exists.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from junod.when.expressions import Ahead, Day, Holiday, Hopped, MonthDay, NthWeekday, Period, Shift, Weekday

_MIDNIGHT_GRACE_ENDS = 3
_LATEST = date(9000, 1, 1)
_MONTHS_AHEAD = 14
_YEARS_AHEAD = 9
_FRIDAY, _SATURDAY = 4, 5
# Zones where Mother's Day falls on the fourth Sunday of Lent and Father's Day in June as elsewhere.
_LENT_ZONES = ("Europe/London", "Europe/Dublin", "Europe/Belfast", "Europe/Isle_of_Man", "Europe/Jersey")


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where dates are counted from."""

    today: date
    is_small_hours: bool = False
    """Spoken between 00:00 and 03:00, when 'tomorrow' still means the current calendar day."""
    today_counts: bool = True
    """False where the hour named is already over today, so that 'Friday' is a week away."""
    zone_name: str = ""


@dataclass(frozen=True, slots=True)
class DateSpan:
    """First and last local day, both included."""

    first: date
    last: date
    is_fuzzy: bool = False


def anchor_of(spoken_at: datetime, zone: ZoneInfo) -> Anchor:
    """The local day of speech, and whether it is the small hours."""
    local = spoken_at.astimezone(zone)
    return Anchor(local.date(), local.hour < _MIDNIGHT_GRACE_ENDS, zone_name=zone.key or "")


def locate(day: Day, anchor: Anchor) -> DateSpan:
    """The dates `day` stands for.

    Raises:
        OverflowError: the date lies beyond the calendar.
    """
    if isinstance(day, Shift):
        grace = 1 if day.is_tomorrow and anchor.is_small_hours else 0
        return _single(anchor.today + timedelta(days=day.days - grace))
    if isinstance(day, Ahead):
        return _ahead(day, anchor.today)
    if isinstance(day, Weekday):
        return _single(_weekday(day, anchor))
    if isinstance(day, MonthDay):
        return _through(day, _month_day(day, anchor)) if day.through else _month_day(day, anchor)
    if isinstance(day, NthWeekday):
        return _single(_nth_weekday(day, anchor.today))
    if isinstance(day, Period):
        return _period(day, anchor)
    if isinstance(day, Hopped):
        base = locate(day.base, anchor)
        return _ahead(Ahead(day.amount, day.unit), base.last if day.amount > 0 else base.first)
    found = _holiday(day, anchor)
    return _around(day, found) if day.weekend else _single(found)


def _through(day: MonthDay, first: DateSpan) -> DateSpan:
    start = first.first
    month = start.replace(day=1) + relativedelta(months=0 if day.through > day.day else 1)
    last = month.replace(day=min(day.through, calendar.monthrange(month.year, month.month)[1]))
    return DateSpan(start, last, first.is_fuzzy)


def _around(day: Holiday, found: date) -> DateSpan:
    """A holiday's long weekend."""
    if day.name == "easter":
        return DateSpan(found - timedelta(days=2), found + timedelta(days=1))
    saturday = found + timedelta(days=(_SATURDAY - found.weekday() + 3) % 7 - 3)
    return DateSpan(min(found, saturday), max(found, saturday + timedelta(days=1)))


def _single(day: date) -> DateSpan:
    if day > _LATEST:
        raise OverflowError(f"{day} lies beyond the calendar")
    return DateSpan(day, day)


def _ahead(day: Ahead, today: date) -> DateSpan:
    if abs(day.amount) > 1200:
        raise OverflowError(f"{day.amount} {day.unit}s lie beyond the calendar")
    counts = {f"{day.unit}s": day.amount}
    return _single(today + relativedelta(**counts))  # type: ignore[arg-type]


def _weekday(day: Weekday, anchor: Anchor) -> date:
    today = anchor.today
    monday = today - timedelta(days=today.weekday())
    later = timedelta(weeks=day.weeks_later)
    if day.which == "next":
        return monday + timedelta(days=7 + day.weekday) + later
    if day.which == "last":
        return today - timedelta(days=(today.weekday() - day.weekday - 1) % 7 + 1)
    ahead = (day.weekday - today.weekday()) % 7
    if ahead == 0 and not anchor.today_counts and not day.weeks_later:
        ahead = 7
    return today + timedelta(days=ahead) + later


def _month_day(day: MonthDay, anchor: Anchor) -> DateSpan:
    if day.year and day.month:
        last = calendar.monthrange(day.year, day.month)[1]
        found = date(day.year, day.month, min(day.day, last))
        return DateSpan(found, found, is_fuzzy=day.day > last)
    first = anchor.today.replace(day=1) + relativedelta(months=day.months_later)
    months = _YEARS_AHEAD * 12 if day.month else _MONTHS_AHEAD
    for later in range(months):
        month = first + relativedelta(months=later)
        if day.month and month.month != day.month:
            continue
        if day.day > calendar.monthrange(month.year, month.month)[1]:
            continue
        found = month.replace(day=day.day)
        if found > anchor.today or (found == anchor.today and anchor.today_counts):
            return _single(found)
    return _clamped(day, first)


def _clamped(day: MonthDay, first: date) -> DateSpan:
    """The 31st of June: the last day that month has, and fuzzy."""
    month = first + relativedelta(months=(day.month - first.month) % 12)
    last = month.replace(day=calendar.monthrange(month.year, month.month)[1])
    return DateSpan(last, last, is_fuzzy=True)


def _nth_weekday(day: NthWeekday, today: date) -> date:
    first = today.replace(day=1) + relativedelta(months=day.months_later)
    for later in range(_MONTHS_AHEAD):
        month = first + relativedelta(months=later)
        found = _nth_of_month(day.nth, day.weekday, month)
        if (not day.month or month.month == day.month) and found >= today:
            return found
    return today


def _nth_of_month(nth: int, weekday: int, month: date) -> date:
    length = calendar.monthrange(month.year, month.month)[1]
    days = [month.replace(day=day) for day in range(1, length + 1) if month.replace(day=day).weekday() == weekday]
    return days[nth if nth < 0 else min(nth, len(days)) - 1]


def _period(day: Period, anchor: Anchor) -> DateSpan:
    if day.unit == "weekend":
        return _weekend(day, anchor)
    if day.unit == "week":
        return _week(day, anchor)
    if day.unit == "month":
        return _month(day, anchor.today)
    year = anchor.today.year + {"next": 1, "last": -1}.get(day.which, 0) + day.later
    return DateSpan(date(year, 1, 1), date(year, 12, 31))


def _weekend(day: Period, anchor: Anchor) -> DateSpan:
    if day.containing:
        inside = _month_day(day.containing, anchor).first
        saturday = inside + timedelta(days=(_SATURDAY - inside.weekday()) if inside.weekday() < 6 else -1)
        return DateSpan(saturday, saturday + timedelta(days=1))
    monday = anchor.today - timedelta(days=anchor.today.weekday())
    weeks = {"next": 1, "last": -1}.get(day.which, 0) + day.later
    saturday = monday + timedelta(days=_SATURDAY, weeks=weeks)
    return DateSpan(saturday, saturday + timedelta(days=1), is_fuzzy=day.which == "next" and not day.later)


def _week(day: Period, anchor: Anchor) -> DateSpan:
    today = _month_day(day.containing, anchor).first if day.containing else anchor.today
    weeks = {"next": 1, "last": -1}.get(day.which, 0) + day.later
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks)
    if day.at_end:
        friday = monday + timedelta(days=_FRIDAY)
        return _single(friday if friday >= today else monday + timedelta(days=6))
    return DateSpan(monday, monday + timedelta(days=6))


def _month(day: Period, today: date) -> DateSpan:
    first = today.replace(day=1)
    if day.month:
        ahead = (day.month - today.month) % 12 + (12 if day.which == "next" and day.month > today.month else 0)
        first += relativedelta(months=ahead)
    else:
        first += relativedelta(months={"next": 1, "last": -1}.get(day.which, 0) + day.later)
    last = first + relativedelta(months=1, days=-1)
    return DateSpan(last, last) if day.at_end else DateSpan(first, last)


def _holiday(day: Holiday, anchor: Anchor) -> date:
    if day.year:
        return _holiday_in(day.name, day.year, anchor.zone_name) + timedelta(days=day.offset_days)
    years = range(anchor.today.year - 1, anchor.today.year + 3)
    found = [_holiday_in(day.name, year, anchor.zone_name) + timedelta(days=day.offset_days) for year in years]
    if day.is_past:
        return max(date_ for date_ in found if date_ < anchor.today)
    return min(date_ for date_ in found if date_ >= anchor.today)


def _holiday_in(name: str, year: int, zone_name: str) -> date:
    fixed = {
        "christmas": (12, 25),
        "new year": (1, 1),
        "valentine": (2, 14),
        "patrick": (3, 17),
        "halloween": (10, 31),
        "bonfire": (11, 5),
        "may day": (5, 1),
        "veterans": (11, 11),
        "juneteenth": (6, 19),
        "anzac": (4, 25),
        "australia": (1, 26),
        "kings day": (4, 27),
        "canada": (7, 1),
        "independence": (7, 4),
    }
    if name in fixed:
        return date(year, *fixed[name])
    if name == "easter":
        return easter(year)
    if name == "mother":
        lent = zone_name in _LENT_ZONES
        return easter(year) - timedelta(days=21) if lent else _nth_of_month(2, 6, date(year, 5, 1))
    if name == "thanksgiving":
        return _thanksgiving(year, zone_name)
    movable = {"father": (3, 6, 6), "memorial": (-1, 0, 5), "labor": (1, 0, 9), "martin luther king": (3, 0, 1)}
    movable |= {"presidents": (3, 0, 2), "columbus": (2, 0, 10)}
    nth, weekday, month = movable[name]
    return _nth_of_month(nth, weekday, date(year, month, 1))


def _thanksgiving(year: int, zone_name: str) -> date:
    canadian = ("Toronto", "Vancouver", "Edmonton", "Winnipeg", "Halifax", "Montreal", "Regina", "St_Johns")
    if zone_name.endswith(canadian):
        return _nth_of_month(2, 0, date(year, 10, 1))
    return _nth_of_month(4, 3, date(year, 11, 1))


@dataclass(frozen=True, slots=True)
class LocalInstant:
    """A wall-clock time made absolute."""

    at: datetime
    is_adjusted: bool = False
    """The local time does not exist, or exists twice."""


def instant(day: date, clock: time, zone: ZoneInfo, *, not_before: datetime | None = None) -> LocalInstant:
    """The instant at which local clocks show `clock` on `day`.

    A time that clocks skip moves forward by the gap (02:30 -> 03:30 where 02:00 becomes 03:00). A time that comes
    twice is its first occurrence, or the second where the first lies before `not_before`. Both are marked.
    """
    naive = datetime.combine(day, clock)
    first = naive.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    second = naive.replace(tzinfo=zone, fold=1).astimezone(UTC).astimezone(zone)
    if first.replace(tzinfo=None, fold=0) != naive:
        return LocalInstant(first, is_adjusted=True)
    twice = first.utcoffset() != second.utcoffset()
    over = not_before is not None and first.timestamp() < not_before.timestamp() <= second.timestamp()
    if twice and over:
        return LocalInstant(second, is_adjusted=True)
    return LocalInstant(first, is_adjusted=twice)


def midnight_after(day: date, zone: ZoneInfo) -> datetime:
    """00:00:00 of the following day: when `day` is over (01:00 where clocks skip midnight)."""
    return instant(day + timedelta(days=1), time(), zone).at
