"""The embedding models of a household: the configured one, and the one whose vectors answer while those change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from junod.errors import ModelError
from junod.resources import data_file
from junod.settings import Settings, models_dir

if TYPE_CHECKING:
    from junod.memory.embedder import Embedder
    from junod.memory.reembedding import Progress
    from junod.memory.store import MemoryStore


QUESTIONS = "models/search/questions.safetensors"
ASKS = "all-MiniLM-L6-v2"
"""The model that has been taught how households ask."""


def embedding_path(settings: Settings) -> Path:
    from junod.weights.locate import model_path

    return model_path(settings.memory.embedding_model, models_dir(settings))


def build_embedder(settings: Settings) -> Embedder:
    """The configured embedding model: a sentence-transformers folder, or a GGUF file through llama.cpp."""
    return _embedder_at(embedding_path(settings), settings)


class Embedders:
    """Both models of one household, each loaded once. Thread-safe."""

    def __init__(self, settings: Settings, store: MemoryStore) -> None:
        self._settings, self._store = settings, store
        self._lock = threading.Lock()
        self._old: Embedder | None = None
        self._missing = ""
        self.configured = Once(lambda: build_embedder(settings))
        """What new memories are read by; ModelError where it cannot be loaded."""

    def answering(self) -> Embedder:
        """The configured model, or after a change of models the old one until the new has read nearly everything.

        Where the old one is not on this machine any more, the configured one answers with what it has. The old one is
        let go of once it is not needed.

        Raises:
            ModelError, StoreError: the configured model or the database cannot be read.
        """
        from junod.memory.reembedding import answering

        configured = self.configured()
        model, dims = answering(self._store, configured.name, configured.dims)
        with self._lock:
            if (model, dims) == (configured.name, configured.dims):
                self._old = None
                return configured
            if self._old is None and self._missing != model:
                self._old = self._load(model)
                self._missing = "" if self._old else model
            return self._old if self._old is not None and self._old.dims == dims else configured

    def _load(self, model: str) -> Embedder | None:
        from junod.weights.locate import model_path

        try:
            return _embedder_at(model_path(model, models_dir(self._settings)), self._settings)
        except ModelError:
            return None


class Once:
    """Builds the embedder at the first call, whatever the thread, and keeps it; a failure is tried again."""

    def __init__(self, build: Callable[[], Embedder]) -> None:
        self._build = build
        self._lock = threading.Lock()
        self._built: Embedder | None = None

    def __call__(self) -> Embedder:
        with self._lock:
            if self._built is None:
                self._built = self._build()
            return self._built


def reading_again(settings: Settings, store: MemoryStore) -> Progress | None:
    """How far the configured model is with reading all memories, no model loaded; None where it has read all.

    Raises:
        StoreError: the database cannot be read.
    """
    from junod.memory.reembedding import progress_of

    found = progress_of(store, configured_name(settings))
    return found if found.left else None


def configured_name(settings: Settings) -> str:
    """What the configured model's vectors are filed under."""
    try:
        path = embedding_path(settings)
    except ModelError:
        path = Path(settings.memory.embedding_model)
    return path.stem if path.suffix == ".gguf" else path.name


def _embedder_at(path: Path, settings: Settings) -> Embedder:
    if path.suffix == ".gguf":
        from junod.memory.gguf_embedder import GgufEmbedder

        return GgufEmbedder(path, dims=settings.memory.embedding_dims, threads=settings.memory.embedding_threads)
    from junod.memory.sentence_embedder import AskingEmbedder, SentenceEmbedder

    threads = settings.memory.embedding_threads
    if path.name == ASKS:
        return AskingEmbedder(path, data_file(QUESTIONS), threads=threads)
    return SentenceEmbedder(path, threads=threads)
