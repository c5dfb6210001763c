"""Carrying rules out, the same way every time (pure). Nothing here runs anything: text, dates and yes or no come out.

The order is that of `schema.KINDS`; among rules of one kind the first in the household's order wins, and names are not
expanded a second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from junod.errors import UsageError
from junod.extract.words import content, keys
from junod.records import Decision, Memory, NewMemory, Outcome, Passage
from junod.rules.schema import (
    DefaultTime,
    Exclude,
    ExpandName,
    Muted,
    MuteHours,
    RemindEarlier,
    RuleSpec,
    Tag,
    minute_of_day,
)
from junod.rules.times import names_a_day, names_an_hour

_ITEM = re.compile(r"^\s*[-*] ")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)


def mentions(text: str, about: str) -> bool:
    """Every content word of `about` stands in the text, in any form of it: 'nuts' in 'mixed nuts', not in 'peanuts'."""
    wanted = set(content(about)) or keys(about)
    return bool(wanted) and wanted <= keys(text)


def expand(text: str, rules: Iterable[RuleSpec]) -> str:
    """What a name means stands behind its first mention: 'Sylvie (my mum) comes on Friday'."""
    meanings: dict[int, str] = {}
    for spec in rules:
        if isinstance(spec.action, ExpandName) and spec.action.to.casefold() not in text.casefold():
            found = _named(spec.about).search(text)
            if found is not None:
                meanings.setdefault(found.end(), spec.action.to)
    for end in sorted(meanings, reverse=True):
        text = f"{text[:end]} ({meanings[end]}){text[end:]}"
    return text


def collapse(text: str, rules: Iterable[RuleSpec]) -> str:
    """The text as it was before `expand`."""
    for spec in rules:
        if isinstance(spec.action, ExpandName):
            text = re.sub(rf"\s\({re.escape(spec.action.to)}\)", "", text, flags=re.IGNORECASE)
    return text


def applied(decision: Decision, passage: Passage, rules: Sequence[RuleSpec]) -> Decision:
    """The verdict after the rules: names spelt out in memories, excluded things gone, the transcript as spoken.

    Args:
        decision: on the passage as `expand` made it.
        passage: as spoken.
    """
    if not decision.memories:
        return decision
    judged = (_ruled(replace(new, transcript=passage.transcript), rules) for new in decision.memories)
    kept = tuple(new for new in judged if new is not None)
    if kept:
        return replace(decision, memories=kept)
    return replace(decision, outcome=Outcome.REJECTED, stage="rules", reason="excluded", memories=())


def without_excluded(markdown: str, rules: Iterable[RuleSpec]) -> str:
    """A list without the items that no list may hold; '' where none is left, or where nothing of it may be kept."""
    lines = markdown.splitlines()
    for spec in rules:
        if not isinstance(spec.action, Exclude):
            continue
        if spec.action.where == "memory" and mentions(markdown, spec.about):
            return ""
        if spec.action.where == "list":
            lines = [line for line in lines if not (_ITEM.match(line) and mentions(line, spec.about))]
    was_list = any(_ITEM.match(line) for line in markdown.splitlines())
    return "" if was_list and not any(_ITEM.match(line) for line in lines) else "\n".join(lines)


def tags_of(text: str, rules: Iterable[RuleSpec]) -> tuple[str, ...]:
    """Tags of a memory, in the order of the rules. They are never stored: see `docs/rules.md`."""
    found = [spec.action.tag for spec in rules if isinstance(spec.action, Tag) and mentions(text, spec.about)]
    return tuple(dict.fromkeys(found))


def with_tag(
    memories: Iterable[Memory], tag: str, rules: Sequence[RuleSpec], limit: int | None = None
) -> tuple[Memory, ...]:
    """The first of the memories that have the tag ('' = all of them).

    Raises:
        UsageError: no rule in force gives this tag, so that finding nothing would mislead.
    """
    wanted = tag.strip().removeprefix("#").casefold()
    if not wanted:
        return tuple(islice(memories, limit))
    tags = sorted({spec.action.tag for spec in rules if isinstance(spec.action, Tag)})
    if wanted not in (each.casefold() for each in tags):
        hint = f"Tags: {', '.join(tags)}." if tags else 'A rule makes one: "doctor things belong to health".'
        raise UsageError(f"No rule in force gives the tag '{tag[:40]}'.", hint=hint)
    found = (each for each in memories if wanted in (one.casefold() for one in tags_of(each.memory, rules)))
    return tuple(islice(found, limit))


def lead_minutes(text: str, rules: Iterable[RuleSpec]) -> int | None:
    """How long before it to remind of a memory, where a rule says so."""
    for spec in rules:
        if isinstance(spec.action, RemindEarlier) and mentions(text, spec.about):
            return spec.action.minutes
    return None


def usual_time(phrase: str, hint: str, rules: Iterable[RuleSpec]) -> str:
    """A day without an hour gets the usual hour of the thing it belongs to: 'Tuesday' -> 'Tuesday at 17:00'.

    Args:
        hint: the memory, its evidence and the talk, a line each; the memory alone names the thing.
    """
    thing = f"{phrase}\n{hint.splitlines()[0] if hint else ''}"
    if not names_a_day(phrase) or names_an_hour(hint):
        return phrase
    for spec in rules:
        if isinstance(spec.action, DefaultTime) and mentions(thing, spec.about):
            return f"{phrase} at {spec.action.at}"
    return phrase


def is_muted_at(moment: datetime, rules: Iterable[RuleSpec], what: Muted = "reminders") -> bool:
    """Whether the rules want quiet at this moment, which is local (in the household's zone)."""
    minute = moment.hour * 60 + moment.minute
    hours = [spec.action for spec in rules if isinstance(spec.action, MuteHours) and spec.action.what == what]
    return any(_covers(minute_of_day(one.start), minute_of_day(one.end), minute) for one in hours)


def _named(about: str) -> re.Pattern[str]:
    name = re.escape(_ARTICLE.sub("", about))
    return re.compile(rf"(?<!\w){name}(?!\w)(?! \()", re.IGNORECASE)


def _ruled(new: NewMemory, rules: Sequence[RuleSpec]) -> NewMemory | None:
    text = without_excluded(_spelt_out(new.memory, rules), rules)
    if not text:
        return None
    hushed = any(
        isinstance(spec.action, Exclude) and spec.action.where == "memory" and mentions(new.transcript, spec.about)
        for spec in rules
    )
    return replace(new, memory=text, transcript="" if hushed else new.transcript)


def _spelt_out(markdown: str, rules: Sequence[RuleSpec]) -> str:
    """Names spelt out in the first line alone; items and quoted talk stay as they were said."""
    head, *rest = collapse(markdown, rules).splitlines() or [""]
    return "\n".join([expand(head, rules), *rest])


def _covers(start: int, end: int, minute: int) -> bool:
    return start <= minute < end if start < end else minute >= start or minute < end
