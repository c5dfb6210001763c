#!/usr/bin/env python3
"""Teaches the embedding model how households ask: queries move towards the memories that answer them.

usage: train_questions.py --base FOLDER [--out FILE] [--households FILE] [--held-out] [--epochs 4]

Only what reads queries is trained; memories keep their vectors, so nothing is embedded anew. A query chooses among all
memories of its household and 'nothing answers', as in a softmax over cosines (van den Oord et al., "Representation
Learning with Contrastive Predictive Coding", 2018; a class for 'none of these' added). With --held-out each household
is asked by a model that never saw it, and nothing is written.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from transformers import AutoTokenizer, BertModel
from transformers.utils import logging

from junod.assembly.embedders import QUESTIONS
from junod.low_rank import save_difference, thinned

ROOT = Path(__file__).resolve().parent.parent
HOUSEHOLDS = ROOT / "models/search/households.jsonl.gz"
NOTHING, SHARPNESS = 0.45, 20.0
"""Where the cosine of 'nothing answers' and the softmax's sharpness begin; both are learned."""
LEARNING_RATE, OWN_RATE, WARM_UP = 5e-5, 1e-3, 30
"""Of the model, of those two numbers; steps until it is reached."""
BATCH, MAX_TOKENS = 16, 64
_NEVER = -10.0
"""No cosine; an infinity would leave the sharpness without a gradient."""


@dataclass(frozen=True, slots=True)
class Asked:
    query: str
    answers: frozenset[str]
    """Ids of the memories that answer it; none = nothing does."""
    also: frozenset[str]
    """Those about which one may differ: they count neither way."""


@dataclass(frozen=True, slots=True)
class Household:
    name: str
    memories: dict[str, str]
    """Text by id."""
    asked: tuple[Asked, ...]


def read_households(path: Path) -> list[Household]:
    """One household a line."""
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    return [
        Household(
            row["name"],
            {each["id"]: each["memory"] for each in row["memories"]},
            tuple(
                Asked(each["query"], frozenset(each["answers"]), frozenset(each.get("also", ())))
                for each in row["queries"]
            ),
        )
        for row in rows
    ]


class Reader:
    """MiniLM with mean pooling, its vectors of length 1."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self.bert = BertModel.from_pretrained(folder, local_files_only=True, add_pooling_layer=False)
        self.bert.embeddings.requires_grad_(False)

    def __call__(self, texts: Sequence[str]) -> torch.Tensor:
        """Shape (texts, width)."""
        read = self._tokenizer(texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
        states, mask = self.bert(**read).last_hidden_state, read["attention_mask"].unsqueeze(-1)
        return functional.normalize((states * mask).sum(1) / mask.sum(1), dim=-1)

    def fixed(self, texts: Sequence[str]) -> torch.Tensor:
        """The same, with nothing learned from it."""
        self.bert.eval()
        with torch.no_grad():
            return torch.cat([self(texts[start : start + 64]) for start in range(0, len(texts), 64)])


class Choice(nn.Module):  # type: ignore[misc]
    """From cosines to the loss of choosing rightly among memories and nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.nothing = nn.Parameter(torch.tensor(NOTHING))
        self.sharpness = nn.Parameter(torch.tensor(math.log(SHARPNESS)))

    def forward(self, cosines: torch.Tensor, right: torch.Tensor, undecided: torch.Tensor) -> torch.Tensor:
        """All of shape (queries, memories); `right` and `undecided` are masks."""
        nothing = self.nothing.expand(len(cosines), 1)
        scores = torch.cat([cosines.masked_fill(undecided, _NEVER), nothing], 1) * self.sharpness.exp()
        chosen = torch.cat([right, ~right.any(1, keepdim=True)], 1)
        good = scores.masked_fill(~chosen, -math.inf)
        return (scores.logsumexp(1) - good.logsumexp(1)).mean()


def train(households: Sequence[Household], folder: Path, epochs: int, tell: Callable[[str], None]) -> Reader:
    """A reader of queries; deterministic on one machine."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    reader, choice = Reader(folder), Choice()
    memories = {home.name: reader.fixed(list(home.memories.values())) for home in households}
    trained = [parameter for parameter in reader.bert.parameters() if parameter.requires_grad]
    groups = [{"params": trained, "lr": LEARNING_RATE}, {"params": list(choice.parameters()), "lr": OWN_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = epochs * sum(math.ceil(len(home.asked) / BATCH) for home in households)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / WARM_UP) * (1 - step / steps)
    )
    for epoch in range(epochs):
        reader.bert.train()
        losses = []
        for home, asked in _batches(households, rng):
            cosines = reader([each.query for each in asked]) @ memories[home.name].T
            loss = choice(cosines, _marked(home, [each.answers for each in asked]), _undecided(home, asked))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        tell(f"  epoch {epoch + 1}: loss {sum(losses) / len(losses):.3f}, nothing at {choice.nothing.item():.3f}")
    reader.bert.eval()
    return reader


def _batches(
    households: Sequence[Household], rng: np.random.Generator
) -> Iterator[tuple[Household, tuple[Asked, ...]]]:
    """Every query once, each batch of one household."""
    made = []
    for home in households:
        order = rng.permutation(len(home.asked))
        made += [(home, order[start : start + BATCH]) for start in range(0, len(order), BATCH)]
    for place in rng.permutation(len(made)):
        home, chosen = made[place]
        yield home, tuple(home.asked[i] for i in chosen)


def _marked(home: Household, wanted: Sequence[frozenset[str]]) -> torch.Tensor:
    return torch.tensor([[key in keys for key in home.memories] for keys in wanted])


def _undecided(home: Household, asked: Sequence[Asked]) -> torch.Tensor:
    return _marked(home, [each.also - each.answers for each in asked])


def report(home: Household, reader: Reader, base: Reader, tell: Callable[[str], None]) -> None:
    """How often an answer is among the five nearest, and how often nothing nears where nothing answers."""
    cosines = (reader.fixed([each.query for each in home.asked]) @ base.fixed(list(home.memories.values())).T).numpy()
    keys = list(home.memories)
    found = [
        any(keys[place] in each.answers for place in np.argsort(-row)[:5])
        for each, row in zip(home.asked, cosines, strict=True)
        if each.answers
    ]
    none = [row.max() for each, row in zip(home.asked, cosines, strict=True) if not each.answers]
    hits, quiet = sum(found) / len(found), np.quantile(none, 0.9)
    tell(f"{home.name}: hit@5 {hits:.3f} of {len(found)}; nine in ten that nothing answers stay below {quiet:.3f}")


def save(reader: Reader, folder: Path, rank: int, out: Path) -> None:
    """Write the difference to the public weights."""
    public = dict(BertModel.from_pretrained(folder, local_files_only=True, add_pooling_layer=False).named_parameters())
    tensors: dict[str, torch.Tensor] = {}
    for name, value in reader.bert.named_parameters():
        if value.requires_grad:
            tensors |= thinned(name, (value - public[name]).detach(), rank)
    save_difference(tensors, folder, rank, out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True, type=Path, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--households", type=Path, default=HOUSEHOLDS)
    parser.add_argument("--out", type=Path, default=ROOT / QUESTIONS)
    parser.add_argument("--held-out", action="store_true", help="measure, each household left out once")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rank", type=int, default=32, help="rank to which the trained difference is cut")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    households, base = read_households(options.households), Reader(options.base)
    if options.held_out:
        for home in households:
            report(home, base, base, _tell)
            others = [each for each in households if each is not home]
            report(home, train(others, options.base, options.epochs, _tell), base, _tell)
    else:
        save(train(households, options.base, options.epochs, _tell), options.base, options.rank, options.out)
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
