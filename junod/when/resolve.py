"""Household rules: what was said, when and about what kind of thing -> when its memory ends.

A thing at a stated time ends at that instant, also where it was taken for an event; an event ends with its last local
day; a reminder at its instant or with its day; facts, shopping and repeats never. Part of a day without an hour ends
with that part. Between 00:00 and 03:00 'tomorrow' is the current calendar day. Nothing here reads a clock, a file or
the environment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from junod.records import Kind, Resolution
from junod.when import speak
from junod.when.calendar import Anchor, DateSpan, anchor_of, instant, locate, midnight_after
from junod.when.completion import complete
from junod.when.expressions import (
    Ahead,
    Clock,
    Day,
    Expression,
    Holiday,
    Hopped,
    MonthDay,
    Part,
    PartOfDay,
    Period,
    Shift,
    Weekday,
)
from junod.when.fold import parse, says_moved
from junod.when.hours import HourGuess, hour_from_words, speaks_of_morning, surroundings, usual_half

_PART_ENDS = {Part.MORNING: time(12), Part.NOON: time(14), Part.AFTERNOON: time(18)}
_ORDINAL = re.compile(r"\b(\d)th\b")
_PERMANENT = (Kind.FACT, Kind.SHOPPING)
_NOTHING = Resolution(None)


@dataclass(frozen=True, slots=True)
class _Speech:
    """When, where and about what the phrase was said."""

    moment: datetime
    """In UTC: two moments of one zone compare by the wall clock, which shows some hours twice."""
    local: datetime
    zone: ZoneInfo
    kind: Kind
    around: tuple[str, str, str]
    """The talk around the phrase, nearest first: decides what an hour usually means."""


@dataclass(frozen=True, slots=True)
class _Days:
    """The days an expression names; None where it names none."""

    span: DateSpan
    is_span: bool = False


def resolve(
    phrase: str,
    *,
    spoken_at: datetime,
    zone: ZoneInfo,
    kind: Kind,
    day_first: bool = True,
    hint: str = "",
) -> Resolution:
    """Make a spoken time phrase absolute.

    Args:
        phrase: the time words as spoken ('Tuesday at half seven'); words around them do no harm.
        spoken_at: aware moment of speech.
        zone: the household's zone; the result carries its offset.
        kind: what the time belongs to; decides between instant, end of part, end of day and never.
        day_first: 3/4 is the third of April.
        hint: the talk around the phrase, or the memory: for the sensible half of the day, and for the day of a lone
            hour or the hour of an appointment's lone day (`complete`).

    Raises:
        ValueError: `spoken_at` is naive.
    """
    phrases = complete(phrase, hint, kind=kind, day_first=day_first)
    return combine(phrases, spoken_at=spoken_at, zone=zone, kind=kind, day_first=day_first, hint=hint)


def combine(
    phrases: Sequence[str],
    *,
    spoken_at: datetime,
    zone: ZoneInfo,
    kind: Kind,
    day_first: bool = True,
    hint: str = "",
) -> Resolution:
    """Resolve time words that stand apart in a passage ('Thursday' ... 'about nine in the morning') as one phrase.

    The last of two days or hours wins, as in a correction. Arguments and errors as in `resolve`.
    """
    is_moved = kind is Kind.APPOINTMENT and says_moved(hint)
    said = parse(phrases, day_first=day_first, is_moved=is_moved)
    around = surroundings(hint, _with_hour(phrases))
    return resolve_said(said, spoken_at=spoken_at, zone=zone, kind=kind, around=around)


def resolve_said(
    said: Expression, *, spoken_at: datetime, zone: ZoneInfo, kind: Kind, around: tuple[str, str, str]
) -> Resolution:
    """Resolve what time words say, already read.

    Args:
        around: the talk around them, nearest first, as of `surroundings`.
        others: as of `resolve`.

    Raises:
        ValueError: `spoken_at` is naive.
    """
    if spoken_at.tzinfo is None:
        raise ValueError("a moment of speech needs a time zone")
    try:
        speech = _Speech(spoken_at.astimezone(UTC), spoken_at.astimezone(zone), zone, kind, around)
        return _resolve(said, speech)
    except (OverflowError, ValueError):
        return Resolution(None, approximate=True)


def _with_hour(phrases: Sequence[str]) -> list[str]:
    """The phrases that name an hour: their sentences tell which half of the day it is in."""
    return [phrase for phrase in phrases if parse([phrase]).clock is not None] or list(phrases)


def _resolve(said: Expression, speech: _Speech) -> Resolution:
    if said.is_empty:
        return _NOTHING
    if said.repeat and not _is_one_time(said, speech):
        return Resolution(None, said=_repeat_words(said, speech), recurring=True)
    resolution = _dated(said, speech)
    if speech.kind in _PERMANENT:
        return replace(resolution, expires_at=None, is_past=False)
    if resolution.expires_at is not None and resolution.expires_at < speech.moment:
        resolution = replace(resolution, is_past=True)
    return resolution


def _is_one_time(said: Expression, speech: _Speech) -> bool:
    """A repeat that ends ('every day until Friday'), or one beside the date meant ('the 17th, he does Saturdays')."""
    if said.until_days or said.bound == "until":
        return True
    dated = any(isinstance(day, MonthDay | Shift) for day in said.days)
    return dated and bool(said.repeat and said.repeat.is_plural) and speech.kind not in _PERMANENT


def _spell_ordinal(match: re.Match[str]) -> str:
    return {"1": "first", "2": "second", "3": "third"}.get(match[1], match.group())


def _repeat_words(said: Expression, speech: _Speech) -> str:
    assert said.repeat is not None
    words = _ORDINAL.sub(_spell_ordinal, said.repeat.words.removeprefix("on "))
    words = " ".join(
        word.capitalize() if word.rstrip("s").endswith("day") and len(word) > 5 else word for word in words.split()
    )
    words = words[:1].upper() + words[1:]
    if said.clock is None:
        return words
    guess = hour_from_words(said.clock, said.part) or _usual(said.clock, speech.around)
    return f"{words}, {guess.at:%H:%M}"


def _dated(said: Expression, speech: _Speech) -> Resolution:
    if said.offset is not None:
        at = _elapsed(speech, said.offset.minutes)
        return Resolution(at, said=speak.instant(at), approximate=said.approximate)
    days = _days(said, speech)
    if said.clock is not None and not (days and days.is_span and _last_day_matters(said, speech)):
        return _at_clock(said, said.clock, days, speech)
    return _whole_days(said, days, speech)


def _elapsed(speech: _Speech, minutes: float) -> datetime:
    """Real time passes evenly across a change of clocks: added in UTC."""
    moment = speech.local.timestamp() + minutes * 60
    return datetime.fromtimestamp(round(moment), speech.zone)


def _last_day_matters(said: Expression, speech: _Speech) -> bool:
    return speech.kind is Kind.EVENT or bool(said.until_days)


# --- which days ---


def _days(said: Expression, speech: _Speech) -> _Days | None:
    anchor = anchor_of(speech.local, speech.zone)
    if not said.days:
        return _today_part(said, anchor, speech)
    anchor = replace(anchor, today_counts=_is_ahead_today(said, speech))
    first = _meet(_shared_week(said), anchor)
    if not said.until_days:
        return _lengthened(said, first)
    last = _meet(said.until_days, _end_anchor(said, anchor, first))
    return _Days(DateSpan(first.first, max(first.first, last.last), first.is_fuzzy or last.is_fuzzy), True)


def _shared_week(said: Expression) -> tuple[Day, ...]:
    """'Monday through Wednesday, next week': the week belongs to both ends."""
    weeks = [day for day in said.until_days if isinstance(day, Period) and day.unit == "week"]
    plain = all(isinstance(day, Weekday) for day in said.days)
    return (*said.days, weeks[0]) if weeks and plain else said.days


def _end_anchor(said: Expression, anchor: Anchor, first: DateSpan) -> Anchor:
    """The last day of a span is looked for after its first, unless it names its own week."""
    own_week = any(
        isinstance(day, Period | Shift) or (isinstance(day, Weekday) and day.which == "next") for day in said.until_days
    )
    weekend = any(isinstance(day, Period) and day.unit == "weekend" for day in said.until_days)
    if own_week and not weekend:
        return anchor
    return replace(anchor, today=first.first, is_small_hours=False, today_counts=False)


def _lengthened(said: Expression, first: DateSpan) -> _Days:
    if said.length is None:
        return _Days(first, first.first != first.last)
    last = max(first.last, first.first + timedelta(days=said.length.days))
    return _Days(DateSpan(first.first, last, first.is_fuzzy), True)


def _today_part(said: Expression, anchor: Anchor, speech: _Speech) -> _Days | None:
    """A part of the day without a day: today's, or tomorrow's where today's is over."""
    if said.length is not None:
        return _Days(DateSpan(anchor.today, anchor.today + timedelta(days=said.length.days)), True)
    if said.part is None:
        return None
    if said.part.today or said.clock is not None:
        return _Days(DateSpan(anchor.today, anchor.today)) if said.part.today else None
    end = _part_end(anchor.today, said.part.part, speech.zone)
    day = anchor.today if end > speech.moment else anchor.today + timedelta(days=1)
    return _Days(DateSpan(day, day))


def _is_ahead_today(said: Expression, speech: _Speech) -> bool:
    """Whether the hour or part named is still to come today: then 'Friday' said on a Friday is today."""
    today = speech.local.date()
    if said.clock is not None:
        guess = hour_from_words(said.clock, said.part)
        latest = guess.at if guess else time(said.clock.hour % 12 + 12, said.clock.minute)
        return instant(today, latest, speech.zone).at > speech.moment or bool(guess and guess.next_day)
    if said.part is not None:
        return _part_end(today, said.part.part, speech.zone) > speech.moment
    return any(isinstance(day, MonthDay) for day in said.days)


def _meet(days: Sequence[Day], anchor: Anchor) -> DateSpan:
    """The dates that several ways of naming one day agree on; the more exact way wins where they do not."""
    spans = [locate(day, anchor) for day in days]
    named = [(day, span) for day, span in zip(days, spans, strict=True) if isinstance(day, Weekday)]
    others = [(day, span) for day, span in zip(days, spans, strict=True) if not isinstance(day, Weekday)]
    if not named or not others:
        return min(spans, key=lambda span: (span.last - span.first).days)
    (weekday, plain), (other_day, other) = named[0], others[0]
    if isinstance(other_day, MonthDay) and not other_day.month:
        return _on_weekday(other_day, weekday.weekday, anchor, other)
    if isinstance(other_day, Ahead) and other_day.unit in ("month", "year"):
        return _inside(DateSpan(other.first, other.first + timedelta(days=6)), weekday.weekday)
    if isinstance(other_day, Holiday | Ahead | Hopped):
        return _nearest(other.first, weekday.weekday)
    if isinstance(other_day, Shift) and other.first != plain.first:
        return plain if days.index(weekday) > days.index(other_day) else other
    if other.first < other.last:
        inside = _inside(other, weekday.weekday)
        return inside if inside.last >= anchor.today else plain
    return other


def _nearest(day: date, weekday: int) -> DateSpan:
    """'Easter weekend, Friday', 'in two weeks, on Friday': the Friday closest to that day."""
    found = day + timedelta(days=(weekday - day.weekday() + 3) % 7 - 3)
    return DateSpan(found, found)


def _on_weekday(day: MonthDay, weekday: int, anchor: Anchor, fallback: DateSpan) -> DateSpan:
    """'Monday the twelfth': the next twelfth that is a Monday, within half a year."""
    today = anchor.today
    for _ in range(6):
        found = locate(day, replace(anchor, today=today))
        if found.first.weekday() == weekday:
            return found
        today = found.first + timedelta(days=1)
    return replace(fallback, is_fuzzy=True)


def _inside(span: DateSpan, weekday: int) -> DateSpan:
    for place in range((span.last - span.first).days + 1):
        day = span.first + timedelta(days=place)
        if day.weekday() == weekday:
            return DateSpan(day, day)
    return span


# --- which hour ---


def _at_clock(said: Expression, clock: Clock, days: _Days | None, speech: _Speech) -> Resolution:
    day, guess = _choose(clock, said.part, days.span.first if days else None, speech)
    landed = instant(day + timedelta(days=guess.next_day), guess.at, speech.zone, not_before=speech.moment)
    approximate = (
        said.approximate
        or clock.approximate
        or guess.is_guess
        or landed.is_adjusted
        or bool(days and days.span.is_fuzzy)
    )
    if speech.kind is Kind.EVENT and said.until_clock is not None:
        return Resolution(midnight_after(day, speech.zone), said=speak.instant(landed.at), approximate=approximate)
    return Resolution(landed.at, said=speak.instant(landed.at), approximate=approximate)


def _usual(clock: Clock, around: tuple[str, str, str]) -> HourGuess:
    half, is_guess = usual_half(clock.hour, around)
    return HourGuess(time(clock.hour % 12 + half, clock.minute), is_guess=is_guess)


def _choose(clock: Clock, part: PartOfDay | None, day: date | None, speech: _Speech) -> tuple[date, HourGuess]:
    sure = hour_from_words(clock, part)
    today = speech.local.date()
    if day is not None and day != today:
        return day, sure or _usual(clock, speech.around)
    if sure is not None:
        return _next_day_with(sure, day, speech), sure
    return _next_half(clock, day, speech)


def _next_day_with(guess: HourGuess, day: date | None, speech: _Speech) -> date:
    today = speech.local.date()
    at = instant(today + timedelta(days=guess.next_day), guess.at, speech.zone, not_before=speech.moment).at
    if guess.next_day and speech.local.hour < 1 and day is None:
        return today
    return today if day is not None or at > speech.moment else today + timedelta(days=1)


def _next_half(clock: Clock, day: date | None, speech: _Speech) -> tuple[date, HourGuess]:
    """An hour today: the half of the day still ahead; of two, the usual one."""
    today, now = speech.local.date(), speech.local
    times = [time(clock.hour % 12 + half, clock.minute) for half in (0, 12)]
    ahead = [at for at in times if instant(today, at, speech.zone).at > speech.moment]
    usual = _usual(clock, speech.around)
    if day is not None:
        return today, HourGuess((ahead or [usual.at])[0] if usual.at not in ahead else usual.at)
    if len(ahead) == 2:
        nearest = now.hour < 5 and ahead[0].hour >= now.hour
        return today, HourGuess(ahead[0] if nearest else usual.at)
    if ahead:
        late = usual.at.hour < 12 and now.hour >= 18 and speaks_of_morning(speech.around[0])
        return (today + timedelta(days=1), usual) if late else (today, HourGuess(ahead[0]))
    return today + timedelta(days=1), usual


# --- days as a whole ---


def _part_end(day: date, part: Part, zone: ZoneInfo) -> datetime:
    end = _PART_ENDS.get(part)
    return instant(day, end, zone).at if end else midnight_after(day, zone)


def _whole_days(said: Expression, days: _Days | None, speech: _Speech) -> Resolution:
    if days is None:
        return _NOTHING
    span = days.span
    approximate = said.approximate or span.is_fuzzy or bool(said.part and said.part.approximate)
    if said.bound == "before" and not said.until_days and speech.kind is Kind.REMINDER:
        ends = max(midnight_after(span.first - timedelta(days=1), speech.zone), speech.local)
        return Resolution(ends, said=f"before {speak.day(span.first)}", approximate=approximate)
    lunch_of_event = speech.kind is Kind.EVENT and said.part is not None and said.part.part is Part.NOON
    if said.part is not None and not days.is_span and not lunch_of_event:
        ends = _part_end(span.last, said.part.part, speech.zone)
        return Resolution(ends, said=speak.part(span.last, said.part.part), approximate=approximate)
    words = speak.span(span.first, span.last)
    words = f"by {words}" if said.bound == "by" else words
    return Resolution(midnight_after(span.last, speech.zone), said=words, approximate=approximate)
