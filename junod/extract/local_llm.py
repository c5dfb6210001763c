"""A GGUF language model through llama.cpp.

One context, one sequence. The shared prefix of the prompts stays in the KV cache; what follows it is evaluated for each
passage and cut off again. The cache is as large as `context_tokens` and never grows.
"""

from __future__ import annotations

import ctypes
import math
import time
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
from numpy.typing import NDArray

from junod.errors import AnswerTooLongError, DeadlineError, ExtractionError, ModelError
from junod.extract.budget import fit
from junod.extract.language_model import Prompt, Reading
from junod.extract.llama import CHUNK, engine_reason, fill, forget_errors, free, load, piece_of, tokens_of
from junod.extract.lookup import draft
from junod.sections import ExtractSettings

_GUESS = 6
"""Most tokens guessed at once."""


class LocalLanguageModel:
    """`LanguageModel` on this machine's CPU. Not thread-safe.

    Raises (on construction):
        ModelError: the file is missing, cut short, or not a model llama.cpp can load.
    """

    def __init__(self, gguf: Path, settings: ExtractSettings) -> None:
        self._path = gguf
        self._settings = settings
        self._model, self._context = load(gguf, settings.context_tokens, settings.threads)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self._n_vocab = llama_cpp.llama_vocab_n_tokens(self._vocab)
        self._n_embd = llama_cpp.llama_model_n_embd(self._model)
        pieces = [self._piece(token) for token in range(self._n_vocab)]
        self._open_ids = np.array([i for i, piece in enumerate(pieces) if piece.lstrip()[:1] == b"{"])
        self._close_ids = np.array([i for i, piece in enumerate(pieces) if piece.lstrip()[:1] == b"]"])
        self._batch = llama_cpp.llama_batch_init(_GUESS + 1, 0, 1)
        self._prefix = ""
        self._prefix_ids: list[int] = []
        self._last: Prompt | None = None
        self._last_tokens: list[int] = []
        self._last_logits: NDArray[np.float32] = np.empty(0, np.float32)
        self._last_reading: Reading | None = None

    def read(self, prompt: Prompt) -> Reading:
        """One forward pass over what follows the prefix; see `LanguageModel.read`."""
        if self._last_reading is not None and prompt == self._last:
            return self._last_reading
        self._last = self._last_reading = None
        self._hold_prefix(prompt.prefix)
        deadline_s = time.monotonic() + self._settings.deadline_s
        own = self._own_tokens(prompt)
        self._cut(len(self._prefix_ids))
        hidden = self._evaluate_to_state(own, deadline_s)
        self._last_logits = self._logits()
        self._last, self._last_tokens = prompt, [*self._prefix_ids, *own]
        log_odds = _logsumexp(self._last_logits[self._open_ids]) - _logsumexp(self._last_logits[self._close_ids])
        self._last_reading = Reading(float(log_odds), hidden, len(own))
        return self._last_reading

    def hold(self, prompt: Prompt) -> None:
        """Evaluate the part that all prompts share, so that the first passage need not wait for it."""
        self._hold_prefix(prompt.prefix)

    def complete(self, prompt: Prompt, grammar: str | None, max_tokens: int, deadline_s: float) -> str:
        """Greedy continuation of `prompt`; ends when the grammar is satisfied or the model ends its turn."""
        self.read(prompt)
        deadline = time.monotonic() + deadline_s
        self._cut(len(self._last_tokens))
        sampler = _Grammar(self._vocab, grammar) if grammar else None
        try:
            return self._generate(sampler, max_tokens, deadline)
        finally:
            if sampler is not None:
                sampler.close()

    def self_test(self) -> None:
        """A golden prompt: some builds answer nonsense on some processors without any error.

        Raises:
            ModelError: the model loads but does not compute what it should.
        """
        golden = Prompt("Monday, Tuesday, Wednesday,", "", (), " Thursday, Friday,", " Saturday,")
        reading = self.read(golden)
        best = self._piece(int(self._last_logits.argmax())).strip()
        if not np.isfinite(self._last_logits).all() or not np.isfinite(reading.hidden).all() or best != b"Sunday":
            raise ModelError(
                f"{self._path} loads but computes nonsense on this machine.",
                hint="Run `junod models verify`; if the file is whole, rebuild llama-cpp-python on this machine.",
            )

    def close(self) -> None:
        if self._context is not None:
            free(self._model, self._context, self._batch)
            self._context = self._model = self._memory = None

    def _hold_prefix(self, prefix: str) -> None:
        """Without a deadline: it is paid for once, and half of it would be lost."""
        if prefix == self._prefix and self._prefix_ids:
            return
        self._prefix, self._prefix_ids = "", []
        self._cut(0)
        tokens = self._tokens(prefix, special=True)
        self._check_room(len(tokens))
        self._evaluate(tokens, math.inf)
        self._prefix, self._prefix_ids = prefix, tokens

    def _own_tokens(self, prompt: Prompt) -> list[int]:
        room = self._tokens(prompt.room, special=False)
        label = self._tokens(prompt.context_label, special=True)
        before = self._tokens(prompt.transcript_label, special=True)
        suffix = self._tokens(prompt.suffix, special=True)
        fixed = len(room) + len(label) + len(before) + len(suffix)
        left = self._settings.context_tokens - self._settings.max_tokens - len(self._prefix_ids) - fixed
        context, transcript = fit(
            [self._tokens(earlier + "\n", special=False) for earlier in prompt.context],
            self._tokens(prompt.transcript, special=False),
            left,
        )
        earlier = label + [token for part in context for token in part] if context else []
        return [*room, *earlier, *before, *transcript, *suffix]

    def _check_room(self, prefix_tokens: int) -> None:
        if prefix_tokens + self._settings.max_tokens + 64 > self._settings.context_tokens:
            raise ExtractionError(
                f"The prompt's fixed part takes {prefix_tokens} tokens and leaves no room for speech.",
                hint="Raise extract.context_tokens.",
            )

    def _generate(self, sampler: _Grammar | None, max_tokens: int, deadline: float) -> str:
        """Greedy, with guesses from `lookup` confirmed a batch at a time."""
        answer: list[int] = []
        rows, guess = [self._last_logits], list[int]()
        while len(answer) < max_tokens:
            for place, logits in enumerate(rows):
                token = sampler.pick(logits) if sampler else int(logits.argmax())
                if llama_cpp.llama_vocab_is_eog(self._vocab, token):
                    return self._text(answer)
                answer.append(token)
                if sampler and sampler.accept(token):
                    return self._text(answer)
                if place < len(guess) and token != guess[place]:
                    break
            if time.monotonic() > deadline:
                raise DeadlineError("The language model passed its deadline.", permanent=False, hint=_SLOW)
            self._cut(len(self._last_tokens) + len(answer) - 1)
            guess = draft([*self._last_tokens, *answer], _GUESS)
            rows = self._decode_all([answer[-1], *guess])
        raise AnswerTooLongError(f"The language model's answer passed {max_tokens} tokens.", permanent=False)

    def _text(self, tokens: list[int]) -> str:
        return b"".join(self._piece(token) for token in tokens).decode("utf-8", "replace")

    def _evaluate_to_state(self, tokens: list[int], deadline: float) -> NDArray[np.float32]:
        """Hidden state at the last token. Only that one is evaluated with embeddings on: they force logits for each."""
        self._evaluate(tokens[:-1], deadline)
        llama_cpp.llama_set_embeddings(self._context, True)
        try:
            self._decode(tokens[-1:])
            state = llama_cpp.llama_get_embeddings_ith(self._context, -1)
            return np.ctypeslib.as_array(state, (self._n_embd,)).astype(np.float32, copy=True)
        finally:
            llama_cpp.llama_set_embeddings(self._context, False)

    def _evaluate(self, tokens: list[int], deadline: float) -> None:
        for start in range(0, len(tokens), CHUNK):
            if time.monotonic() > deadline:
                raise DeadlineError("The language model passed its deadline.", permanent=False, hint=_SLOW)
            self._decode(tokens[start : start + CHUNK])

    def _decode(self, tokens: list[int]) -> None:
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        self._run(llama_cpp.llama_batch_get_one(array, len(tokens)))

    def _run(self, batch: Any) -> None:
        code = llama_cpp.llama_decode(self._context, batch)
        if code != 0:
            self._prefix_ids, self._last, self._last_reading = [], None, None
            raise ExtractionError(f"llama.cpp could not evaluate the prompt (code {code}).", permanent=False)

    def _decode_all(self, tokens: list[int]) -> list[NDArray[np.float32]]:
        """Evaluate a few tokens; logits after each of them."""
        first = llama_cpp.llama_memory_seq_pos_max(self._memory, 0) + 1
        fill(self._batch, tokens, first)
        self._run(self._batch)
        return [self._logits(place) for place in range(len(tokens))]

    def _cut(self, length: int) -> None:
        llama_cpp.llama_memory_seq_rm(self._memory, 0, length, -1)

    def _logits(self, place: int = -1) -> NDArray[np.float32]:
        logits = llama_cpp.llama_get_logits_ith(self._context, place)
        return np.ctypeslib.as_array(logits, (self._n_vocab,)).astype(np.float32, copy=True)

    def _tokens(self, text: str, *, special: bool) -> list[int]:
        return tokens_of(self._vocab, text, special=special)

    def _piece(self, token: int) -> bytes:
        return piece_of(self._vocab, token)


_SLOW = "Raise extract.deadline_s, or choose a smaller model."


class _Grammar:
    """Greedy choice under a GBNF grammar. The best token is tried alone before all 150,000 are filtered."""

    def __init__(self, vocab: Any, grammar: str) -> None:
        forget_errors()
        self._vocab = vocab
        self._sampler = llama_cpp.llama_sampler_init_grammar(vocab, grammar.encode(), b"root")
        if not self._sampler:
            raise ExtractionError(f"llama.cpp refused the grammar: {engine_reason()}.")
        self._eos = llama_cpp.llama_vocab_eos(vocab)

    def pick(self, logits: NDArray[np.float32]) -> int:
        best = int(logits.argmax())
        if self._allows(best, float(logits[best])):
            return best
        order = np.argsort(-logits)
        for size in (32, 1024, len(order)):
            allowed = self._filter(order[:size], logits)
            if allowed is not None:
                return allowed
        raise ExtractionError("The grammar allows no token at all.", permanent=False)

    def accept(self, token: int) -> bool:
        """Take `token`; True where the grammar is then satisfied."""
        llama_cpp.llama_sampler_accept(self._sampler, token)
        return self._allows(self._eos, 0.0)

    def close(self) -> None:
        llama_cpp.llama_sampler_free(self._sampler)

    def _allows(self, token: int, logit: float) -> bool:
        return self._filter(np.array([token]), {token: logit}) is not None

    def _filter(self, tokens: NDArray[np.int64], logits: Any) -> int | None:
        data = (llama_cpp.llama_token_data * len(tokens))(*[(int(t), float(logits[t]), 0.0) for t in tokens])
        array = llama_cpp.llama_token_data_array(data=data, size=len(tokens), selected=-1, sorted=False)
        llama_cpp.llama_sampler_apply(self._sampler, ctypes.byref(array))
        kept = [(data[i].logit, data[i].id) for i in range(len(tokens)) if data[i].logit > -np.inf]
        return int(max(kept)[1]) if kept else None


def _logsumexp(values: NDArray[np.float32]) -> float:
    peak = values.max()
    return float(peak + np.log(np.exp(values - peak).sum()))
