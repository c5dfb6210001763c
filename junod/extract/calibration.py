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
from junod.extract.gate import Calibration, OperatingPoint, Weighing, gate_target
from junod.extract.language_model import Reading
from junod.records import ROOMS, Passage

NEEDED_POSITIVES, NEEDED_NEGATIVES = 60, 120
"""With fewer than about 60 kept passages not even a faultless gate shows a precision of 0.95 at 95 % confidence."""
STAGE_RECALL = 0.995
"""Share of the passages worth keeping that the first stage must let through."""
WORTH_ASKING = 0.02
"""Recall that the language model must add at the target precision: asking it costs half a second a passage."""
PROBE_RIDGES = (300.0, 1000.0, 3000.0, 10_000.0)
"""Ridges tried for the probe of the hidden state; the best by folds is taken."""
NEEDED_IN_ROOM = 40
"""Passages of each kind that a room needs for a threshold of its own."""
BROADCAST = ("tv", "radio", "toy", "mixed")
"""Origins of passages that are heard while something is on."""
LAXEST_SHIFT = -1.0
"""How much laxer the gate may at most become where it is known that nothing is on."""
ROOM_TOLERANCE = 0.01
"""How far below the target a room may stay without a threshold of its own."""

_RIDGE = 1.0
_FOLDS = 10

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The judgements on labelled passages, with what is right."""

    fast: Array
    """Shape (n, 3), rows of `features.Judgement.fast`."""
    deep: Array
    """Shape (n, 4), rows of `features.Judgement.deep`."""
    labels: Mask
    authors: tuple[str, ...]
    rooms: tuple[str, ...]
    broadcast: tuple[bool, ...] = ()
    """Whether a television, a radio or a toy speaks in the passage; () = not known."""
    log_odds: Array | None = None
    """Shape (n,); None where no language model read the passages."""
    hidden: Array | None = None
    """Shape (n, n_embd); None likewise."""


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
    states: str,
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
        states: that of the probe of the lower layers.
        judge: the small judges; for passages they were trained on, by ones that were not.
        read: the language model's forward pass over a passage; None = decide without it.
        target_precision: share of the stored memories that must be right.
        progress: called after each passage with how many are done and how many there are.

    Raises:
        CalibrationError: too little data, or no threshold reaches the target.
    """
    check_enough(labelled)
    decided = [one for one in labelled if one.holds_memory is not None]
    judged, readings = list[Judgement](), list[Reading]()
    for done, one in enumerate(decided, start=1):
        judged.append(judge(one.passage))
        if read is not None:
            readings.append(read(one.passage))
        progress(done, len(decided))
    evidence = Evidence(
        np.array([one.fast() for one in judged]),
        np.array([one.deep() for one in judged]),
        np.array([bool(one.holds_memory) for one in decided]),
        tuple(one.author for one in decided),
        tuple(one.passage.room for one in decided),
        tuple(one.origin in BROADCAST for one in decided),
        np.array([reading.log_odds for reading in readings]) if readings else None,
        np.array([reading.hidden for reading in readings], np.float64) if readings else None,
    )
    return fit(evidence, llm=llm, encoder=encoder, states=states, target_precision=target_precision)


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


def fit(evidence: Evidence, *, llm: str, encoder: str, states: str, target_precision: float) -> Report:
    """Fit weights, bias and thresholds; see `calibrate`."""
    target = gate_target(target_precision)
    fast_scores, held_out = cross_validated(evidence.fast, evidence), cross_validated(evidence.deep, evidence)
    point = operating_point(held_out, evidence.labels, target)
    full = probe = None
    asked = _ask_language_model(evidence)
    if asked is not None:
        scores, weighing, its_probe = asked
        full_point = operating_point(scores, evidence.labels, target)
        if full_point.recall >= point.recall + WORTH_ASKING:
            held_out, point, full, probe = scores, full_point, weighing, its_probe
    calibration = Calibration(
        llm=llm,
        encoder=encoder,
        states=states,
        fast=_weighing(evidence.fast, evidence.labels),
        deep=_weighing(evidence.deep, evidence.labels),
        full=full,
        probe=probe,
        trained_base_rate=round(float(evidence.labels.mean()), 6),
        reject_below=round(reject_below(fast_scores, evidence.labels), 4),
        threshold=round(point.threshold, 4),
        room_shift=_room_shifts(held_out, evidence, point.threshold, target),
        media_shift=_media_shifts(held_out, evidence, point.threshold, target),
        points=_points(held_out, evidence.labels),
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


def _ask_language_model(evidence: Evidence) -> tuple[Array, Weighing, Weighing] | None:
    """Held-out logits with the language model's part, and the two weighings that give them."""
    if evidence.log_odds is None or evidence.hidden is None:
        return None
    probed, probe = fit_probe(evidence.hidden, evidence)
    features = np.column_stack([evidence.deep, evidence.log_odds, probed])
    return cross_validated(features, evidence), _weighing(features, evidence.labels), probe


def fit_probe(hidden: Array, evidence: Evidence) -> tuple[Array, Weighing]:
    """A linear probe of the hidden state by ridge regression (Alain and Bengio, 2016, on probes).

    Returns:
        The probe's value for each passage from a fit that saw none of its author's, and the probe fitted on all.
    """
    middle, spread = hidden.mean(0), hidden.std(0) + 1e-6
    inputs, labels = (hidden - middle) / spread, np.where(evidence.labels, 1.0, -1.0)
    groups = fold_of(evidence.authors)
    scores = {ridge: _probe_held_out(inputs, labels, groups, ridge) for ridge in PROBE_RIDGES}
    best = max(PROBE_RIDGES, key=lambda ridge: area_under_curve(scores[ridge], evidence.labels))
    weights, bias = _ridge(inputs, labels, best)
    scaled = weights / spread
    shown = tuple(round(float(weight), 7) for weight in scaled)
    return scores[best], Weighing(shown, round(bias - float(middle @ scaled), 6))


def _probe_held_out(inputs: Array, labels: Array, groups: NDArray[np.int64], ridge: float) -> Array:
    values = np.empty(len(labels))
    for group in np.unique(groups):
        outside = groups != group
        weights, bias = _ridge(inputs[outside], labels[outside], ridge)
        values[~outside] = inputs[~outside] @ weights + bias
    return values


def _ridge(inputs: Array, labels: Array, ridge: float) -> tuple[Array, float]:
    """Ridge regression in whichever of its two forms is the smaller: weights (k,) and bias."""
    bias = float(labels.mean())
    if len(inputs) < inputs.shape[1]:
        kernel = inputs @ inputs.T + ridge * np.eye(len(inputs))
        return np.asarray(inputs.T @ np.linalg.solve(kernel, labels - bias), np.float64), bias
    covariance = inputs.T @ inputs + ridge * np.eye(inputs.shape[1])
    return np.asarray(np.linalg.solve(covariance, inputs.T @ (labels - bias)), np.float64), bias


def _points(scores: Array, labels: Mask) -> tuple[OperatingPoint, ...]:
    """Thresholds for every gate precision from 0.80 to 0.99 that can be reached, by rising precision."""
    points = list[OperatingPoint]()
    for percent in range(80, 100):
        try:
            point = operating_point(scores, labels, percent / 100)
        except CalibrationError:
            break
        if not points or point.threshold > points[-1].threshold:
            points.append(_rounded(point))
    return tuple(points)


def _rounded(point: OperatingPoint) -> OperatingPoint:
    return OperatingPoint(round(point.threshold, 4), round(point.precision, 4), round(point.recall, 4), point.kept)


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
    """How much stricter a room must be that misses the target by more than chance may; never laxer than the whole."""
    shifts = {}
    for room in ROOMS:
        here = np.array([name == room for name in evidence.rooms])
        labels = evidence.labels[here]
        if min(int(labels.sum()), int((~labels).sum())) < NEEDED_IN_ROOM:
            continue
        own = operating_point(scores[here], labels, target).threshold
        missed = _point(scores[here], labels, min(threshold, own)).precision < target - ROOM_TOLERANCE
        shifts[room] = round(max(0.0, own - threshold), 4) if missed else 0.0
    return shifts


def _media_shifts(scores: Array, evidence: Evidence, threshold: float, target: float) -> dict[str, float]:
    """How the threshold moves where it is known whether something is on: to the target among such passages alone."""
    shifts = {}
    broadcast = np.array(evidence.broadcast, bool)
    for state, here in (("on", broadcast), ("off", ~broadcast)):
        labels = evidence.labels[here] if len(broadcast) else evidence.labels[:0]
        if min(int(labels.sum()), int((~labels).sum())) >= NEEDED_IN_ROOM:
            shift = operating_point(scores[here], labels, target).threshold - threshold
            shifts[state] = round(max(0.0, shift) if state == "on" else min(0.0, max(shift, LAXEST_SHIFT)), 4)
    return shifts
