"""Repeats that a sentence names: 'The bins go out every Tuesday at 7' (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

from junod.records import Kind

Frequency = Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = re.compile(rf"\b({'|'.join(_DAY_NAMES)})(s)?\b", re.IGNORECASE)
_EVERY = re.compile(r"\b(?:every|each|daily|weekly|fortnightly|monthly|yearly|annually)\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:(?:every|each) (?:other|second)|fortnightly|every two weeks|biweekly)\b", re.IGNORECASE)
_DAILY = re.compile(r"\b(?:(?:every|each) (?:day|morning|evening|night|afternoon)|daily)\b", re.IGNORECASE)
_WEEKDAYS = re.compile(r"\b(?:every weekday|(?:on )?weekdays)\b", re.IGNORECASE)
_WEEKENDS = re.compile(r"\b(?:every weekend|(?:at |on )?weekends)\b", re.IGNORECASE)
_MONTHLY = re.compile(r"\b(?:(?:every|each) month|monthly)\b", re.IGNORECASE)
_YEARLY = re.compile(r"\b(?:(?:every|each) year|yearly|annually|birthday|anniversary|name day)\b", re.IGNORECASE)
_CLOCK = re.compile(r", (\d\d:\d\d)$")
_MAY_NAME_HOUR = re.compile(
    r"\d|\b(?:at|from|by|noon|midday|midnight|half|quarter|o['’]?clock|[ap]\.?m)\b", re.IGNORECASE
)
"""Reading time words takes milliseconds, and most repeats name no hour."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """As RFC 5545 thinks of it."""

    frequency: Frequency
    interval: int
    weekdays: tuple[int, ...]
    """0 = Monday; () where the frequency says enough."""
    first: date
    """A day it falls on, at or after the day it was said."""
    at: time | None
    """Local wall clock, the same in winter and summer; None = all day."""

    def falls_on(self, day: date) -> bool:
        if day < self.first:
            return False
        if self.frequency == "WEEKLY":
            return day.weekday() in self.weekdays and self._weeks_to(day) % self.interval == 0
        if self.frequency == "MONTHLY":
            return day.day == self.first.day
        if self.frequency == "YEARLY":
            return (day.month, day.day) == (self.first.month, self.first.day)
        return (day - self.first).days % self.interval == 0

    def _weeks_to(self, day: date) -> int:
        monday = self.first - timedelta(days=self.first.weekday())
        return (day - monday).days // 7


@lru_cache(maxsize=1024)
def repeat_of(sentence: str, spoken_at: datetime, zone: ZoneInfo, *, day_first: bool) -> Repeat | None:
    """The repeat in a lasting sentence; None where there is none that a calendar could hold."""
    day = spoken_at.date()
    names = tuple(_DAY_NAMES.index(match[1].lower()) for match in _DAY.finditer(sentence))
    is_plural = any(match[2] for match in _DAY.finditer(sentence))
    interval = 2 if _OTHER.search(sentence) else 1
    if names and (is_plural or _EVERY.search(sentence)):
        weekdays: tuple[int, ...] = tuple(sorted(set(names)))
    elif _WEEKDAYS.search(sentence):
        weekdays = (0, 1, 2, 3, 4)
    elif _WEEKENDS.search(sentence):
        weekdays = (5, 6)
    else:
        return _without_weekday(sentence, spoken_at, zone, interval, day_first=day_first)
    first = next(found for n in range(7) if (found := day + timedelta(days=n)).weekday() in weekdays)
    return Repeat("WEEKLY", interval, weekdays, first, _clock(sentence, spoken_at, zone, day_first=day_first))


def _without_weekday(
    sentence: str, spoken_at: datetime, zone: ZoneInfo, interval: int, *, day_first: bool
) -> Repeat | None:
    day = spoken_at.date()
    if _DAILY.search(sentence):
        return Repeat("DAILY", interval, (), day, _clock(sentence, spoken_at, zone, day_first=day_first))
    for pattern, frequency in ((_YEARLY, "YEARLY"), (_MONTHLY, "MONTHLY")):
        if pattern.search(sentence):
            found = _named_day(sentence, day, is_yearly=frequency == "YEARLY")
            return Repeat("YEARLY" if frequency == "YEARLY" else "MONTHLY", 1, (), found, None) if found else None
    return None


def _named_day(sentence: str, after: date, *, is_yearly: bool) -> date | None:
    """The one day the sentence names: '06-09' of a year, 'd15' of a month."""
    from junod.dedup.times import find_times

    days = sorted(find_times(sentence).days)
    for name in days:
        match = re.fullmatch(r"(?:\d{4}-)?(\d\d)-(\d\d)", name) if is_yearly else re.fullmatch(r"d(\d+)()", name)
        if match:
            return _next(after, *((int(match[1]), int(match[2])) if is_yearly else (0, int(match[1]))))
    return None


def _next(after: date, month: int, day: int) -> date | None:
    """The next such day within eight years (29 February may skip a leap year); month 0 = any."""
    candidates = (after + timedelta(days=n) for n in range(366 * 8))
    return next((found for found in candidates if found.day == day and month in (0, found.month)), None)


def _clock(sentence: str, spoken_at: datetime, zone: ZoneInfo, *, day_first: bool) -> time | None:
    if not _MAY_NAME_HOUR.search(sentence):
        return None
    from junod.when.resolve import resolve

    said = resolve(sentence, spoken_at=spoken_at, zone=zone, kind=Kind.FACT, day_first=day_first).said
    match = _CLOCK.search(said)
    return time.fromisoformat(match[1]) if match else None
