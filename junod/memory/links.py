"""Context that follows links: what the memories found name, and what is known of that, to a bounded depth.

A link is a telling word that two memories share and the question does not have: the question names Sylvie's mum, one
memory calls her Margot, another has Margot's birthday. Names count for more than other words, rare words for more than
frequent ones, and a memory that also answers to the question's own words for more than one that does not. Each memory
is taken once, by its best path, so that circles end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log2
from zoneinfo import ZoneInfo

from junod.memory.context import DEFAULT_TOKENS, MemoryContext, context, tokens
from junod.memory.embedder import Embedder
from junod.memory.store import MemoryStore
from junod.memory.telling import told
from junod.memory.words import telling_words
from junod.records import Memory
from junod.sections import LinksSettings

WARNING = "(More is linked to this than fits here: ask for it by name.)"
"""Says that links were pruned."""
MANY = 12
"""A word in so many memories links nothing."""
_SMALL = 0.3
"""What a link by a word that is no name is worth beside one by a name."""
_ANSWERS = 1.0
"""What each word of the question that a memory has adds to its score, in multiples of it."""
_NAME = re.compile(r"\b[A-Z][^\W\d_]+")
_ENDING = re.compile(r"(?:['’]s|s['’])$")


@dataclass(frozen=True, slots=True)
class Linked:
    """A memory reached by links."""

    memory: Memory
    score: float
    """0 to about 1 for the first link; comparable within one answer."""
    path: tuple[str, ...]
    """The words that led to it."""


@dataclass(frozen=True, slots=True)
class LinkedContext:
    """What was found and what is linked to it."""

    text: str
    """Facts, then linked memories, then the warning if there is one; '' where nothing bears on the talk."""
    found: MemoryContext
    linked: tuple[Linked, ...]
    """In the text, the best first."""
    pruned: int
    """Linked memories that did not fit."""


def context_with_links(
    store: MemoryStore,
    text: str,
    *,
    embedder: Embedder | None,
    now: datetime,
    zone: ZoneInfo,
    settings: LinksSettings,
    budget_tokens: int | None = None,
) -> LinkedContext:
    """`context`, and behind it what its memories link to. Errors as in `context`.

    Args:
        budget_tokens: of it all, None = as set. What is found gets half of it, but at least `DEFAULT_TOKENS` if there
            are as many.
    """
    budget_tokens = settings.budget_tokens if budget_tokens is None else budget_tokens
    for_found = share_of_found(budget_tokens)
    found = context(store, text, embedder=embedder, now=now, zone=zone, budget_tokens=for_found)
    return with_links(store, found, text, now=now, zone=zone, settings=settings, budget_tokens=budget_tokens)


def share_of_found(budget_tokens: int) -> int:
    """Of a budget, what memories that were found may take; what they link to gets the rest."""
    return min(budget_tokens, max(DEFAULT_TOKENS, budget_tokens // 2))


def with_links(
    store: MemoryStore,
    found: MemoryContext,
    text: str,
    *,
    now: datetime,
    zone: ZoneInfo,
    settings: LinksSettings,
    budget_tokens: int,
) -> LinkedContext:
    """A context that was found for `text`, and behind it what its memories link to; without text it stays alone."""
    if not found.memories or not text.strip() or not settings.depth:
        return LinkedContext(found.text, found, (), 0)
    reached = follow(store, found.memories, text, settings)
    chosen, block = _fitting(reached, now, zone, budget_tokens - tokens(found.text), settings.max_linked)
    return LinkedContext(f"{found.text}{block}", found, tuple(chosen), len(reached) - len(chosen))


def follow(store: MemoryStore, found: Sequence[Memory], talk: str, settings: LinksSettings) -> tuple[Linked, ...]:
    """What memories link to, the best first; those given are not among it."""
    asked = {_bare(word) for word in telling_words(talk)}
    reached: dict[str, Linked] = {}
    frontier = [Linked(memory, 1 / (1 + 0.1 * rank), ()) for rank, memory in enumerate(found)]
    known = {memory.id for memory in found}
    followed = set(asked)
    for _ in range(settings.depth):
        new: dict[str, Linked] = {}
        for word, origin in _links(frontier, followed):
            for linked in _by_word(store, word, origin, asked, settings):
                better = linked.score > new[linked.memory.id].score if linked.memory.id in new else True
                if linked.memory.id not in known and better:
                    new[linked.memory.id] = linked
        known |= set(new)
        reached |= new
        frontier = sorted(new.values(), key=_order)
    return tuple(sorted(reached.values(), key=_order))


def _links(frontier: Iterable[Linked], followed: set[str]) -> list[tuple[str, Linked]]:
    """Words to follow, each once, from the best memory that has it."""
    found = []
    for origin in frontier:
        for word in telling_words(origin.memory.memory):
            bare = _bare(word)
            if bare not in followed and len(bare) > 2:
                followed.add(bare)
                found.append((bare, origin))
    return found


def _by_word(store: MemoryStore, word: str, origin: Linked, asked: set[str], settings: LinksSettings) -> list[Linked]:
    hits = [hit.memory for hit in store.keyword(word, MANY) if hit.memory.source != "done"]
    others = [memory for memory in hits if memory.id != origin.memory.id]
    if len(hits) >= MANY or not others:
        return []
    worth = (1.0 if _is_name(word, origin.memory.memory) else _SMALL) / log2(1 + len(hits))
    base = origin.score * settings.fade * worth
    found = []
    for memory in others:
        answers = len(asked & {_bare(each) for each in telling_words(memory.memory)})
        score = base * (1 + _ANSWERS * answers)
        if score >= settings.min_score:
            found.append(Linked(memory, score, (*origin.path, word)))
    return found


def _is_name(word: str, text: str) -> bool:
    """Written with a capital letter, at the beginning of the text only with 's."""
    return any(
        _bare(match.group().casefold()) == word
        and (match.start() > 0 or text[match.end() : match.end() + 2] in ("'s", "’s"))
        for match in _NAME.finditer(text)
    )


def _bare(word: str) -> str:
    """Without 's and a plural s, so that it is one word for looking and for telling what was followed."""
    bare = _ENDING.sub("", word.casefold())
    return bare[:-1] if len(bare) > 3 and bare.endswith("s") and not bare.endswith("ss") else bare


def _order(linked: Linked) -> tuple[float, str]:
    return -linked.score, linked.memory.id


def _fitting(
    reached: Sequence[Linked], now: datetime, zone: ZoneInfo, budget_tokens: int, most: int
) -> tuple[list[Linked], str]:
    """The best that fit whole, and the block that tells them; the warning has its room kept."""
    head, tail = "\n<linked>\n", "</linked>"
    chosen: list[Linked] = []
    body = ""
    for linked in reached:
        line = f"- {told(linked.memory, now=now, zone=zone, with_id=False)}\n"
        if len(chosen) < most and tokens(head + body + line + tail + WARNING) + 1 <= budget_tokens:
            chosen.append(linked)
            body += line
    warning = f"\n{WARNING}" if len(chosen) < len(reached) and budget_tokens > tokens(WARNING) else ""
    return chosen, (head + body + tail if chosen else "") + warning
