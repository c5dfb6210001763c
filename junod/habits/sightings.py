"""What one newly stored memory shows of habits: items listed or got, things done, appointments (pure)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from junod.dedup.lists import SHOPPING, Item, bullets, header_key, read_items
from junod.dedup.times import find_times
from junod.extract.words import key, words
from junod.records import Memory

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MOMENT = re.compile(
    rf"\b(?P<day>\d{{1,2}}) (?P<month>{'|'.join(_MONTHS)})[a-z]* (?P<year>\d{{4}}),?"
    r" (?:at )?(?P<hour>\d\d):(?P<minute>\d\d)\b",
    re.IGNORECASE,
)
"""How `when` writes a moment into a memory: 'Tue 31 Mar 2026, 15:00'."""
MAX_KEYS = 8
"""A text of more different words than this is a story, not a thing that could come back word for word."""
ANYTHING = ""
"""The thing of 'an appointment, whatever it is'."""


class HabitKind(StrEnum):
    BUY = "buy"
    """An item put on the shopping list again after it was got."""
    DONE = "done"
    """Something ticked off, again and again."""
    WHEN = "when"
    """An appointment at the same hour of the same weekday."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One occurrence of what may become a habit."""

    kind: HabitKind
    thing: str
    """Stems of the words for it; the store keeps a keyed hash of them only."""
    at: datetime
    """Aware."""


@dataclass(frozen=True, slots=True)
class Observation:
    """All that one memory tells."""

    sightings: tuple[Sighting, ...] = ()
    wanted: frozenset[str] = frozenset()
    """Shopping items that this memory keeps open; a sighting of one counts only if it was not open before."""
    closed: frozenset[str] = frozenset()
    """Shopping items that this memory ticks off or leaves out."""
    withdrawn: tuple[str, ...] = ()
    """Ids of memories whose sightings (but those of items) do not count any more: undone, moved or merged."""


def observe(new: Memory, olds: Sequence[Memory], zone: ZoneInfo) -> Observation:
    """What the storing of `new`, which supersedes `olds`, shows. What is done or listed counts, never talk of it."""
    open_before, _ = _items_of(olds)
    open_now, struck_now = _items_of([new])
    struck_before = frozenset().union(*(_items_of([old])[1] for old in olds)) if olds else frozenset()
    gone = open_before - open_now
    fresh = open_now - open_before - struck_before if new.source != "done" else frozenset()
    at = new.created_at if olds else new.spoken_at  # a corrected list keeps the moment at which the first was spoken
    bought = [Sighting(HabitKind.BUY, thing, at) for header, thing in sorted(fresh) if header == SHOPPING]
    ticked = [Sighting(HabitKind.DONE, thing, new.created_at) for header, thing in sorted(gone) if header != SHOPPING]
    return Observation(
        sightings=(*bought, *ticked, *_whole(new, olds, zone)),
        wanted=frozenset(thing for header, thing in open_now if header == SHOPPING),
        closed=frozenset(thing for header, thing in gone | struck_now if header == SHOPPING),
        withdrawn=() if new.source == "done" else tuple(old.id for old in olds),
    )


def label(memory: Memory, kind: HabitKind, is_thing: Callable[[str], bool]) -> str:
    """The words a memory has for a habit's thing, '' where it has none."""
    text = _unstruck(memory.memory)
    header, items = _list(text)
    if items:
        found = (item for item in items if is_thing(item.thing if header == SHOPPING else topic(item.text)))
        return next((_named(item) for item in found), "")
    return " ".join(find_times(text).rest.split()).strip(" ,;:.-") if is_thing(topic(text)) else ""


def topic(text: str) -> str:
    """Stems of what a text is about, without its times, in order of the alphabet; '' for a story."""
    rest = find_times(_MOMENT.sub(" ", _unstruck(text))).rest
    found = sorted({word.key for word in words(rest) if word.is_content})
    return " ".join(found) if len(found) <= MAX_KEYS else ""


def moment_in(text: str, zone: ZoneInfo) -> datetime | None:
    """The moment written in a memory; None where there is none or several."""
    found = list(_MOMENT.finditer(text))
    if len(found) != 1:
        return None
    day, month, year, hour, minute = found[0].group("day", "month", "year", "hour", "minute")
    try:
        return datetime(int(year), 1 + _MONTHS.index(month[:3].lower()), int(day), int(hour), int(minute), tzinfo=zone)
    except ValueError:  # 31 Feb, 25:00: nothing that could come back
        return None


def _whole(new: Memory, olds: Sequence[Memory], zone: ZoneInfo) -> Iterable[Sighting]:
    """What a memory that is no list shows."""
    if _list(new.memory)[1]:
        return ()
    at = moment_in(new.memory, zone)
    about = topic(new.memory)
    if at is not None and new.source != "done":
        things = dict.fromkeys((ANYTHING, about))
        return tuple(Sighting(HabitKind.WHEN, thing, at) for thing in things)
    if new.source == "done" and at is None and about and not any(old.source == "done" for old in olds):
        return (Sighting(HabitKind.DONE, about, new.created_at),)
    return ()


def _items_of(memories: Iterable[Memory]) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
    """(list, thing) of what is open, and of what is struck through."""
    wanted: set[tuple[str, str]] = set()
    struck: set[tuple[str, str]] = set()
    for memory in memories:
        header, items = _list(memory.memory)
        for item in items:
            bare = item if not item.is_struck else replace(item, thing=item.thing.removeprefix("~~"))
            thing = bare.thing if header == SHOPPING else topic(item.text)
            (struck if item.is_struck else wanted).add((header, thing))
    return frozenset(wanted), frozenset(struck)


def _list(text: str) -> tuple[str, tuple[Item, ...]]:
    """Key of the list's header and its items; no items where the text is no list."""
    head, *lines = [line for line in text.splitlines() if line.strip()] or [""]
    found = bullets(lines)
    return (header_key(_unstruck(head)), read_items(found)) if found else ("", ())


def _named(item: Item) -> str:
    stems = item.thing.removeprefix("~~").split()
    named = [word.text for word in words(item.text) if key(word.text) in stems]
    return " ".join(named)


def _unstruck(text: str) -> str:
    return text.replace("~~", "")
