#!/usr/bin/env python3
"""How well search finds: labelled queries over a household of memories, against plain vector search and plain BM25.

    eval_search.py [--household tests/search/household.jsonl] [--queries tests/search/queries.jsonl] [--misses dev]

Weights and cut-offs were chosen on the queries marked 'dev' alone. near_queries.jsonl are 168 harder ones;
other_household.jsonl and other_queries.jsonl another author's, from whom nothing was learned. Memories about which one
may differ (`also`) count neither way.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from junod.assembly.embedders import build_embedder
from junod.clock import SimulatedClock
from junod.memory import changes
from junod.memory.candidates import fuse
from junod.memory.embedder import Embedder, embed_texts
from junod.memory.relevance import STRICT, CutOff
from junod.memory.search import SearchMode, SearchRequest, search
from junod.memory.store import MemoryStore
from junod.records import NewMemory
from junod.settings import load_settings

ROOT = Path(__file__).resolve().parent.parent / "tests" / "search"
NOW = datetime(2026, 10, 1, 12, tzinfo=UTC)
DEEP = 100

Row = dict[str, Any]
Ask = Callable[[str], list[str]]


class Score(NamedTuple):
    """Of the queries with an answer: its place. Of those without: whether nothing was found."""

    hit_1: float
    hit_5: float
    mrr: float
    quiet: float
    """Share of the queries without an answer that got none."""


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def fill(store: MemoryStore, household: Sequence[Row], embedder: Embedder) -> dict[str, str]:
    """Store the household; returns the label of each stored id."""
    labels = {}
    embeddings = embed_texts(embedder, [row["memory"] for row in household])
    with store.sessions.write() as session:
        for row, embedding in zip(household, embeddings, strict=True):
            spoken_at = datetime.fromisoformat(row["spoken_on"]).replace(tzinfo=UTC) + timedelta(hours=12)
            new = NewMemory(row["memory"], row["memory"], spoken_at, None, row["room"])
            labels[changes.store(session, new, embedding)] = row["id"]
    return labels


def ways(store: MemoryStore, embedder: Embedder) -> dict[str, Ask]:
    """Name -> ids found for a query, best first."""

    def by_mode(mode: SearchMode, cut_off: CutOff = STRICT) -> Ask:
        return lambda text: [
            hit.memory.id
            for hit in search(store, SearchRequest(text, mode, 5, cut_off=cut_off), embedder=embedder, now=NOW)
        ]

    def vector(text: str) -> list[str]:
        (sought,) = embed_texts(embedder, [text])
        return [found.memory.id for found in store.nearest(sought, DEEP)]

    def bm25(text: str) -> list[str]:
        return [found.memory.id for found in store.keyword(text, DEEP)]

    return {
        "plain vector": vector,
        "plain BM25": bm25,
        "vector and BM25, rank fusion": lambda text: fuse([vector(text), bm25(text)]),
        "hybrid, nothing cut off": by_mode(SearchMode.HYBRID, CutOff(-1, -1, -1)),
        "semantic": by_mode(SearchMode.SEMANTIC),
        "hybrid": by_mode(SearchMode.HYBRID),
    }


def place(found: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((number for number, each in enumerate(found, start=1) if each in wanted), None)


def score(asked: Sequence[Row], answered: Sequence[Sequence[str]]) -> Score:
    pairs = [
        (row, [each for each in found if each not in row.get("also", ())])
        for row, found in zip(asked, answered, strict=True)
    ]
    places = [place(found, row["answers"]) for row, found in pairs if row["answers"]]
    quiet = [not found for row, found in pairs if not row["answers"]]
    return Score(
        sum(each == 1 for each in places) / max(1, len(places)),
        sum(each is not None and each <= 5 for each in places) / max(1, len(places)),
        sum(1 / each for each in places if each) / max(1, len(places)),
        sum(quiet) / max(1, len(quiet)),
    )


def groups(queries: Sequence[Row]) -> dict[str, list[Row]]:
    """The two halves, and each kind of query over both."""
    found: dict[str, list[Row]] = {}
    for row in queries:
        found.setdefault(row["split"], []).append(row)
    for row in queries:
        if row["answers"]:
            found.setdefault(row["kind"], []).append(row)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--household", type=Path, default=ROOT / "household.jsonl")
    parser.add_argument("--queries", type=Path, default=ROOT / "queries.jsonl")
    parser.add_argument(
        "--misses", default="", help="show what hybrid gets wrong of this part: dev, test, near or other"
    )
    options = parser.parse_args()
    household, queries = read_rows(options.household), read_rows(options.queries)
    embedder = build_embedder(load_settings())
    report(household, queries, embedder, misses=options.misses)


def report(household: Sequence[Row], queries: Sequence[Row], embedder: Embedder, *, misses: str) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryStore.open(Path(folder) / "junod.db", clock=SimulatedClock(NOW)) as store,
    ):
        labels = fill(store, household, embedder)
        print(f"{len(labels)} memories, {len(queries)} queries", file=sys.stderr)
        print("| queries | way | hit@1 | hit@5 | MRR | nothing found where nothing is |\n" + "| --- " * 6 + "|")
        answered = {
            name: {row["query"]: [labels[each] for each in ask(row["query"])] for row in queries}
            for name, ask in ways(store, embedder).items()
        }
    splits = {row["split"] for row in queries}
    for group, rows in groups(queries).items():
        for name, found in answered.items():
            if group in splits or name == "hybrid":
                told = score(rows, [found[row["query"]] for row in rows])
                figures = " | ".join(f"{each:.3f}" for each in told[:3])
                quiet = f"{told.quiet:.3f}" if group in splits else ""
                print(f"| {group} ({len(rows)}) | {name} | {figures} | {quiet} |")
    for row in queries:
        found_here = answered["hybrid"][row["query"]]
        if row["split"] == misses and (not place(found_here, row["answers"]) if row["answers"] else found_here):
            print(f"  {row['query']} -> {', '.join(row['answers']) or 'nothing'}; found {found_here}")


if __name__ == "__main__":
    main()
