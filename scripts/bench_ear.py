#!/usr/bin/env python3
"""What the ear costs in a silent room, what it mistakes for speech, and what speech it misses.

    bench_ear.py [--silence-minutes 10] [--noise FOLDER] [--speech FOLDER]... [--json]

FOLDER holds sound files: `--noise` recordings without speech, `--speech` one or more spoken sentences a file.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
import wave
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from junod.audio.file import FileSource
from junod.records import SAMPLE_RATE_HZ, AudioFrame, Segment
from junod.sections import VadSettings
from junod.vad.activity import VoiceActivity
from junod.vad.cascade import voice_activity
from junod.vad.energy import level_dbfs

SOUND_FILES = (".wav", ".flac", ".mp3", ".ogg")
BELOW_PEAK_DB = 25.0
"""Frames up to this far below a clip's loud frames count as its speech."""


def write_hum(path: Path, minutes: float, rate_hz: int = 48_000) -> None:
    """A quiet room: mains hum at -50 dBFS over noise at -65 dBFS, 16 bit mono."""
    noise = np.random.default_rng(1)
    phase = np.arange(rate_hz) * 2 * np.pi * 50 / rate_hz
    hum = 10 ** (-50 / 20) * np.sqrt(2) * np.sin(phase)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        for _ in range(round(minutes * 60)):
            second = hum + noise.normal(0, 10 ** (-65 / 20), rate_hz)
            file.writeframes((second * 32767).astype("<i2").tobytes())


def listen(path: Path, activity: VoiceActivity) -> tuple[list[AudioFrame], list[Segment]]:
    """All frames and segments of one file."""
    frames, segments = [], []
    for frame in FileSource(path, 0.0).frames(threading.Event()):
        frames.append(frame)
        segments += activity.push(frame)
    return frames, segments + activity.flush()


def measure_silence(minutes: float) -> dict[str, Any]:
    """CPU seconds, decoding and resampling included, for `minutes` of a quiet room."""
    activity = voice_activity(VadSettings())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "hum.wav")
        write_hum(path, minutes)
        before_s = time.process_time()
        segments = 0
        for frame in FileSource(path, 0.0).frames(threading.Event()):
            segments += len(activity.push(frame))
        used_s = time.process_time() - before_s
    return {
        "minutes": minutes,
        "cpu_s": round(used_s, 2),
        "cpu_percent_of_a_core": round(100 * used_s / (minutes * 60), 2),
        "segments": segments + len(activity.flush()),
    }


def measure_noise(folder: Path) -> dict[str, Any]:
    """Segments opened by recordings that hold no speech."""
    activity = voice_activity(VadSettings())
    minutes, false, false_s, by_file = 0.0, 0, 0.0, {}
    for path in sound_files(folder):
        frames, segments = listen(path, activity)
        minutes += len(frames) * len(frames[0].samples) / SAMPLE_RATE_HZ / 60
        false += len(segments)
        false_s += sum(segment.duration_s for segment in segments)
        if segments:
            by_file[path.name] = len(segments)
    return {
        "minutes": round(minutes, 1),
        "segments": false,
        "segments_per_minute": round(false / minutes, 2),
        "seconds_sent_on": round(false_s, 1),
        "files": by_file,
    }


def measure_speech(folder: Path) -> dict[str, Any]:
    """How much of the speech in each clip lies within a segment; CPU included."""
    activity = voice_activity(VadSettings())
    coverages, silent, seconds = [], [], 0.0
    before_s = time.process_time()
    for path in sound_files(folder):
        frames, segments = listen(path, activity)
        seconds += len(frames) * len(frames[0].samples) / SAMPLE_RATE_HZ
        coverages.append(coverage(frames, segments))
        if not segments:
            silent.append(path.name)
    return {
        "clips": len(coverages),
        "clips_without_segment": silent,
        "mean_coverage": round(float(np.mean(coverages)), 4),
        "worst_coverage": round(min(coverages), 3),
        "clips_covered_95": round(float(np.mean(np.array(coverages) >= 0.95)), 3),
        "cpu_percent_of_a_core": round(100 * (time.process_time() - before_s) / seconds, 2),
    }


def coverage(frames: list[AudioFrame], segments: list[Segment]) -> float:
    """Share of the clip's loud frames that lie within a segment."""
    levels: NDArray[np.float64] = np.array([level_dbfs(frame.samples) for frame in frames])
    is_loud = levels >= np.percentile(levels, 95) - BELOW_PEAK_DB
    is_heard = np.array([any(s.first_sample <= f.first_sample < s.end_sample for s in segments) for f in frames])
    return float(np.mean(is_heard[is_loud]))


def sound_files(folder: Path) -> Iterable[Path]:
    found = sorted(path for path in folder.iterdir() if path.suffix in SOUND_FILES)
    if not found:
        raise SystemExit(f"{folder} holds no sound files ({', '.join(SOUND_FILES)}).")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--silence-minutes", type=float, default=10.0)
    parser.add_argument("--noise", type=Path, action="append", default=[])
    parser.add_argument("--speech", type=Path, action="append", default=[])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures: dict[str, Any] = {"silence": measure_silence(arguments.silence_minutes)}
    figures |= {f"noise {folder.name}": measure_noise(folder) for folder in arguments.noise}
    figures |= {f"speech {folder.name}": measure_speech(folder) for folder in arguments.speech}
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, values in figures.items():
        print(f"ear, {name}: " + ", ".join(f"{key} {value}" for key, value in values.items()))


if __name__ == "__main__":
    main()
