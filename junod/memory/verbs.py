"""What people and assistants do with memories: find, remember, tick, undo, forget, point at one by its words.

Every face calls these.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from junod.errors import NotFoundError, UsageError
from junod.memory import changes, grace, rows, undoing
from junod.memory.embedder import Embedder
from junod.memory.grace import DEFAULT_GRACE_S, Forgetting
from junod.memory.known import same_words
from junod.memory.markdown import list_items
from junod.memory.reembedding import SMALL, embed_all, progress
from junod.memory.rows import Filter
from junod.memory.search import Hit, SearchRequest, search
from junod.memory.store import MAX_LIMIT, MemoryStore
from junod.memory.undoing import Undone
from junod.memory.words import telling_words
from junod.records import Memory, NewMemory

MAX_CHOICES = 5
_ID = re.compile(r"(?=.*\d)[0-9a-f-]{8,36}")
_SHOPPING = re.compile(r"(?:shopping|grocery|groceries)(?: list)?\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choices:
    """It is not clear which memory is meant; nothing was changed."""

    memories: tuple[Memory, ...]
    """The likeliest, at most `MAX_CHOICES`."""
    why: str
    """A sentence for the one who asked."""


def find(store: MemoryStore, request: SearchRequest, *, embedder: Embedder | None, now: datetime) -> tuple[Hit, ...]:
    """Search; the few that have no vector yet (written by hand, say) are given one first. Errors as in `search`."""
    if embedder is not None and request.query.strip():
        few = progress(store, embedder.name, embedder.dims).left <= SMALL
        if few:
            embed_all(store, embedder, lambda _: None)
    return search(store, request, embedder=embedder, now=now)


def remember(store: MemoryStore, new: NewMemory) -> tuple[Memory, bool]:
    """Store a memory; False where an active one with the same words and end was there, which is then returned."""
    known = same_words(store, new)
    return (known, False) if known else (store.add(new), True)


def undo(store: MemoryStore, memory_id: str, *, grace_s: float = DEFAULT_GRACE_S) -> Undone:
    """Take back the last change that led to an active memory, or the forgetting of one.

    Done, ticked or edited: the text before is active again; merged: all its sources are, and dedup leaves them apart
    from then on; forgotten: it is back. A fresh memory that changed nothing is forgotten, with time to take that back.

    Raises:
        NotFoundError: there is no such memory (any more).
        ConflictError: it is not active any more, or nothing led to it that could be taken back.
    """
    with store.sessions.write() as session:
        return undoing.undo(session, memory_id, grace_s=grace_s)


def forget(store: MemoryStore, memory_id: str, *, grace_s: float = DEFAULT_GRACE_S) -> Forgetting:
    """Hide a memory and its lineage from everything; `MemoryStore.expire` erases them once `grace_s` have passed.

    Until then `undo` brings them back. 0 erases at once.

    Raises:
        NotFoundError: there is no such memory (any more).
        UsageError: a time that makes no sense.
    """
    grace.check(grace_s)
    if not grace_s:
        return Forgetting(store.forget(memory_id), None)
    with store.sessions.write() as session:
        return grace.begin(session, rows.load(session, memory_id).id, grace_s)


def unforget(store: MemoryStore, memory_id: str) -> tuple[Memory, ...]:
    """Bring back what is being forgotten; returns what of its lineage is active.

    Raises:
        NotFoundError: it is erased already, or never was.
        ConflictError: it is not being forgotten.
    """
    with store.sessions.write() as session:
        return grace.bring_back(session, memory_id)


def tick(store: MemoryStore, memory_id: str, item: str, done: bool = True) -> Memory:
    """Strike one item of a list through (or open it again) in a memory that supersedes the list, and return that.

    When the last item is struck, the list is done. Where the item stands so already, nothing is written. A list that
    has grown meanwhile is followed to what it is now.

    Args:
        item: its text, with or without list mark and strike.

    Raises:
        NotFoundError: no such memory, or no such item in it.
        UsageError: the memory is no list.
        ConflictError: it is not active any more.
    """
    with store.sessions.write() as session:
        return changes.tick(session, rows.load(session, memory_id), item, is_done=done)


def pick(store: MemoryStore, which: str, *, undone: bool = False, forgotten: bool = False) -> Memory | Choices:
    """The one memory meant by an id, part of an id, or words that it alone of the active ones has.

    One line of a list does not stand for the list: what would change is shown first.

    Args:
        undone: words mean what is not done yet, where there is such a memory.
        forgotten: an id may be that of a memory which is being forgotten.

    Raises:
        NotFoundError: none has any of these words.
        UsageError: nothing is named.
    """
    named = which.strip()
    if _ID.fullmatch(named.lower()):
        with store.sessions.read() as session:
            return rows.load(session, named, forgotten=forgotten)
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


@dataclass(frozen=True, slots=True)
class ShoppingItem:
    """One thing of a shopping list."""

    text: str
    memory_id: str
    """The list it stands in: what `tick` takes."""
    is_done: bool


def shopping_list(store: MemoryStore) -> tuple[ShoppingItem, ...]:
    """What is to be bought and what was ticked, over all shopping lists that are not done, oldest first, each once.

    What stands open in any list is open.
    """
    lists = [found.memory for word in ("shopping", "groceries") for found in store.keyword(word, MAX_LIMIT)]
    things: dict[str, ShoppingItem] = {}
    for memory in sorted(set(lists), key=lambda memory: memory.spoken_at):
        if memory.source != "done" and _SHOPPING.fullmatch(memory.memory.splitlines()[0].strip()):
            for item in list_items(memory.memory):
                known = things.get(item.text.casefold())
                if known is None or (known.is_done and not item.is_struck):
                    things[item.text.casefold()] = ShoppingItem(item.text, memory.id, item.is_struck)
    return tuple(things.values())


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
    head = memory.memory.splitlines()[0]
    return len(list_items(memory.memory)) > 1 and not set(words) <= {*telling_words(head), "list"}
