"""Calibration: honest folds, a threshold with margin, and no figure from too little data."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from junod.errors import CalibrationError
from junod.extract.calibration import (
    Evidence,
    Report,
    _ridge,
    area_under_curve,
    calibrate,
    cross_validated,
    fit,
    fit_logistic,
    fit_probe,
    fold_of,
    operating_point,
    reject_below,
)
from junod.extract.evaluate import Labelled
from junod.extract.features import Judgement
from junod.extract.gate import gate_target
from junod.extract.language_model import Reading
from junod.extract.scoring import Expectation
from junod.records import Passage

WANTED = (Expectation(("oats",), "shopping"),)


def labelled(index: int, holds: bool | None, author: str = "a", room: str = "kitchen") -> Labelled:
    passage = Passage(str(index), "x", datetime(2026, 3, 24, 18, tzinfo=UTC), room)
    return Labelled(passage, "household", WANTED if holds else (), WANTED if holds is None else (), author=author)


def evidence(n: int = 600, gap: float = 4.0, seed: int = 1) -> Evidence:
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.4
    features = rng.normal(size=(n, 2)) + np.outer(labels * 2 - 1, (gap / 2, 0.5))
    authors = tuple(f"author{i % 6}" for i in range(n))
    rooms = tuple(("kitchen", "living_room")[i % 2] for i in range(n))
    return Evidence(features, features, labels, authors, rooms)


def fitted(data: Evidence, target: float = 0.95) -> Report:
    return fit(data, llm="tiny:1", encoder="abc", states="def", target_precision=target)


def test_the_gate_is_set_at_least_as_precise_as_the_stored_memories_must_be() -> None:
    report = fitted(evidence())
    assert report.point.precision >= gate_target(0.95)
    assert report.point.recall > 0.8
    assert report.calibration.measured["precision"] == pytest.approx(report.point.precision, abs=1e-4)


def test_a_higher_target_means_a_higher_threshold_and_less_recall() -> None:
    data = evidence(gap=2.5)
    strict, lax = fitted(data, 0.97), fitted(data, 0.8)
    assert strict.point.threshold > lax.point.threshold
    assert strict.point.recall < lax.point.recall


def test_the_language_model_is_asked_only_where_it_adds_recall() -> None:
    data = evidence(gap=2.5)
    rng = np.random.default_rng(2)
    noise, hidden = rng.normal(size=len(data.labels)), rng.normal(size=(len(data.labels), 12))
    telling = hidden.copy()
    telling[:, 5] += data.labels * 4
    useless = fitted(replace(data, log_odds=noise, hidden=hidden))
    useful = fitted(replace(data, log_odds=noise, hidden=telling))
    assert (useless.calibration.full, useless.calibration.probe) == (None, None)
    assert useful.calibration.full is not None
    assert useful.point.recall > useless.point.recall


def test_the_second_stage_weighs_the_lower_layers_and_the_first_does_not() -> None:
    data = evidence(gap=2.5)
    rng = np.random.default_rng(7)
    telling = (data.labels * 2 - 1) * 2.0 + rng.normal(size=len(data.labels))
    without, with_them = fitted(data), fitted(replace(data, deep=np.column_stack([data.fast, telling])))
    assert with_them.point.recall > without.point.recall + 0.05
    assert with_them.calibration.reject_below == without.calibration.reject_below


def test_the_probe_gives_for_a_state_what_the_fit_gave() -> None:
    data = evidence()
    hidden = np.random.default_rng(8).normal(2.0, 3.0, size=(600, 12))
    hidden[:, 5] += data.labels * 9
    held_out, probe = fit_probe(hidden, data)
    values = np.array([probe(row.tolist()) for row in hidden])
    assert area_under_curve(held_out, data.labels) > 0.9
    assert np.corrcoef(values, held_out)[0, 1] > 0.99


def test_the_probe_is_the_same_in_both_forms_of_the_regression() -> None:
    rng = np.random.default_rng(9)
    wide, labels = rng.normal(size=(20, 30)), np.sign(rng.normal(size=20))
    weights, _ = _ridge(wide, labels, 3.0)
    expected = np.linalg.solve(wide.T @ wide + 3.0 * np.eye(30), wide.T @ (labels - labels.mean()))
    assert weights == pytest.approx(expected)


def test_the_points_rise_in_precision_and_fall_in_recall() -> None:
    points = fitted(evidence(gap=2.5)).calibration.points
    assert len(points) > 3
    assert [p.precision for p in points] == sorted(p.precision for p in points)
    assert [p.recall for p in points] == sorted((p.recall for p in points), reverse=True)


def test_calibrating_twice_gives_the_same() -> None:
    assert fitted(evidence()).calibration == fitted(evidence()).calibration


def test_folds_never_split_an_author() -> None:
    folds = fold_of(["b", "a", "c", "a", "b"])
    assert folds.tolist() == [1, 0, 2, 0, 1]


def test_one_author_alone_is_cut_into_ten() -> None:
    folds = fold_of(["a"] * 25)
    assert len(set(folds.tolist())) == 10


def test_a_held_out_author_does_not_teach_the_fit() -> None:
    data = evidence()
    before = cross_validated(data.fast, data)
    theirs = np.array([author == "author0" for author in data.authors])
    flipped = replace(data, labels=np.where(theirs, ~data.labels, data.labels))
    after = cross_validated(flipped.fast, flipped)
    assert np.allclose(before[theirs], after[theirs])
    assert not np.allclose(before[~theirs], after[~theirs])


def test_the_regression_finds_the_known_weights() -> None:
    rng = np.random.default_rng(3)
    features = rng.normal(size=(20_000, 2))
    labels = rng.random(20_000) < 1 / (1 + np.exp(-(features @ [1.5, -0.7] + 0.3)))
    weights, bias = fit_logistic(features, labels)
    assert weights == pytest.approx([1.5, -0.7], abs=0.1)
    assert bias == pytest.approx(0.3, abs=0.1)


def test_the_first_stage_loses_at_most_one_keeper_in_two_hundred() -> None:
    rng = np.random.default_rng(4)
    logits, labels = rng.normal(size=2000), np.ones(2000, bool)
    assert (logits >= reject_below(logits, labels)).mean() >= 0.995


def test_the_lowest_good_threshold_is_chosen() -> None:
    scores = np.arange(100, dtype=float)[::-1]
    labels = np.array([True] * 40 + [False] * 2 + [True] * 18 + [False] * 40)
    point = operating_point(scores, labels, 0.95)
    assert (point.kept, point.recall) == (60, 1.0)


def test_a_target_out_of_reach_is_refused() -> None:
    rng = np.random.default_rng(5)
    with pytest.raises(CalibrationError, match=r"No threshold reaches a precision of 0\.970"):
        operating_point(rng.normal(size=500), rng.random(500) < 0.4, 0.97)


def test_the_area_counts_ties_half() -> None:
    assert area_under_curve(np.array([1.0, 1.0, 2.0, 0.0]), np.array([True, False, True, False])) == 0.875


def test_a_room_that_confuses_more_gets_a_stricter_threshold() -> None:
    data = evidence(2000, gap=6.0)
    hard = np.array([room == "living_room" for room in data.rooms])
    features = data.fast.copy()
    features[hard & ~data.labels, 0] += 4.0
    report = fitted(replace(data, fast=features, deep=features))
    assert report.calibration.room_shift["living_room"] > report.calibration.room_shift["kitchen"]
    assert "bedroom" not in report.calibration.room_shift


def test_where_something_is_on_the_gate_is_stricter_and_where_nothing_is_laxer() -> None:
    data = evidence(n=1200)
    broadcast = np.arange(len(data.labels)) % 2 == 0
    confusing = data.fast + np.outer(broadcast & ~data.labels, (2.5, 0.0))
    report = fitted(replace(data, fast=confusing, deep=confusing, broadcast=tuple(broadcast.tolist())))
    shift = report.calibration.media_shift
    assert shift["on"] > 0 > shift["off"] >= -1
    at = report.calibration.threshold
    assert report.calibration.keeps(at, "bedroom")
    assert not report.calibration.keeps(at, "bedroom", "on")
    assert report.calibration.keeps(at + shift["off"], "bedroom", "off")


def test_without_origins_the_media_change_nothing() -> None:
    assert fitted(evidence()).calibration.media_shift == {}


def test_too_little_data_is_refused_with_the_numbers() -> None:
    few = [labelled(i, i % 2 == 0) for i in range(100)]
    with pytest.raises(CalibrationError, match="50 passages to keep and 50 to throw away; at least 60 and 120"):
        calibrate_on(few)


def test_optional_only_passages_are_left_out_and_progress_is_told() -> None:
    data = [labelled(i, i % 3 == 0) for i in range(300)] + [labelled(999, None)]
    seen: list[tuple[int, int]] = []
    report = calibrate_on(data, seen)
    assert (report.positives, report.negatives) == (100, 200)
    assert seen[-1] == (300, 300)
    assert report.calibration.fast.weights[0] > 0
    assert report.calibration.full is None


def calibrate_on(data: list[Labelled], seen: list[tuple[int, int]] | None = None) -> Report:
    rng = np.random.default_rng(6)
    right = {one.passage.id: one.holds_memory for one in data}

    def judge(passage: Passage) -> Judgement:
        return Judgement((3.0 if right[passage.id] else -3.0) + float(rng.normal()), float(rng.normal()), 0.0, 0.0)

    return calibrate(
        data,
        llm="tiny:1",
        encoder="abc",
        states="def",
        judge=judge,
        read=lambda passage: Reading(float(rng.normal()), np.zeros(2, np.float32), 5),
        target_precision=0.95,
        progress=lambda done, total: seen.append((done, total)) if seen is not None else None,
    )
