"""Trains the gate's encoder: the upper layers of MiniLM. Needs torch and transformers.

The lower layers stay as they are, so each passage goes through them once and not once an epoch. Besides the gate's
answer the encoder learns which pieces of a passage hold the memory and of what kind it is, which ships, and to tell
who spoke and which kinds a passage holds, which only shapes the features.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional
from transformers import AutoTokenizer, BertModel

from junod.extract.encoder import KINDS, MAX_TOKENS, SAID, pooled_pieces
from junod.extract.pieces import owners, spans
from junod.low_rank import thinned

_LEAST_SHARE = 0.5
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
    """'' = not labelled: the speaker head learns nothing from it, nor that of the pieces."""
    wanted: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Each memory to keep: its kind and the strings it must hold; a piece with half of them holds it."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    epochs: int = 3
    batch: int = 32
    learning_rate: float = 1e-4
    positive_weight: float = 2.0
    frozen_layers: int = 3
    side_weight: float = 0.3
    """Weight of the two side tasks against the gate's own."""
    piece_weight: float = 0.5
    """Weight of finding the pieces that hold the memory."""
    bare_share: float = 0.15
    """Share of the passages that lose case and punctuation in an epoch, as some recognisers write."""
    seed: int = 7


class GateEncoder(nn.Module):  # type: ignore[misc]
    """MiniLM cut in two, mean pooling over it, linear heads: for the gate, for pieces, for the side tasks."""

    def __init__(self, folder: Path, frozen_layers: int) -> None:
        super().__init__()
        bert = BertModel.from_pretrained(folder, local_files_only=True, add_pooling_layer=False)
        self.frozen_layers = frozen_layers
        self.embeddings = bert.embeddings.requires_grad_(False)
        self.lower = bert.encoder.layer[:frozen_layers].requires_grad_(False)
        self.upper = bert.encoder.layer[frozen_layers:]
        width = bert.config.hidden_size
        self.head = nn.Linear(width, 1)
        self.piece = nn.Linear(width, 1 + len(KINDS))
        self.side = nn.Linear(width, len(KINDS) + len(SPEAKERS))
        self.drop = nn.Dropout(0.1)

    def read(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The frozen part: token ids and mask, each (batch, length), to states (batch, length, width)."""
        return _through(self.lower, self.embeddings(input_ids=ids), mask)

    def forward(
        self, states: torch.Tensor, mask: torch.Tensor, owner: torch.Tensor, pieces: int
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The trained part: the gate's logits, (batch,), those of the pieces, (pieces, 6), and of the side tasks.

        `owner`, (batch, length), is the number of the piece each token belongs to, -1 = none.
        """
        hidden = _through(self.upper, states, mask).float()
        weights = mask.unsqueeze(-1).float()
        pooled = self.drop((hidden * weights).sum(1) / weights.sum(1))
        pieced = self.drop(pooled_pieces(hidden.flatten(0, 1), owner.flatten(), pieces))
        return self.head(pooled).squeeze(-1), self.piece(pieced), self.side(pooled)

    def tuned(self) -> dict[str, torch.Tensor]:
        """Every trained tensor that ships, named as in the public weights; the heads are 'head.*' and 'piece.*'."""
        layers = {
            f"encoder.layer.{int(name.split('.')[0]) + self.frozen_layers}.{name.split('.', 1)[1]}": value
            for name, value in self.upper.named_parameters()
        }
        heads = {f"head.{name}": value for name, value in self.head.named_parameters()}
        heads |= {f"piece.{name}": value for name, value in self.piece.named_parameters()}
        return {name: value.detach().clone() for name, value in (layers | heads).items()}


def _through(layers: nn.ModuleList, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    blocked = mask[:, None, None, :].bool()
    for layer in layers:
        states = layer(states, blocked)
    return states


@dataclass(slots=True, eq=False)
class Text:
    """A text as tokens, and what is known of its pieces."""

    ids: list[int]
    owner: list[int]
    """For each token the piece it lies in, -1 = none."""
    kinds: list[int]
    """For each piece the kind of the memory it holds, as a place in KINDS, -1 = holds none."""
    states: torch.Tensor
    """After the frozen layers, (length, width), bfloat16."""


class Tokens:
    """Turns texts into token ids; a long text loses its head."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, truncation_side="left")

    def read(self, example: Example) -> Text:
        encoded = self._tokenizer(example.text, truncation=True, max_length=MAX_TOKENS, return_offsets_mapping=True)
        said = example.text.rpartition(SAID)[2]
        start = len(example.text) - len(said)
        places = spans(said)
        owner = owners(encoded["offset_mapping"], [(begin + start, end + start) for begin, end in places])
        kinds = [_kind_of(said[begin:end], example.wanted) for begin, end in places]
        return Text(encoded["input_ids"], owner, kinds, torch.empty(0))


def _kind_of(piece: str, wanted: Sequence[tuple[str, tuple[str, ...]]]) -> int:
    """The kind of the memory that has at least half of its strings in the piece; -1 = there is none."""
    shares = [(_share(piece.lower(), strings), kind) for kind, strings in wanted]
    best, kind = max(shares, default=(0.0, ""))
    return KINDS.index(kind) if best >= _LEAST_SHARE and kind in KINDS else -1


def _share(piece: str, strings: Sequence[str]) -> float:
    return sum(any(one.strip().lower() in piece for one in need.split("|")) for need in strings) / len(strings)


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
    heard = [replace(e, text=_bare(e.text)) if b else e for e, b in zip(examples, bare, strict=True)]
    texts = read_all(model, heard, folder)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], plan.learning_rate)
    steps = plan.epochs * math.ceil(len(examples) / plan.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 50) * (1 - step / steps))
    model.train()
    step = 0
    for _ in range(plan.epochs):
        for batch in _epoch(examples, texts, plan, rng):
            with torch.autocast("cpu", torch.bfloat16):  # 1.7 times faster on processors with bfloat16 instructions
                loss = _loss(model, batch, plan)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            progress(step, steps, float(loss.detach()))
    model.eval()
    return model


def read_all(model: GateEncoder, examples: Sequence[Example], folder: Path, batch: int = 64) -> list[Text]:
    """Each example's text after the frozen layers."""
    tokens = Tokens(folder)
    texts = [tokens.read(example) for example in examples]
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for chosen in _by_length(texts, batch):
            padded, mask = _pad_ids([text.ids for text in chosen])
            for text, row in zip(chosen, model.read(padded, mask), strict=True):
                text.states = row[: len(text.ids)].to(torch.bfloat16).clone()
    return texts


def score(model: GateEncoder, texts: Sequence[Text], batch: int = 64) -> list[tuple[float, NDArray[np.float32]]]:
    """For each text that `read_all` read the gate's logit and those of its pieces, shape (pieces, 6)."""
    found: dict[int, tuple[float, NDArray[np.float32]]] = {}
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for chosen in _by_length(texts, batch):
            states, mask = _pad([text.states for text in chosen])
            owner, count = _owners(chosen, mask.shape[1])
            logits, pieces, _ = (part.float() for part in model(states, mask, owner, count))
            ends = np.cumsum([len(text.kinds) for text in chosen])[:-1].tolist()
            for text, logit, rows in zip(chosen, logits.tolist(), np.split(pieces.numpy(), ends), strict=True):
                found[id(text)] = logit, rows
    return [found[id(text)] for text in texts]


def _by_length(texts: Sequence[Text], batch: int) -> Iterator[list[Text]]:
    order = sorted(texts, key=lambda text: len(text.ids))
    return (order[start : start + batch] for start in range(0, len(order), batch))


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    states: torch.Tensor
    mask: torch.Tensor
    owner: torch.Tensor
    labels: torch.Tensor
    weights: torch.Tensor
    kinds: torch.Tensor
    speakers: torch.Tensor
    """Index in SPEAKERS, -1 = unknown."""
    pieces: torch.Tensor
    """Of each piece the kind it holds, -1 = none; -2 = its passage is not labelled so finely."""


def _epoch(
    examples: Sequence[Example], texts: Sequence[Text], plan: TrainingPlan, rng: np.random.Generator
) -> Iterator[_Batch]:
    """All examples once, in shuffled batches of like length."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i].ids) + rng.uniform(0, 8))
    starts = rng.permutation(np.arange(0, len(order), plan.batch))
    for start in starts:
        chosen = order[start : start + plan.batch]
        yield _batch([examples[i] for i in chosen], [texts[i] for i in chosen], plan)


def _bare(text: str) -> str:
    """Speech as a recogniser without punctuation writes it."""
    before, mark, said = text.rpartition("said: ")
    return before + mark + " ".join("".join(c if c.isalnum() or c in "'-" else " " for c in said).split())


def _batch(examples: Sequence[Example], texts: Sequence[Text], plan: TrainingPlan) -> _Batch:
    padded, mask = _pad([text.states for text in texts])
    owner, _ = _owners(texts, mask.shape[1])
    labels = torch.tensor([float(e.label) for e in examples])
    weights = torch.tensor([e.weight * (plan.positive_weight if e.label else 1.0) for e in examples])
    kinds = torch.tensor([[float(kind in e.kinds) for kind in KINDS] for e in examples])
    speakers = torch.tensor([SPEAKERS.index(e.speaker) if e.speaker in SPEAKERS else -1 for e in examples])
    pieces = [kind if e.speaker else -2 for e, text in zip(examples, texts, strict=True) for kind in text.kinds]
    return _Batch(padded, mask, owner, labels, weights, kinds, speakers, torch.tensor(pieces))


def _owners(texts: Sequence[Text], length: int) -> tuple[torch.Tensor, int]:
    """Which piece of the whole batch each token lies in, (batch, length), and how many pieces there are."""
    owner = torch.full((len(texts), length), -1)
    count = 0
    for row, text in enumerate(texts):
        own = torch.tensor(text.owner)
        owner[row, : len(own)] = torch.where(own >= 0, own + count, own)
        count += len(text.kinds)
    return owner, count


def _pad(states: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    mask = nn.utils.rnn.pad_sequence([torch.ones(len(row), dtype=torch.long) for row in states], batch_first=True)
    return nn.utils.rnn.pad_sequence([row.float() for row in states], batch_first=True), mask


def _pad_ids(ids: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    rows = [torch.tensor(row) for row in ids]
    mask = nn.utils.rnn.pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
    return nn.utils.rnn.pad_sequence(rows, batch_first=True), mask


def _loss(model: GateEncoder, batch: _Batch, plan: TrainingPlan) -> torch.Tensor:
    outputs = model(batch.states, batch.mask, batch.owner, len(batch.pieces))
    logits, pieces, side = (part.float() for part in outputs)
    own = functional.binary_cross_entropy_with_logits(logits, batch.labels, batch.weights, reduction="sum")
    loss = own / batch.weights.sum() + plan.piece_weight * _piece_loss(pieces, batch.pieces)
    known = batch.speakers >= 0
    if plan.side_weight and bool(known.any()):
        kinds = functional.binary_cross_entropy_with_logits(side[known, : len(KINDS)], batch.kinds[known])
        speakers = functional.cross_entropy(side[known, len(KINDS) :], batch.speakers[known])
        loss = loss + plan.side_weight * (kinds + speakers)
    return loss


def _piece_loss(logits: torch.Tensor, kinds: torch.Tensor) -> torch.Tensor:
    """Whether a piece holds the memory, and of those that do which kind it is (at half the weight)."""
    known, holds = kinds >= -1, kinds >= 0
    if not bool(known.any()):
        return logits.sum() * 0
    loss = functional.binary_cross_entropy_with_logits(logits[known, 0], holds[known].float())
    return loss + 0.5 * functional.cross_entropy(logits[holds, 1:], kinds[holds]) if bool(holds.any()) else loss


def difference(tuned: dict[str, torch.Tensor], folder: Path, rank: int) -> dict[str, torch.Tensor]:
    """What ships: tuned minus public weights in float16, each matrix as the two thin ones of its best low-rank cut."""
    public = dict(BertModel.from_pretrained(folder, local_files_only=True).named_parameters())
    shipped: dict[str, torch.Tensor] = {}
    for name, value in tuned.items():
        if name.startswith(("head.", "piece.")):
            shipped[name] = value.half()
        else:
            shipped |= thinned(name, value - public[name].detach(), rank)
    return shipped
