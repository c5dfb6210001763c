"""Fakes for the tests of the store: an embedder of hashes, and short ways to records."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from junod.memory.embedder import Embedding
from junod.records import NewMemory, Passage

NOW = datetime(2026, 3, 23, 18, 0, tzinfo=UTC)


class HashEmbedder:
    """Each word pushes the vector in a direction of its own: texts that share words are near."""

    def __init__(self, dims: int = 32, name: str = "hash") -> None:
        self.name = name
        self.dims = dims

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._one(text) for text in texts])

    def _one(self, text: str) -> NDArray[np.float32]:
        total = np.zeros(self.dims, dtype=np.float64)
        for word in text.casefold().split() or ["empty"]:
            seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big")
            total += np.random.default_rng(seed).standard_normal(self.dims)
        return (total / np.linalg.norm(total)).astype(np.float32)


def embedding(text: str, embedder: HashEmbedder | None = None) -> Embedding:
    embedder = embedder or HashEmbedder()
    return Embedding(embedder.name, embedder.embed([text])[0])


def new(memory: str, **changes: Any) -> NewMemory:
    fields: dict[str, Any] = {
        "memory": memory,
        "transcript": f"someone said {memory}",
        "spoken_at": NOW,
        "expires_at": None,
        "room": "kitchen",
    }
    return NewMemory(**(fields | changes))


def passage(passage_id: str, transcript: str, **changes: Any) -> Passage:
    fields: dict[str, Any] = {"id": passage_id, "transcript": transcript, "spoken_at": NOW, "room": "kitchen"}
    return Passage(**(fields | changes))
