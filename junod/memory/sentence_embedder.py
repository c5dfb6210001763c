"""Adapter: sentence-transformers as the Embedder, from a local folder only."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from junod.errors import ModelError
from junod.memory import codec

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_NEEDED = ("modules.json", "config.json", "tokenizer.json")
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")


class SentenceEmbedder:
    """Implements Embedder, for several threads. Loading takes seconds and some hundred MB; make one and share it."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        """Load the model in `folder`; its name is the folder's.

        Args:
            threads: CPU threads of torch, which knows one number for the whole process.

        Raises:
            ModelError: a file is missing or cannot be read.
        """
        self.name = folder.name
        self._lock = threading.Lock()
        _check_files(folder)
        os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()
            torch.set_num_threads(threads)
            self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
            self.dims = self._model.get_embedding_dimension() or 0
        except ImportError as error:
            raise ModelError(
                f"The package sentence-transformers does not load: {error}.", hint="Run scripts/setup again."
            ) from error
        except Exception as error:  # the libraries below share no base class for a damaged file
            raise ModelError(
                f"The embedding model {_largest(folder)} cannot be read ({type(error).__name__}: {error}).",
                hint=_hint(folder),
            ) from error

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See Embedder. Text beyond the model's window (256 tokens for MiniLM) does not count."""
        return self._encoded(self._model, texts)

    def _encoded(self, model: SentenceTransformer, texts: Sequence[str]) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self.dims), dtype=np.float32)
        try:
            with self._lock:  # the tokenizer cannot be used by two threads at once
                vectors = model.encode(
                    [codec.clean(text) for text in texts],
                    normalize_embeddings=True,
                    convert_to_numpy=True,
                    show_progress_bar=False,
                )
        except (RuntimeError, ValueError, MemoryError) as error:
            raise ModelError(f"The embedding model {self.name} failed: {error}.", permanent=False) from error
        return np.asarray(vectors, dtype=np.float32)


class AskingEmbedder(SentenceEmbedder):
    """Implements QuestionEmbedder: the same model twice, the second taught how households ask.

    The second shares the first one's table of words, so it costs 42 MB and not 91.
    """

    def __init__(self, folder: Path, questions: Path, *, threads: int) -> None:
        """Load the model in `folder`, and what `scripts/train_questions.py` made of it.

        Raises:
            ModelError: as SentenceEmbedder; or `questions` is damaged, or was taught to other weights.
        """
        super().__init__(folder, threads=threads)
        from junod.low_rank import add_difference, read_difference, sha256_of

        tensors, about = read_difference(questions)
        if sha256_of(_largest(folder)) != about.get("base_sha256"):
            raise ModelError(f"{folder} does not hold the weights that learned to ask.", hint=_hint(folder))
        bert = self._model[0].auto_model
        self._asking = copy.deepcopy(self._model, {id(bert.embeddings): bert.embeddings})
        add_difference(self._asking[0].auto_model, tensors)

    def embed_questions(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See QuestionEmbedder."""
        return self._encoded(self._asking, texts)


def _check_files(folder: Path) -> None:
    for name in _NEEDED:
        if not (folder / name).is_file():
            raise ModelError(f"The embedding model lacks the file {folder / name}.", hint=_hint(folder))
    if not any((folder / name).is_file() for name in _WEIGHTS):
        raise ModelError(f"The embedding model lacks the file {folder / _WEIGHTS[0]}.", hint=_hint(folder))


def _largest(folder: Path) -> Path:
    return next(folder / name for name in _WEIGHTS if (folder / name).is_file())


def _hint(folder: Path) -> str:
    return f"Run `junod models pull {folder.name}`."
