"""The gate's encoder as judge of the pieces of a passage. Needs torch, as the encoder does."""

from __future__ import annotations

from junod.extract.encoder import EncoderScorer
from junod.extract.focus import Piece, judged
from junod.records import Passage


class EncoderPieces:
    """Implements `focus.PieceJudge` with the forward pass that the gate has paid for."""

    def __init__(self, encoder: EncoderScorer) -> None:
        self._encoder = encoder

    def pieces(self, passage: Passage) -> tuple[Piece, ...]:
        rows = [(one.score, one.kinds) for one in self._encoder.read(passage).pieces]
        return judged(passage.transcript, rows)
