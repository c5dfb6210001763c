"""Adapter: a GGUF embedding model through llama.cpp as the Embedder, from a local file only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from junod.errors import ModelError
from junod.memory import codec

CONTEXT_TOKENS = 512
"""What is read of a text; memories are shorter."""
MEAN_POOLING = 1
"""llama.cpp's number for it, where the file names no pooling of its own."""


class GgufEmbedder:
    """Implements Embedder. Vectors longer than `dims` are cut and made unit length again.

    Matryoshka truncation: Kusupati et al., "Matryoshka Representation Learning", NeurIPS 2022. Of a model that was not
    trained for it, a cut vector is a worse one.
    """

    def __init__(self, path: Path, *, dims: int, threads: int) -> None:
        """Load the model; its name is the file's.

        Args:
            dims: most numbers of a vector that are kept.

        Raises:
            ModelError: the file is missing or cannot be read.
        """
        if not path.is_file():
            raise ModelError(f"There is no embedding model {path}.", hint="Correct memory.embedding_model.")
        try:
            import llama_cpp

            self._model = llama_cpp.Llama(
                str(path),
                embedding=True,
                n_ctx=CONTEXT_TOKENS,
                n_batch=CONTEXT_TOKENS,
                n_ubatch=CONTEXT_TOKENS,
                n_threads=threads,
                n_threads_batch=threads,
                pooling_type=MEAN_POOLING,
                verbose=False,
            )
        except (ImportError, ValueError, RuntimeError, OSError) as error:
            raise ModelError(
                f"The embedding model {path} cannot be read ({type(error).__name__}: {error}).",
                hint="Check that it is a whole GGUF file.",
            ) from error
        self.name = path.stem
        self.dims = min(dims, int(self._model.n_embd()))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See Embedder. Text beyond CONTEXT_TOKENS does not count."""
        if not texts:
            return np.zeros((0, self.dims), dtype=np.float32)
        try:
            found = [self._model.embed(codec.clean(text) or " ", truncate=True) for text in texts]
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"The embedding model {self.name} failed: {error}.", permanent=False) from error
        cut = np.asarray(found, dtype=np.float32)[:, : self.dims]
        return np.asarray(cut / np.maximum(np.linalg.norm(cut, axis=1, keepdims=True), 1e-9), np.float32)
