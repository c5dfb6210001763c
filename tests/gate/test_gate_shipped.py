"""What ships fits together, and decides plain cases as a person would."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from junod.assembly.parts import gate_models
from junod.errors import ModelError
from junod.extract.calibration import area_under_curve
from junod.extract.evaluate import load_labelled
from junod.extract.gate import CalibratedGate, load_calibration
from junod.extract.gate_models import GateModels
from junod.extract.held_out import HELD_OUT_FILE, read_held_out
from junod.extract.language_model import Reading
from junod.extract.ngrams import load_ngrams
from junod.records import Passage
from junod.settings import load_settings

GATE = Path(__file__).parents[2] / "models" / "gate"
LLM = "qwen2.5-coder-1.5b-instruct-q4_k_m"


def said(text: str, room: str = "kitchen") -> Passage:
    return Passage("p", text, datetime(2026, 3, 24, 18, tzinfo=UTC), room)


def test_every_passage_of_the_corpus_has_held_out_logits() -> None:
    held_out = read_held_out(GATE / HELD_OUT_FILE)
    assert held_out.keys() == {one.passage.id for one in load_labelled(GATE / "corpus.jsonl.gz")}


def test_the_calibration_gives_the_figures_it_names() -> None:
    calibration = load_calibration(GATE / f"calibration-{LLM}.json")
    held_out = read_held_out(GATE / HELD_OUT_FILE)
    corpus = [one for one in load_labelled(GATE / "corpus.jsonl.gz") if one.holds_memory is not None]
    labels = np.array([bool(one.holds_memory) for one in corpus])
    judged = [held_out[one.passage.id].judgement for one in corpus]
    logits = np.array([calibration.deep(judgement.deep()) for judgement in judged])
    first = np.array([calibration.fast(judgement.fast()) for judgement in judged])
    kept = logits >= calibration.threshold
    assert labels[kept].mean() == pytest.approx(calibration.measured["precision"], abs=0.01)
    assert kept[labels].mean() == pytest.approx(calibration.measured["recall"], abs=0.02)
    assert (first[labels] >= calibration.reject_below).mean() >= 0.99
    assert area_under_curve(logits, labels) > 0.93


def test_the_word_model_tells_a_need_from_a_match_report() -> None:
    words = load_ngrams(GATE / "ngrams.json.gz")
    need = said("We need more coffee and dishwasher tablets, put them on the list.")
    match = said("What a save by the keeper, and it's still nil nil here in Turin.", "living_room")
    assert words.logit(need) > 1 > -1 > words.logit(match)


@pytest.mark.models
def test_the_gate_keeps_a_plan_and_drops_a_match_report() -> None:
    gate = shipped_gate()
    plan = said("Remind me to phone the garage in the morning.")
    match = said("And he shoots! What a save by the keeper, and it's still nil nil here in Turin.", "living_room")
    assert gate.assess(plan, never).keep
    assert gate.assess(match, never).probability < 0.01


@pytest.mark.models
def test_the_held_out_gate_reaches_the_figures_of_the_calibration() -> None:
    from junod.extract.gate_files import held_out_gate

    gate = held_out_gate(shipped_models()).gate
    corpus = [one for one in load_labelled(GATE / "corpus.jsonl.gz") if one.holds_memory is not None]
    kept = [bool(one.expect) for one in corpus if gate.assess(one.passage, never).keep]
    measured = load_calibration(GATE / f"calibration-{LLM}.json").measured
    assert sum(kept) / len(kept) == pytest.approx(measured["precision"], abs=0.01)
    assert sum(kept) / sum(bool(one.expect) for one in corpus) == pytest.approx(measured["recall"], abs=0.02)


def never() -> Reading:
    raise AssertionError("this calibration does not ask the language model")


def shipped_gate() -> CalibratedGate:
    from junod.extract.gate_files import load_gate

    return load_gate(shipped_models()).gate


def shipped_models() -> GateModels:
    settings = load_settings()
    try:
        models = gate_models(settings)
    except ModelError as error:
        pytest.skip(f"{error.message} {error.hint}")
    return replace(models, own=models.base / "no-calibrations-of-its-own")
