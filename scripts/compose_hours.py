#!/usr/bin/env python3
"""Compose three hours of a household's sound from recordings of your own: a silent room, a television, a dinner.

    compose_hours.py OUT --speech FOLDER... --noise FOLDER... [--talk FILE...] [--minutes 60] [--seed 1]

`--speech` folders hold spoken sentences a file, `--noise` sounds of a kitchen, `--talk` scenes that hold something
worth keeping, heard twice within the dinner. OUT gets silence.wav, television.wav and dinner.wav, 16 kHz mono; what
`bench_hours.py` measures them with needs nothing else.
"""

from __future__ import annotations

import argparse
import random
import wave
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from faster_whisper import decode_audio
from numpy.typing import NDArray

RATE_HZ = 16_000
SOUND_FILES = (".wav", ".flac", ".mp3", ".ogg")
HUM_DBFS, HISS_DBFS = -50.0, -65.0
TONES_HZ = (196.0, 247.0, 294.0, 330.0, 392.0, 494.0)

Sound = NDArray[np.float32]


def main() -> None:
    arguments = _arguments()
    speech = [path for folder in arguments.speech for path in sound_files(folder)]
    noise = [path for folder in arguments.noise for path in sound_files(folder)]
    length = round(arguments.minutes * 60 * RATE_HZ)
    arguments.out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(arguments.seed)
    kinds = {
        "silence": iter(()),
        "television": television(rng, speech),
        "dinner": dinner(rng, speech, noise, arguments.talk, length),
    }
    for name, pieces in kinds.items():
        write(arguments.out / f"{name}.wav", pieces, length)


def television(rng: random.Random, speech: Sequence[Path]) -> Iterator[Sound]:
    """Programmes of some minutes in which somebody speaks almost without a pause, a jingle between two."""
    while True:
        level_db, left_s = rng.uniform(-16, -8), rng.uniform(120, 480)
        while left_s > 0:
            said = voiced(rng, rng.choice(speech), level_db)
            yield said
            yield silence(rng.uniform(0.15, 1.2))
            left_s -= len(said) / RATE_HZ
        yield jingle(rng, rng.uniform(8, 25))


def dinner(
    rng: random.Random, speech: Sequence[Path], noise: Sequence[Path], talk: Sequence[Path], length: int
) -> Iterator[Sound]:
    """Spells of talk, people in turns, with pauses between them; things clatter all the time."""
    due = sorted(rng.uniform(0.1, 0.9) * length for _ in range(2) for _ in talk)
    scenes = [path for path in talk for _ in range(2)]
    heard = 0
    while True:
        for piece in [silence(rng.expovariate(1 / 40)), *spell(rng, speech)]:
            heard += len(piece)
            yield over(rng, piece, noise)
        if due and heard >= due[0]:
            due.pop(0)
            scene = decoded(scenes.pop(0))
            heard += len(scene)
            yield scene


def spell(rng: random.Random, speech: Sequence[Path]) -> Iterator[Sound]:
    left_s = rng.expovariate(1 / 120)
    while left_s > 0:
        said, pause = voiced(rng, rng.choice(speech), rng.uniform(-14, 0)), silence(rng.expovariate(1 / 1.5))
        yield said
        yield pause
        left_s -= (len(said) + len(pause)) / RATE_HZ


def voiced(rng: random.Random, path: Path, level_db: float) -> Sound:
    """A recording at another speed and pitch each time, so that no two are the same samples."""
    sound, speed = decoded(path), rng.uniform(0.9, 1.1)
    places = np.arange(0, len(sound) - 1, speed)
    return np.asarray(np.interp(places, np.arange(len(sound)), sound) * 10 ** (level_db / 20), np.float32)


def over(rng: random.Random, piece: Sound, noise: Sequence[Path]) -> Sound:
    """The piece, and now and then a sound of the kitchen over it."""
    if not noise or rng.random() < 0.7:
        return piece
    clatter = decoded(rng.choice(noise))[: len(piece)]
    mixed = piece.copy()
    mixed[: len(clatter)] += clatter * np.float32(10 ** (rng.uniform(-18, -3) / 20))
    return mixed


def jingle(rng: random.Random, seconds: float) -> Sound:
    """Chords that change twice a second."""
    time_s = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    chords = np.array([[rng.choice(TONES_HZ) for _ in range(3)] for _ in range(round(seconds * 2) + 1)])
    hz = chords[(time_s * 2).astype(int)]
    return np.asarray(0.05 * np.sin(2 * np.pi * hz * time_s[:, None]).sum(axis=1), np.float32)


def silence(seconds: float) -> Sound:
    return np.zeros(round(seconds * RATE_HZ), np.float32)


@lru_cache(1000)
def decoded(path: Path) -> Sound:
    return np.asarray(decode_audio(str(path), RATE_HZ), dtype=np.float32)


def write(path: Path, pieces: Iterator[Sound], length: int) -> None:
    """`length` samples of the pieces over a room's hum and hiss; what they do not fill is the room alone."""
    noise = np.random.default_rng(1)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        written = 0
        while written < length:
            piece = next(pieces, silence(10))[: length - written]
            phase = (written + np.arange(len(piece))) * (2 * np.pi * 50 / RATE_HZ)
            room = 10 ** (HUM_DBFS / 20) * np.sqrt(2) * np.sin(phase)
            room += noise.normal(0, 10 ** (HISS_DBFS / 20), len(piece))
            file.writeframes((np.clip(piece + room, -1, 1) * 32767).astype("<i2").tobytes())
            written += len(piece)


def sound_files(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if path.suffix in SOUND_FILES)
    if not found:
        raise SystemExit(f"{folder} holds no sound files ({', '.join(SOUND_FILES)}).")
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--speech", type=Path, nargs="+", required=True)
    parser.add_argument("--noise", type=Path, nargs="+", default=[])
    parser.add_argument("--talk", type=Path, nargs="+", default=[])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
