"""The lower layers of a language model as a judge: what is read, and what is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("llama_cpp")

from junod.assembly.parts import GATE_LOWER
from junod.errors import ModelError
from junod.extract.evaluate import Labelled
from junod.extract.probe_training import ProbePlan, key_of, read_states, train_probe
from junod.extract.scoring import Expectation
from junod.extract.states import (
    LEAST_WORDS,
    MAX_SAID,
    MOST_BRIEF,
    Probe,
    StateJudge,
    StateReader,
    held_back,
    load_probe,
    save_probe,
)
from junod.records import Passage
from junod.settings import load_settings, models_dir
from junod.weights.locate import model_path

NEED = Passage("p", "We're out of milk and eggs.", datetime(2026, 3, 24, 18, tzinfo=UTC), "kitchen")


@pytest.fixture(scope="module")
def reader() -> Iterator[StateReader]:
    try:
        path = model_path(GATE_LOWER, models_dir(load_settings()))
    except ModelError as error:
        pytest.skip(f"{error.message} {error.hint}")
    made = StateReader(path)
    yield made
    made.close()


@pytest.mark.models
def test_a_passage_reads_the_same_whatever_was_read_before(reader: StateReader) -> None:
    first = reader.mean_state(NEED)
    reader.mean_state(replace(NEED, transcript="And that is the end of the match. " * 20))
    assert np.allclose(reader.mean_state(NEED), first, atol=1e-4)
    assert first.shape == (reader.width,)
    assert np.abs(first).max() > 0.1


@pytest.mark.models
def test_the_mean_is_over_what_is_said_and_not_over_the_words_before_it(reader: StateReader) -> None:
    tea, rum = (reader.mean_state(replace(NEED, transcript=said)) for said in ("tea", "rum"))
    assert np.linalg.norm(tea - rum) > 0.2 * np.linalg.norm(tea)


@pytest.mark.models
def test_room_and_hour_are_read_and_what_was_said_before_is_not(reader: StateReader) -> None:
    here = reader.mean_state(NEED)
    after = reader.mean_state(replace(NEED, context=("The dentist is on Monday.",)))
    assert np.allclose(after, here, atol=1e-4)
    assert not np.allclose(reader.mean_state(replace(NEED, room="bedroom")), here, atol=1e-2)
    assert not np.allclose(
        reader.mean_state(replace(NEED, spoken_at=datetime(2026, 3, 24, 3, tzinfo=UTC))), here, atol=1e-2
    )


@pytest.mark.models
@pytest.mark.parametrize("said", ["", "Héllo, \U0001f95b milk, naïvely — 牛奶", "<|im_start|>system\x00 {}"])
def test_anything_can_be_read(reader: StateReader, said: str) -> None:
    assert np.isfinite(reader.mean_state(replace(NEED, transcript=said))).all()


@pytest.mark.models
def test_of_a_very_long_passage_the_beginning_counts(reader: StateReader) -> None:
    long = "milk " * MAX_SAID
    beyond = replace(NEED, transcript=long + "and the dentist on Monday")
    assert np.allclose(reader.mean_state(beyond), reader.mean_state(replace(NEED, transcript=long)), atol=1e-4)


def some_probe() -> Probe:
    """Of two hidden numbers one grows with the first input, far beyond where it bends; the other is always nothing."""
    numbers = ([7.0, 0.0], [[1.0, 0.0], [0.0, 0.0]], [0.0, 0.0], [0.5, 9.0], [1.0])
    return Probe(*(np.array(each, np.float32) for each in numbers))


def test_a_judge_gives_what_its_probe_makes_of_the_state() -> None:
    class Fixed(StateReader):
        def __init__(self) -> None:
            self.width = 2

        def mean_state(self, passage: Passage) -> NDArray[np.float32]:
            return np.array([len(passage.transcript), 1], np.float32)

    assert StateJudge(Fixed(), some_probe()).logit(NEED) == pytest.approx(0.5 * (27 - 7) + 1.0, abs=1e-3)


def test_a_probe_survives_its_file(tmp_path: Path) -> None:
    save_probe(some_probe(), tmp_path / "states.safetensors")
    state = np.array([20.0, 0.0], np.float32)
    assert load_probe(tmp_path / "states.safetensors")(state) == some_probe()(state)


def test_a_probe_whose_matrix_lies_column_by_column_is_saved_as_it_is(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    inputs = rng.normal(size=(90, 4)).astype(np.float32)
    passages = [Labelled(NEED, "household", (Expectation(("milk",), "shopping"),) if i % 3 else ()) for i in range(90)]
    probe = train_probe(inputs, passages, [1.0] * 90, ProbePlan(hidden=6, networks=2, epochs=3, learning_rate=0.01))
    save_probe(replace(probe, hidden=np.asfortranarray(probe.hidden)), tmp_path / "states.safetensors")
    found = load_probe(tmp_path / "states.safetensors")
    assert [found(row) for row in inputs] == pytest.approx([probe(row) for row in inputs], abs=0.01)


@pytest.mark.parametrize("content", [None, b"", b"not weights"])
def test_missing_or_damaged_weights_are_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "states.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=r"states\.safetensors cannot be read"):
        load_probe(path)


def test_a_probe_learns_to_tell_states_apart_and_weighs_its_examples() -> None:
    rng = np.random.default_rng(3)
    labels = [bool(i % 2) for i in range(400)]
    inputs = (rng.normal(size=(400, 5)) * 3 + 7).astype(np.float32)
    inputs[:, 2] += np.array(labels) * 12
    wanted = (Expectation(("milk",), "shopping"),)
    passages = [Labelled(NEED, "household", wanted if label else ()) for label in labels]
    plan = ProbePlan(hidden=16, networks=2, epochs=20, learning_rate=0.01)
    probe = train_probe(inputs, passages, [1.0] * 400, plan)
    found = np.array([probe(row) for row in inputs]) > 0
    assert (found == np.array(labels)).mean() > 0.95
    wary = train_probe(inputs, passages, [0.01 if label else 1.0 for label in labels], plan)
    assert np.mean([wary(row) for row in inputs]) < np.mean([probe(row) for row in inputs])
    again = train_probe(inputs, passages, [1.0] * 400, plan)
    assert np.array_equal(probe.hidden, again.hidden)


class Counted:
    def __init__(self) -> None:
        self.read: list[str] = []

    def mean_state(self, passage: Passage) -> NDArray[np.float32]:
        self.read.append(passage.id)
        return np.full(3, len(passage.transcript), np.float32)


def test_what_was_read_is_not_read_again(tmp_path: Path) -> None:
    passages = [
        Labelled(replace(NEED, id=f"p{i}"), "household", (Expectation(("milk",), "shopping"),)) for i in range(3)
    ]
    reader, lines = Counted(), list[str]()
    read_states(passages[:2], reader, tmp_path / "states.npz", lines.append)
    states = read_states(passages, reader, tmp_path / "states.npz", lines.append)
    assert reader.read == ["p0", "p1", "p2"]
    assert {key: value.tolist() for key, value in states.items()} == {
        key_of(one.passage): [27.0] * 3 for one in passages
    }
    assert lines == ["  read 2 of 2 passages", "  read 1 of 1 passages"]


def test_what_speech_to_text_heard_is_told_from_what_was_spoken() -> None:
    assert key_of(NEED) != key_of(replace(NEED, transcript="Where out of milk and legs."))


def test_brief_talk_after_other_talk_counts_only_so_far_and_plain_needs_count_in_full() -> None:
    sure = some_probe()
    whole = sure(np.full(len(sure.middle), 50.0, np.float32))
    assert abs(whole) > MOST_BRIEF
    after = ("Did you see the match?",)
    assert held_back(NEED, whole) == whole
    assert held_back(replace(NEED, context=after), whole) == np.sign(whole) * MOST_BRIEF
    other = replace(NEED, transcript="A good match.", context=after)
    assert held_back(other, -whole) == -np.sign(whole) * MOST_BRIEF
    assert held_back(other, 0.5) == 0.5
    longer = replace(NEED, transcript=" ".join(["word"] * LEAST_WORDS), context=after)
    assert held_back(longer, whole) == whole
