"""The grammar: words -> atoms -> one typed expression, where the last word on each of day, hour and part wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from junod.when.clock_patterns import clock_patterns
from junod.when.day_patterns import day_patterns
from junod.when.expressions import (
    Ahead,
    Atom,
    Clock,
    Day,
    Expression,
    Item,
    Length,
    MonthDay,
    Offset,
    PartOfDay,
    Period,
    Repeat,
    Shift,
    Weekday,
)
from junod.when.numbers import Token, tokenize
from junod.when.vocabulary import compile_pattern

_RANGE = re.compile(r"(?:^| )(?:to|till?|until|through|thru|-|up to)(?: |$)")
_PAIR = re.compile(r"^(?:and|and then|and the|, and)$")
_NEGATED = re.compile(r"(?:^| )(?:not|isnt|wasnt|instead of|rather than|arent|nor)(?: (?:on|at|the|this|for|a))*$")
_NEGATED_HEAD = re.compile(r"^(?:not|isnt|wasnt|instead of|rather than)(?: (?:on|at|the|this|for|a))*$")
_FILLER_WORDS = (
    "at on in the of , around about by for from to till til until - and or no not sorry wait i mean say like um uh so "
    "then it is its this that actually rather just before after between through right coming a maybe probably roughly "
    "er erm ish well she he they we said sharp make"
)
_FILLERS = frozenset(_FILLER_WORDS.split())
_MOST_FILLERS = 5
_BOUNDS: dict[str, Literal["by", "before", "until"]] = {
    "by": "by",
    "before": "before",
    "until": "until",
    "till": "until",
    "til": "until",
    "through": "until",
}
_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Item | None]]
_APPROXIMATE = frozenset({"around", "about", "ish", "roughly", "or", "maybe", "probably", "like", "so"})


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """A time expression as it stands in a text: `text` == source[start:end]."""

    text: str
    start: int
    end: int
    has_day: bool
    has_hour: bool
    is_weak: bool = False
    """A lone number, which is an hour only if the words around it say so."""


@lru_cache(maxsize=2)
def _patterns(day_first: bool) -> tuple[_Rule, ...]:
    rules: list[tuple[str, Callable[[re.Match[str]], Item | None]]] = [
        *day_patterns(day_first=day_first),
        *clock_patterns(),
    ]
    return tuple((compile_pattern(pattern), build) for pattern, build in rules)


def _matches(norm: str, day_first: bool) -> list[tuple[int, int, Item]]:
    """Non-overlapping matches of all patterns, left to right; where several overlap the longest wins."""
    found: list[tuple[int, int, int, Item]] = []
    for rank, (pattern, build) in enumerate(_patterns(day_first)):
        for match in pattern.finditer(norm):
            item = build(match)
            if item is not None and match.end() > match.start():
                found.append((match.start() - match.end(), match.start(), rank, item))
    found.sort(key=lambda entry: entry[:3])
    kept: list[tuple[int, int, Item]] = []
    for minus_length, start, _rank, item in found:
        end = start - minus_length
        if all(end <= other_start or other_end <= start for other_start, other_end, _ in kept):
            kept.append((start, end, item))
    return sorted(kept, key=lambda entry: entry[0])


def find_atoms(text: str, *, day_first: bool = True) -> list[Atom]:
    """Every time word of `text` in order; offsets are those of `text`. Bare numbers are marked, not judged."""
    tokens = tokenize(text)
    norm = " ".join(token.norm for token in tokens)
    starts = _token_starts(tokens)
    atoms: list[Atom] = []
    last_end = 0
    for start, end, item in _matches(norm, day_first):
        first, last = starts[start], starts[_start_of_last(norm, end)]
        glue = norm[last_end:start].strip()
        head = norm[start:end].split(" ")[0]
        negated = bool(_NEGATED.search(glue))
        own = f"{glue} {head}".strip() if _is_said_of(head, item) else glue
        atoms.append(Atom(item, tokens[first].start, tokens[last].end, own, negated))
        last_end = end
    return atoms


def _is_said_of(head: str, item: Item) -> bool:
    """Whether a match's own first word bounds it ('by 6'); 'before school' only names a part of the day."""
    return (head in _BOUNDS or head in ("from", "to", "between", "or")) and not isinstance(item, PartOfDay)


def _token_starts(tokens: Sequence[Token]) -> dict[int, int]:
    """Offset in the joined norm -> index of the token that begins there."""
    starts: dict[int, int] = {}
    place = 0
    for index, token in enumerate(tokens):
        starts[place] = index
        place += len(token.norm) + 1
    return starts


def _start_of_last(norm: str, end: int) -> int:
    return norm.rfind(" ", 0, end) + 1


def group(atoms: Sequence[Atom]) -> list[list[Atom]]:
    """Atoms that belong to one phrase: only small words and no end of a sentence between them."""
    groups: list[list[Atom]] = []
    for atom in atoms:
        if groups and _joins(atom, groups[-1]):
            groups[-1].append(atom)
        else:
            groups.append([atom])
    return groups


def _joins(atom: Atom, before: Sequence[Atom]) -> bool:
    words = atom.glue.split()
    if "or" in words and isinstance(atom.item, Day) and any(isinstance(other.item, Clock) for other in before):
        return False
    if len(words) > _MOST_FILLERS or not all(word in _FILLERS for word in words):
        return False
    if "and" in words and len(words) > 2 and "between" not in words:
        return False
    return isinstance(atom.item, Clock) or not {"about", "around"} & set(words)


def _is_bare(atom: Atom) -> bool:
    return isinstance(atom.item, Clock) and atom.item.bare


def _keep_bare(atoms: Sequence[Atom]) -> list[Atom]:
    """Lone numbers count as hours only beside another time word."""
    if all(_is_bare(atom) for atom in atoms):
        return list(atoms)
    return [atom for place, atom in enumerate(atoms) if not _is_bare(atom) or _has_company(atoms, place)]


def _has_company(atoms: Sequence[Atom], place: int) -> bool:
    near = [atoms[other] for other in (place - 1, place + 1) if 0 <= other < len(atoms)]
    return any(isinstance(atom.item, Day | PartOfDay | Clock | Repeat) for atom in near)


def find_time_phrases(text: str, *, day_first: bool = True) -> list[TimePhrase]:
    """The longest time expressions in `text`, left to right. Lone numbers come last in doubt: `is_weak`."""
    found: list[TimePhrase] = []
    for atoms in group(find_atoms(text, day_first=day_first)):
        kept = _keep_bare(atoms)
        weak = all(_is_bare(atom) for atom in kept)
        if weak and not _may_be_hour(text, kept):
            continue
        start, end = _with_preposition(text, kept[0].start), kept[-1].end
        items = [atom.item for atom in kept]
        has_day = any(isinstance(item, Day | Offset) or (isinstance(item, PartOfDay) and item.today) for item in items)
        has_hour = any(isinstance(item, Clock | Offset) for item in items)
        found.append(TimePhrase(text[start:end], start, end, has_day, has_hour, weak))
    return found


_SAID = re.compile(r"\b(?:is|it's|said|says|saying|say|think|make it|now|then|like|okay|tell \w+)$", re.IGNORECASE)
_LEADING = re.compile(r"\b(?:by|before|until|till|til|from|to|through|between|not)(?: the)?\s+$", re.IGNORECASE)


def _with_preposition(text: str, start: int) -> int:
    """Take in a word before the phrase that changes what it means: 'by', 'until', 'from', 'not'."""
    lead = _LEADING.search(text[max(0, start - 16) : start])
    return start - len(lead.group()) if lead else start


def _may_be_hour(text: str, atoms: Sequence[Atom]) -> bool:
    """'Eleven, then.', 'said ten.': a number that ends a clause and is all of it or follows 'is' or 'said'."""
    before, after = text[: atoms[0].start].rstrip(), text[atoms[-1].end :].lstrip()
    opens = not before or not before[-1].isalnum() or _SAID.search(before) is not None
    return opens and (not after or not after[0].isalnum())


def parse(phrases: Iterable[str], *, day_first: bool = True) -> Expression:
    """One expression out of one phrase or several that stand apart; empty where no time word is found."""
    atoms: list[Atom] = []
    for phrase in phrases:
        found = find_atoms(phrase, day_first=day_first)
        atoms.extend(_mark_first(found) if found else ())
    return fold(_strong(atoms))


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
    return [atom for place, atom in enumerate(said) if not _is_bare(atom) or _in_clock_range(said, place)]


def _in_clock_range(atoms: Sequence[Atom], place: int) -> bool:
    """'Nine to noon': a lone number at either end of a range of hours."""
    pairs = [(place - 1, place), (place, place + 1)]
    return any(left >= 0 and right < len(atoms) and _is_clock_range(atoms[left], atoms[right]) for left, right in pairs)


def _is_clock_range(left: Atom, right: Atom) -> bool:
    both = isinstance(left.item, Clock) and isinstance(right.item, Clock)
    return both and right.glue in ("to", "till", "until", "-", "and", "through", "or")


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
    return _take_day(so_far, atom, item)


def _take_clock(so_far: Expression, atom: Atom, clock: Clock, previous: Atom | None) -> Expression:
    follows_clock = previous is not None and isinstance(previous.item, Clock)
    if so_far.clock and follows_clock and (_RANGE.search(atom.glue) or "and" in atom.glue.split()):
        return replace(so_far, until_clock=clock)
    return replace(so_far, clock=clock, until_clock=None, offset=None, bound=_bound(atom) or so_far.bound)


def _take_part(so_far: Expression, atom: Atom, part: PartOfDay) -> Expression:
    if so_far.until_days:
        return replace(so_far, until_part=part)
    if part.today and so_far.days and not isinstance(so_far.days[-1], Shift):
        so_far = replace(so_far, days=())
    return replace(so_far, part=part, bound=_bound(atom) or so_far.bound)


def _bound(atom: Atom) -> Literal["", "by", "before", "until"]:
    for word in reversed(atom.glue.split()[-3:]):
        if word in _BOUNDS:
            return _BOUNDS[word]
    return ""


def _take_day(so_far: Expression, atom: Atom, day: Day) -> Expression:
    bound = _bound(atom)
    if not so_far.days:
        return replace(so_far, days=(day,), bound=bound or so_far.bound, offset=None)
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
