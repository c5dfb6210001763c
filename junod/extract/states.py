"""What the lower half of a language model makes of a passage: one more judge of the gate, through llama.cpp.

It reads the passage after a sentence that says what it is about to hear; the mean of its states over what is said goes
through a probe (Alain and Bengio, "Understanding intermediate layers using linear classifier probes", 2016), here with
one hidden layer.
What was said before is left to the other judges: here it would cost as much as the passage, and it misleads (ADR 6).
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

import llama_cpp
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from junod.errors import ExtractionError, ModelError
from junod.extract.features import encoder_text
from junod.extract.llama import fill, free, load, tokens_of
from junod.records import Passage

PROBE_FILE = "states.safetensors"
TASK = (
    "A device in a home hears its family, its guests, its television and its telephone. It keeps what the family needs"
    " to buy, its appointments, visits and promises, and lasting facts.\n"
)
"""Read before each passage: what is said is then taken in with this in mind."""
MAX_SAID = 260
"""Tokens read of a passage, from its beginning."""
LEAST_WORDS, MOST_BRIEF = 8, 3.0
"""Of what is shorter and follows other talk the meaning may stand there ('Thursday.'), which this judge does not read:
its logit then counts only so far either way."""
_CONTEXT_TOKENS = 512
_CHUNK = 64
"""Tokens evaluated in one call: llama.cpp keeps the scores of all words for each of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """A judge of mean states: a network of one hidden layer, or several side by side whose logits are averaged."""

    middle: NDArray[np.float32]
    """Shape (width,): taken off a state."""
    hidden: NDArray[np.float32]
    """Shape (width, hidden)."""
    hidden_bias: NDArray[np.float32]
    """Shape (hidden,)."""
    out: NDArray[np.float32]
    """Shape (hidden,)."""
    bias: NDArray[np.float32]
    """Shape (1,)."""

    def __call__(self, state: NDArray[np.float32]) -> float:
        inner = (state - self.middle) @ self.hidden + self.hidden_bias
        bent = inner * (1 + np.tanh(0.7978845608 * (inner + 0.044715 * inner**3))) / 2  # GELU by tanh
        return float(bent @ self.out + self.bias[0])


class StateReader:
    """Lower layers of a language model as they read passages. Not thread-safe: one thread owns it."""

    def __init__(self, gguf: Path, *, threads: int = 1) -> None:
        """Load the model and let it read the task.

        Raises:
            ModelError: the file is missing or damaged.
        """
        self._model, self._context = load(gguf, _CONTEXT_TOKENS, threads, _CHUNK)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self.width = int(llama_cpp.llama_model_n_embd(self._model))
        self._batch = llama_cpp.llama_batch_init(_CHUNK, 0, 1)
        task = self._tokens(TASK)
        self._decode(task, 0)
        self._begin = len(task)

    def mean_state(self, passage: Passage) -> NDArray[np.float32]:
        """Mean of the states over the tokens of what is said, shape (width,); zeros where nothing is.

        Raises:
            ExtractionError: llama.cpp failed.
        """
        said = passage.transcript
        before = self._tokens(encoder_text(replace(passage, context=(), transcript="")).rstrip())
        spoken = self._tokens(f" {said}")[:MAX_SAID] if said else []
        if not spoken:
            return np.zeros(self.width, np.float32)
        llama_cpp.llama_memory_seq_rm(self._memory, 0, self._begin, -1)
        llama_cpp.llama_set_embeddings(self._context, True)
        try:
            return self._sum(before + spoken, len(before)) / np.float32(len(spoken))
        finally:
            llama_cpp.llama_set_embeddings(self._context, False)

    def close(self) -> None:
        if self._context is not None:
            free(self._model, self._context, self._batch)
            self._context = self._model = self._memory = None

    def _sum(self, tokens: list[int], first: int) -> NDArray[np.float32]:
        """Sum of the states of `tokens` from place `first` on."""
        total = np.zeros(self.width, np.float32)
        for start in range(0, len(tokens), _CHUNK):
            chunk = tokens[start : start + _CHUNK]
            self._decode(chunk, self._begin + start)
            states = llama_cpp.llama_get_embeddings(self._context)  # of every token: embeddings are on
            total += np.ctypeslib.as_array(states, (len(chunk), self.width))[max(0, first - start) :].sum(0)
        return total

    def _decode(self, tokens: list[int], place: int) -> None:
        fill(self._batch, tokens, place)
        code = llama_cpp.llama_decode(self._context, self._batch)
        if code != 0:
            raise ExtractionError(f"llama.cpp could not read a passage (code {code}).", permanent=False)

    def _tokens(self, text: str) -> list[int]:
        return tokens_of(self._vocab, text, special=False)


class StateJudge:
    """Implements `gate.Judge`."""

    def __init__(self, reader: StateReader, probe: Probe) -> None:
        self._reader, self._probe = reader, probe

    def logit(self, passage: Passage) -> float:
        return held_back(passage, self._probe(self._reader.mean_state(passage)))


def held_back(passage: Passage, logit: float) -> float:
    """What a probe says of a passage; of a brief one that follows other talk nothing too sure."""
    if passage.context and len(passage.transcript.split()) < LEAST_WORDS:
        return max(-MOST_BRIEF, min(MOST_BRIEF, logit))
    return logit


def save_probe(probe: Probe, path: Path) -> None:
    """In half precision, but for the bias and what is taken off."""
    kinds = {field.name: np.float32 if field.name in ("middle", "bias") else np.float16 for field in fields(probe)}
    # row by row in memory: safetensors writes the bytes as they lie and forgets the order
    save_file({name: np.ascontiguousarray(getattr(probe, name), kind) for name, kind in kinds.items()}, path)


def load_probe(path: Path) -> Probe:
    """Raises: ModelError: it is missing or damaged."""
    try:
        with safe_open(path, framework="numpy") as file:
            return Probe(*(file.get_tensor(field.name).astype(np.float32) for field in fields(Probe)))
    except (OSError, SafetensorError) as error:
        raise ModelError(f"The gate's weights {path} cannot be read: {error}.", hint="Install junod again.") from error
