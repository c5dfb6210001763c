"""What turns text into vectors, as the rest of junod sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from junod.errors import ModelError
from junod.records import Memory


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """Name of the model; with `dims` it decides which vector table is used."""
        ...

    @property
    def dims(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dims), each row of length 1.

        Raises:
            ModelError: the model cannot be read or run.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """One vector and the model it came from."""

    model: str
    vector: NDArray[np.float32]
    """Shape (dims,), length 1."""


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> tuple[Embedding, ...]:
    """One embedding for each text, in order; no texts, no call of the model.

    Raises:
        ModelError: from the model, or it gave another number of vectors or longer or shorter ones than it says.
    """
    if not texts:
        return ()
    vectors = embedder.embed(texts)
    if vectors.shape != (len(texts), embedder.dims):
        raise ModelError(
            f"The embedding model {embedder.name} gave vectors of shape {vectors.shape}, not"
            f" {(len(texts), embedder.dims)}.",
            hint="`junod models pull` gets its files anew; or choose another memory.embedding_model.",
        )
    return tuple(Embedding(embedder.name, vector) for vector in vectors)


class Backlog(Protocol):
    """Memories that have no vector of a model yet, in batches."""

    def unembedded(self, model: str, dims: int) -> Sequence[Memory]: ...

    def set_embedding(self, memory_id: str, embedding: Embedding) -> None: ...
