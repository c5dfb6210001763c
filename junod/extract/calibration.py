"""Fits the light part of the gate for one language model: weights, bias and threshold. Numpy only, deterministic.

A logistic regression over the judgements is its own Platt scaling (Platt, 1999). What is reported and what the
threshold is chosen on comes from folds that never split an author.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from junod.errors import CalibrationError
from junod.extract.evaluate import Labelled
from junod.extract.features import Judgement
from junod.extract.gate import Calibration, Weighing
from junod.extract.language_model import Reading
from junod.records import ROOMS, Passage

NEEDED_POSITIVES, NEEDED_NEGATIVES = 60, 120
"""With fewer than about 60 kept passages not even a faultless gate shows a precision of 0.95 at 95 % confidence."""
GATE_SHARE_OF_ERRORS = 0.6
"""The part of the tolerated ghosts that the gate may let through; wording and dates need the rest."""
STAGE_RECALL = 0.995
"""Share of the passages worth keeping that the first stage must let through."""
WORTH_ASKING = 0.02
"""Recall that the language model's log-odds must add: asking for them costs half a second a passage."""
NEEDED_IN_ROOM = 40
"""Passages of each kind that a room needs for a threshold of its own."""

_RIDGE = 1.0
_FOLDS = 10

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The judgements on labelled passages, with what is right."""

    fast: Array
    """Shape (n, 3), rows of `features.Judgement.fast`."""
    full: Array | None
    """Shape (n, 4), rows of `features.Judgement.full`; None where no language model read the passages."""
    labels: Mask
    authors: tuple[str, ...]
    rooms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """What a threshold gives on passages that were held out."""

    threshold: float
    precision: float
    recall: float
    kept: int


@dataclass(frozen=True, slots=True)
class Report:
    """A calibration and how it was reached."""

    calibration: Calibration
    point: OperatingPoint
    curve: tuple[OperatingPoint, ...]
    """Points at recall 0.1, 0.2 and so on to 0.9."""
    area: float
    """Area under the curve of true against false alarms."""
    positives: int
    negatives: int
    authors: int


def calibrate(
    labelled: Sequence[Labelled],
    *,
    llm: str,
    encoder: str,
    judge: Callable[[Passage], Judgement],
    read: Callable[[Passage], Reading] | None,
    target_precision: float,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Fit the gate for a language model on labelled passages.

    Args:
        labelled: passages; those that hold only optional memories are left out.
        llm: identity of the language model (`gate.identity_of`).
        encoder: sha256 of the encoder's trained part.
        judge: the small judges; for passages they were trained on, by ones that were not.
        read: the language model's forward pass over a passage; None = decide without it.
        target_precision: share of the stored memories that must be right; the gate is set stricter than that.
        progress: called after each passage with how many are done and how many there are.

    Raises:
        CalibrationError: too little data, or no threshold reaches the target.
    """
    check_enough(labelled)
    decided = [one for one in labelled if one.holds_memory is not None]
    fast, full = [], []
    for done, one in enumerate(decided, start=1):
        judgement = judge(one.passage)
        fast.append(judgement.fast())
        if read is not None:
            full.append(judgement.full(read(one.passage).log_odds))
        progress(done, len(decided))
    evidence = Evidence(
        np.array(fast),
        np.array(full) if read is not None else None,
        np.array([bool(one.holds_memory) for one in decided]),
        tuple(one.author for one in decided),
        tuple(one.passage.room for one in decided),
    )
    return fit(evidence, llm=llm, encoder=encoder, target_precision=target_precision)


def check_enough(labelled: Sequence[Labelled]) -> None:
    """Raises: CalibrationError: says how many passages of each kind there are and are needed."""
    positives = sum(one.holds_memory is True for one in labelled)
    negatives = sum(one.holds_memory is False for one in labelled)
    if positives < NEEDED_POSITIVES or negatives < NEEDED_NEGATIVES:
        raise CalibrationError(
            f"Too little data: {positives} passages to keep and {negatives} to throw away; "
            f"at least {NEEDED_POSITIVES} and {NEEDED_NEGATIVES} are needed.",
            hint="Give more labelled passages, or none to use the corpus that comes with junod.",
        )


def fit(evidence: Evidence, *, llm: str, encoder: str, target_precision: float) -> Report:
    """Fit weights, bias and thresholds; see `calibrate`."""
    gate_target = 1 - GATE_SHARE_OF_ERRORS * (1 - target_precision)
    fast_scores = cross_validated(evidence.fast, evidence)
    held_out, point, full = fast_scores, operating_point(fast_scores, evidence.labels, gate_target), None
    if evidence.full is not None:
        full_scores = cross_validated(evidence.full, evidence)
        full_point = operating_point(full_scores, evidence.labels, gate_target)
        if full_point.recall >= point.recall + WORTH_ASKING:
            held_out, point, full = full_scores, full_point, _weighing(evidence.full, evidence.labels)
    calibration = Calibration(
        llm=llm,
        encoder=encoder,
        fast=_weighing(evidence.fast, evidence.labels),
        full=full,
        trained_base_rate=round(float(evidence.labels.mean()), 6),
        reject_below=round(reject_below(fast_scores, evidence.labels), 4),
        threshold=round(point.threshold, 4),
        room_shift=_room_shifts(held_out, evidence, point.threshold, gate_target),
        target_precision=target_precision,
        measured={
            "precision": round(point.precision, 4),
            "recall": round(point.recall, 4),
            "passages": len(evidence.labels),
            "positives": int(evidence.labels.sum()),
            "authors": len(set(evidence.authors)),
        },
    )
    return Report(
        calibration=calibration,
        point=point,
        curve=tuple(point_at_recall(held_out, evidence.labels, tenths / 10) for tenths in range(1, 10)),
        area=area_under_curve(held_out, evidence.labels),
        positives=int(evidence.labels.sum()),
        negatives=int((~evidence.labels).sum()),
        authors=len(set(evidence.authors)),
    )


def _weighing(features: Array, labels: Mask) -> Weighing:
    weights, bias = fit_logistic(features, labels)
    return Weighing(tuple(round(float(weight), 6) for weight in weights), round(bias, 6))


def cross_validated(features: Array, evidence: Evidence) -> Array:
    """Weighed logit of each passage from a fit that saw none of its author's, shape (n,)."""
    groups = fold_of(evidence.authors)
    held_out = np.empty(len(groups))
    for group in np.unique(groups):
        outside = groups != group
        weights, bias = fit_logistic(features[outside], evidence.labels[outside])
        held_out[~outside] = features[~outside] @ weights + bias
    return held_out


def fold_of(authors: Sequence[str]) -> NDArray[np.int64]:
    """Fold of each passage: one an author; with fewer than three authors, ten by place in the list."""
    names = sorted(set(authors))
    if len(names) < 3:
        return np.arange(len(authors)) * _FOLDS // len(authors)
    return np.array([names.index(author) for author in authors])


def fit_logistic(features: Array, labels: Mask) -> tuple[Array, float]:
    """Logistic regression with a small ridge on the weights, by Newton's method: weights (k,) and bias."""
    inputs = np.hstack([features, np.ones((len(features), 1))])
    penalty = np.diag([_RIDGE] * features.shape[1] + [0.0])
    solution = np.zeros(inputs.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ solution, -30, 30)))
        slope = inputs.T @ (chance - labels) + penalty @ solution
        curvature = (inputs.T * (chance * (1 - chance))) @ inputs + penalty
        step = np.linalg.solve(curvature, slope)
        solution -= step
        if np.abs(step).max() < 1e-8:
            break
    return solution[:-1], float(solution[-1])


def operating_point(scores: Array, labels: Mask, target_precision: float) -> OperatingPoint:
    """The lowest threshold whose kept passages are right often enough.

    Raises:
        CalibrationError: no threshold keeps `NEEDED_POSITIVES` // 4 passages at that precision.
    """
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(labels[order])
    precision = right / np.arange(1, len(order) + 1)
    good = np.flatnonzero((precision >= target_precision) & labels[order])
    if len(good) == 0 or good[-1] + 1 < NEEDED_POSITIVES // 4:
        raise CalibrationError(
            f"No threshold reaches a precision of {target_precision:.3f} on these passages.",
            hint="Lower --target-precision, use a stronger model, or check the labels.",
        )
    last = int(good[-1])
    return _point(scores, labels, float(scores[order[last]]))


def point_at_recall(scores: Array, labels: Mask, recall: float) -> OperatingPoint:
    """The highest threshold that keeps at least this share of the positives."""
    positive = np.sort(scores[labels])[::-1]
    return _point(scores, labels, float(positive[max(0, int(np.ceil(recall * len(positive))) - 1)]))


def _point(scores: Array, labels: Mask, threshold: float) -> OperatingPoint:
    kept = scores >= threshold
    right = int((kept & labels).sum())
    return OperatingPoint(threshold, right / int(kept.sum()), right / int(labels.sum()), int(kept.sum()))


def reject_below(logits: Array, labels: Mask) -> float:
    """The logit under which no more than 1 - `STAGE_RECALL` of the positives lie."""
    return float(np.quantile(logits[labels], 1 - STAGE_RECALL, method="lower"))


def area_under_curve(scores: Array, labels: Mask) -> float:
    """Chance that a positive scores above a negative (ties count half)."""
    _, place, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[place]
    positives, negatives = int(labels.sum()), int((~labels).sum())
    return float((ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def _room_shifts(scores: Array, evidence: Evidence, threshold: float, target: float) -> dict[str, float]:
    """How much stricter a room must be to reach the target by itself; never laxer than the whole."""
    shifts = {}
    for room in ROOMS:
        here = np.array([name == room for name in evidence.rooms])
        labels = evidence.labels[here]
        if min(int(labels.sum()), int((~labels).sum())) < NEEDED_IN_ROOM:
            continue
        own = operating_point(scores[here], labels, target).threshold
        shifts[room] = round(max(0.0, own - threshold), 4)
    return shifts
