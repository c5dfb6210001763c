"""What teaches the embedding model how households ask: its loss, its data, its cut."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from junod.low_rank import add_difference, thinned  # noqa: E402
from scripts.train_questions import HOUSEHOLDS, NOTHING, SHARPNESS, Choice, read_households  # noqa: E402


def loss_of(cosines: list[float], right: list[bool], undecided: list[bool] | None = None) -> float:
    marks = torch.tensor([undecided or [False] * len(cosines)])
    choice = Choice()
    loss = choice(torch.tensor([cosines]), torch.tensor([right]), marks)
    loss.backward()
    assert all(bool(torch.isfinite(each.grad)) for each in choice.parameters())
    return float(loss.detach())


def test_the_answer_is_right_and_nothing_is_where_there_is_none() -> None:
    near, far = NOTHING + 0.2, NOTHING - 0.2
    assert loss_of([near, far], [True, False]) < 0.1 < 2 < loss_of([near, far], [False, True])
    assert loss_of([far, far], [False, False]) < 0.1 < 2 < loss_of([near, far], [False, False])
    expected = math.log(1 + math.exp((far - NOTHING) * SHARPNESS))
    assert loss_of([far], [False]) == pytest.approx(expected, abs=1e-5)


def test_any_of_several_answers_will_do_and_the_undecided_count_neither_way() -> None:
    near, far = NOTHING + 0.2, NOTHING - 0.2
    assert loss_of([near, far], [True, True]) == pytest.approx(loss_of([near, far], [True, False]), abs=0.01)
    with_rival = loss_of([near, near], [True, False])
    assert loss_of([near, near], [True, False], [False, True]) == pytest.approx(loss_of([near], [True]))
    assert with_rival > loss_of([near], [True]) + 0.5


def test_every_answer_of_the_households_that_come_along_is_there() -> None:
    homes = read_households(HOUSEHOLDS)
    assert len(homes) >= 8
    for home in homes:
        assert len(home.memories) >= 160
        assert len(home.asked) >= 340
        assert sum(not each.answers for each in home.asked) >= 120
        assert all(each.answers | each.also <= home.memories.keys() for each in home.asked)
        assert len(set(home.memories.values())) == len(home.memories)


def test_a_difference_cut_to_its_rank_is_the_difference_where_that_is_its_rank() -> None:
    torch.manual_seed(3)
    layer = torch.nn.Linear(6, 5)
    before = {name: value.detach().clone() for name, value in layer.named_parameters()}
    change = {"weight": torch.outer(torch.arange(5.0), torch.arange(6.0)) / 10, "bias": torch.arange(5.0) / 8}
    stored = thinned("weight", change["weight"], 1) | thinned("bias", change["bias"], 1)
    assert {tuple(value.shape) for value in stored.values()} == {(5, 1), (1, 6), (5,)}
    add_difference(layer, stored)
    for name, value in layer.named_parameters():
        assert (value - before[name] - change[name]).abs().max() < 5e-3
