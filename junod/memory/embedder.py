"""What turns text into vectors, as the rest of junod sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class QuestionEmbedder(Embedder, Protocol):
    """An Embedder that has learned besides how households ask."""

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed`; the vectors lie near those that `embed` makes of the memories that answer."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """One vector and the model it came from."""

    model: str
    vector: NDArray[np.float32]
    """Shape (dims,), length 1."""
    asks: bool = False
    """Made by `QuestionEmbedder.embed_questions`: its cosines mean something else."""


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> tuple[Embedding, ...]:
    """One embedding for each text, in order; no texts, no call of the model.

    Raises:
        ModelError: from the model, or it gave another number of vectors or longer or shorter ones than it says.
    """
    return _checked(embedder, texts, embedder.embed(texts)) if texts else ()


def embed_question(embedder: Embedder, text: str) -> Embedding:
    """What is asked, by what has learned how households ask where there is such a thing.

    Raises:
        ModelError: as `embed_texts`.
    """
    if not isinstance(embedder, QuestionEmbedder):
        return embed_texts(embedder, [text])[0]
    (found,) = _checked(embedder, [text], embedder.embed_questions([text]))
    return replace(found, asks=True)


def _checked(embedder: Embedder, texts: Sequence[str], vectors: NDArray[np.float32]) -> tuple[Embedding, ...]:
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
