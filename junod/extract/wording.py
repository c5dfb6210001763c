"""How a memory reads once its time is known (pure)."""

from __future__ import annotations

import re

from junod.extract.focus import MAX_SAID
from junod.extract.words import content, keys
from junod.records import Kind, Proposal, Resolution

_RELATIVE = re.compile(
    r"[\s,;–-]*\b(?:(?:on|by|from|until|at|for|this|the)\s+)*(?:the day after tomorrow|tomorrow|today|tonight)"
    r"(?:\s+(?:morning|afternoon|evening|night))?\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:[\s,;:–-]+(?:on|at|by|from|until|till|in|for|the|this|and|to|before|is|it's))+$", re.IGNORECASE
)


def worded(proposal: Proposal, resolution: Resolution, said: str = "", named: str = "") -> str:
    """The memory's markdown, ending in its time: 'Dentist for Leo — Tue 31 Mar 2026, 15:00'.

    Words such as 'tomorrow', wrong the day after, are cut where the resolved time takes their place. A fact keeps the
    words as spoken.

    Args:
        proposal: verified.
        resolution: its time.
        said: the talk behind it; quoted on a line of its own where it names something the sentence does not.
        named: the words that name its time.
    """
    if proposal.kind is Kind.SHOPPING:
        return proposal.memory
    if proposal.kind is Kind.FACT or resolution.recurring or not resolution.said:
        text = _with_words(proposal, resolution)
    else:
        text = f"{_without_time(proposal.memory, proposal.when)} — {resolution.said}"
    new = set(content(said)) - keys(text) - keys(proposal.when) - keys(named)
    return f"{text}\n> {said}" if new and len(said) <= MAX_SAID else text


def _with_words(proposal: Proposal, resolution: Resolution) -> str:
    """A time that the sentence leaves out is added, as spoken or as the repeat reads."""
    if not proposal.when or set(content(proposal.when)) <= keys(proposal.memory):
        return proposal.memory
    return f"{proposal.memory} — {resolution.said if resolution.recurring else proposal.when}"


def _without_time(memory: str, when: str) -> str:
    """The sentence without the time words, as long as something is left of it."""
    text = memory
    found = re.search(rf"\b{re.escape(when)}\b", text, re.IGNORECASE) if when else None
    if found:
        text = f"{_DANGLING.sub('', text[: found.start()])} {text[found.end() :].lstrip(' ,')}"
    text = _DANGLING.sub("", " ".join(_RELATIVE.sub("", text).split()).rstrip(" ,;.–-"))
    return text[:1].upper() + text[1:] if content(text) else memory
