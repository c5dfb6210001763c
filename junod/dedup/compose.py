"""The text, time and origin of a merged memory, made from its sources alone (pure).

No model writes here: each word of a merged memory stands in one of its sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from junod.dedup import lists
from junod.dedup.parsed import Parsed, parse
from junod.dedup.policy import Relation, TimeRelation, about, list_expiry, time_relation
from junod.dedup.times import find_times
from junod.records import Memory, NewMemory
from junod.when.speak import instant

MAX_TRANSCRIPT_CHARS = 2_000
"""Of joined transcripts; the newest are kept, and the history has them all."""
SAME_SPEECH_S = 30.0
"""The same words within so many seconds were heard by two devices: 'another 500 grams' counts once."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Memories that become one."""

    relation: Relation
    reason: str
    """A short stable code; it goes into the journal."""
    sources: tuple[Memory, ...]
    """In order of speech."""
    new: NewMemory


def merge(group: Sequence[Parsed], relation: Relation, reason: str) -> Merge:
    """One memory from several that belong together.

    Args:
        group: at least two.
        relation: LIST joins items; CORRECTION lets each later one replace what it contradicts; with anything else the
            times decide whether a later one repeats or replaces.
        reason: goes into the journal.
    """
    ordered = sorted(group, key=lambda one: one.at)
    text, expires_at = _list(ordered) if relation is Relation.LIST else _sentence(ordered, relation)
    sources = tuple(one.memory for one in ordered)
    last = sources[-1]
    new = NewMemory(
        memory=text,
        transcript=_transcripts(sources),
        spoken_at=last.spoken_at,
        expires_at=expires_at,
        room=last.room,
        device_id=last.device_id,
        household_id=last.household_id,
        source="merge",
        confidence=max(source.confidence for source in sources),
        clock_synced=True,
        supersedes=tuple(source.id for source in sources),
        reason=reason,
    )
    return Merge(relation, reason, sources, new)


def _list(ordered: Sequence[Parsed]) -> tuple[str, datetime | None]:
    items: tuple[lists.Item, ...] = ()
    before: Parsed | None = None
    for one in ordered:
        twice = before is not None and _is_same_speech(before.memory, one.memory)
        said = "" if twice or one.memory.source == "merge" else one.memory.transcript
        fresh = _heard_again(one.items, items) if twice else one.items
        items = lists.combine(items, fresh, said)
        before = one
    written = next((one.header_line for one in reversed(ordered) if one.header_line), "")
    text = lists.written(lists.title(ordered[-1].header, written), items)
    extra = dict.fromkeys(line for one in ordered for line in one.extra)
    return "\n".join([text, *extra]), list_expiry(one.memory for one in ordered)


def _heard_again(again: Sequence[lists.Item], known: Sequence[lists.Item]) -> tuple[lists.Item, ...]:
    """Items of the same speech: they add to no amount, and open nothing that was ticked since."""
    ticked = {item.thing for item in known if item.is_struck}
    return tuple(replace(item, is_more=False) for item in again if item.thing not in ticked)


def _is_same_speech(a: Memory, b: Memory) -> bool:
    apart_s = abs((b.spoken_at - a.spoken_at).total_seconds())
    return bool(a.transcript) and a.transcript.casefold() == b.transcript.casefold() and apart_s <= SAME_SPEECH_S


def _sentence(ordered: Sequence[Parsed], relation: Relation) -> tuple[str, datetime | None]:
    state = ordered[0]
    for newer in ordered[1:]:
        time = time_relation(state, newer)
        if relation is Relation.CORRECTION or time is TimeRelation.DIFFERENT:
            text, ends = _replaced(state, newer, time)
        else:
            text, ends = _repeated(state, newer)
        state = parse(replace(newer.memory, memory=text, expires_at=ends), frozenset((*state.names, *newer.names)))
    return state.memory.memory, state.memory.expires_at


def _repeated(older: Parsed, newer: Parsed) -> tuple[str, datetime | None]:
    """The same again: the fuller wording, the time that says more, and the remarks of both."""
    fuller, other = (older, newer) if _says_more(older, newer) else (newer, older)
    sentence = fuller.sentence
    if not _covers(fuller, other) and not other.said:
        sentence = f"{older.sentence}; {newer.sentence}"
    timed = _timed(older, newer)
    extra = dict.fromkeys((*older.extra, *newer.extra))
    said = timed.said or newer.said or older.said
    return _text(sentence, said, extra), timed.memory.expires_at


def _says_more(older: Parsed, newer: Parsed) -> bool:
    if older.content != newer.content:
        return older.content > newer.content
    return len(older.times.days | older.times.clocks) > len(newer.times.days | newer.times.clocks)


def _covers(fuller: Parsed, other: Parsed) -> bool:
    """Everything `other` names, day and hour included, is in `fuller`."""
    return (
        other.content <= fuller.content
        and other.times.days <= fuller.times.days
        and other.times.clocks <= fuller.times.clocks
        and other.numbers <= fuller.numbers
    )


def _timed(older: Parsed, newer: Parsed) -> Parsed:
    """Whose time counts: a date over none, an hour over a whole day, else the later word."""
    if newer.memory.expires_at is None or older.memory.expires_at is None:
        return older if newer.memory.expires_at is None else newer
    return older if older.times.clocks and not newer.times.clocks else newer


def _replaced(older: Parsed, newer: Parsed, time: TimeRelation) -> tuple[str, datetime | None]:
    """The later word counts; what it leaves unsaid about the thing itself is kept."""
    ends, said = newer.memory.expires_at, newer.said
    moved = _on_the_old_day(older, newer) if time is TimeRelation.DIFFERENT else None
    if moved is not None:
        ends, said = moved, instant(moved)
    if time is not TimeRelation.DIFFERENT and ends is None:
        ends, said = older.memory.expires_at, said or older.said
    extra = dict.fromkeys((*(line for line in older.extra if find_times(line).is_empty), *newer.extra))
    if not newer.content < older.content:
        return _text(newer.sentence, said, extra), ends
    kept = older.sentence if find_times(older.sentence).is_empty else _without_time(older.sentence)
    return _text(kept, said or newer.sentence, extra), ends


def _on_the_old_day(older: Parsed, newer: Parsed) -> datetime | None:
    """'Moved to four' without a day means the day it was on; the hour was resolved against the moment of speech."""
    before, after = older.memory.expires_at, newer.memory.expires_at
    if before is None or after is None or not newer.memory.transcript:
        return None
    spoken = find_times(" \n ".join(about(newer.memory.transcript, older.content & newer.content)))
    if not spoken.clocks or spoken.names_day or find_times(newer.sentence).names_day or not older.times.clocks:
        return None
    moved = before.replace(hour=after.hour, minute=after.minute, second=0, microsecond=0)
    return moved if moved > newer.memory.spoken_at else None


def _without_time(sentence: str) -> str:
    """The sentence without time words and what they leave dangling."""
    rest = find_times(sentence).rest.rstrip(" ,;")
    while rest.rsplit(" ", 1)[-1].lower() in _DANGLING and " " in rest:
        rest = rest.rsplit(" ", 1)[0].rstrip(" ,;")
    return rest


_DANGLING = frozenset(("on", "at", "is", "for", "by", "from", "to", "until", "till", "the", "in"))


def _text(sentence: str, said: str, extra: dict[str, None]) -> str:
    head = f"{sentence} — {said}" if said and said not in sentence else sentence
    return "\n".join([head, *extra])


def _transcripts(sources: Sequence[Memory]) -> str:
    """What was heard, oldest first, each once."""
    kept: list[str] = []
    lines = dict.fromkeys(line for source in sources for line in source.transcript.splitlines() if line.strip())
    left = MAX_TRANSCRIPT_CHARS
    for line in reversed(lines):
        left -= len(line) + 1
        if left < 0 and kept:
            break
        kept.insert(0, line)
    return "\n".join(kept)
