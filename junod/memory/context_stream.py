"""Context that is ready when a person stops speaking: looked up while they speak, finished in the silence after.

The slow part of a lookup is the walk over all vectors. It is done in a thread of its own for what was said so far; the
words that close the sentence then choose among what it found, and among everything that has one of these words.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from junod.clock import Clock
from junod.errors import JunodError
from junod.memory.candidates import Pool, gather_from, pool
from junod.memory.context import DEFAULT_TOKENS, MemoryContext, arranged, context
from junod.memory.embedder import Embedder, embed_texts
from junod.memory.relevance import LENIENT
from junod.memory.rows import Filter
from junod.memory.search import MAX_QUERY_CHARS, judged
from junod.memory.store import MemoryStore
from junod.memory.terms import understood
from junod.memory.vocabulary import StoredVocabulary

POOL = 200
"""Nearest memories kept ready."""
WORD_HITS = 40


@dataclass(frozen=True, slots=True)
class StreamParts:
    store: MemoryStore
    embedder: Callable[[], Embedder]
    """Called first in the thread that looks up, as it may take seconds."""
    clock: Clock
    zone: ZoneInfo


class ContextStream:
    """One sentence after the other. `hear` and `close` are called from one thread."""

    def __init__(self, parts: StreamParts) -> None:
        self._parts = parts
        self._changed = threading.Condition()
        self._heard = self._tried = ""
        self._sentence = 0
        self._ready: tuple[str, Pool] | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._look_up, name="context", daemon=True)
        self._thread.start()

    def hear(self, partial: str) -> None:
        """What was said so far; returns at once. Of several in a row the last counts."""
        with self._changed:
            self._heard = partial.strip()[:MAX_QUERY_CHARS]
            self._changed.notify_all()

    def close(self, text: str, budget_tokens: int = DEFAULT_TOKENS) -> MemoryContext:
        """The segment is closed and this is what was said in it; the next sentence begins.

        Raises:
            ModelError, StoreError: from the embedder and the store.
        """
        with self._changed:
            ready = self._ready
            self._begin_anew()
        return self._finished(ready, text, budget_tokens)

    def so_far(self, text: str, budget_tokens: int = DEFAULT_TOKENS) -> MemoryContext:
        """The same for what was said until now, while the sentence goes on; from any thread."""
        with self._changed:
            ready = self._ready
        return self._finished(ready, text, budget_tokens)

    def wipe(self) -> None:
        """Forget what was heard and found; what is being looked up is thrown away. From any thread."""
        with self._changed:
            self._begin_anew()

    def _begin_anew(self) -> None:
        self._ready, self._heard, self._tried = None, "", ""
        self._sentence += 1

    def _finished(self, ready: tuple[str, Pool] | None, text: str, budget_tokens: int) -> MemoryContext:
        parts = self._parts
        now, embedder = parts.clock.now(), parts.embedder()
        asked = understood(text[:MAX_QUERY_CHARS], StoredVocabulary(parts.store.sessions))
        if ready is None or not asked.terms:
            return context(parts.store, text, embedder=embedder, now=now, zone=parts.zone, budget_tokens=budget_tokens)
        (embedding,) = embed_texts(embedder, [asked.text])
        found = gather_from(parts.store.sessions, ready[1], asked, embedding, WORD_HITS, Filter())
        memories = [hit.memory for hit in judged(found, asked, LENIENT, now)]
        return arranged(memories, now=now, zone=parts.zone, budget_tokens=budget_tokens)

    def wait_ready(self, timeout_s: float) -> bool:
        """Until what was heard last is looked up; False where it took longer, or nothing was heard."""
        with self._changed:
            return self._changed.wait_for(lambda: bool(self._ready and self._ready[0] == self._heard), timeout_s)

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._thread.join(10)

    def _look_up(self) -> None:
        while (following := self._next()) is not None:
            sentence, partial = following
            try:
                (embedding,) = embed_texts(self._parts.embedder(), [partial])
                found = pool(self._parts.store.sessions, embedding, POOL, Filter())
            except JunodError:
                continue  # `close` meets the same error, in the thread of whoever asks
            with self._changed:
                if sentence == self._sentence:
                    self._ready = (partial, found)
                self._changed.notify_all()

    def _next(self) -> tuple[int, str] | None:
        """Number of the sentence and what to look up of it, once there is something; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or bool(self._heard and self._heard != self._tried))
            self._tried = self._heard
            return None if self._stopped else (self._sentence, self._heard)
