"""The gate's sentence encoder: public MiniLM weights plus a small trained difference. Needs torch and transformers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn import functional
from transformers import AutoTokenizer, BertModel
from transformers.utils import logging as transformers_logging

from junod.errors import ModelError
from junod.extract.features import encoder_text
from junod.extract.pieces import owners, spans
from junod.low_rank import add_difference, read_difference, sha256_of
from junod.records import Kind, Passage

MAX_TOKENS = 256
DIFFERENCE_FILE = "encoder.safetensors"
KINDS = tuple(str(kind) for kind in Kind)
SAID = "said: "
"""What stands before the transcript in `features.encoder_text`."""

_HINT = "Run `junod models pull`."


@dataclass(frozen=True, slots=True)
class PieceReading:
    """What the encoder makes of one piece of a transcript (`pieces.spans`)."""

    score: float
    """Log-odds that it holds what is to be kept."""
    kinds: tuple[float, ...]
    """If it does: probability of each kind, in the order of `Kind`."""


@dataclass(frozen=True, slots=True)
class EncoderReading:
    logit: float
    """That the passage holds something to keep."""
    pieces: tuple[PieceReading, ...]


class EncoderScorer:
    """Implements `gate.Encoder`. Not thread-safe: one thread owns it."""

    def __init__(self, base: Path, difference: Path, *, threads: int = 1) -> None:
        """Load the public weights from the folder `base` and add the trained difference.

        Raises:
            ModelError: a file is missing or damaged, or the base is another than the one trained on.
        """
        torch.set_num_threads(threads)
        transformers_logging.set_verbosity_error()  # else it reports the pooler, which nobody asked for
        transformers_logging.disable_progress_bar()
        self.sha256 = sha256_of(difference)
        tensors, about = read_difference(difference)
        if sha256_of(base / "model.safetensors") != about.get("base_sha256"):
            raise ModelError(f"{base} does not hold the weights that the gate was trained on.", hint=_HINT)
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True, truncation_side="left")
            self._bert = BertModel.from_pretrained(base, local_files_only=True, add_pooling_layer=False).eval()
        except (OSError, ValueError) as error:
            raise ModelError(f"The encoder in {base} cannot be loaded: {error}.", hint=_HINT) from error
        self._head = tensors.pop("head.weight").float(), tensors.pop("head.bias").float()
        self._piece = tensors.pop("piece.weight").float(), tensors.pop("piece.bias").float()
        self._last: tuple[Passage, EncoderReading] | None = None
        add_difference(self._bert, tensors)

    def logit(self, passage: Passage) -> float:
        return self.read(passage).logit

    def read(self, passage: Passage) -> EncoderReading:
        """One forward pass; the last passage read is remembered, as gate and focus ask for the same."""
        if self._last is None or self._last[0] != passage:
            self._last = passage, self._read(passage)
        return self._last[1]

    def _read(self, passage: Passage) -> EncoderReading:
        text, places = encoder_text(passage), spans(passage.transcript)
        start = len(text) - len(passage.transcript)
        inputs = self._tokenizer(
            text, truncation=True, max_length=MAX_TOKENS, return_tensors="pt", return_offsets_mapping=True
        )
        tokens = [(int(begin), int(end)) for begin, end in inputs.pop("offset_mapping")[0]]
        owner = torch.tensor(owners(tokens, [(begin + start, end + start) for begin, end in places]))
        with torch.inference_mode():
            states = self._bert(**inputs).last_hidden_state[0]
            logit = functional.linear(states.mean(0), *self._head)
            pieces = functional.linear(pooled_pieces(states, owner, len(places)), *self._piece)
            kinds = pieces[:, 1:].softmax(1)
        rows = zip(pieces[:, 0].tolist(), kinds.tolist(), strict=True)
        return EncoderReading(float(logit), tuple(PieceReading(score, tuple(shares)) for score, shares in rows))


def pooled_pieces(states: torch.Tensor, owner: torch.Tensor, pieces: int) -> torch.Tensor:
    """Mean of each piece's tokens, (pieces, width); zeros for a piece whose tokens were cut off.

    Args:
        states: (tokens, width).
        owner: (tokens,), the piece of each token, -1 = none.
    """
    inside = owner >= 0
    sums = states.new_zeros(pieces, states.shape[-1]).index_add(0, owner[inside], states[inside])
    counts = torch.bincount(owner[inside], minlength=pieces).clamp(min=1)
    return sums / counts.unsqueeze(-1)
