"""Trains the gate's three judges from labelled passages: `scripts/train-gate`. Needs torch, transformers, scikit-learn.

Folds never split an author. They give each passage a score from judges that never saw its author, and their encoders
averaged are the one that ships; the word model and the probe that ship are trained on everything.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from junod.extract.calibration import area_under_curve
from junod.extract.encoder import DIFFERENCE_FILE
from junod.extract.encoder_training import Example, TrainingPlan, difference, read_all, score, train
from junod.extract.evaluate import Labelled, load_labelled
from junod.extract.features import Judgement, encoder_text
from junod.extract.held_out import HELD_OUT_FILE, HeldOut, write_held_out
from junod.extract.ngram_training import train_ngrams
from junod.extract.ngrams import NGRAMS_FILE, NgramModel, save_ngrams
from junod.extract.probe_training import States, key_of, read_states, train_probe
from junod.extract.states import PROBE_FILE, Probe, StateReader, held_back, save_probe
from junod.extract.strangers import among_strangers
from junod.low_rank import save_difference

STRANGE_SHARE = 0.5
"""Of the passages without context, so many are given one that has nothing to do with them."""
OWN_WEIGHT, PLAIN_WEIGHT, EXTRA_WEIGHT = 3.0, 1.5, 0.5


@dataclass(frozen=True, slots=True)
class TrainingSet:
    own: tuple[Labelled, ...]
    """Authored passages: every one is held out once."""
    extra: tuple[Labelled, ...] = ()
    """Passages only to learn from, at a low weight."""
    plain: tuple[Labelled, ...] = ()
    """Plain sentences, only to learn from: authors who write hard passages leave the easy ones out."""
    heard: tuple[Labelled, ...] = ()
    """Authored passages as speech-to-text wrote them down: only to learn from, and left out with their author."""

    @property
    def every(self) -> tuple[Labelled, ...]:
        return self.own + self.extra + self.plain + self.heard

    def weighted(self, left_out: frozenset[str] = frozenset(), *, public: bool = True) -> list[tuple[Labelled, float]]:
        """Every passage with a right answer and how much it counts, without the authors left out.

        Many of them follow the talk of strangers (`strangers`). `public` = with the extra passages.
        """
        own = [(one, OWN_WEIGHT) for one in self.own + self.heard if one.author not in left_out]
        rest = [(one, PLAIN_WEIGHT) for one in self.plain] + [(one, EXTRA_WEIGHT) for one in self.extra if public]
        chosen = [(one, weight) for one, weight in own + rest if one.holds_memory is not None]
        taught = among_strangers([one for one, _ in chosen], STRANGE_SHARE, seed=len(left_out))
        return [(one, weight) for one, (_, weight) in zip(taught, chosen, strict=True)]


def examples(passages: TrainingSet, left_out: frozenset[str] = frozenset()) -> list[Example]:
    """What an encoder learns from, without the authors left out."""
    return [_example(one, weight) for one, weight in passages.weighted(left_out)]


def author_folds(passages: Sequence[Labelled], folds: int) -> list[frozenset[str]]:
    """Authors in turn, so that each fold has as many as the others."""
    authors = sorted({one.author for one in passages})
    return [frozenset(authors[fold::folds]) for fold in range(folds)]


def words_of(passages: TrainingSet, plan: TrainingPlan, left_out: frozenset[str] = frozenset()) -> NgramModel:
    """The word model, without the authors left out; public passages would carry their words into what ships."""
    used = passages.weighted(left_out, public=False)
    labels = [bool(one.expect) for one, _ in used]
    weights = [
        weight / OWN_WEIGHT * (plan.positive_weight if label else 1)
        for (_, weight), label in zip(used, labels, strict=True)
    ]
    return train_ngrams([one.passage for one, _ in used], labels, weights)


def probe_of(passages: TrainingSet, states: States, left_out: frozenset[str] = frozenset()) -> Probe:
    """The probe of the lower layers, without the authors left out."""
    used = passages.weighted(left_out)
    inputs = np.stack([states[key_of(one.passage)] for one, _ in used])
    return train_probe(inputs, [one for one, _ in used], [weight for _, weight in used])


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """What came of training without some authors."""

    held_out: dict[str, HeldOut]
    """By passage id of those authors."""
    tuned: dict[str, torch.Tensor]
    """The encoder's trained tensors."""


def run_fold(
    passages: TrainingSet,
    left_out: frozenset[str],
    base: Path,
    states: States,
    plan: TrainingPlan,
    tell: Callable[[str], None],
) -> Fold:
    """Train all judges without some authors, and let them judge those authors' passages."""
    model = train(examples(passages, left_out), base, plan, _progress(tell))
    words, probe = words_of(passages, plan, left_out), probe_of(passages, states, left_out)
    outside = [one for one in passages.own if one.author in left_out]
    found = score(model, read_all(model, [_example(one, OWN_WEIGHT) for one in outside], base))
    area = area_of(outside, np.array([logit for logit, _ in found]))
    tell(f"without {', '.join(sorted(left_out))}: the encoder's area under the curve is {area:.4f}")
    held_out = {
        one.passage.id: HeldOut(
            Judgement(
                logit,
                words.logit(one.passage),
                words.peak(one.passage),
                held_back(one.passage, probe(states[key_of(one.passage)])),
            ),
            tuple(map(tuple, rows.tolist())),
        )
        for one, (logit, rows) in zip(outside, found, strict=True)
    }
    return Fold(held_out, model.tuned())


def average(folds: Sequence[Fold]) -> dict[str, torch.Tensor]:
    """The folds' encoders in one: the mean of their weights (Wortsman et al., "Model soups", 2022).

    Each author taught all but one of them, and no further training is needed.
    """
    return {name: sum(fold.tuned[name] for fold in folds) / len(folds) for name in folds[0].tuned}


def area_of(passages: Sequence[Labelled], logits: NDArray[np.float64]) -> float:
    decided = np.array([one.holds_memory is not None for one in passages])
    labels = np.array([bool(one.expect) for one in passages])
    return area_under_curve(logits[decided], labels[decided])


def save_encoder(tuned: dict[str, torch.Tensor], base: Path, rank: int, path: Path) -> None:
    """Write what ships: the difference to the public weights."""
    save_difference(difference(tuned, base, rank), base, rank, path)


def main() -> int:
    arguments = _parser().parse_args()
    torch.set_num_threads(arguments.threads)
    passages = TrainingSet(
        tuple(one for path in arguments.passages for one in load_labelled(path)),
        tuple(one for path in arguments.extra for one in load_labelled(path)),
        tuple(one for path in arguments.plain for one in load_labelled(path)),
        tuple(one for path in arguments.heard for one in load_labelled(path)),
    )
    plan = TrainingPlan(epochs=arguments.epochs, seed=arguments.seed)
    states = read_states(
        passages.every, StateReader(arguments.lower, threads=arguments.threads), arguments.states, _tell
    )
    folds = [
        run_fold(passages, left_out, arguments.base, states, plan, _tell)
        for left_out in author_folds(passages.own, arguments.folds)
    ]
    save_encoder(average(folds), arguments.base, arguments.rank, arguments.out / DIFFERENCE_FILE)
    save_ngrams(words_of(passages, plan), arguments.out / NGRAMS_FILE)
    save_probe(probe_of(passages, states), arguments.out / PROBE_FILE)
    write_held_out(arguments.out / HELD_OUT_FILE, {key: one for fold in folds for key, one in fold.held_out.items()})
    return 0


def _example(one: Labelled, weight: float) -> Example:
    kinds = tuple(sorted({expectation.kind for expectation in one.expect}))
    wanted = tuple((expectation.kind, expectation.wanted) for expectation in one.expect)
    return Example(encoder_text(one.passage), bool(one.expect), weight, kinds, one.origin, wanted)


def _progress(tell: Callable[[str], None]) -> Callable[[int, int, float], None]:
    started, recent = time.monotonic(), list[float]()

    def report(step: int, steps: int, loss: float) -> None:
        recent.append(loss)
        if step % 20 == 0:
            mean = sum(recent[-40:]) / len(recent[-40:])
            tell(f"  batch {step} of {steps}, loss {mean:.3f}, {time.monotonic() - started:.0f} s")

    return report


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passages", nargs="+", type=Path, help="labelled passages, JSONL, plain or gzipped")
    parser.add_argument("--extra", action="append", default=[], type=Path, help="more passages, only to learn from")
    parser.add_argument("--plain", action="append", default=[], type=Path, help="plain sentences, likewise")
    parser.add_argument("--heard", action="append", default=[], type=Path, help="passages as make_heard.py heard them")
    parser.add_argument("--base", required=True, type=Path, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--lower", required=True, type=Path, help="GGUF of the lower layers")
    parser.add_argument("--states", required=True, type=Path, help="keeps what they read (.npz), to go on after a stop")
    parser.add_argument("--out", required=True, type=Path, help="folder for the encoder and the held-out scores")
    parser.add_argument("--folds", default=3, type=int)
    parser.add_argument("--epochs", default=3, type=int)
    parser.add_argument("--rank", default=64, type=int, help="rank to which the trained difference is cut")
    parser.add_argument("--seed", default=7, type=int)
    parser.add_argument("--threads", default=2, type=int)
    return parser


if __name__ == "__main__":
    sys.exit(main())
