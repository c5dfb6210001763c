"""What people and assistants do with memories: find, remember, point at one by its words. Every face calls these."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from junod.errors import NotFoundError, UsageError
from junod.memory.embedder import Embedder, embed_backlog
from junod.memory.known import same_words
from junod.memory.rows import Filter
from junod.memory.search import Hit, SearchRequest, search
from junod.memory.store import MAX_LIMIT, MemoryStore
from junod.memory.words import telling_words
from junod.records import Memory, NewMemory

MAX_CHOICES = 5
_ID = re.compile(r"(?=.*\d)[0-9a-f-]{8,36}")
_LIST_LINE = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<item>.+?)\s*")
_SHOPPING = re.compile(r"(?:shopping|grocery|groceries)(?: list)?\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choices:
    """It is not clear which memory is meant; nothing was changed."""

    memories: tuple[Memory, ...]
    """The likeliest, at most `MAX_CHOICES`."""
    why: str
    """A sentence for the one who asked."""


def find(store: MemoryStore, request: SearchRequest, *, embedder: Embedder | None, now: datetime) -> tuple[Hit, ...]:
    """Search; what has no vector yet (written by hand, say) is given one first. Errors as in `search`."""
    if embedder is not None and request.query.strip():
        embed_backlog(store, embedder)
    return search(store, request, embedder=embedder, now=now)


def remember(store: MemoryStore, new: NewMemory) -> tuple[Memory, bool]:
    """Store a memory; False where an active one with the same words and end was there, which is then returned."""
    known = same_words(store, new)
    return (known, False) if known else (store.add(new), True)


def pick(store: MemoryStore, which: str, *, undone: bool = False) -> Memory | Choices:
    """The one memory meant by an id, part of an id, or words that it alone of the active ones has.

    One line of a list does not stand for the list: what would change is shown first.

    Args:
        undone: words mean what is not done yet, where there is such a memory.

    Raises:
        NotFoundError: none has any of these words.
        UsageError: nothing is named.
    """
    named = which.strip()
    if _ID.fullmatch(named.lower()):
        return store.get(named)
    words = telling_words(named)
    if not words:
        raise UsageError("It is not said which memory is meant.", hint="Give its id, or words that stand in it.")
    all_words = _with_all(store, named, undone=undone)
    if len(all_words) == 1:
        return Choices(all_words, _PART) if _is_part_of_list(all_words[0], words) else all_words[0]
    if all_words:
        return Choices(all_words[:MAX_CHOICES], f"{len(all_words)} memories fit '{named[:80]}'.")
    some_words = tuple(found.memory for found in store.keyword(named, MAX_CHOICES))
    if not some_words:
        raise NotFoundError(f"No memory has the words '{named[:80]}'.", hint="Search first, then give an id.")
    return Choices(some_words, f"No memory has all the words of '{named[:80]}', but these have some.")


def shopping_list(store: MemoryStore) -> tuple[str, ...]:
    """What is to be bought, over all shopping lists, oldest first; what is struck through is not."""
    lists = [found.memory for word in ("shopping", "groceries") for found in store.keyword(word, MAX_LIMIT)]
    items: dict[str, str] = {}
    for memory in sorted(set(lists), key=lambda memory: memory.spoken_at):
        head, *lines = memory.memory.splitlines()
        if _SHOPPING.fullmatch(head.strip()):
            items |= {item.casefold(): item for item in _items(lines) if item.casefold() not in items}
    return tuple(item for item in items.values() if not item.startswith("~~"))


def coming(store: MemoryStore, now: datetime, days: int = 7) -> tuple[Memory, ...]:
    """What ends within so many days, the soonest first: appointments, events, reminders."""
    found = store.list(Filter(ends_before=now + timedelta(days=days)))
    dated = [
        (memory.expires_at, memory) for memory in found if memory.expires_at is not None and memory.source != "done"
    ]
    return tuple(memory for _, memory in sorted(dated, key=lambda pair: (pair[0], pair[1].id)))


_PART = "That is one line of a list, and this would change the whole list."


def _with_all(store: MemoryStore, text: str, *, undone: bool) -> tuple[Memory, ...]:
    """Active memories that have every one of the words (or another form of it), the last spoken first."""
    found = [hit.memory for hit in store.keyword(text, MAX_LIMIT, every=True)]
    if undone:
        found = [memory for memory in found if memory.source != "done"] or found
    return tuple(sorted(found, key=lambda memory: memory.spoken_at, reverse=True))


def _is_part_of_list(memory: Memory, words: list[str]) -> bool:
    head, *lines = memory.memory.splitlines()
    return len(_items(lines)) > 1 and not set(words) <= {*telling_words(head), "list"}


def _items(lines: list[str]) -> list[str]:
    return [match["item"] for line in lines if (match := _LIST_LINE.fullmatch(line))]
