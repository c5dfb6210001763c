#!/usr/bin/env python3
"""What hours of sound cost: CPU seconds by stage, memory and file descriptors and how they grow, peak memory.

    bench_hours.py [FILE...] [--profile] [--json]

Each file is heard in turn by one process, as a daemon would live through them (compose_hours.py makes some). Models are
loaded first and counted apart. `--profile` tells, by the time of each thread, in which functions it goes.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import os
import pstats
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import numpy as np

from junod.assembly.parts import build_deciding, build_hearing, open_store
from junod.audio.file import FileSource
from junod.clock import SimulatedClock
from junod.events import Event, EventBus
from junod.listening import Listening
from junod.pipeline import Contexts, Hearing
from junod.records import AudioFrame, Decision, Outcome
from junod.replay import ReplayReport, ReplayStages, replay_frames
from junod.settings import Settings, load_settings
from junod.vad.cascade import voice_activity

START = datetime.fromisoformat("2026-03-24T17:30:00+01:00")
SAMPLE_EVERY_S = 60.0
"""Of sound: so often memory and descriptors are looked at, which costs something itself and is not counted."""
TIDY_EVERY_S = 1200.0
LOOKING = "looking"
WARM_S = 600.0
"""Growth is told from here on."""


class Costs:
    """CPU seconds of the whole process, by stage, and how often each was called."""

    def __init__(self) -> None:
        self.cpu_s: dict[str, float] = {}
        self.longest_s: dict[str, float] = {}
        self.kept_s: list[float] = []

    def timed(self, stage: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            begun_s = time.process_time()
            try:
                return method(*arguments, **named)
            finally:
                spent_s = time.process_time() - begun_s
                self.cpu_s[stage] = self.cpu_s.get(stage, 0.0) + spent_s
                self.longest_s[stage] = max(self.longest_s.get(stage, 0.0), spent_s)

        return call

    def kept(self, decide: Callable[[], Decision | None]) -> Callable[[], Decision | None]:
        """Notes how long a decision took that led to a memory: so much later than the debounce it is shown."""

        def call() -> Decision | None:
            begun_s = time.perf_counter()
            decision = decide()
            if decision is not None and decision.outcome is Outcome.KEPT:
                self.kept_s.append(round(time.perf_counter() - begun_s, 2))
            return decision

        return call


class Around:
    """An object whose named methods are counted as a stage's; all else is its own."""

    def __init__(self, inner: object, costs: Costs, stage: str, *methods: str) -> None:
        self._inner = inner
        for name in methods:
            setattr(self, name, costs.timed(stage, getattr(inner, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Hours:
    """The pipeline over a database that is thrown away."""

    def __init__(self, settings: Settings, folder: Path, closing: ExitStack) -> None:
        self.clock, self._bus, contexts = SimulatedClock(START), EventBus(), Contexts()
        memory = settings.memory.model_copy(update={"path": folder / "bench.db"})
        settings = settings.model_copy(update={"memory": memory})
        store = closing.enter_context(open_store(settings, clock=self.clock))
        self._listening = Listening(voice_activity(settings.vad))
        self._hearing = build_hearing(settings, store, contexts, self._bus)
        self._deciding = build_deciding(settings, store, contexts, self._bus)
        self._tidy_at = self.clock.monotonic_s() + TIDY_EVERY_S

    def play(self, path: Path) -> dict[str, Any]:
        """Hear one file to its end."""
        costs, report, seen = Costs(), ReplayReport(), Counter[str]()
        grown: list[tuple[float, int, int]] = []
        source = FileSource(path, self.clock.now().timestamp())
        begun_s, begun_cpu_s = time.perf_counter(), time.process_time()
        replay_frames(
            self._watched(source.frames(threading.Event()), costs, grown),
            self._stages(costs),
            report,
            lambda event: _count(seen, event),
            lambda seconds: None,
        )
        wall_s = time.perf_counter() - begun_s
        cpu_s = time.process_time() - begun_cpu_s - costs.cpu_s.pop(LOOKING, 0.0)
        stages = {name: round(spent_s, 1) for name, spent_s in sorted(costs.cpu_s.items(), key=lambda one: -one[1])}
        return {
            "file": path.name,
            "audio_s": round(report.audio_s),
            "wall_s": round(wall_s, 1),
            "cpu_s": round(cpu_s, 1),
            "cpu_s_an_hour": round(cpu_s * 3600 / report.audio_s, 1),
            "cpu_s_by_stage": stages,
            "longest_call_cpu_s": {name: round(costs.longest_s[name], 2) for name in stages},
            "memory_after_s": [statistics.median(costs.kept_s), max(costs.kept_s)] if costs.kept_s else [],
            "passages": report.passages,
            "events": dict(seen),
            "by_stage": dict(Counter(f"{one.outcome} {one.stage}" for one in report.decisions)),
            **growth(grown),
        }

    def _stages(self, costs: Costs) -> ReplayStages:
        deciding: Any = Around(self._deciding, costs, "judge", "decide_next")
        deciding.decide_next = costs.kept(deciding.decide_next)
        return ReplayStages(
            cast(Listening, Around(self._listening, costs, "ear", "take", "flush")),
            cast(Hearing, Around(self._hearing, costs, "speech-to-text", "take", "flush")),
            deciding,
            self.clock,
            self._bus,
        )

    def _watched(
        self, frames: Iterator[AudioFrame], costs: Costs, grown: list[tuple[float, int, int]]
    ) -> Iterator[AudioFrame]:
        """The frames; now and then dedup has its turn, and growth is looked at."""
        sample_at_s = begin_s = self.clock.monotonic_s()
        for frame in frames:
            yield frame
            now_s = self.clock.monotonic_s()
            if now_s >= self._tidy_at:
                self._tidy_at = now_s + TIDY_EVERY_S
                costs.timed("upkeep", self._upkeep)()
            if now_s >= sample_at_s:
                sample_at_s = now_s + SAMPLE_EVERY_S
                grown.append((now_s - begin_s, *costs.timed(LOOKING, look)()))

    def _upkeep(self) -> None:
        self._deciding.catch_up()
        self._deciding.tidy(self.clock.now(), lambda: True)


def _count(seen: Counter[str], event: Event) -> None:
    seen[type(event).__name__] += 1


def growth(grown: list[tuple[float, int, int]]) -> dict[str, Any]:
    """Least squares, an hour, from WARM_S on; the peak is the process's."""
    warm = [row for row in grown if row[0] >= WARM_S] or grown
    hours = np.array([row[0] for row in warm]) / 3600

    def slope(values: list[int]) -> float:
        return round(float(np.polyfit(hours, values, 1)[0]), 2) if len(warm) > 2 else 0.0

    return {
        "resident_mb": [round(grown[0][1] / 1024, 1), round(warm[0][1] / 1024, 1), round(grown[-1][1] / 1024, 1)],
        "resident_kb_an_hour": slope([row[1] for row in warm]),
        "descriptors": [min(row[2] for row in grown), max(row[2] for row in grown)],
        "descriptors_an_hour": slope([row[2] for row in warm]),
        "peak_mb": round(_status_kb("VmHWM") / 1024, 1),
    }


def look() -> tuple[int, int]:
    """Resident kB and open descriptors, garbage collected before."""
    gc.collect()
    return _status_kb("VmRSS"), len(os.listdir("/proc/self/fd"))


def _status_kb(field: str) -> int:
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise SystemExit(f"/proc/self/status has no {field}")


@contextmanager
def profiled(wanted: bool) -> Iterator[None]:
    if not wanted:
        yield
        return
    profile = cProfile.Profile(time.thread_time)
    with profile:
        yield
    pstats.Stats(profile, stream=sys.stderr).sort_stats("tottime").print_stats(25)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not arguments.files:
        print("hours: no sound files; compose_hours.py makes some", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder, ExitStack() as closing:
        begun_s = time.process_time()
        hours = Hours(load_settings(), Path(folder), closing)
        print(f"models loaded: {time.process_time() - begun_s:.1f} CPU-seconds, {look()[0] // 1024} MB")
        with profiled(arguments.profile):
            for path in arguments.files:
                figures = hours.play(path)
                print(json.dumps(figures) if arguments.json else _lines(figures), flush=True)


def _lines(figures: dict[str, Any]) -> str:
    return "\n".join(f"  {name.replace('_', ' '):24} {value}" for name, value in figures.items())


if __name__ == "__main__":
    main()
