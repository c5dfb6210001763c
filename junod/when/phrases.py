"""Where a text speaks of time: the longest phrases, as they were spoken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from junod.when.atoms import find_atoms
from junod.when.expressions import Atom, Clock, Day, Hop, Offset, PartOfDay, Repeat
from junod.when.vocabulary import FILLERS

_MOST_FILLERS = 5
_SAID = re.compile(r"\b(?:is|it's|said|says|saying|say|think|make it|now|then|like|okay|tell \w+)$", re.IGNORECASE)
_LEADING = re.compile(r"\b(?:by|before|until|till|til|from|to|through|between|not)(?: the)?\s+$", re.IGNORECASE)


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
    if len(words) > _MOST_FILLERS or not all(word in FILLERS for word in words):
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
        has_day = any(
            isinstance(item, Day | Hop | Offset) or (isinstance(item, PartOfDay) and item.today) for item in items
        )
        has_hour = any(isinstance(item, Clock | Offset) for item in items)
        found.append(TimePhrase(text[start:end], start, end, has_day, has_hour, weak))
    return found


def _with_preposition(text: str, start: int) -> int:
    """Take in a word before the phrase that changes what it means: 'by', 'until', 'from', 'not'."""
    lead = _LEADING.search(text[max(0, start - 16) : start])
    return start - len(lead.group()) if lead else start


def _may_be_hour(text: str, atoms: Sequence[Atom]) -> bool:
    """'Eleven, then.', 'said ten.': a number that ends a clause and is all of it or follows 'is' or 'said'."""
    before, after = text[: atoms[0].start].rstrip(), text[atoms[-1].end :].lstrip()
    opens = not before or not before[-1].isalnum() or _SAID.search(before) is not None
    return opens and (not after or not after[0].isalnum())
