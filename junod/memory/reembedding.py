"""A change of the embedding model: vectors are made anew in pieces, and until then the old ones answer.

Nothing has to be remembered between the pieces: a memory is done when the new model's table has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from junod.memory.embedder import Backlog, Embedder, embed_texts
from junod.memory.store import MemoryStore

PIECE = 16
"""Memories embedded at once: a quarter of a second, so that speech need not wait."""
SMALL = 200
"""Memories without a vector that a search embeds on the way; more is a change of models."""


@dataclass(frozen=True, slots=True)
class Progress:
    done: int
    total: int

    @property
    def left(self) -> int:
        return max(0, self.total - self.done)


def progress(store: MemoryStore, model: str, dims: int) -> Progress:
    """How many of all memories, superseded ones too, have a vector of this model."""
    with store.sessions.read() as session:
        total = session.connection.execute("SELECT count(*) FROM memories").fetchone()[0]
    return Progress(store.vector_models().get((model, dims), 0), total)


def progress_of(store: MemoryStore, model: str) -> Progress:
    """The same by the model's name alone, where it is not loaded."""
    done = [number for (name, _), number in store.vector_models().items() if name == model]
    with store.sessions.read() as session:
        total = session.connection.execute("SELECT count(*) FROM memories").fetchone()[0]
    return Progress(max(done, default=0), total)


def embed_piece(store: Backlog, embedder: Embedder) -> int:
    """Give the next few memories their vectors; how many there were, 0 = all have one."""
    batch = store.unembedded(embedder.name, embedder.dims)[:PIECE]
    for memory, embedding in zip(batch, embed_texts(embedder, [each.memory for each in batch]), strict=True):
        store.set_embedding(memory.id, embedding)
    return len(batch)


def embed_all(store: Backlog, embedder: Embedder, tell: Callable[[int], None]) -> int:
    """The same to the end; `tell` hears of each piece how many are done."""
    done = 0
    while piece := embed_piece(store, embedder):
        done += piece
        tell(done)
    return done


def answering(store: MemoryStore, model: str, dims: int) -> tuple[str, int]:
    """The model whose vectors should answer now: this one, unless it lacks many and another has more."""
    counts = store.vector_models()
    if progress(store, model, dims).left <= SMALL:
        return model, dims
    best = max(counts, key=lambda key: counts[key], default=(model, dims))
    return best if counts.get(best, 0) > counts.get((model, dims), 0) else (model, dims)
