"""Context for an assistant: the few memories that bear on what is being said, ready to be put before its prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from junod.audit import is_suspect
from junod.errors import UsageError
from junod.memory.codec import words_of
from junod.memory.embedder import Embedder
from junod.memory.relevance import LENIENT
from junod.memory.rows import Filter
from junod.memory.search import SearchRequest, search
from junod.memory.store import MemoryStore
from junod.memory.telling import DATA_NOTE, moment, told
from junod.records import Memory

MAX_MEMORIES = 5
DEFAULT_TOKENS = 400
MIN_TOKENS = 100
"""Room for the frame and one short memory."""
MAX_TOKENS = 4_000
_CANDIDATES = 20
_AHEAD = timedelta(days=7)
_NUMBER = re.compile(r"\d+")
_TOKEN = re.compile(r"\d|\s(?=\d)|\n|[^\W\d_]{1,4}|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class MemoryContext:
    text: str
    """What to put before the assistant's prompt; '' where nothing is remembered that bears on it."""
    memories: tuple[Memory, ...]
    """Those in the text, the most useful first."""


def context(
    store: MemoryStore,
    text: str,
    *,
    embedder: Embedder | None,
    now: datetime,
    zone: ZoneInfo,
    budget_tokens: int = DEFAULT_TOKENS,
) -> MemoryContext:
    """The five most useful memories for a conversation about `text`; without text, what is near in time.

    Done and superseded ones are not among them. What does not fit the budget whole is left out, never cut: half a
    memory may say the opposite.

    Raises:
        UsageError: a budget that makes no sense.
        ModelError, StoreError: from the embedder and the store.
    """
    checked_budget(budget_tokens)
    found = _about(store, text, embedder, now) if text.strip() else _near_in_time(store, now)
    return arranged(found, now=now, zone=zone, budget_tokens=budget_tokens)


def checked_budget(tokens: int) -> int:
    """A budget that makes sense.

    Raises:
        UsageError: it does not.
    """
    if not MIN_TOKENS <= tokens <= MAX_TOKENS:
        raise UsageError(
            f"A budget of {tokens} tokens makes no sense.", hint=f"Give a number from {MIN_TOKENS} to {MAX_TOKENS}."
        )
    return tokens


def arranged(memories: Iterable[Memory], *, now: datetime, zone: ZoneInfo, budget_tokens: int) -> MemoryContext:
    """Ranked memories as a text within the budget: at most five, repeats left out, dates absolute. Pure."""
    head = f'{DATA_NOTE}\n<memories now="{moment(now.astimezone(zone))}">\n'
    tail = "</memories>"
    chosen: list[Memory] = []
    body = ""
    for memory in distinct(memory for memory in memories if _may_be_told(memory)):
        line = f"- {told(memory, now=now, zone=zone, with_id=False)}\n"
        if len(chosen) < MAX_MEMORIES and tokens(head + body + line + tail) <= budget_tokens:
            chosen.append(memory)
            body += line
    return MemoryContext(head + body + tail, tuple(chosen)) if chosen else MemoryContext("", ())


def _may_be_told(memory: Memory) -> bool:
    """Active, not done, and without the shape of an instruction: an assistant's prompt is no place for one."""
    return memory.is_active and memory.source != "done" and not is_suspect(memory.memory)


def distinct(memories: Iterable[Memory]) -> list[Memory]:
    """The memories without those that an earlier one covers: it has all their words and the same numbers and end."""
    kept: list[Memory] = []
    for memory in memories:
        if not any(_covers(other, memory) for other in kept):
            kept = [other for other in kept if not _covers(memory, other)] + [memory]
    return kept


def tokens(text: str) -> int:
    """How many tokens a text costs an assistant, estimated from above: tokenizers that spell out digits cost most.

    Letters beyond ASCII count once for each of their bytes.
    """
    return len(_TOKEN.findall(text)) + len(text.encode()) - len(text)


def _covers(one: Memory, other: Memory) -> bool:
    if one.expires_at != other.expires_at or _NUMBER.findall(one.memory) != _NUMBER.findall(other.memory):
        return False
    return set(words_of(other.memory).split()) <= set(words_of(one.memory).split())


def _about(store: MemoryStore, text: str, embedder: Embedder | None, now: datetime) -> list[Memory]:
    request = SearchRequest(text, limit=_CANDIDATES, cut_off=LENIENT)
    return [hit.memory for hit in search(store, request, embedder=embedder, now=now)]


def _near_in_time(store: MemoryStore, now: datetime) -> list[Memory]:
    """What ends within a week, the soonest first, then what was said last."""
    coming = sorted(store.list(Filter(ends_before=now + _AHEAD)), key=lambda memory: str(memory.expires_at))
    return coming + [memory for memory in store.list(limit=_CANDIDATES) if memory not in coming]
