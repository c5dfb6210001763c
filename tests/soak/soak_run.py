"""Live so many days, and tell what grew: python soak_run.py DAYS TALKS_A_DAY [SEED]."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from soak.soak_house import ZONE, Diary, SoakHouse
from soak.soak_talk import days

from junod.clock import SimulatedClock
from junod.memory.store import MemoryStore
from junod.settings import Settings

FIRST = date(2026, 1, 5)
TELL_EVERY = 30
WARM_DAYS = 7
"""Before that caches fill."""


def soak(folder: Path, count: int, talks_a_day: int, seed: int = 1) -> Diary:
    """Live `count` days in an empty folder.

    Raises:
        AssertionError: the database is not sound in the end.
    """
    clock = SimulatedClock(datetime.combine(FIRST, datetime.min.time(), ZONE))
    with MemoryStore.open(folder / "junod.db", clock=clock) as store:
        house = SoakHouse(store, clock, Settings())
        for number, talks in enumerate(days(FIRST, count, ZONE, seed, talks_a_day), start=1):
            house.live(talks, datetime.combine(FIRST + timedelta(days=number), datetime.min.time(), ZONE))
            if number % TELL_EVERY == 0:
                print(json.dumps(figures(house.diary)), file=sys.stderr)
        assert store.check() == (), store.check()
    return house.diary


def slope(values: list[int]) -> float:
    """Growth a day, by least squares, once caches are warm."""
    warm = values[min(WARM_DAYS, len(values) // 2) :]
    return float(np.polyfit(np.arange(len(warm)), warm, 1)[0]) if len(warm) > 1 else 0.0


def figures(diary: Diary) -> dict[str, Any]:
    every = max(1, len(diary.days) // 12)
    return {
        "days": len(diary.days),
        "utterances": diary.utterances,
        "memories": diary.memories,
        "expired": diary.expired,
        "failures": diary.failures,
        "last_sample": diary.last_sample,
        "rss_kb": [diary.days[0].rss_kb, diary.days[-1].rss_kb],
        "rss_kb_a_day": round(slope([day.rss_kb for day in diary.days]), 2),
        "rss_kb_a_day_second_half": round(slope([day.rss_kb for day in diary.days[len(diary.days) // 2 :]]), 2),
        "descriptors_a_day": round(slope([day.descriptors for day in diary.days]), 4),
        "descriptors_most": max(day.descriptors for day in diary.days),
        "database_kb": [day.database_kb for day in diary.days[every - 1 :: every]],
        "active_memories": [day.active for day in diary.days[every - 1 :: every]],
        "journal_rows": diary.journal_rows,
        "expiry_late_s": round(diary.expiry_late_s, 1),
        "dedup_late_s": round(diary.dedup_late_s, 1),
        "longest_dedup_s": round(diary.longest_dedup_s, 2),
        "log_lines_a_day": [
            round(sum(day.log_lines for day in diary.days) / len(diary.days), 1),
            max(day.log_lines for day in diary.days),
        ],
    }


def main() -> None:
    count, talks_a_day = int(sys.argv[1]), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    begun_s, begun_cpu_s = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        diary = soak(Path(folder), count, talks_a_day, seed)
    spent = {"wall_s": round(time.perf_counter() - begun_s), "cpu_s": round(time.process_time() - begun_cpu_s)}
    print(json.dumps({**figures(diary), **spent}, indent=1))


if __name__ == "__main__":
    main()
