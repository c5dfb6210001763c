"""Which of the times that a passage names is meant, and when that is (pure).

A passage names many times: when the thing is, when one leaves for it, what does not suit, what is on television. Each
phrase is resolved by itself and votes for its moment, with a weight that says how likely it is the one meant: most of
all how likely the talk around it holds what is to be kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from junod.records import Kind, Resolution
from junod.when.phrases import TimePhrase, find_time_phrases
from junod.when.resolve import resolve

_PAST = re.compile(r"\b(?:last|ago|yesterday)\b", re.IGNORECASE)
_PART = re.compile(r"\b(?:morning|afternoon|evening|night|lunch\w*)\b", re.IGNORECASE)
_REFUSED = re.compile(
    r"\b(?:not|never|can't|cannot|won't|don't|doesn't|didn't|isn't|aren't|instead of|rather than|nothing)\b"
    r"[^.?!]{0,18}$",
    re.IGNORECASE,
)
_SIDE = re.compile(
    r"\b(?:leav\w+|leave|back|home|alarm|set off|pick\w*(?: \w+)? up|collect\w*|drop\w*|ready|up|closed?|closes|shuts?|"
    r"opens?|till|until|before|by|finish\w*|out)\W+(?:\w+\W+){0,3}$",
    re.IGNORECASE,
)
"""What stands before an hour that belongs to the thing only indirectly: 'I leave at eight', 'back by one'."""
_GONE = re.compile(
    r"\W*(?:'s|is|are|was|has been|have been)?\s*(?:gone|off|out|cancelled|canceled|no good|taken|full)\b",
    re.IGNORECASE,
)
"""What stands after a time that does not hold any more: 'my Friday five o'clock's gone'."""
_NOT = re.compile(r"not [^,]*$", re.IGNORECASE)
_BOUND = ("by", "till", "until", "before")
_NEAR = 40
"""Characters before a phrase that tell how it is meant."""

_ANY = 0.2
"""Weight of a phrase in talk that holds nothing, added to the probability that it does."""
_WHOLE, _WHOLE_OF_REMINDER = 4.0, 2.4
"""A phrase with day and hour, for a thing at a time; a reminder as often has no hour."""
_DAY_ALONE = 0.8
_DAY_AND_PART = 1.6
"""'Tomorrow morning' beside a lone hour of a match report."""
_LONE_NUMBER = 0.5
_INDIRECT = 0.25
_TAKEN_BACK = 0.1
_ASKED = 0.3
_LATER = 0.15
"""How much more the last phrase counts than the first: what is settled is said last."""

Weight = Callable[[int, int], float]
"""(start, end) in the talk -> probability that what is said there belongs to the memory."""


def resolve_talk(
    text: str, *, spoken_at: datetime, zone: ZoneInfo, kind: Kind, weight: Weight, day_first: bool = True
) -> tuple[str, Resolution] | None:
    """The time words that are meant and when they are; None where no time named is to come.

    The constants were set on 591 dated memories of `models/gate/corpus.jsonl.gz` whose passages a held-out gate keeps.

    Args:
        text: the whole passage.
        weight: how likely the talk at a place belongs to the memory.
        others: as of `resolve`.

    Raises:
        ValueError: `spoken_at` is naive.
    """
    votes: dict[datetime, float] = {}
    found: dict[datetime, tuple[str, Resolution]] = {}
    phrases = [one for one in find_time_phrases(text, day_first=day_first) if not _PAST.search(one.text)]
    for place, phrase in enumerate(phrases):
        resolution = resolve(phrase.text, spoken_at=spoken_at, zone=zone, kind=kind, day_first=day_first, hint=text)
        moment = resolution.expires_at
        if moment is not None and not resolution.is_past:
            share = (_ANY + weight(phrase.start, phrase.end)) * _manner(phrase, text, kind)
            votes[moment] = votes.get(moment, 0.0) + share * (1 + _LATER * place / max(1, len(phrases) - 1))
            found[moment] = phrase.text, resolution
    return found[max(votes, key=lambda moment: votes[moment])] if votes else None


def _manner(phrase: TimePhrase, text: str, kind: Kind) -> float:
    """How much the way a phrase is said speaks for it."""
    before = text[max(0, phrase.start - _NEAR) : phrase.start]
    timed = kind is not Kind.REMINDER
    factor = _LONE_NUMBER if phrase.is_weak else 1.0
    if phrase.has_day and phrase.has_hour:
        factor *= _WHOLE if timed else _WHOLE_OF_REMINDER
    elif phrase.has_day and _PART.search(phrase.text):
        factor *= _DAY_AND_PART
    elif not phrase.has_hour and timed:
        factor *= _DAY_ALONE
    if timed and phrase.has_hour and (_SIDE.search(before) or phrase.text.lower().startswith(_BOUND)):
        factor *= _INDIRECT
    if _REFUSED.search(before) or _NOT.match(phrase.text) or _GONE.match(text[phrase.end : phrase.end + _NEAR]):
        factor *= _TAKEN_BACK
    if text[phrase.end : phrase.end + 1] == "?":
        factor *= _ASKED
    return factor
