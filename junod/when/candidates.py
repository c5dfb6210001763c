"""Every moment that a talk may mean: its days and hours put together in every way (pure).

A day and an hour of one phrase, of two turns, of two passages; a day without an hour, an hour without a day; either
half of the day where the hour does not say; the end of a stay counted from its beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from junod.records import Kind, Resolution
from junod.when.expressions import Clock, Expression, Holiday, Hopped, Meridiem, MonthDay, Weekday
from junod.when.fold import says_moved
from junod.when.hours import hour_from_words, surroundings, usual_half
from junod.when.phrases import TimePhrase
from junod.when.resolve import resolve_said
from junod.when.spots import Named, Spot, counted, named

CONTEXT_PASSAGES = 3
"""How many earlier passages of the conversation are read."""
_MOST_SPOTS = 14
"""Days, and hours, of one talk that are put together: the last ones, where more are named."""
_NOTHING = ("", "", "")


@dataclass(frozen=True, slots=True)
class Talk:
    """What was said, when, and what it names."""

    text: str
    context: tuple[str, ...]
    spoken_at: datetime
    zone: ZoneInfo
    kind: Kind
    here: Named
    before: tuple[Named, ...]
    """What the passages before name, the latest first."""

    def source(self, spot: Spot) -> str:
        """The passage that names it."""
        return self.context[-spot.context] if spot.context else self.text


@dataclass(frozen=True, slots=True)
class Candidate:
    """A moment that may be meant; `moment` None = none is."""

    resolution: Resolution
    day: Spot | None = None
    hour: Spot | None = None
    whole: TimePhrase | None = None
    """A phrase taken as it stands: 'in two hours'."""
    until: Spot | None = None
    """The last day of a stay that begins on `day`."""
    half: Meridiem = ""
    """Taken for before or after noon, where the words do not say."""
    usual: float = 0.0
    """1 where that is the half the words around it suggest, -1 where it is the other, 0 where they suggest none."""
    way: str = ""

    @property
    def moment(self) -> datetime | None:
        return self.resolution.expires_at

    @property
    def phrase(self) -> str:
        """The time words to show: those of the passage itself, of the hour before those of the day."""
        if self.whole is not None:
            return self.whole.text
        spots = [spot for spot in (self.hour, self.until, self.day) if spot is not None]
        own = [spot for spot in spots if not spot.context] or spots
        return own[0].phrase.text if own else ""


def talk_of(
    text: str, context: Sequence[str], *, spoken_at: datetime, zone: ZoneInfo, kind: Kind, day_first: bool
) -> Talk:
    """A passage read for its times."""
    recent = tuple(context[-CONTEXT_PASSAGES:])
    is_moved = kind is not Kind.REMINDER and says_moved(text)
    before = tuple(named(one, day_first=day_first, context=ago) for ago, one in enumerate(reversed(recent), start=1))
    return Talk(text, recent, spoken_at, zone, kind, named(text, day_first=day_first, is_moved=is_moved), before)


def candidates(talk: Talk) -> list[Candidate]:
    """Moments to come that the talk may mean, several ways to one moment included.

    Raises:
        ValueError: the moment of speech is naive.
    """
    made = [*_wholes(talk), *_pairs(talk), *_stays(talk)]
    return [one for one in made if one.moment is not None and not one.resolution.is_past]


def _resolved(said: Expression, talk: Talk, around: tuple[str, str, str], anchor: datetime | None = None) -> Resolution:
    kind = Kind.APPOINTMENT if talk.kind is Kind.EVENT else talk.kind
    resolution = resolve_said(said, spoken_at=anchor or talk.spoken_at, zone=talk.zone, kind=kind, around=around)
    ends = resolution.expires_at
    return replace(resolution, is_past=ends is not None and ends < talk.spoken_at)


def _wholes(talk: Talk) -> Iterator[Candidate]:
    """Phrases that are neither day nor hour: 'in two hours', 'for three nights'."""
    for phrase, said in talk.here.whole:
        if said.offset or (said.length and not said.days):
            yield Candidate(_resolved(said, talk, surroundings(talk.text, [phrase.text])), whole=phrase, way="whole")


def _days_of(talk: Talk) -> list[Spot]:
    own = talk.here.days[-_MOST_SPOTS:]
    return [
        *own,
        *counted(own, _anchors(talk, own)),
        *(spot for one in talk.before for spot in one.days[-_MOST_SPOTS:]),
    ]


def _anchors(talk: Talk, days: Sequence[Spot]) -> list[tuple[Spot, datetime]]:
    """Dates and holidays from which weekdays may be counted."""
    found = []
    for spot in days:
        if spot.role in ("", "other") and any(isinstance(day, MonthDay | Holiday | Hopped) for day in spot.said.days):
            first = replace(spot.said, days=spot.said.days, until_days=(), part=None, length=None)
            ends = _resolved(first, talk, _NOTHING).expires_at
            if ends is not None and ends - talk.spoken_at > timedelta(days=7):
                found.append((spot, (ends - timedelta(days=2)).replace(hour=12)))
    return found


def _pairs(talk: Talk) -> Iterator[Candidate]:
    hours = [*talk.here.hours[-_MOST_SPOTS:], *(spot for one in talk.before for spot in one.hours[-_MOST_SPOTS:])]
    for day in _days_of(talk):
        yield Candidate(_resolved(day.said, talk, _NOTHING, day.anchor), day=day, way="day")
        if day.role != "bare":
            for hour in hours:
                yield from _at(day, hour, talk)
    for hour in hours:
        yield from _at(None, hour, talk)


def _at(day: Spot | None, hour: Spot, talk: Talk) -> Iterator[Candidate]:
    """An hour of a day, in either half where the words leave it open."""
    said = hour.said
    if day is not None:
        part = said.part or day.said.part
        part = replace(part, today=bool(day.said.part and day.said.part.today)) if part else None
        said = replace(day.said, clock=said.clock, part=part, length=None, bound=said.bound or day.said.bound)
    way, anchor, clock = ("hour", None, said.clock) if day is None else ("pair", day.anchor, said.clock)
    around = surroundings(talk.source(hour), [hour.phrase.text])
    if clock is None or hour_from_words(clock, said.part) is not None:
        yield Candidate(_resolved(said, talk, around, anchor), day=day, hour=hour, way=way)
        return
    usual, is_guess = usual_half(clock.hour, around)
    for half in _halves(clock):
        at = replace(said, clock=replace(clock, meridiem=half), approximate=said.approximate or is_guess)
        usually = 0.0 if is_guess else 1.0 if (usual == 12) == (half == "pm") else -1.0
        yield Candidate(_resolved(at, talk, around, anchor), day=day, hour=hour, half=half, usual=usually, way=way)


def _halves(clock: Clock) -> tuple[Meridiem, ...]:
    return ("am", "pm") if clock.hour <= 12 else ("24h",)


def _stays(talk: Talk) -> Iterator[Candidate]:
    """A last day counted from the first: 'on the sixteenth ... until the Friday', 'the Friday ... three nights'."""
    if talk.kind is Kind.REMINDER:
        return
    days = talk.here.days[-_MOST_SPOTS:]
    lengths = [(phrase, said.length) for phrase, said in talk.here.whole if said.length and not said.days]
    for place, first in enumerate(days):
        for last in days[place + 1 :]:
            if last.phrase is not first.phrase and _ends_stay(first, last):
                said = replace(first.said, until_days=last.said.days, part=None, length=None)
                yield Candidate(_resolved(said, talk, _NOTHING), day=first, until=last, way="stay")
        for phrase, length in lengths:
            said = replace(first.said, length=length, part=None)
            yield Candidate(_resolved(said, talk, _NOTHING), day=first, whole=phrase, way="while")


def _ends_stay(first: Spot, last: Spot) -> bool:
    weekly = all(isinstance(day, Weekday | MonthDay) for day in last.said.days)
    return bool(last.said.days) and weekly and not last.said.until_days and first.said.days != last.said.days
