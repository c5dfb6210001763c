"""Parts of junod to be tried on another processor: python scripts/arm64_parts.py store|vad|stt"""

from __future__ import annotations

import platform
import sqlite3
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from junod.clock import SimulatedClock
from junod.records import Segment

SCENE = Path(__file__).parent.parent / "tests/scene/kitchen.flac"
NOW = datetime(2026, 3, 24, 17, 30, tzinfo=UTC)


def store() -> str:
    import numpy as np

    from junod.memory.embedder import Embedding
    from junod.memory.store import MemoryStore
    from junod.records import NewMemory

    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryStore.open(Path(folder) / "junod.db", clock=SimulatedClock(NOW)) as kept,
    ):
        vectors = np.eye(8, dtype=np.float32)
        for number, vector in enumerate(vectors):
            kept.add(NewMemory(f"memory {number}", "", NOW, None, "kitchen"), Embedding("test", vector))
        found = kept.nearest(Embedding("test", vectors[3]), 1)[0]
        assert found.memory.memory == "memory 3"
        assert kept.check() == ()
    return f"SQLite {sqlite3.sqlite_version}, nearest of 8 vectors found, sound"


def vad() -> str:
    segments = _segments()
    return f"{len(segments)} segments, {sum(len(each.samples) for each in segments) / 16_000:.1f} s of speech"


def stt() -> str:
    from junod.assembly.parts import build_transcriber
    from junod.settings import load_settings

    segment = _segments(most=1)[0]
    transcriber = build_transcriber(load_settings(overrides={"stt": {"profile": "lite"}}))
    return f"{len(segment.samples) / 16_000:.1f} s: {transcriber.transcribe(segment.samples).text!r}"


def _segments(most: int = 1000) -> list[Segment]:
    import threading

    from junod.audio.file import FileSource
    from junod.sections import VadSettings
    from junod.vad.cascade import voice_activity

    activity = voice_activity(VadSettings())
    found: list[Segment] = []
    for frame in FileSource(SCENE, NOW.timestamp()).frames(threading.Event()):
        found += activity.push(frame)
        if len(found) >= most or frame.end_sample > 60 * 16_000:
            break
    return found


PARTS = {"store": store, "vad": vad, "stt": stt}

if __name__ == "__main__":
    begun = time.monotonic()
    print(f"{platform.machine()}, Python {platform.python_version()}: {PARTS[sys.argv[1]]()}", end="")
    print(f" ({time.monotonic() - begun:.0f} s)")
