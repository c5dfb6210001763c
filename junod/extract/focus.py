"""Which sentences of a passage hold what is worth keeping, and of what kind it is (pure).

A linear model over the words of a sentence and of its neighbours, learned from passages where the answer is known. A
small language model loses the one sentence that counts among a dozen that do not; shown the likely ones, it finds it.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from junod.errors import ModelError
from junod.extract.evidence import sentences
from junod.records import Kind

FOCUS_FILE = "models/focus/sentences.json.gz"
LONGEST_PIECE = 24
"""Words; a recogniser may write minutes of talk without a full stop."""
_CUT = 12
_TERM = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)?|[?!♪]")
_NEIGHBOURS = ((-2, "pp"), (-1, "p"), (1, "n"), (2, "nn"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, or a dozen words of one that never ends."""

    text: str
    place: int
    score: float = 0.0
    """Log-odds that it holds what is to be kept."""


@dataclass(frozen=True, slots=True)
class FocusModel:
    """Weights by term; missing terms weigh nothing."""

    bias: float
    weights: Mapping[str, float]
    kind_bias: Mapping[Kind, float]
    kind_weights: Mapping[str, Sequence[float]]
    """Term -> a weight for each kind, in the order of `Kind`."""

    def scored(self, transcript: str) -> list[Piece]:
        """Every piece of the transcript, in order, with its score."""
        texts = pieces(transcript)
        return [
            Piece(text, place, self.bias + sum(self.weights.get(term, 0.0) for term in set(terms(texts, place))))
            for place, text in enumerate(texts)
        ]

    def likely(self, transcript: str, most: int = 3) -> tuple[Piece, ...]:
        """The pieces most likely to hold something, in the order spoken."""
        best = sorted(self.scored(transcript), key=lambda piece: -piece.score)[:most]
        return tuple(sorted(best, key=lambda piece: piece.place))

    def kinds(self, transcript: str, place: int) -> dict[Kind, float]:
        """Log-odds of each kind for the piece at `place`."""
        found = set(terms(pieces(transcript), place))
        rows = [self.kind_weights[term] for term in found if term in self.kind_weights]
        return {kind: self.kind_bias[kind] + sum(row[i] for row in rows) for i, kind in enumerate(Kind)}


def pieces(transcript: str) -> list[str]:
    """Sentences, those without an end cut into runs of a dozen words."""
    found: list[str] = []
    for _, _, sentence in sentences(transcript):
        spoken = sentence.split()
        runs = [spoken] if len(spoken) <= LONGEST_PIECE else [spoken[i : i + _CUT] for i in range(0, len(spoken), _CUT)]
        found += [" ".join(run) for run in runs]
    return found


def terms(texts: Sequence[str], place: int) -> list[str]:
    """What the model sees of the piece at `place`: words, pairs, the neighbours' words, where it stands."""
    own = _terms(texts[place])
    found = [f"w={word}" for word in own]
    found += [f"b={first}_{second}" for first, second in pairwise(["^", *own, "$"])]
    for step, name in _NEIGHBOURS:
        if 0 <= place + step < len(texts):
            found += [f"{name}={word}" for word in _terms(texts[place + step])]
    found += [f"long{min(5, len(own) // 4)}", f"at{5 * place // len(texts)}", f"of{min(10, len(texts))}"]
    return found + ["last"] * (place == len(texts) - 1) + ["first"] * (place == 0)


def load_focus(path: Path) -> FocusModel:
    """Read a model that `scripts/train-focus` wrote.

    Raises:
        ModelError: missing or damaged.
    """
    try:
        data = json.loads(gzip.decompress(path.read_bytes()))
        kinds = {Kind(name): float(value) for name, value in data["kind_bias"].items()}
        return FocusModel(float(data["bias"]), data["weights"], kinds, data["kind_weights"])
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} is missing or damaged.", hint="Install junod again.") from error


def _terms(text: str) -> list[str]:
    return [re.sub(r"\d", "0", term) for term in _TERM.findall(text.lower())]
