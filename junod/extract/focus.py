"""Which sentences of a passage hold what is worth keeping, and of what kind it is (pure).

A linear model over the words of a sentence and of its neighbours, learned from passages where the answer is known. A
small language model loses the one sentence that counts among a dozen that do not; shown the likely ones, it finds it.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from junod.errors import ModelError
from junod.extract.evidence import sentences
from junod.extract.words import content, overlap
from junod.records import Kind

FOCUS_FILE = "models/focus/sentences.json.gz"
LONGEST_PIECE = 24
"""Words; a recogniser may write minutes of talk without a full stop."""
_CUT = 12
LEAST_SHARE = 0.1
"""A kind less probable is not offered: measured, the right one is then among 2.3 offered in 93 of 100."""
SURE_SHARE = 0.4
"""A passage this probably about shopping is asked for its list first: measured, 87 of 89 hold one."""
LEAST_LIST_SHARE = 0.3
"""A list is offered only where it is this probable: a small model makes a list of anything it may."""
LEAST_OVERLAP = 0.6
"""Share of a piece's (or the evidence's) content words that both must have."""
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
class Focus:
    """What is known of a passage before anything is generated. The default knows nothing."""

    likely: tuple[str, ...] = ()
    """Parts of the transcript that probably matter."""
    kinds: frozenset[Kind] = frozenset(Kind)
    """Kinds the memory may be of."""
    most: int = 1_000
    """Most memories it may hold."""
    list_first: bool = False
    """The first of them is a shopping list."""


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

    def kinds(self, transcript: str) -> dict[Kind, float]:
        """Probability of each kind, over the likely pieces."""
        texts = pieces(transcript)
        shares = dict.fromkeys(Kind, 0.0)
        weights = {piece.place: _sigmoid(piece.score) for piece in self.likely(transcript)}
        for place, weight in weights.items():
            for kind, probability in self._kinds_at(texts, place).items():
                shares[kind] += probability * weight / sum(weights.values())
        return shares

    def focus(self, transcript: str) -> Focus:
        """What to show the language model of a passage, and what to let it answer.

        A list is read off the whole talk: pointed at some sentences, the model forgets the items of the others.
        """
        shares = self.kinds(transcript)
        least = {Kind.SHOPPING: LEAST_LIST_SHARE}
        kinds = frozenset(kind for kind, share in shares.items() if share >= least.get(kind, LEAST_SHARE))
        most = max(1, sum(piece.score > 0 for piece in self.scored(transcript)))
        if shares[Kind.SHOPPING] >= SURE_SHARE:
            return Focus((), kinds, min(most, 2), list_first=True)
        return Focus(tuple(piece.text for piece in self.likely(transcript)), kinds or frozenset(Kind), most)

    def support(self, transcript: str, evidence: str) -> float:
        """Log-odds of the best piece that `evidence` was taken from; minus infinity where it shares no piece."""
        said = content(evidence)
        shared = [p.score for p in self.scored(transcript) if overlap(content(p.text), said) >= LEAST_OVERLAP]
        return max(shared, default=-math.inf)

    def _kinds_at(self, texts: Sequence[str], place: int) -> dict[Kind, float]:
        rows = [self.kind_weights[term] for term in set(terms(texts, place)) if term in self.kind_weights]
        odds = {kind: self.kind_bias[kind] + sum(row[i] for row in rows) for i, kind in enumerate(Kind)}
        peak = max(odds.values())
        total = sum(math.exp(value - peak) for value in odds.values())
        return {kind: math.exp(value - peak) / total for kind, value in odds.items()}


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


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))
