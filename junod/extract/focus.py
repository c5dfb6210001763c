"""Which pieces of a passage hold what is worth keeping, and of what kind it is (pure).

A small language model loses the one sentence that counts among a dozen that do not; shown the likely ones, it finds it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from junod.extract.pieces import spans
from junod.extract.verify import is_quotable
from junod.extract.words import content, find_sequence, overlap, words
from junod.records import Kind, Passage

LEAST_SHARE = 0.1
"""A kind less probable is not offered."""
SURE_SHARE = 0.4
"""A passage this probably about shopping is asked for its list first."""
LEAST_LIST_SHARE = 0.3
"""A list is offered only where it is this probable: a small model makes a list of anything it may."""
_QUOTED = 3
"""Most pieces quoted because they count."""
_FAR_BELOW = 1.5
"""Log-odds by which a piece may count less than the best one and still be quoted."""
MAX_SAID = 240
"""Characters of quoted talk under a memory."""
_LEAST_REST = 1e-6
LEAST_OVERLAP = 0.6
"""Share of a piece's (or the evidence's) content words that both must have."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a transcript (`pieces.spans`), judged."""

    text: str
    start: int
    """Where it stands in the transcript."""
    end: int
    score: float
    """Log-odds that it holds what is to be kept."""
    kinds: Mapping[Kind, float]
    """If it does: probability of each kind."""

    @property
    def probability(self) -> float:
        return 1 / (1 + math.exp(-self.score)) if self.score > -500 else 0.0

    @property
    def kind(self) -> Kind:
        """The most probable one."""
        return max(self.kinds, key=lambda kind: self.kinds[kind])


class PieceJudge(Protocol):
    def pieces(self, passage: Passage) -> tuple[Piece, ...]:
        """Every piece of a masked passage, in order.

        Raises:
            ModelError: the weights are missing or damaged.
        """
        ...


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
class PassageFocus:
    """The judged pieces of one passage."""

    pieces: tuple[Piece, ...]

    def likely(self, most: int = 3) -> tuple[Piece, ...]:
        """The pieces most likely to hold something, in the order spoken."""
        best = sorted(self.pieces, key=lambda piece: -piece.score)[:most]
        return tuple(sorted(best, key=lambda piece: piece.start))

    def kinds(self) -> dict[Kind, float]:
        """Probability of each kind, over the likely pieces."""
        likely = self.likely()
        total = sum(piece.probability for piece in likely) or 1.0
        return {kind: sum(piece.probability * piece.kinds[kind] for piece in likely) / total for kind in Kind}

    def focus(self) -> Focus:
        """What to show the language model of the passage, and what to let it answer.

        A list is read off the whole talk: pointed at some sentences, the model forgets the items of the others.
        """
        shares = self.kinds()
        least = {Kind.SHOPPING: LEAST_LIST_SHARE}
        kinds = frozenset(kind for kind, share in shares.items() if share >= least.get(kind, LEAST_SHARE))
        most = max(1, sum(piece.score > 0 for piece in self.pieces))
        if shares[Kind.SHOPPING] >= SURE_SHARE:
            return Focus((), kinds, min(most, 2), list_first=True)
        return Focus(tuple(piece.text for piece in self.likely()), kinds or frozenset(Kind), most)

    def apart_from(self, kind: Kind) -> PassageFocus:
        """The same talk, each piece counting as far as it is none of `kind`."""
        return PassageFocus(tuple(_without(piece, kind) for piece in self.pieces))

    def support(self, evidence: str) -> float:
        """Log-odds of the best piece that `evidence` was taken from; minus infinity where it shares no piece."""
        piece = self.at(evidence)
        return -math.inf if piece is None else piece.score

    def at(self, evidence: str) -> Piece | None:
        """The best piece that `evidence` was taken from."""
        said = content(evidence)
        shared = [piece for piece in self.pieces if overlap(content(piece.text), said) >= LEAST_OVERLAP]
        return max(shared, key=lambda piece: piece.score, default=None)

    def holding(self, phrase: str) -> Piece | None:
        """The best piece that has these very words."""
        found = [piece for piece in self.pieces if phrase and phrase.lower() in piece.text.lower()]
        return max(found, key=lambda piece: piece.score, default=None)

    def before(self, piece: Piece) -> Piece | None:
        """The piece that was said just before."""
        earlier = [one for one in self.pieces if one.end <= piece.start]
        return earlier[-1] if earlier else None

    def quoted(self, *further: Piece | None) -> str:
        """The talk to show under a memory: what counts nearly as much as the best, and `further` pieces.

        The thing, the day and the person often stand in different turns; the model's sentence names one of them. Where
        it grows too long, the first of `further` is the last to go.
        """
        best = sorted(self.likely(_QUOTED), key=lambda piece: -piece.score)
        near = [piece for piece in best if piece.score > best[0].score - _FAR_BELOW]
        first, *rest = further or (None,)
        kept: list[Piece] = []
        for piece in (first, *near, *rest):
            if piece is not None and piece not in kept and is_quotable(piece.text):
                kept.append(piece)
                if len(_joined(kept)) > MAX_SAID:
                    kept.remove(piece)
        return _joined(kept)

    def probability_at(self, start: int, end: int) -> float:
        """That what is said between two places of the transcript holds something to keep."""
        return max((one.probability for one in self.pieces if one.start < end and one.end > start), default=0.0)

    def wants(self, item: str) -> float:
        """Probability that the talk that names an item wants it bought: that of the best piece with its words."""
        wanted = [word.key for word in words(item)]
        return max(
            (piece.probability * piece.kinds[Kind.SHOPPING] for piece in _naming(self.pieces, wanted)), default=0
        )


def _joined(pieces: Sequence[Piece]) -> str:
    return " … ".join(piece.text for piece in sorted(pieces, key=lambda piece: piece.start))


def _without(piece: Piece, kind: Kind) -> Piece:
    rest = max(1 - piece.kinds[kind], _LEAST_REST)
    kinds = {one: 0.0 if one is kind else share / rest for one, share in piece.kinds.items()}
    probability = min(max(piece.probability * rest, _LEAST_REST), 1 - _LEAST_REST)
    return replace(piece, score=math.log(probability / (1 - probability)), kinds=kinds)


def _naming(pieces: Sequence[Piece], wanted: Sequence[str]) -> list[Piece]:
    """Pieces with all the words in order, else those with the last of them: what an item is called stands there."""
    spoken = [(piece, [word.key for word in words(piece.text)]) for piece in pieces]
    whole = [piece for piece, keys in spoken if find_sequence(wanted, keys) >= 0]
    return whole or [piece for piece, keys in spoken if wanted and wanted[-1] in keys]


def judged(transcript: str, rows: Sequence[tuple[float, Sequence[float]]]) -> tuple[Piece, ...]:
    """The pieces of a transcript with what a judge says of each: its score, and a probability for each of `Kind`."""
    return tuple(
        Piece(" ".join(transcript[start:end].split()), start, end, score, dict(zip(Kind, shares, strict=True)))
        for (start, end), (score, shares) in zip(spans(transcript), rows, strict=True)
    )
