#!/usr/bin/env python3
"""What the whole pipeline costs: the kitchen scene from sound to memories, and the gate on passages it throws away.

    bench_pipeline.py [--passages FILE.jsonl] [--limit N] [--json]

`--passages` (labelled or not) measures the gate and the generator passage by passage.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from junod.assembly.parts import Judge, build_extractor, load_judge
from junod.assembly.sessions import replay_session
from junod.extract.evaluate import load_passages
from junod.extract.language_model import LanguageModel, Prompt, Reading
from junod.records import Outcome, Passage
from junod.settings import Settings, household_zone, load_settings

SCENE = Path(__file__).parent.parent / "tests" / "scene" / "kitchen.flac"
START = datetime.fromisoformat("2026-03-24T17:30:00+01:00")


@dataclass
class CountingModel:
    """Passes everything on, and counts what it cost."""

    inner: LanguageModel
    readings: int = 0
    own_tokens: int = 0
    completions: int = 0

    def read(self, prompt: Prompt) -> Reading:
        reading = self.inner.read(prompt)
        self.readings += 1
        self.own_tokens += reading.own_tokens
        return reading

    def complete(self, prompt: Prompt, grammar: str | None, max_tokens: int, deadline_s: float) -> str:
        self.completions += 1
        return self.inner.complete(prompt, grammar, max_tokens, deadline_s)

    def close(self) -> None:
        self.inner.close()


def measure_scene(settings: Settings) -> dict[str, Any]:
    """Wall and CPU time of a replay, models already loaded, and the peak memory of the process."""
    with tempfile.TemporaryDirectory() as folder:
        memory = settings.memory.model_copy(update={"path": Path(folder) / "bench.db"})
        with replay_session(settings.model_copy(update={"memory": memory}), START) as session:
            begun_s, begun_cpu_s = time.perf_counter(), time.process_time()
            session.play(SCENE, lambda event: None, lambda seconds: None)
            wall_s, cpu_s = time.perf_counter() - begun_s, time.process_time() - begun_cpu_s
            report = session.report
    return {
        "audio_s": round(report.audio_s, 1),
        "wall_s": round(wall_s, 1),
        "cpu_s": round(cpu_s, 1),
        "times_real_time": round(report.audio_s / wall_s, 2),
        "passages": report.passages,
        "kept": sum(decision.outcome is Outcome.KEPT for decision in report.decisions),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def measure_passages(settings: Settings, passages: Sequence[Passage]) -> dict[str, Any]:
    """Seconds for a passage by what became of it, and what the language model was asked."""
    loaded = load_judge(settings)
    model = CountingModel(loaded.llm)
    extractor = build_extractor(settings, Judge(loaded.gate, loaded.pieces, model), household_zone(settings))
    extractor.decide(replace(passages[0], id="warm-up"))
    model.readings = model.own_tokens = model.completions = 0
    seconds: dict[str, list[float]] = {}
    for passage in passages:
        begun_s, asked = time.perf_counter(), model.readings
        decision = extractor.decide(passage)
        stage = "kept" if decision.outcome is Outcome.KEPT else decision.stage
        if decision.stage == "gate" and model.readings == asked:
            stage = "gate, language model not asked"
        seconds.setdefault(stage, []).append(time.perf_counter() - begun_s)
    thrown = [second for stage, rows in seconds.items() if stage != "kept" for second in rows]
    return {
        "passages": len(passages),
        "mean_s_by_outcome": {stage: [len(rows), round(statistics.fmean(rows), 3)] for stage, rows in seconds.items()},
        "mean_s_thrown_away": round(statistics.fmean(thrown), 3) if thrown else None,
        "readings": model.readings,
        "mean_own_tokens": round(model.own_tokens / model.readings, 1) if model.readings else None,
        "generations": model.completions,
    }


def measure_help() -> dict[str, Any]:
    """Seconds until `junod --help` has answered, median of five processes, beside an empty one."""

    def median_s(*arguments: str) -> float:
        seconds = []
        for _ in range(5):
            begun_s = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            seconds.append(time.perf_counter() - begun_s)
        return round(statistics.median(seconds), 3)

    return {"help_s": median_s("-m", "junod", "--help"), "empty_process_s": median_s("-c", "")}


def lines(title: str, figures: dict[str, Any]) -> Iterator[str]:
    yield title
    for name, value in figures.items():
        yield f"  {name.replace('_', ' '):24} {value}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=Path, default=os.environ.get("JUNOD_BENCH_PASSAGES"))
    parser.add_argument("--limit", type=int, default=200, help="at most so many passages, spread over the file")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    settings = load_settings()
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "junod --help": measure_help,
        "the kitchen scene": lambda: measure_scene(settings),
    }
    if arguments.passages:
        passages = load_passages(Path(arguments.passages))
        step = max(1, len(passages) // arguments.limit)
        parts["passages"] = lambda: measure_passages(settings, passages[::step])
    results = {title: measure() for title, measure in parts.items()}
    if arguments.json:
        print(json.dumps(results, indent=2))
        return
    for title, figures in results.items():
        print("\n".join(lines(title, figures)))


if __name__ == "__main__":
    main()
