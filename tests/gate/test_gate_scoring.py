"""The score gives the numbers of the reference scorer; its output on random passages is kept as a fixture."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from junod.errors import UsageError
from junod.extract.evaluate import load_labelled, load_predictions, score_predictions
from junod.extract.scoring import Answers, Expectation, Score, Stored, judge, pair_up

FIXTURE: dict[str, Any] = json.loads((Path(__file__).parent / "scoring_fixture.json").read_text("utf-8"))


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", "utf-8")
    return path


@pytest.fixture
def scored(tmp_path: Path) -> Score:
    labelled = load_labelled(write_lines(tmp_path / "passages.jsonl", FIXTURE["passages"]))
    predictions = load_predictions(write_lines(tmp_path / "predictions.jsonl", FIXTURE["predictions"]))
    return score_predictions(labelled, predictions)


def test_the_totals_are_those_of_the_reference(scored: Score) -> None:
    total, reference = scored.total, FIXTURE["score"]
    assert (total.passages, total.stored, total.expected) == tuple(
        reference[key] for key in ("passages", "stored", "expected")
    )
    assert total.precision == reference["precision"]
    assert total.recall == reference["recall"]
    assert total.dates == reference["dates"]
    assert total.strict_f05 == reference["strict_f0.5"]
    assert total.ghosts_per_1000 == reference["ghosts_per_1000_passages"]
    assert total.leaks == reference["leaks"]


def test_every_group_is_that_of_the_reference(scored: Score) -> None:
    assert scored.groups.keys() == FIXTURE["score"]["by"].keys()
    for key, counts in FIXTURE["score"]["by"].items():
        ours = scored.groups[key]
        for name in ("passages", "stored", "good", "expected", "matched", "judged", "in_time", "ghosts", "leaks"):
            assert getattr(ours, name) == counts.get(name, 0), (key, name)


def test_a_passage_without_prediction_is_named(tmp_path: Path) -> None:
    labelled = load_labelled(write_lines(tmp_path / "passages.jsonl", FIXTURE["passages"]))
    with pytest.raises(UsageError, match="60 passages, the first is x0"):
        score_predictions(labelled, {})


def test_matching_is_maximal_not_greedy() -> None:
    broad, narrow = Expectation(("milk|tea",), "shopping"), Expectation(("milk",), "shopping")
    pairs = pair_up([broad, narrow], [Stored("milk"), Stored("tea")])
    assert pairs == {0: 1, 1: 0}


def test_the_memory_with_the_right_date_is_matched_first() -> None:
    noon = datetime(2026, 3, 24, 12, tzinfo=UTC)
    wanted = Expectation(("dentist",), "appointment", (noon,))
    verdict = judge(Answers((wanted,)), [Stored("dentist"), Stored("the dentist", expires_at=noon)])
    assert verdict.mistimed == ()
    assert verdict.ghosts == (0,)


def test_an_optional_memory_is_neither_ghost_nor_match() -> None:
    verdict = judge(Answers(optional=(Expectation(("tea",), "shopping"),)), [Stored("tea")])
    assert verdict.ghosts == ()
    assert (verdict.tally.good, verdict.tally.matched, verdict.tally.expected) == (1, 0, 0)


def test_a_forbidden_string_in_a_stored_transcript_is_a_leak() -> None:
    verdict = judge(Answers(forbid=("Four Two",)), [Stored("the gate", "it is four two")])
    assert verdict.tally.leaks == 1
