"""Search as the page needs it: an answer at once, by words alone until the model of meaning is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junod.assembly.parts import active_rules
from junod.clock import Clock
from junod.errors import JunodError, ModelError
from junod.memory.rows import Filter
from junod.memory.search import SearchMode, SearchRequest, search
from junod.memory.store import MAX_LIMIT, MemoryStore
from junod.memory.telling import one_line
from junod.records import Memory
from junod.rules.finding import found_by_rules

if TYPE_CHECKING:
    from junod.memory.embedder import Embedder

LOADING = "The model of meaning is being loaded: this was searched by words alone."
MISSING = "The model of meaning is not there: this was searched by words alone. `junod models pull` gets it."
EVERYTHING = "Older versions and archived memories are searched by words alone."
TRY_AGAIN_S = 60.0


class LazyEmbedder:
    """Loads the model of meaning in a thread of its own at the first question, and answers None until it is there."""

    def __init__(self, load: Callable[[], Embedder], clock: Clock) -> None:
        self._load, self._clock = load, clock
        self._lock = threading.Lock()
        self._built: Embedder | None = None
        self._thread: threading.Thread | None = None
        self._failed_s: float | None = None

    def get(self) -> tuple[Embedder | None, str]:
        """The model, or None and why not."""
        with self._lock:
            if self._built is not None:
                self._built = self._load()  # loaded already, but after a change of models it may be another one
                return self._built, ""
            if self._failed_s is not None and self._clock.monotonic_s() - self._failed_s < TRY_AGAIN_S:
                return None, MISSING
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="embedder", daemon=True)
                self._thread.start()
            return None, LOADING

    def wait(self, timeout_s: float) -> None:
        """Until it is loaded or has failed."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)

    def _run(self) -> None:
        built: Embedder | None = None
        try:
            built = self._load()
        except JunodError:
            self._failed_s = self._clock.monotonic_s()
        with self._lock:
            self._built, self._thread = built, None


@dataclass(frozen=True, slots=True)
class Finder:
    store: MemoryStore
    clock: Clock
    embedder: LazyEmbedder

    def find(self, request: SearchRequest, wanted: Filter) -> tuple[list[Memory], str]:
        """Memories that answer the request, and what to know about the answer.

        Args:
            wanted: what the request says, and whether superseded and archived memories count.

        Raises:
            ModelError: by meaning alone, while the model is not there.
            UsageError, StoreError: see `search`.
        """
        if wanted.include_superseded or wanted.include_archived:
            found = self.store.keyword(request.query, request.limit, wanted)
            return [each.memory for each in found], EVERYTHING
        embedder, note = self.embedder.get() if request.query.strip() else (None, "")
        if embedder is None and request.mode is SearchMode.SEMANTIC:
            raise ModelError("Searching by meaning is not possible yet.", hint=note, permanent=False)
        now = self.clock.now()
        hits = found_by_rules(
            lambda each: search(self.store, each, embedder=embedder, now=now), request, active_rules(self.store)
        )
        memories = [hit.memory for hit in hits]
        if request.mode is SearchMode.HYBRID:
            memories += self._begun(request.query, wanted, {memory.id for memory in memories})
        return memories[: request.limit], note

    def _begun(self, query: str, wanted: Filter, known: set[str]) -> list[Memory]:
        """Memories in which each word of the query begins a word: it is searched while somebody types."""
        parts = query.casefold().split()
        if not parts or len(parts[-1]) < 2:
            return []
        return [
            memory
            for memory in self.store.list(wanted, limit=MAX_LIMIT)
            if memory.id not in known and _has_beginnings(one_line(memory.memory), parts)
        ]


def _has_beginnings(text: str, parts: list[str]) -> bool:
    padded = " " + "".join(each if each.isalnum() else " " for each in text.casefold())
    return all(f" {part}" in padded for part in parts)
