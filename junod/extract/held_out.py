"""What judges that never saw a passage's author made of it: the file that honest figures are computed from."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from junod.errors import ModelError
from junod.extract.features import Judgement
from junod.extract.focus import Piece, judged
from junod.extract.gate import Judges
from junod.extract.pieces import spans
from junod.records import Passage

HELD_OUT_FILE = "heldout.json.gz"


@dataclass(frozen=True, slots=True)
class HeldOut:
    judgement: Judgement
    pieces: tuple[tuple[float, ...], ...]
    """For each piece of the transcript the encoder's logits: it holds a memory, then one for each kind."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Judgements made before. Implements `gate.Judge`, `gate.WordJudge` and `focus.PieceJudge`.

    KeyError for a passage that is not among them.
    """

    of: Mapping[str, HeldOut]
    """By passage id."""
    judge: Literal["encoder", "words", "states"] = "encoder"

    def logit(self, passage: Passage) -> float:
        logit: float = getattr(self.of[passage.id].judgement, self.judge)
        return logit

    def peak(self, passage: Passage) -> float:
        return self.of[passage.id].judgement.peak

    def pieces(self, passage: Passage) -> tuple[Piece, ...]:
        rows = [(row[0], _softmax(row[1:])) for row in self.of[passage.id].pieces]
        missing = len(spans(passage.transcript)) - len(rows)  # a masked credential may take a full stop with it
        return judged(passage.transcript, (rows + rows[-1:] * missing)[: len(rows) + missing])


def recorded(found: Mapping[str, HeldOut]) -> Judges:
    """The gate's judges, as they judged before."""
    return Judges(Recorded(found), Recorded(found, "words"), Recorded(found, "states"))


def read_held_out(path: Path) -> dict[str, HeldOut]:
    """By passage id.

    Raises:
        ModelError: missing or damaged.
    """
    try:
        rows = json.loads(gzip.decompress(path.read_bytes()))
        return {
            key: HeldOut(Judgement(*map(float, logits)), tuple(tuple(map(float, row)) for row in pieces))
            for key, (logits, pieces) in rows.items()
        }
    except (OSError, EOFError, ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read ({error}).", hint="Install junod again.") from error


def write_held_out(path: Path, found: Mapping[str, HeldOut]) -> None:
    """Logits of the gate to three digits, of pieces to one."""
    rows = {
        key: [
            [round(value, 3) for value in one.judgement.deep()],
            [[round(value, 1) for value in row] for row in one.pieces],
        ]
        for key, one in sorted(found.items())
    }
    path.write_bytes(gzip.compress(json.dumps(rows, separators=(",", ":")).encode(), mtime=0))


def _softmax(logits: tuple[float, ...]) -> list[float]:
    powers = np.exp(np.array(logits) - max(logits))
    shares: list[float] = (powers / powers.sum()).tolist()
    return shares
