#!/usr/bin/env python3
"""Cost of one run of dedup over 24 hours of 40 memories, against histories of different lengths.

    bench_dedup.py [--sizes 1000 10000 100000] [--repeat 3] [--json]

Rules alone: questions to the language model are counted, not asked. Dry runs, so that each repeat does the same work.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

from junod.clock import SimulatedClock
from junod.dedup.loop import Deduper
from junod.extract.language_model import Prompt, Reading
from junod.memory import changes
from junod.memory.store import MemoryStore
from junod.records import NewMemory
from junod.sections import DedupSettings

NOW = datetime.now(UTC)
NAMES = ("Ana", "Ben", "Mia", "Leo", "Ines", "Tariq", "Olga", "Noor", "Karl", "Ruth")
VERBS = ("lend", "paint", "wash", "mend", "borrow", "clean", "pack", "measure", "return", "collect")
NOUNS = 3000
ZIPF = list(accumulate(1 / rank for rank in range(1, NOUNS + 1)))
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


class Counting:
    """A model that keeps everything apart."""

    def __init__(self) -> None:
        self.calls = 0

    def read(self, prompt: Prompt) -> Reading:
        raise NotImplementedError("dedup never reads without asking")

    def complete(self, prompt: Prompt, grammar: str | None, max_tokens: int, deadline_s: float) -> str:
        self.calls += 1
        return "]}"

    def close(self) -> None:
        pass


def nouns(dice: random.Random, count: int = NOUNS) -> list[str]:
    """Words that nobody stems into one another."""
    return ["".join(dice.choice(CONSONANTS) + dice.choice(VOWELS) for _ in range(3)) + "k" for _ in range(count)]


def sentence(dice: random.Random, things: list[str]) -> str:
    """Words as frequent as in language (Zipf): the commonest thing is in one sentence of five."""
    one, two = dice.choices(things, cum_weights=ZIPF, k=2)
    return f"{dice.choice(NAMES)} must {dice.choice(VERBS)} the {one} in the {two}"


def fill(store: MemoryStore, dice: random.Random, things: list[str], old: int) -> None:
    ages_h = [dice.uniform(25, 24 * 365) for _ in range(old)] + [dice.uniform(0, 24) for _ in range(40)]
    with store.sessions.write() as session:
        for age_h in ages_h:
            text = sentence(dice, things)
            spoken_at = NOW - timedelta(hours=age_h)
            changes.store(session, NewMemory(text, text, spoken_at, None, "kitchen"), None)


def measure(old: int, repeat: int) -> dict[str, Any]:
    dice = random.Random(7)
    things = nouns(dice)
    with tempfile.TemporaryDirectory() as folder:
        store = MemoryStore.open(Path(folder) / "junod.db", clock=SimulatedClock(NOW))
        with store:
            fill(store, dice, things, old)
            times_s, cpu_s, report, model = [], [], None, Counting()
            for _ in range(repeat):
                model = Counting()
                begun, cpu_begun = time.perf_counter(), time.process_time()
                report = Deduper(store, DedupSettings(), model, None).run(NOW, dry_run=True)
                times_s.append(time.perf_counter() - begun)
                cpu_s.append(time.process_time() - cpu_begun)
            command_s = median(command_time_s(store.path) for _ in range(repeat))
    assert report is not None
    return {
        "old": old,
        "run_s": round(median(times_s), 3),
        "cpu_s": round(median(cpu_s), 3),
        "command_s": round(command_s, 3),
        "pairs": report.pairs,
        "llm_calls": model.calls,
    }


def command_time_s(path: Path) -> float:
    """`junod dedup` as a person calls it, the start of Python included."""
    command = [sys.executable, "-m", "junod", "dedup", "--dry-run", "--rules-only", "--db", str(path)]
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(size, options.repeat) for size in options.sizes]
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print(
            f"{row['old']:>7} old memories: run {row['run_s']:.3f} s ({row['cpu_s']:.3f} of CPU),"
            f" command {row['command_s']:.2f} s, {row['pairs']} pairs, {row['llm_calls']} questions"
        )
    run, cpu, command = (rows[-1][key] / rows[0][key] for key in ("run_s", "cpu_s", "command_s"))
    print(
        f"from {rows[0]['old']} to {rows[-1]['old']}: run {run:.2f} (CPU {cpu:.2f}),"
        f" command {command:.2f} times the cost"
    )


if __name__ == "__main__":
    main()
