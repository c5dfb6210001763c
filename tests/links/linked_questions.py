"""Invented homes with what they remember, questions about them, and how often an answer holds what it needs.

`homes.json` with `questions.jsonl` is by the author of the method. `other_homes.json` with `other_questions.jsonl` was
written by somebody who had not read how links are followed; eight homes of 14 or 15 memories, or all in `ONE` store.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from junod.clock import SimulatedClock
from junod.memory.context import tokens
from junod.memory.embedder import Embedder
from junod.memory.links import context_with_links
from junod.memory.reembedding import embed_all
from junod.memory.relevance import LENIENT
from junod.memory.search import SearchRequest, search
from junod.memory.store import MemoryStore
from junod.memory.telling import told
from junod.records import NewMemory
from junod.sections import LinksSettings

HERE = Path(__file__).parent
BERLIN = ZoneInfo("Europe/Berlin")
OTHERS = "other_questions.jsonl"
ONE = "all in one"
NOW = datetime(2026, 3, 25, 18, 0, tzinfo=BERLIN)
Answer = Callable[[MemoryStore, str], list[str]]
"""The memories that an answer to a question holds."""


@dataclass(frozen=True, slots=True)
class Question:
    home: str
    question: str
    needs: tuple[str, ...]
    """Beginnings of the memories without which it cannot be answered."""
    hops: int
    """Memories on the way from the question's words to what it needs, that one included."""


def questions(file: str = "questions.jsonl") -> list[Question]:
    rows = [json.loads(line) for line in (HERE / file).read_text("utf-8").splitlines()]
    return [Question(row["home"], row["question"], tuple(row["needs"]), row["hops"]) for row in rows]


def homes() -> dict[str, list[str]]:
    """What each home remembers; `ONE` is all of the others' together."""
    ours, others = (json.loads((HERE / file).read_text("utf-8")) for file in ("homes.json", "other_homes.json"))
    return {**ours, **others, ONE: [text for texts in others.values() for text in texts]}


@contextmanager
def home(name: str, folder: Path, embedder: Embedder | None = None) -> Iterator[MemoryStore]:
    texts = homes()[name]
    clock = SimulatedClock(NOW)
    with MemoryStore.open(folder / f"{name}.db", clock=clock) as store:
        for number, text in enumerate(texts):
            spoken_at = NOW - timedelta(days=1 + (number * 37) % 90)
            store.add(NewMemory(text, f"they said {text}", spoken_at, None, "kitchen"))
        if embedder is not None:
            embed_all(store, embedder, lambda _: None)
        yield store


def found_alone(embedder: Embedder | None) -> Answer:
    """The five of `context`, no links."""
    return linked(embedder, LinksSettings(depth=0))


def linked(embedder: Embedder | None, settings: LinksSettings) -> Answer:
    def answer(store: MemoryStore, question: str) -> list[str]:
        got = context_with_links(store, question, embedder=embedder, now=NOW, zone=BERLIN, settings=settings)
        return [memory.memory for memory in (*got.found.memories, *(each.memory for each in got.linked))]

    return answer


def more_of_the_same(embedder: Embedder | None, budget_tokens: int) -> Answer:
    """Plain search, as many as the same tokens hold: what links have to be better than."""

    def answer(store: MemoryStore, question: str) -> list[str]:
        hits = search(store, SearchRequest(question, limit=30, cut_off=LENIENT), embedder=embedder, now=NOW)
        kept: list[str] = []
        used = 60  # the frame
        for hit in hits:
            used += tokens(told(hit.memory, now=NOW, zone=BERLIN, with_id=False))
            if used <= budget_tokens:
                kept.append(hit.memory.memory)
        return kept

    return answer


def hit_rate(stores: dict[str, MemoryStore], asked: list[Question], answer: Answer) -> float:
    """Share of the questions whose answer holds all that it needs."""
    hits = 0
    for each in asked:
        got = answer(stores[each.home], each.question)
        hits += all(any(text.startswith(need) for text in got) for need in each.needs)
    return hits / len(asked)
