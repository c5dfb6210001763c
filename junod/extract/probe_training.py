"""Trains the probe of the lower layers. Needs torch."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from junod.extract.encoder import KINDS
from junod.extract.encoder_training import SPEAKERS
from junod.extract.evaluate import Labelled
from junod.extract.states import Probe
from junod.records import Passage

_KEEP_EVERY = 500

States = Mapping[str, NDArray[np.float32]]
"""Mean states, each of shape (width,), by `key_of` their passages."""


@dataclass(frozen=True, slots=True)
class ProbePlan:
    hidden: int = 512
    """Width of the hidden layer of each network."""
    networks: int = 3
    epochs: int = 20
    batch: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 0.05
    drop: float = 0.3
    """Share of inputs and of hidden numbers that are left out at random."""
    side_weight: float = 0.3
    """Weight of the side tasks, who spoke and which kinds of memory there are, against the gate's own."""


class Reader(Protocol):
    def mean_state(self, passage: Passage) -> NDArray[np.float32]: ...


class _Network(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int, plan: ProbePlan) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, plan.hidden)
        self.out = nn.Linear(plan.hidden, 1)
        self.side = nn.Linear(plan.hidden, len(KINDS) + len(SPEAKERS))
        self.drop = nn.Dropout(plan.drop)

    def forward(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.drop(functional.gelu(self.hidden(self.drop(states)), approximate="tanh"))
        return self.out(hidden).squeeze(-1), self.side(hidden)


def key_of(passage: Passage) -> str:
    """Names a passage as it was written down: what speech-to-text heard bears the id of what was spoken."""
    return f"{passage.id}/{zlib.crc32(passage.transcript.encode()):08x}"


def read_states(passages: Sequence[Labelled], reader: Reader, kept: Path, tell: Callable[[str], None]) -> States:
    """The mean state of every passage. Those in `kept` are taken from there, and it is written as the reading goes."""
    states = _load(kept)
    missing = [one.passage for one in passages if key_of(one.passage) not in states]
    for done, passage in enumerate(missing, start=1):
        states[key_of(passage)] = reader.mean_state(passage)
        if done % _KEEP_EVERY == 0 or done == len(missing):
            _save(states, kept)
            tell(f"  read {done} of {len(missing)} passages")
    return states


def train_probe(
    inputs: NDArray[np.float32],
    passages: Sequence[Labelled],
    weights: Sequence[float],
    plan: ProbePlan | None = None,
    *,
    seed: int = 7,
) -> Probe:
    """Fit the networks on mean states; deterministic on one machine.

    Args:
        inputs: shape (n, width).
        passages: what is right about each.
        weights: how much each counts.
    """
    plan = plan or ProbePlan()
    middle, spread = inputs.mean(0), inputs.std(0) + 1e-6
    taught = _Taught(torch.from_numpy((inputs - middle) / spread), passages, weights)
    networks = [_fit(taught, plan, seed + place) for place in range(plan.networks)]
    return Probe(
        middle=middle,
        hidden=np.concatenate([_array(one.hidden.weight).T for one in networks], axis=1) / spread[:, None],
        hidden_bias=np.concatenate([_array(one.hidden.bias) for one in networks]),
        out=np.asarray(np.concatenate([_array(one.out.weight)[0] for one in networks]) / plan.networks, np.float32),
        bias=np.asarray(np.mean([_array(one.out.bias) for one in networks], axis=0), np.float32),
    )


class _Taught:
    """States and what is right, as tensors."""

    def __init__(self, states: torch.Tensor, passages: Sequence[Labelled], weights: Sequence[float]) -> None:
        self.states = states
        self.labels = torch.tensor([float(bool(one.expect)) for one in passages])
        self.weights = torch.tensor(weights, dtype=torch.float32) / max(weights)
        self.kinds = torch.tensor([[float(kind in {e.kind for e in one.expect}) for kind in KINDS] for one in passages])
        self.speakers = torch.tensor([SPEAKERS.index(one.origin) if one.origin in SPEAKERS else -1 for one in passages])


def _fit(taught: _Taught, plan: ProbePlan, seed: int) -> _Network:
    torch.manual_seed(seed)
    network = _Network(taught.states.shape[1], plan)
    optimizer = torch.optim.AdamW(network.parameters(), plan.learning_rate, weight_decay=plan.weight_decay)
    count = len(taught.labels)
    steps = plan.epochs * -(-count // plan.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 100) * (1 - step / steps)
    )
    network.train()
    for _ in range(plan.epochs):
        for chosen in torch.randperm(count).split(plan.batch):
            optimizer.zero_grad()
            _loss(network, taught, chosen, plan).backward()
            optimizer.step()
            schedule.step()
    network.eval()
    return network


def _loss(network: _Network, taught: _Taught, chosen: torch.Tensor, plan: ProbePlan) -> torch.Tensor:
    logits, side = network(taught.states[chosen])
    weights = taught.weights[chosen]
    own = functional.binary_cross_entropy_with_logits(logits, taught.labels[chosen], weights, reduction="sum")
    loss = own / weights.sum()
    speakers = taught.speakers[chosen]
    known = speakers >= 0
    if not bool(known.any()):
        return loss
    kinds = functional.binary_cross_entropy_with_logits(side[known, : len(KINDS)], taught.kinds[chosen][known])
    return loss + plan.side_weight * (kinds + functional.cross_entropy(side[known, len(KINDS) :], speakers[known]))


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    return np.asarray(tensor.detach().numpy(), np.float32)


def _load(kept: Path) -> dict[str, NDArray[np.float32]]:
    if not kept.is_file():
        return {}
    with np.load(kept) as file:
        return dict(zip(file["ids"].tolist(), file["states"].astype(np.float32), strict=True))


def _save(states: States, kept: Path) -> None:
    unfinished = kept.with_suffix(".unfinished.npz")
    np.savez(unfinished, ids=np.array(list(states)), states=np.stack(list(states.values())).astype(np.float16))
    os.replace(unfinished, kept)
