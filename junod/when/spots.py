"""Where a talk names a day, an hour, or both: each time word by itself, to be put together in every way (pure).

'Wednesday at nine, no, ten' has one day and two hours; 'Thursday' ... 'about half six' stand in different turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from junod.when.atoms import find_atoms
from junod.when.expressions import Atom, Clock, Day, Expression, Hop, PartOfDay, Period, Weekday
from junod.when.fold import parse
from junod.when.phrases import TimePhrase, find_time_phrases

PAST = re.compile(r"\b(?:last(?! (?:\w+day|\w+) (?:in|of)\b)|ago|yesterday)\b", re.IGNORECASE)
_RANGE = re.compile(r"(?:^| )(?:to|till?|until|through|-)(?: |$)")
_SPAN_OF_HOURS = re.compile(
    r"\b(five|ten|5|10) (?:to|till|-) (one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d\d?)\b",
    re.IGNORECASE,
)
"""'Ten to two': minutes before an hour, or from one hour to another."""
_HOURS = {"five": 5, "ten": 10, "5": 5, "10": 10}
_PLAUSIBLE = {5: (6, 7, 8, 9), 10: (11, 12, 1, 2)}
"""Hours that a range from five or from ten ends at, more often than those minutes lie before them."""
ROLES = ("", "start", "unlikely start", "minutes", "end", "earlier", "part", "other", "bare", "counted")
"""The start of a range that sounds like minutes before an hour, and those minutes; the end of a range; an earlier hour
of a phrase with several; a part or a rival of the day the phrase means; the day without its part; a weekday counted
from another day."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A phrase that names a day or an hour, and what of it does."""

    phrase: TimePhrase
    start: int
    """Of the day or hour itself, in its text."""
    end: int
    said: Expression
    """The day without an hour, or the hour without a day."""
    context: int = 0
    """How many passages ago; 0 = in this one."""
    role: str = ""
    """What it is of its phrase: one of `ROLES`."""
    negated: bool = False
    """'Not at four.'"""
    anchor: datetime | None = None
    """'On the eighth ... the Monday': the day before the one from which it is counted."""

    @property
    def clock(self) -> Clock | None:
        return self.said.clock


@dataclass(frozen=True, slots=True)
class Named:
    """All that a talk names."""

    phrases: tuple[TimePhrase, ...] = ()
    whole: tuple[tuple[TimePhrase, Expression], ...] = ()
    """Each phrase as it stands."""
    days: tuple[Spot, ...] = ()
    hours: tuple[Spot, ...] = ()


def named(text: str, *, day_first: bool = True, is_moved: bool = False, context: int = 0) -> Named:
    """The days and hours of a talk, those that are over left out."""
    phrases = tuple(one for one in find_time_phrases(text, day_first=day_first) if not PAST.search(one.text))
    whole = tuple((one, parse([one.text], day_first=day_first, is_moved=is_moved)) for one in phrases)
    days = [spot for one, said in whole for spot in _days(one, said, context, day_first)]
    hours = [spot for one, said in whole for spot in _hours(one, said, context, day_first)]
    return Named(phrases, whole, tuple(days), tuple(hours))


def _days(phrase: TimePhrase, said: Expression, context: int, day_first: bool) -> Iterator[Spot]:
    if said.offset or said.repeat or not (said.days or (said.part and said.part.today)):
        return
    atoms = find_atoms(phrase.text, day_first=day_first)
    start, end = _extent(phrase, atoms, (Day, PartOfDay, Hop))
    length = None if said.bound == "until" else said.length
    day = replace(said, clock=None, until_clock=None, length=length)
    negated = any(atom.negated for atom in atoms if isinstance(atom.item, Day))
    yield Spot(phrase, start, end, day, context, negated=negated)
    if said.part and said.days and not said.part.today:
        yield Spot(phrase, start, end, replace(day, part=None), context, "bare", negated)
    named_days = [atom for atom in atoms if isinstance(atom.item, Day)]
    if len(named_days) > 1:
        yield from (_one_day(phrase, atom, said, context) for atom in named_days)


def _one_day(phrase: TimePhrase, atom: Atom, said: Expression, context: int) -> Spot:
    assert isinstance(atom.item, Day)
    role = "part" if atom.item in (*said.days, *said.until_days) else "other"
    start, end = phrase.start + atom.start, phrase.start + atom.end
    return Spot(phrase, start, end, Expression(days=(atom.item,)), context, role, atom.negated)


def _hours(phrase: TimePhrase, said: Expression, context: int, day_first: bool) -> Iterator[Spot]:
    if said.offset or said.repeat:
        return
    atoms = find_atoms(phrase.text, day_first=day_first)
    base = replace(said, days=(), until_days=(), length=None, until_clock=None)
    if said.clock is None:
        if said.part is not None and not said.part.today:
            yield Spot(phrase, *_extent(phrase, atoms, (PartOfDay,)), base, context)
        return
    clocks = [atom for atom in atoms if isinstance(atom.item, Clock)]
    for place, atom in enumerate(clocks):
        yield from _hour(phrase, atom, base, _role(place, clocks, said), context)


def _role(place: int, clocks: Sequence[Atom], said: Expression) -> str:
    if place and (clocks[place].item == said.until_clock or _RANGE.search(clocks[place].glue)):
        return "end"
    return "" if said.until_clock or place == len(clocks) - 1 else "earlier"


def _hour(phrase: TimePhrase, atom: Atom, base: Expression, role: str, context: int) -> Iterator[Spot]:
    assert isinstance(atom.item, Clock)
    start, end = phrase.start + atom.start, phrase.start + atom.end
    same = base.clock is not None and (base.clock.hour, base.clock.minute) == (atom.item.hour, atom.item.minute)
    said = base if same else replace(base, clock=atom.item)
    span = _SPAN_OF_HOURS.search(phrase.text[atom.start : atom.end])
    if span is None:
        yield Spot(phrase, start, end, said, context, role, atom.negated)
        return
    first = _HOURS[span[1].lower()]
    likely = atom.item.hour % 12 + 1 in _PLAUSIBLE[first]
    early = replace(said, clock=Clock(first, 0, atom.item.meridiem))
    yield Spot(phrase, start, end, said, context, "minutes" if likely else role, atom.negated)
    yield Spot(phrase, start, end, early, context, "start" if likely else "unlikely start", atom.negated)


def _extent(phrase: TimePhrase, atoms: Sequence[Atom], kinds: tuple[object, ...]) -> tuple[int, int]:
    """Where the phrase names what is of these kinds."""
    chosen = [atom for atom in atoms if isinstance(atom.item, kinds)] or list(atoms)  # type: ignore[arg-type]
    if not chosen:
        return phrase.start, phrase.end
    return phrase.start + chosen[0].start, phrase.start + chosen[-1].end


def counted(days: Sequence[Spot], anchors: Sequence[tuple[Spot, datetime]]) -> list[Spot]:
    """Weekdays as counted from each day of the talk that is exact: 'from the eighth ... on the Monday'.

    Args:
        anchors: exact days, each with noon of the day before it.
    """
    return [
        replace(day, role="counted", anchor=noon)
        for exact, noon in anchors
        for day in days
        if not day.role and day.phrase is not exact.phrase and _is_counted(day.said)
    ]


def _is_counted(said: Expression) -> bool:
    days = (*said.days, *said.until_days)
    return bool(days) and all(_is_weekly(day) for day in days)


def _is_weekly(day: Day) -> bool:
    if isinstance(day, Weekday):
        return day.which == "coming" and not day.weeks_later
    return isinstance(day, Period) and day.unit == "weekend" and day.which != "next" and day.containing is None


def dial_of(spot: Spot) -> object:
    """Its hour and minute on the face of a clock."""
    return (spot.clock.hour % 12, spot.clock.minute) if spot.clock else None
