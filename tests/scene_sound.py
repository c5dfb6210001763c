"""Pieces of the recorded kitchen, as sound files."""

from __future__ import annotations

import json
import threading
import wave
from pathlib import Path

import numpy as np

from junod.audio.file import FileSource
from junod.records import SAMPLE_RATE_HZ

SCENE = Path(__file__).parent / "scene"
PAUSE_S = 1.0


def write_passage(path: Path, passage: str = "shopping-coffee", *, times: int = 1) -> None:
    """The sound of one passage of the scene with a second before and after it; `times`: so often over."""
    lines = [line for line in json.loads((SCENE / "kitchen.json").read_text("utf-8")) if line["passage"] == passage]
    begin_s, end_s = lines[0]["start_s"] - PAUSE_S, lines[-1]["end_s"] + PAUSE_S
    frames = FileSource(SCENE / "kitchen.flac", 0.0).frames(threading.Event())
    samples = np.concatenate([frame.samples for frame in frames if begin_s <= frame.wall_time_s < end_s])
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        file.writeframes((np.tile(samples, times) * 32767).astype("<i2").tobytes())
