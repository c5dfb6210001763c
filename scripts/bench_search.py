#!/usr/bin/env python3
"""What finding costs: search, context in the silence, storing a memory, and the size of the file.

    bench_search.py [--sizes 10000 100000] [--queries 100]

Texts and vectors are made up (words as frequent as in language, vectors at random), queries go through the real model.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from junod.assembly.embedders import build_embedder
from junod.clock import SimulatedClock
from junod.memory import changes
from junod.memory.context import context
from junod.memory.context_stream import ContextStream, StreamParts
from junod.memory.embedder import Embedder, Embedding
from junod.memory.search import SearchRequest, search
from junod.memory.store import MemoryStore
from junod.records import NewMemory
from junod.settings import load_settings
from scripts.bench_dedup import NOW, nouns, sentence

ZONE = ZoneInfo("Europe/Berlin")


def fill(store: MemoryStore, dice: random.Random, things: list[str], size: int, embedder: Embedder) -> None:
    rng = np.random.default_rng(1)
    for begin in range(0, size, 5_000):
        with store.sessions.write() as session:
            for _ in range(min(5_000, size - begin)):
                text = sentence(dice, things)
                vector = rng.standard_normal(embedder.dims).astype(np.float32)
                spoken_at = NOW - timedelta(hours=dice.uniform(1, 8_000))
                embedding = Embedding(embedder.name, vector / np.linalg.norm(vector))
                changes.store(session, NewMemory(text, text, spoken_at, None, "kitchen"), embedding)


def timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def told(name: str, times_ms: Sequence[float]) -> str:
    return f"| {name} | {np.percentile(times_ms, 50):.0f} | {np.percentile(times_ms, 95):.0f} |"


def streamed(stream: ContextStream, text: str) -> float:
    """From the closing of a segment whose first two thirds were heard before, to the answer."""
    words = text.split()
    stream.hear(" ".join(words[: max(1, 2 * len(words) // 3)]))
    stream.wait_ready(30)
    return timed(lambda: stream.close(text))


def measure(size: int, count: int, embedder: Embedder) -> None:
    dice = random.Random(5)
    things = nouns(dice)
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryStore.open(Path(folder) / "junod.db", clock=SimulatedClock(NOW)) as store,
    ):
        fill(store, dice, things, size, embedder)
        asked = [sentence(dice, things) for _ in range(count)]
        vector = Embedding(embedder.name, embedder.embed(["something new"])[0])
        new = NewMemory("Something new", "", NOW, None, "kitchen")
        stream = ContextStream(StreamParts(store, lambda: embedder, SimulatedClock(NOW), ZONE))
        works: dict[str, Callable[[str], object]] = {
            "embedding the query alone": lambda text: embedder.embed([text]),
            "search, hybrid": lambda text: search(store, SearchRequest(text), embedder=embedder, now=NOW),
            "context, asked at the end": lambda text: context(store, text, embedder=embedder, now=NOW, zone=ZONE),
            "storing a memory": lambda text: store.add(new, vector),
        }
        rows = {name: [timed(partial(work, text)) for text in asked] for name, work in works.items()}
        rows["context, prepared while speaking"] = [streamed(stream, text) for text in asked]
        stream.stop()
        megabytes = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
    print(f"\n{size} memories, {megabytes:.0f} MB on disk\n\n| what | p50, ms | p95, ms |\n| --- | --- | --- |")
    for name, times_ms in rows.items():
        print(told(name, times_ms))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()
    embedder = build_embedder(load_settings())
    for size in options.sizes:
        measure(size, options.queries, embedder)


if __name__ == "__main__":
    main()
