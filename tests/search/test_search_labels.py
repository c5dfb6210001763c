"""The labelled set of search: large enough, sound, and what the search makes of a part of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from junod.assembly.embedders import build_embedder
from junod.clock import SimulatedClock
from junod.memory.store import MemoryStore
from junod.settings import load_settings
from scripts.eval_search import NOW, fill, score, ways
from scripts.make_household import generated
from scripts.train_questions import HOUSEHOLDS, read_households

FOLDER = Path(__file__).parent


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


HOUSEHOLD, QUERIES, NEAR = rows("household.jsonl"), rows("queries.jsonl"), rows("near_queries.jsonl")


def test_the_set_is_large_enough() -> None:
    assert len({row["memory"] for row in HOUSEHOLD}) == len(HOUSEHOLD) >= 1_000
    assert sum(row["by"] == "hand" for row in HOUSEHOLD) >= 250
    assert len({row["query"] for row in QUERIES}) == len(QUERIES) >= 240
    for split in ("dev", "test"):
        half = [row for row in QUERIES if row["split"] == split]
        assert len(half) >= 110
        assert sum(not row["answers"] for row in half) >= 25
        assert {"paraphrase", "question", "typo", "name", "number", "word", "date"} <= {row["kind"] for row in half}


def test_the_harder_queries_are_others_and_a_third_of_them_has_no_answer() -> None:
    assert not {row["query"] for row in NEAR} & {row["query"] for row in QUERIES}
    assert len({row["query"] for row in NEAR}) == len(NEAR) >= 160
    assert sum(not row["answers"] for row in NEAR) >= len(NEAR) / 3


def test_every_answer_is_a_memory_written_by_hand() -> None:
    by_hand = {row["id"] for row in HOUSEHOLD if row["by"] == "hand"}
    assert all(set(row["answers"]) <= by_hand for row in [*QUERIES, *NEAR])
    assert max(Counter(row["id"] for row in HOUSEHOLD).values()) == 1


def test_the_generated_part_is_what_the_script_writes() -> None:
    written = [row for row in HOUSEHOLD if row["by"] == "generator"]
    assert written == generated(len(written))


def test_the_other_household_is_sound_and_nothing_learned_from_it() -> None:
    household, queries = rows("other_household.jsonl"), rows("other_queries.jsonl")
    ids = {row["id"] for row in household}
    assert all({*row["answers"], *row["also"]} <= ids for row in queries)
    assert sum(not row["answers"] for row in queries) >= 100
    homes = read_households(HOUSEHOLDS)
    learned = {text for home in homes for text in home.memories.values()}
    assert not learned & {row["memory"] for row in [*household, *HOUSEHOLD]}
    asked = {each.query for home in homes for each in home.asked if len(each.query.split()) > 3}
    assert len(asked & {row["query"] for row in [*queries, *QUERIES, *NEAR]}) <= 3  # "where is the stopcock"


@pytest.mark.models
def test_search_finds_well_enough_on_a_part_of_it(tmp_path: Path) -> None:
    embedder = build_embedder(load_settings())
    part = QUERIES[::6]
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as store:
        labels = fill(store, [row for row in HOUSEHOLD if row["by"] == "hand"], embedder)
        found = {name: ask for name, ask in ways(store, embedder).items() if name in ("hybrid", "plain BM25")}
        told = {
            name: score(part, [[labels[each] for each in ask(row["query"])] for row in part])
            for name, ask in found.items()
        }
    assert told["hybrid"].hit_5 > 0.6
    assert told["hybrid"].quiet > 0.7
    assert told["hybrid"].hit_1 > told["plain BM25"].hit_1
