"""Atoms -> one expression: the last word on each of day, hour and part wins, as in a correction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from junod.when.atoms import find_atoms
from junod.when.expressions import (
    Ahead,
    Atom,
    Clock,
    Day,
    Expression,
    Hop,
    Hopped,
    Length,
    MonthDay,
    Offset,
    Part,
    PartOfDay,
    Period,
    Repeat,
    Shift,
    Weekday,
)
from junod.when.vocabulary import FILLERS

_RANGE = re.compile(r"(?:^| )(?:to|till?|until|through|thru|-|up to)(?: |$)")
_PAIR = re.compile(r"^(?:and|and then|and the|, and)$")
_NEGATED_HEAD = re.compile(r"^(?:not|isnt|wasnt|instead of|rather than)(?: (?:on|at|the|this|for|a))*$")
_CORRECTS = re.compile(r"(?:^| )(?:no|sorry|wait|rather|actually|mean)(?: |$)")
_BOUNDS: dict[str, Literal["by", "before", "until"]] = {
    "by": "by",
    "before": "before",
    "until": "until",
    "till": "until",
    "til": "until",
    "through": "until",
}
_MOVED = re.compile(r"\b(?:moved?|changed?|switched|shifted|rescheduled|pushed|bumped|put back)\b")
_VAGUE = re.compile(r"\bor so\b|ish\b|\broughly\b|\bgive or take\b")
_LENGTH = re.compile(
    r"(?:about |another |just )?(?:\w+|half an|a couple of|an hour and a) (?:minutes?|mins?|hours?|half)"
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_BESIDE_HOUR = FILLERS | {"yeah", "yes", "okay", "ok", "please", "o'clock", "it's", "that's", "be", "there", "gonna"}
_APPROXIMATE = frozenset({"around", "about", "ish", "roughly", "or", "maybe", "probably"})


def parse(phrases: Iterable[str], *, day_first: bool = True, is_moved: bool = False) -> Expression:
    """One expression out of one phrase or several that stand apart; empty where no time word is found.

    Where something is moved (`is_moved`, or the words say so), 'from Tuesday to Wednesday' means Wednesday.
    """
    atoms: list[Atom] = []
    vague = False
    for phrase in phrases:
        is_moved = is_moved or says_moved(phrase)
        vague = vague or _VAGUE.search(phrase.lower()) is not None
        found = _hours_only(find_atoms(phrase, day_first=day_first), phrase)
        atoms.extend(_mark_first(found) if found else ())
        if not found and _LENGTH.fullmatch(phrase.lower().strip(" .,")):
            atoms.extend(find_atoms(f"in {phrase}", day_first=day_first))
    said = _strong(atoms)
    expression = fold(_hop(_without_old_day(said) if is_moved else said))
    return replace(expression, approximate=expression.approximate or vague)


def says_moved(text: str) -> bool:
    """Whether the talk is of something put on another day."""
    return _MOVED.search(text.lower()) is not None


def _without_old_day(atoms: list[Atom]) -> list[Atom]:
    days = [atom for atom in atoms if isinstance(atom.item, Day)]
    old = [atom for atom in days if atom.glue.split()[-1:] == ["from"]]
    return [atom for atom in atoms if atom not in old] if len(old) < len(days) else atoms


def _hours_only(atoms: list[Atom], phrase: str) -> list[Atom]:
    """Without lone numbers that count something: an hour stands alone or next to a day, an hour, a part."""
    if all(_is_bare(atom) for atom in atoms):
        words = _WORD.findall(phrase.lower())
        return atoms if sum(word not in _BESIDE_HOUR for word in words) <= len(atoms) else []
    return [atom for place, atom in enumerate(atoms) if not _is_bare(atom) or _touches(atoms, place)]


def _touches(atoms: Sequence[Atom], place: int) -> bool:
    gaps = [atoms[place].glue] if place else []
    gaps += [atoms[place + 1].glue] if place + 1 < len(atoms) else []
    return any(all(word in FILLERS for word in gap.split()) for gap in gaps)


def _mark_first(atoms: list[Atom]) -> list[Atom]:
    """A phrase that opens with 'not' excludes its first atom only if others follow."""
    if len(atoms) > 1 and _NEGATED_HEAD.match(atoms[0].glue):
        return [replace(atoms[0], negated=True), *atoms[1:]]
    return atoms


def _strong(atoms: Sequence[Atom]) -> list[Atom]:
    """Without excluded atoms and without lone numbers where a full hour was said too."""
    said = [atom for atom in atoms if not atom.negated] or list(atoms)
    if not any(isinstance(atom.item, Clock) and not atom.item.bare for atom in said):
        return said
    return [
        atom
        for place, atom in enumerate(said)
        if not _is_bare(atom) or _in_clock_range(said, place) or _CORRECTS.search(atom.glue)
    ]


def _in_clock_range(atoms: Sequence[Atom], place: int) -> bool:
    """'Nine to noon': a lone number at either end of a range of hours."""
    pairs = [(place - 1, place), (place, place + 1)]
    return any(left >= 0 and right < len(atoms) and _is_clock_range(atoms[left], atoms[right]) for left, right in pairs)


def _is_bare(atom: Atom) -> bool:
    return isinstance(atom.item, Clock) and atom.item.bare


def _is_clock_range(left: Atom, right: Atom) -> bool:
    both = isinstance(left.item, Clock) and isinstance(right.item, Clock)
    return both and right.glue in ("to", "till", "until", "-", "and", "through", "or")


def _hop(atoms: Sequence[Atom]) -> list[Atom]:
    """'Two weeks after' + 'Friday' -> one day; without a day after it, it counts from the day before it."""
    hopped: list[Atom] = []
    for atom in atoms:
        last = hopped[-1] if hopped else None
        if last and isinstance(last.item, Hop) and not atom.glue and isinstance(atom.item, Day):
            base = Hopped(atom.item, last.item.amount, last.item.unit)
            hopped[-1] = Atom(base, last.start, atom.end, last.glue)
        else:
            hopped.append(atom)
    return hopped


def fold(atoms: Sequence[Atom]) -> Expression:
    """Read atoms left to right: corrections replace, 'to' and 'until' open a span, equal days refine each other."""
    expression = Expression()
    previous: Atom | None = None
    for atom in atoms:
        expression = _take(expression, atom, previous)
        previous = atom
    return expression


def _take(so_far: Expression, atom: Atom, previous: Atom | None) -> Expression:
    item = atom.item
    words = set(atom.glue.split())
    if words & _APPROXIMATE:
        so_far = replace(so_far, approximate=True)
    if isinstance(item, Clock):
        return _take_clock(so_far, atom, item, previous)
    if isinstance(item, PartOfDay):
        return _take_part(so_far, atom, item)
    if isinstance(item, Offset):
        return Expression(offset=item, approximate=so_far.approximate or item.approximate)
    if isinstance(item, Length):
        return replace(so_far, length=item)
    if isinstance(item, Repeat):
        return replace(so_far, repeat=item)
    if isinstance(item, Hop):
        return _take_hop(so_far, item)
    return _take_day(so_far, atom, item)


def _take_hop(so_far: Expression, hop: Hop) -> Expression:
    """'The twenty-third ... the day before': counted from the most exact day said so far, else from today."""
    by_exactness = sorted(so_far.days, key=lambda day: not isinstance(day, Weekday))
    base = by_exactness[-1] if by_exactness else Shift(0)
    return replace(so_far, days=(Hopped(base, hop.amount, hop.unit),), until_days=())


def _take_clock(so_far: Expression, atom: Atom, clock: Clock, previous: Atom | None) -> Expression:
    follows_clock = previous is not None and isinstance(previous.item, Clock)
    if so_far.clock and follows_clock and (_RANGE.search(atom.glue) or "and" in atom.glue.split()):
        return replace(so_far, clock=_same_half(so_far.clock, clock), until_clock=clock)
    return replace(so_far, clock=clock, until_clock=None, offset=None, bound=_bound(atom) or so_far.bound)


def _same_half(start: Clock, end: Clock) -> Clock:
    """'Nine to eleven p.m.' starts in the evening, 'eight till four' in the morning."""
    if not start.meridiem and not end.meridiem and 7 <= start.hour < 12 and 1 <= end.hour <= 6:
        return replace(start, meridiem="am")
    if start.meridiem or end.meridiem not in ("am", "pm") or start.hour % 12 >= end.hour % 12:
        return start
    return replace(start, meridiem=end.meridiem)


def _take_part(so_far: Expression, atom: Atom, part: PartOfDay) -> Expression:
    if so_far.until_days:
        return replace(so_far, until_part=part)
    if part.today and so_far.days and not isinstance(so_far.days[-1], Shift):
        so_far = replace(so_far, days=())
    if so_far.part and so_far.part.today:
        part = replace(part, today=True)
    return replace(so_far, part=part, bound=_bound(atom) or so_far.bound)


def _bound(atom: Atom) -> Literal["", "by", "before", "until"]:
    for word in reversed(atom.glue.split()[-3:]):
        if word in _BOUNDS:
            return _BOUNDS[word]
    return ""


def _take_day(so_far: Expression, atom: Atom, day: Day) -> Expression:
    bound = _bound(atom)
    if isinstance(day, Shift) and day.at_night:
        so_far = replace(so_far, part=PartOfDay(Part.NIGHT))
    if not so_far.days:
        return replace(so_far, days=(day,), bound=bound or so_far.bound, offset=None)
    if _CORRECTS.search(atom.glue):
        return replace(so_far, days=(day,), until_days=(), until_part=None, bound=bound)
    opens_span = _opens_span(so_far, atom, day)
    if so_far.until_days:
        if _repeats(so_far.until_days, day):
            return so_far
        if _refines(so_far.until_days, day):
            return replace(so_far, until_days=(*so_far.until_days, day))
        if opens_span:
            return replace(so_far, until_days=(day,), until_part=None)
    elif opens_span:
        return replace(so_far, until_days=(day,))
    elif _repeats(so_far.days, day):
        return replace(so_far, bound=bound or so_far.bound)
    elif _refines(so_far.days, day):
        return replace(so_far, days=(*so_far.days, day), bound=bound or so_far.bound)
    return replace(so_far, days=(day,), until_days=(), until_part=None, bound=bound)


def _opens_span(so_far: Expression, atom: Atom, day: Day) -> bool:
    last = so_far.days[-1]
    if _RANGE.search(atom.glue):
        return True
    if _PAIR.match(atom.glue) and isinstance(day, type(last)):
        return True
    return (
        isinstance(day, Period) and day.unit == "weekend" and isinstance(last, Weekday) and "for" in atom.glue.split()
    )


def _repeats(days: tuple[Day, ...], day: Day) -> bool:
    """'Friday the sixth ... Friday': a plain weekday that only says the exact day again."""
    if not isinstance(day, Weekday) or day.which != "coming" or day.weeks_later:
        return False
    return any(isinstance(other, Weekday) and other.weekday == day.weekday for other in days)


def _refines(days: tuple[Day, ...], day: Day) -> bool:
    """Two ways to name one day: 'Saturday the eleventh', 'tomorrow, Friday', 'this week, Thursday'."""
    if any(isinstance(day, type(other)) for other in days):
        return False
    return any(isinstance(item, Weekday) for item in (*days, day)) or _names_week(day, days)


def _names_week(day: Day, days: tuple[Day, ...]) -> bool:
    both = (*days, day)
    has_period = any(isinstance(item, Period | Ahead) for item in both)
    return has_period and any(isinstance(item, MonthDay | Shift) for item in both)
