"""Trains the gate's encoder: the upper layers of MiniLM. Needs torch and transformers.

The lower layers stay as they are, so each passage goes through them once and not once an epoch. Besides the one
answer the gate needs, the encoder learns to tell who spoke and which kinds of memory a passage holds; those heads
only shape the features and do not ship.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional
from transformers import AutoTokenizer, BertModel

from junod.extract.encoder import DOWN, MAX_TOKENS, UP

KINDS = ("shopping", "appointment", "event", "reminder", "fact")
SPEAKERS = ("household", "guest", "tv", "radio", "phone", "toy", "mixed")


@dataclass(frozen=True, slots=True)
class Example:
    """One passage to learn from."""

    text: str
    """As `features.encoder_text` writes it."""
    label: bool
    weight: float
    kinds: tuple[str, ...] = ()
    speaker: str = ""
    """'' = not labelled: the speaker head learns nothing from it."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    epochs: int = 3
    batch: int = 32
    learning_rate: float = 1e-4
    positive_weight: float = 2.0
    frozen_layers: int = 3
    side_weight: float = 0.3
    """Weight of the two side tasks against the gate's own."""
    bare_share: float = 0.15
    """Share of the passages that lose case and punctuation in an epoch, as some recognisers write."""
    seed: int = 7


class GateEncoder(nn.Module):  # type: ignore[misc]
    """MiniLM cut in two, mean pooling over it, one linear head for the gate and one for the side tasks."""

    def __init__(self, folder: Path, frozen_layers: int) -> None:
        super().__init__()
        bert = BertModel.from_pretrained(folder, local_files_only=True, add_pooling_layer=False)
        self.frozen_layers = frozen_layers
        self.embeddings = bert.embeddings.requires_grad_(False)
        self.lower = bert.encoder.layer[:frozen_layers].requires_grad_(False)
        self.upper = bert.encoder.layer[frozen_layers:]
        width = bert.config.hidden_size
        self.head = nn.Linear(width, 1)
        self.side = nn.Linear(width, len(KINDS) + len(SPEAKERS))
        self.drop = nn.Dropout(0.1)

    def read(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The frozen part: token ids and mask, each (batch, length), to states (batch, length, width)."""
        return _through(self.lower, self.embeddings(input_ids=ids), mask)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The trained part: the gate's logits, (batch,), and those of the side tasks."""
        hidden = _through(self.upper, states, mask).float()
        weights = mask.unsqueeze(-1).float()
        pooled = self.drop((hidden * weights).sum(1) / weights.sum(1))
        return self.head(pooled).squeeze(-1), self.side(pooled)

    def tuned(self) -> dict[str, torch.Tensor]:
        """Every trained tensor but the side heads, named as in the public weights; the head is 'head.*'."""
        layers = {
            f"encoder.layer.{int(name.split('.')[0]) + self.frozen_layers}.{name.split('.', 1)[1]}": value
            for name, value in self.upper.named_parameters()
        }
        heads = {f"head.{name}": value for name, value in self.head.named_parameters()}
        return {name: value.detach().clone() for name, value in (layers | heads).items()}


def _through(layers: nn.ModuleList, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    blocked = mask[:, None, None, :].bool()
    for layer in layers:
        states = layer(states, blocked)
    return states


class Tokens:
    """Turns texts into token ids; a long text loses its head."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, truncation_side="left")

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        encoded: list[list[int]] = self._tokenizer(list(texts), truncation=True, max_length=MAX_TOKENS)["input_ids"]
        return encoded


def train(
    examples: Sequence[Example],
    folder: Path,
    plan: TrainingPlan,
    progress: Callable[[int, int, float], None] = lambda step, steps, loss: None,
) -> GateEncoder:
    """Fit the encoder on `examples`.

    Args:
        examples: passages with labels and weights.
        folder: MiniLM's folder.
        progress: called after each batch with its number, the number of batches and its loss.
    """
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    model = GateEncoder(folder, plan.frozen_layers)
    bare = rng.random(len(examples)) < plan.bare_share
    texts = [_bare(e.text) if b else e.text for e, b in zip(examples, bare, strict=True)]
    states = read_all(model, texts, folder)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], plan.learning_rate)
    steps = plan.epochs * math.ceil(len(examples) / plan.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 50) * (1 - step / steps))
    model.train()
    step = 0
    for _ in range(plan.epochs):
        for batch in _epoch(examples, states, plan, rng):
            with torch.autocast("cpu", torch.bfloat16):  # 1.7 times faster on processors with bfloat16 instructions
                loss = _loss(model, batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            progress(step, steps, float(loss.detach()))
    model.eval()
    return model


def read_all(model: GateEncoder, texts: Sequence[str], folder: Path, batch: int = 64) -> list[torch.Tensor]:
    """States of each text after the frozen layers, each (length, width) in bfloat16."""
    ids = Tokens(folder).ids(texts)
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    states: list[torch.Tensor] = [torch.empty(0)] * len(ids)
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            padded, mask = _pad_ids([ids[i] for i in chosen])
            for i, row in zip(chosen, model.read(padded, mask), strict=True):
                states[i] = row[: len(ids[i])].to(torch.bfloat16).clone()
    return states


def score(model: GateEncoder, states: Sequence[torch.Tensor], batch: int = 64) -> NDArray[np.float32]:
    """The gate's logit for each text that `read_all` read, shape (n,)."""
    order = sorted(range(len(states)), key=lambda i: len(states[i]))
    logits = np.empty(len(states), np.float32)
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            logits[chosen] = model(*_pad([states[i] for i in chosen]))[0].float().numpy()
    return logits


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    states: torch.Tensor
    mask: torch.Tensor
    labels: torch.Tensor
    weights: torch.Tensor
    kinds: torch.Tensor
    speakers: torch.Tensor
    """Index in SPEAKERS, -1 = unknown."""
    side_weight: float


def _epoch(
    examples: Sequence[Example], states: Sequence[torch.Tensor], plan: TrainingPlan, rng: np.random.Generator
) -> Iterator[_Batch]:
    """All examples once, in shuffled batches of like length."""
    order = sorted(range(len(states)), key=lambda i: len(states[i]) + rng.uniform(0, 8))
    starts = rng.permutation(np.arange(0, len(order), plan.batch))
    for start in starts:
        chosen = order[start : start + plan.batch]
        yield _batch([examples[i] for i in chosen], [states[i] for i in chosen], plan)


def _bare(text: str) -> str:
    """Speech as a recogniser without punctuation writes it."""
    before, mark, said = text.rpartition("said: ")
    return before + mark + " ".join("".join(c if c.isalnum() or c in "'-" else " " for c in said).split())


def _batch(examples: Sequence[Example], states: Sequence[torch.Tensor], plan: TrainingPlan) -> _Batch:
    padded, mask = _pad(states)
    labels = torch.tensor([float(e.label) for e in examples])
    weights = torch.tensor([e.weight * (plan.positive_weight if e.label else 1.0) for e in examples])
    kinds = torch.tensor([[float(kind in e.kinds) for kind in KINDS] for e in examples])
    speakers = torch.tensor([SPEAKERS.index(e.speaker) if e.speaker in SPEAKERS else -1 for e in examples])
    return _Batch(padded, mask, labels, weights, kinds, speakers, plan.side_weight)


def _pad(states: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    mask = nn.utils.rnn.pad_sequence([torch.ones(len(row), dtype=torch.long) for row in states], batch_first=True)
    return nn.utils.rnn.pad_sequence([row.float() for row in states], batch_first=True), mask


def _pad_ids(ids: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    rows = [torch.tensor(row) for row in ids]
    mask = nn.utils.rnn.pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
    return nn.utils.rnn.pad_sequence(rows, batch_first=True), mask


def _loss(model: GateEncoder, batch: _Batch) -> torch.Tensor:
    logits, side = (part.float() for part in model(batch.states, batch.mask))
    own = functional.binary_cross_entropy_with_logits(logits, batch.labels, batch.weights, reduction="sum")
    loss = own / batch.weights.sum()
    known = batch.speakers >= 0
    if batch.side_weight and bool(known.any()):
        kinds = functional.binary_cross_entropy_with_logits(side[known, : len(KINDS)], batch.kinds[known])
        speakers = functional.cross_entropy(side[known, len(KINDS) :], batch.speakers[known])
        loss = loss + batch.side_weight * (kinds + speakers)
    return loss


def difference(tuned: dict[str, torch.Tensor], folder: Path, rank: int) -> dict[str, torch.Tensor]:
    """What ships: tuned minus public weights in float16, each matrix as the two thin ones of its best low-rank cut."""
    public = dict(BertModel.from_pretrained(folder, local_files_only=True).named_parameters())
    shipped: dict[str, torch.Tensor] = {}
    for name, value in tuned.items():
        if name.startswith("head."):
            shipped[name] = value.half()
            continue
        change = value - public[name].detach()
        if change.dim() < 2:
            shipped[name] = change.half()
            continue
        left, sizes, right = torch.linalg.svd(change, full_matrices=False)
        root = sizes[:rank].sqrt()
        shipped[name + UP] = (left[:, :rank] * root).half().contiguous()
        shipped[name + DOWN] = (root[:, None] * right[:rank]).half().contiguous()
    return shipped
