#!/usr/bin/env python3
"""Learns which of the times that a passage names is meant, from the passages that come with junod.

usage: train_dates.py [--out FILE] [--folds 5] [--misses]

Passages with dated memories, the kind given, their pieces judged by judges that never saw their author
(`heldout.json.gz`). First a report, each passage chosen for by weights that never saw its author; then the weights of
all authors are written.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from junod.extract.evaluate import Labelled, load_labelled
from junod.extract.focus import PassageFocus
from junod.extract.gate_files import CORPUS, HELD_OUT, SHIPPED
from junod.extract.held_out import Recorded, read_held_out
from junod.extract.scoring import Expectation
from junod.extract.train_gate import author_folds
from junod.records import Kind
from junod.resources import data_file
from junod.when.candidates import Candidate, talk_of
from junod.when.choice import Learned, choose, options_of
from junod.when.learned import LEARNED_FILE, save_learned
from junod.when.spot_signs import Signs, is_word

PENALTY = 1.0
"""Of squared weights."""
WORD_SCALE, HALF_SCALE = 0.35, 0.15
"""Words beside a time, and words that tell the half of the day, are held down more."""
LEAST_PASSAGES, LEAST_OF_WORD, LEAST_AUTHORS = 4, 12, 4
"""A sign seen in fewer passages, a word seen in fewer or by fewer authors, is not learned."""
SEVERAL = "of several"
"""Memories of passages that hold more than one."""
_KINDS = ("appointment", "event", "reminder")
_OTHERS = -3.0
"""Log-odds that a piece of another memory keeps, as in the extractor."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A memory of a passage and when it may be."""

    labelled: Labelled
    wanted: Expectation
    options: list[tuple[Candidate | None, Signs]]
    right: tuple[bool, ...]

    @property
    def group(self) -> str:
        return self.wanted.kind if len(self.labelled.expect) == 1 else SEVERAL

    def is_right(self, chosen: Candidate | None) -> bool:
        return bool(self.wanted.agrees_in_time(chosen.moment if chosen else None))


def is_dated(wanted: Expectation) -> bool:
    """With a time that is judged, or a reminder, which may have none."""
    return wanted.time_judged and wanted.kind in _KINDS and bool(wanted.expires_at or wanted.kind == "reminder")


def examples_of(one: Labelled, judged: Recorded) -> Iterator[Example]:
    seen = PassageFocus(judged.pieces(one.passage))
    for wanted in one.expect:
        view = seen if len(one.expect) == 1 else looking_at(wanted, seen)
        if is_dated(wanted) and view is not None:
            yield example(one, wanted, view)


def looking_at(wanted: Expectation, seen: PassageFocus) -> PassageFocus | None:
    """Of a passage with several memories the view of one, as the extractor has it: the pieces that name it count."""
    names = [one.strip().lower() for group in wanted.wanted for one in group.split("|")]
    own = [any(name in piece.text.lower() for name in names) for piece in seen.pieces]
    if not any(own):
        return None
    pieces = zip(seen.pieces, own, strict=True)
    return PassageFocus(
        tuple(piece if is_own else replace(piece, score=min(piece.score, _OTHERS)) for piece, is_own in pieces)
    )


def example(one: Labelled, wanted: Expectation, seen: PassageFocus) -> Example:
    at = one.passage.spoken_at
    zone = at.tzinfo
    assert isinstance(zone, ZoneInfo)
    talk = talk_of(
        one.passage.transcript,
        one.passage.context,
        spoken_at=at,
        zone=zone,
        kind=Kind(wanted.kind),
        day_first="America" not in zone.key,
    )
    options = options_of(talk, seen.probability_at)
    right = tuple(bool(wanted.agrees_in_time(option.moment if option else None)) for option, _ in options)
    return Example(one, wanted, options, right)


def learn(examples: Sequence[Example]) -> dict[str, float]:
    """The conditional logit's weights: the right moments of each passage against all others, ridge, L-BFGS."""
    used = [one for one in examples if any(one.right)]
    names = worth_learning(used)
    index = {name: place for place, name in enumerate(names)}
    scale = np.array([_scale(name) for name in names])
    design = _design(used, index) @ csr_matrix((scale, (range(len(names)), range(len(names)))))
    groups = np.repeat(np.arange(len(used)), [len(one.options) for one in used])
    right = np.array([float(value) for one in used for value in one.right])
    transposed = design.T.tocsr()

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = design @ weights
        highest = np.full(len(used), -np.inf)
        np.maximum.at(highest, groups, scores)
        powers = np.exp(scores - highest[groups])
        total = np.bincount(groups, powers, len(used))
        good = np.bincount(groups, powers * right, len(used)) + 1e-12
        missed = powers * right / good[groups] - powers / total[groups]
        gradient = PENALTY * weights - transposed @ missed
        return float(np.log(total / good).sum() + PENALTY * weights @ weights / 2), gradient

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x * scale
    return {name: float(found[place]) for name, place in index.items()}


def _scale(name: str) -> float:
    return 1.0 if not is_word(name) else HALF_SCALE if name.startswith("half:") else WORD_SCALE


def _design(examples: Sequence[Example], index: dict[str, int]) -> csr_matrix:
    rows, columns, values = [], [], []
    options = [found for one in examples for _, found in one.options]
    for row, found in enumerate(options):
        for name, value in found.items():
            if name in index:
                rows.append(row)
                columns.append(index[name])
                values.append(value)
    return csr_matrix((values, (rows, columns)), (len(options), len(index)))


def worth_learning(examples: Sequence[Example]) -> list[str]:
    seen: Counter[str] = Counter()
    authors: defaultdict[str, set[str]] = defaultdict(set)
    for one in examples:
        for name in {name for _, found in one.options for name in found}:
            seen[name] += 1
            authors[name].add(one.labelled.author)
    return sorted(
        name
        for name, count in seen.items()
        if count >= (LEAST_OF_WORD if is_word(name) else LEAST_PASSAGES)
        and (not is_word(name) or len(authors[name]) >= LEAST_AUTHORS)
    )


def held_out_choices(examples: Sequence[Example], folds: int) -> Iterator[tuple[Example, Candidate | None]]:
    """Each passage, and what weights that never saw its author choose."""
    for left_out in author_folds([one.labelled for one in examples], folds):
        learned = learn([one for one in examples if one.labelled.author not in left_out])
        for one in examples:
            if one.labelled.author in left_out:
                yield one, chosen_of(one, learned)


def chosen_of(one: Example, learned: Learned) -> Candidate | None:
    return choose(one.options, learned) if one.options else None


def report(choices: Iterable[tuple[Example, Candidate | None]], *, misses: bool) -> None:
    """How many are right, and for how many a right moment was among the candidates."""
    counts: Counter[tuple[str, str]] = Counter()
    for one, chosen in choices:
        for group in (one.group, "all") if one.group != SEVERAL else (SEVERAL,):
            counts[group, "n"] += 1
            counts[group, "right"] += one.is_right(chosen)
            counts[group, "reach"] += any(one.right) or one.is_right(None)
        if misses and not one.is_right(chosen):
            wanted = [f"{at:%a %d %b %H:%M}" for at in one.wanted.expires_at or ()]
            got = f"{chosen.moment:%a %d %b %H:%M}" if chosen and chosen.moment else "none"
            passage = one.labelled.passage
            said = f"{passage.spoken_at:%a %d %b %H:%M}"
            print(f"MISS {passage.id} {one.wanted.kind} {said} {wanted} {got} {passage.transcript}")
    print(f"{'':14}{'n':>6}{'right':>8}{'in reach':>10}")
    for group in (*_KINDS, "all", SEVERAL):
        n = counts[group, "n"] or 1
        print(f"{group:14}{n:>6}{counts[group, 'right'] / n:>8.3f}{counts[group, 'reach'] / n:>10.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=data_file(SHIPPED) / LEARNED_FILE)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--misses", action="store_true", help="print each passage chosen for wrongly")
    args = parser.parse_args()
    judged = Recorded(read_held_out(data_file(HELD_OUT)))
    examples = [found for one in load_labelled(data_file(CORPUS)) for found in examples_of(one, judged)]
    report(held_out_choices(examples, args.folds), misses=args.misses)
    save_learned(args.out, learn(examples))
    return 0


if __name__ == "__main__":
    sys.exit(main())
