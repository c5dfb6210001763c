"""Time words that look back ('last week', 'on Monday', 'March') -> the range they cover. Pure; no clock is read.

The rest of `when` looks ahead, as plans do: there 'Monday' is the next one. Whoever asks what was said means the last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from junod.when.calendar import Anchor, DateSpan, anchor_of, instant, locate, midnight_after
from junod.when.expressions import Ahead, Day, Expression, Holiday, Hopped, MonthDay, Part, Period, Weekday
from junod.when.fold import parse
from junod.when.hours import hour_from_words

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS |= {"nine": 9, "ten": 10, "twelve": 12, "an": 1, "couple": 2, "few": 3}
_ROLLING = re.compile(
    r"(?:in |over |during |for )?(?:the |these )?(?P<which>last|past) (?:(?P<number>\d{1,4}|(?:a )?[a-z]+) (?:of )?)?"
    r"(?P<unit>minute|hour|day|week|month|year)s?"
)
_NAMES = "|".join(f"{name}|{name[:3]}|{name[:4]}" for name in _MONTHS)
_MONTH = re.compile(rf"(?:in |last |since )*(?P<month>{_NAMES})\.?(?: (?P<year>\d{{4}}))?")
_YEAR = re.compile(r"(?:in )?((?:19|20)\d\d)")
_CLOCK_IN_ISO = re.compile(r"\d[T ]\d")
_PARTS = {
    Part.MORNING: (time(4), time(12)),
    Part.NOON: (time(11), time(15)),
    Part.AFTERNOON: (time(12), time(18)),
    Part.AFTER_SCHOOL: (time(13), time(18)),
    Part.EVENING: (time(17), time()),
    Part.NIGHT: (time(18), time(5)),
}
"""Generous, since a memory just outside would seem lost; an end before the start lies on the next day."""


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` up to and without `end`; both the same where a single moment was named."""

    start: datetime
    end: datetime


def past_range(text: str, *, now: datetime, zone: ZoneInfo, day_first: bool = True) -> TimeRange | None:
    """What ISO 8601 or time words cover, looking back from `now`; None where they are not understood.

    A day without a year, and a weekday without 'next', is the latest that has begun ('Monday' on a Monday: today).
    'Last week' is the calendar's, from Monday to Sunday; 'the last 7 days' and 'the past week' end now.
    """
    words = " ".join(text.lower().split()).strip(" .,?!")
    try:
        local = now.astimezone(zone)
        return (
            _iso(text.strip(), zone)
            or _rolling(words, local)
            or _month(words, local, zone)
            or _said(words, local, zone, day_first)
        )
    except (OverflowError, ValueError):
        return None


def _iso(text: str, zone: ZoneInfo) -> TimeRange | None:
    """A date is that day, a moment only itself; without an offset it is the household's time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is not None:
        return TimeRange(moment, moment)
    if _CLOCK_IN_ISO.search(text):
        at = instant(moment.date(), moment.time(), zone).at
        return TimeRange(at, at)
    return _days(moment.date(), moment.date(), zone)


def _days(first: date, last: date, zone: ZoneInfo) -> TimeRange:
    return TimeRange(instant(first, time(), zone).at, midnight_after(last, zone))


def _rolling(words: str, local: datetime) -> TimeRange | None:
    match = _ROLLING.fullmatch(words)
    if match is None or (match["which"] == "last" and not match["number"] and match["unit"] not in ("minute", "hour")):
        return None
    given = match["number"] or "one"
    amount = int(given) if given.isdigit() else _NUMBERS.get(given.removeprefix("a "))
    if amount is None:
        return None
    unit = match["unit"] + "s"
    if unit in ("minutes", "hours"):
        start = (local.astimezone(UTC) - timedelta(**{unit: amount})).astimezone(local.tzinfo)
    else:
        start = local - relativedelta(**{unit: amount})  # type: ignore[arg-type]
    return TimeRange(start, local)


def _month(words: str, local: datetime, zone: ZoneInfo) -> TimeRange | None:
    year = _YEAR.fullmatch(words)
    if year:
        return _days(date(int(year[1]), 1, 1), date(int(year[1]), 12, 31), zone)
    match = _MONTH.fullmatch(words)
    if match is None:
        return None
    first = date(int(match["year"] or local.year), _number_of(match["month"]), 1)
    if not match["year"] and first > local.date():
        first -= relativedelta(years=1)
    return _days(first, first + relativedelta(months=1, days=-1), zone)


def _number_of(month: str) -> int:
    return 1 + [name[:3] for name in _MONTHS].index(month[:3])


def _said(words: str, local: datetime, zone: ZoneInfo, day_first: bool) -> TimeRange | None:
    said = parse([words], day_first=day_first)
    if said.offset is not None:
        at = (local.astimezone(UTC) + timedelta(minutes=said.offset.minutes)).astimezone(zone)
        return TimeRange(at, at)
    if said.is_empty or said.repeat is not None:
        return None
    anchor = replace(anchor_of(local, zone), is_small_hours=False)
    first = _looking_back(said.days, anchor)
    last = _looking_back(said.until_days, anchor) if said.until_days else first
    if last.last < first.first:
        last = DateSpan(last.first, local.date())
    return _narrowed(said, first.first, last.last, zone)


def _narrowed(said: Expression, first: date, last: date, zone: ZoneInfo) -> TimeRange:
    """An hour or a part of the day on a single day; else whole days."""
    if first == last and said.clock is not None:
        guess = hour_from_words(said.clock, said.part)
        at = instant(first, guess.at if guess else time(said.clock.hour % 24, said.clock.minute), zone).at
        return TimeRange(at, at)
    if first == last and said.part is not None:
        start, end = _PARTS[said.part.part]
        until = first if end > start else first + timedelta(days=1)
        return TimeRange(instant(first, start, zone).at, instant(until, end, zone).at)
    return _days(first, last, zone)


def _looking_back(days: tuple[Day, ...], anchor: Anchor) -> DateSpan:
    """The latest span that has begun of those the words may mean; without a day, today."""
    if not days:
        return DateSpan(anchor.today, anchor.today)
    spans = [_latest(day, anchor) for day in days]
    return min(spans, key=lambda span: (span.last - span.first).days)


def _latest(day: Day, anchor: Anchor) -> DateSpan:
    if isinstance(day, Hopped):
        base = _latest(day.base, anchor)
        return locate(Ahead(day.amount, day.unit), replace(anchor, today=base.first))
    if isinstance(day, Holiday) and not day.year:
        return locate(replace(day, is_past=True), replace(anchor, today=anchor.today + timedelta(days=1)))
    span = locate(day, anchor)
    if span.first <= anchor.today:
        return span
    if isinstance(day, Weekday) and day.which != "next":
        return _back(span, timedelta(days=7))
    if isinstance(day, Period) and day.unit == "weekend" and day.which != "next":
        return _back(span, timedelta(days=7))
    if isinstance(day, MonthDay) and not day.year:
        return _back(span, relativedelta(years=1)) if day.month else _months_back(span, day.day)
    return span


def _months_back(span: DateSpan, day: int) -> DateSpan:
    """'The 30th' asked for in March: of January, as February has none."""
    nearest = _back(span, relativedelta(months=1))
    return nearest if nearest.first.day == day else _back(span, relativedelta(months=2))


def _back(span: DateSpan, step: timedelta | relativedelta) -> DateSpan:
    return DateSpan(span.first - step, span.last - step, span.is_fuzzy)
