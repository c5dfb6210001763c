"""The gate turns most passages away without the language model, and never guesses for an unknown one."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.errors import CalibrationError, ExtractionError
from junod.extract.features import encoder_text, part_of_day
from junod.extract.gate import (
    CalibratedGate,
    Calibration,
    Judges,
    OperatingPoint,
    Weighing,
    calibration_name,
    find_calibration,
    identity_of,
    load_calibration,
    save_calibration,
)
from junod.extract.language_model import Reading
from junod.records import Passage

CALIBRATION = Calibration(
    llm="tiny:123",
    encoder="abc",
    states="def",
    fast=Weighing((1.0, 0.25, 0.25), 0.0),
    deep=Weighing((1.0, 0.25, 0.25, 1.0), 0.0),
    full=Weighing((1.0, 0.25, 0.25, 0.0, 0.5, 1.0), -0.5),
    probe=Weighing((0.5, 0.0, 0.0, 0.0), 0.0),
    points=(OperatingPoint(0.2, 0.91, 0.8, 90), OperatingPoint(1.0, 0.97, 0.6, 60)),
    trained_base_rate=0.4,
    reject_below=-3.0,
    threshold=1.0,
    room_shift={"living_room": 2.0},
)


class FixedJudge:
    def __init__(self, logit: float) -> None:
        self.asked = 0
        self._logit = logit

    def logit(self, passage: Passage) -> float:
        self.asked += 1
        return self._logit

    def peak(self, passage: Passage) -> float:
        return self._logit


class CountedReader:
    def __init__(self, log_odds: float, state: float = 0.0) -> None:
        self.calls = 0
        self._log_odds = log_odds
        self._state = state

    def __call__(self) -> Reading:
        self.calls += 1
        return Reading(self._log_odds, np.full(4, self._state, np.float32), 10)


def passage(room: str = "kitchen", context: tuple[str, ...] = ()) -> Passage:
    return Passage("p", "we need oats", datetime(2026, 3, 24, 18, 5, tzinfo=UTC), room, context)


def gate(
    logit: float, calibration: Calibration = CALIBRATION, words: float = 0.0, states: FixedJudge | None = None
) -> CalibratedGate:
    return CalibratedGate(calibration, Judges(FixedJudge(logit), FixedJudge(words), states or FixedJudge(0.0)))


def test_what_surely_holds_nothing_never_reaches_the_language_model() -> None:
    read = CountedReader(9.0)
    verdict = gate(-3.1).assess(passage(), read)
    assert (verdict.keep, verdict.stage, read.calls) == (False, "first-reject", 0)


def test_the_lower_layers_read_only_what_the_others_leave_open() -> None:
    states = FixedJudge(2.0)
    assert not gate(-3.1, states=states).assess(passage(), CountedReader(9.0)).keep
    assert states.asked == 0
    assert (
        gate(-0.5, replace(CALIBRATION, full=None, probe=None), states=states).assess(passage(), CountedReader(9)).keep
    )
    assert states.asked == 1


def test_what_may_hold_something_is_read_once_and_weighed() -> None:
    read = CountedReader(2.0)
    verdict = gate(1.0).assess(passage(), read)
    assert (verdict.keep, verdict.stage, read.calls) == (True, "gate", 1)
    expected = 1.5 + math.log(0.05 / 0.95) - math.log(0.4 / 0.6)
    assert verdict.probability == pytest.approx(1 / (1 + math.exp(-expected)))


def test_the_words_count_beside_the_encoder() -> None:
    assert not gate(1.0, words=-4.0).assess(passage(), CountedReader(2.0)).keep
    assert gate(-3.1, words=2.0).assess(passage(), CountedReader(2.0)).stage == "gate"


def test_where_log_odds_do_not_pay_they_are_not_asked_for() -> None:
    read = CountedReader(-9.0)
    verdict = gate(1.5, replace(CALIBRATION, full=None, probe=None)).assess(passage(), read)
    assert (verdict.keep, verdict.stage, read.calls) == (True, "gate", 0)


def test_the_language_model_can_veto() -> None:
    assert not gate(1.0).assess(passage(), CountedReader(-2.0)).keep


def test_the_language_models_state_counts() -> None:
    assert gate(1.0).assess(passage(), CountedReader(-2.0, state=4.0)).keep


@pytest.mark.parametrize(("target", "threshold"), [(0.8, 0.2), (0.91, 0.2), (0.95, 1.0)])
def test_the_gate_can_be_set_for_another_precision(target: float, threshold: float) -> None:
    assert CALIBRATION.at(target).threshold == threshold


def test_a_precision_never_measured_is_refused() -> None:
    with pytest.raises(CalibrationError, match="never measured") as caught:
        CALIBRATION.at(0.99)
    assert "extract.target_precision" in caught.value.hint


def test_a_stricter_room_needs_more() -> None:
    read = CountedReader(2.0)
    assert gate(1.0).assess(passage("bedroom"), read).keep
    assert not gate(1.0).assess(passage("living_room"), read).keep


def test_a_failing_language_model_is_not_a_rejection() -> None:
    def fail() -> Reading:
        raise ExtractionError("engine lost", permanent=False)

    with pytest.raises(ExtractionError, match="engine lost"):
        gate(1.0).assess(passage(), fail)


@given(st.floats(-30, 30), st.floats(-30, 30), st.floats(0, 5))
def test_probability_is_a_probability_and_rises_with_either_judge(a: float, b: float, more: float) -> None:
    low = CALIBRATION.probability(CALIBRATION.fast((a, b, b)))
    assert 0 <= low <= 1
    assert CALIBRATION.probability(CALIBRATION.fast((a + more, b, b))) >= low
    assert CALIBRATION.probability(CALIBRATION.fast((a, b + more, b))) >= low


@pytest.mark.parametrize("calibration", [CALIBRATION, replace(CALIBRATION, full=None, probe=None)])
def test_a_calibration_survives_its_file(tmp_path: Path, calibration: Calibration) -> None:
    path = tmp_path / "new" / calibration_name("tiny:123")
    save_calibration(calibration, path)
    assert load_calibration(path) == calibration
    assert [file.name for file in path.parent.iterdir()] == ["calibration-tiny.json"]


def test_the_households_own_calibration_comes_first(tmp_path: Path) -> None:
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    save_calibration(replace(CALIBRATION, threshold=7.0), own / calibration_name("tiny:123"))
    save_calibration(CALIBRATION, shipped / calibration_name("tiny:123"))
    assert find_calibration("tiny:123", "abc", "def", (own, shipped)).threshold == 7.0
    assert find_calibration("tiny:123", "abc", "def", (tmp_path / "none", shipped)).threshold == 1.0


def test_an_unknown_language_model_is_refused_with_the_command_that_helps(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match="has no calibration") as caught:
        find_calibration("other:1", "abc", "def", (tmp_path,))
    assert "junod calibrate" in caught.value.hint


def rename(content: dict[str, object]) -> None:
    content["llm"] = "tiny:999"


def retrain(content: dict[str, object]) -> None:
    content["encoder"] = "other"


def probe_anew(content: dict[str, object]) -> None:
    content["states"] = "other"


def outdate(content: dict[str, object]) -> None:
    content["version"] = 0


def break_off(content: dict[str, object]) -> None:
    del content["fast"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (rename, "was made for"),
        (retrain, "was made for other judges"),
        (probe_anew, "was made for other judges"),
        (outdate, "of version 0"),
        (break_off, "is damaged"),
    ],
)
def test_a_calibration_that_does_not_fit_is_refused(
    tmp_path: Path, change: Callable[[dict[str, object]], None], says: str
) -> None:
    path = tmp_path / calibration_name("tiny:123")
    save_calibration(CALIBRATION, path)
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(CalibrationError, match=says):
        find_calibration("tiny:123", "abc", "def", (tmp_path,))


def test_a_calibration_that_is_not_json_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "calibration-tiny.json"
    path.write_text("{", "utf-8")
    with pytest.raises(CalibrationError, match="is damaged"):
        load_calibration(path)


def test_a_model_is_known_by_name_and_size(tmp_path: Path) -> None:
    path = tmp_path / "some-model.gguf"
    path.write_bytes(b"12345")
    assert identity_of(path) == "some-model:5"


def test_speech_comes_last_so_that_a_cut_never_takes_it() -> None:
    text = encoder_text(passage("living_room", ("earlier talk", " ".join(["word"] * 100))))
    assert text.endswith("living room | evening | said: we need oats")
    assert text.count("word") == 40
    assert "earlier" not in text


def test_without_context_nothing_stands_before_the_place() -> None:
    assert encoder_text(passage()) == "kitchen | evening | said: we need oats"


@pytest.mark.parametrize(
    ("hour", "name"), [(0, "night"), (4, "night"), (5, "morning"), (12, "afternoon"), (23, "evening")]
)
def test_every_hour_has_a_part_of_the_day(hour: int, name: str) -> None:
    assert part_of_day(hour) == name
