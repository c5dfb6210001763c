#!/usr/bin/env python3
"""Passages as junod would hear them: spoken by synthetic voices in a noisy kitchen, and transcribed.

    make_heard.py CORPUS.jsonl.gz --out HEARD.jsonl [--count 220] [--noise FOLDER] and the voices of make-scene

Each passage gets one or two voices (Kokoro, flite or Piper; a passage does not say who speaks, so each sentence draws
its speaker), a room's echo and a kitchen sound 4 to 20 dB below the talk: a recording of FOLDER, else a synthetic one.
What junod's voice activity, speech-to-text and guards make of it replaces the transcript; label and all else stay.
Passages are drawn evenly from the authors, half of them to keep. Each row is written when it is done, and a second run
goes on where the first one stopped. Context is not spoken. `said` holds the words that were spoken, for error rates.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from faster_whisper import decode_audio

from junod.assembly.parts import build_transcriber
from junod.audio.framing import FrameBuilder
from junod.records import SAMPLE_RATE_HZ
from junod.settings import load_settings
from junod.stt.guards import guard
from junod.vad.cascade import voice_activity

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from scripts.make_scene import (
    LEAD_IN_S,
    SPEECH_DBFS,
    Sound,
    Speaker,
    Tools,
    at_level,
    refrigerator,
    room_response,
    side_sound,
)

SEED = 20260331
KOKORO = tuple({"engine": "kokoro", "name": f"j{name}"} for name in ("f_alpha", "f_nezumi", "f_tebukuro", "m_kumo"))
FLITE = tuple({"engine": "flite", "name": name} for name in ("rms", "slt", "awb"))
PIPER = ({"engine": "piper", "name": "joe"},)
CASTS = ((KOKORO, 0.15), (FLITE, 0.75), (PIPER, 0.1))
SIDE_SOUNDS = ("crowd", "kettle", "dishes")
SIGNAL_TO_NOISE_DB = (4.0, 20.0)
PAUSE_S = (0.15, 0.9)
TAIL_S = 1.5


def drawn(path: Path, count: int) -> list[dict[str, Any]]:
    """Rows of the corpus, evenly from its authors and half of them to keep; always the same ones."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["expect"] or not row.get("optional")]
    rng = np.random.default_rng(SEED)
    groups: dict[tuple[str, bool], list[dict[str, Any]]] = defaultdict(list)
    for index in rng.permutation(len(rows)):
        groups[rows[index]["author"], bool(rows[index]["expect"])].append(rows[index])
    each = -(-count // len(groups))
    queues = [group[:each] for _, group in sorted(groups.items())]
    chosen = [queue[turn] for turn in range(each) for queue in queues if turn < len(queue)]
    return chosen[:count]


def sentences(text: str) -> list[str]:
    """Text in the pieces that one voice speaks at a stretch; talk without punctuation is cut every dozen words."""
    pieces = [piece.strip() for piece in re.split(r"(?<=[.!?…])\s+", text) if piece.strip()]
    return [part for piece in pieces for part in _short(piece)]


def _short(piece: str) -> list[str]:
    words = piece.split()
    if len(words) <= 30 or re.search(r"[,;:]", piece):
        return [piece]
    return [" ".join(words[start : start + 12]) for start in range(0, len(words), 12)]


class Kitchen:
    """Speaks passages into a kitchen; each passage has a generator of its own, so the order does not matter."""

    def __init__(self, speaker: Speaker, noises: list[Path]) -> None:
        self._speaker, self._noises = speaker, noises

    def sound(self, number: int, text: str) -> tuple[Sound, str]:
        """The passage as a microphone hears it, and the engine that spoke."""
        rng = np.random.default_rng([SEED, number])
        cast = CASTS[int(rng.choice(len(CASTS), p=[share for _, share in CASTS]))][0]
        voices = [cast[int(i)] for i in rng.choice(len(cast), min(2, len(cast)), replace=False)]
        echo = room_response(rng, float(rng.uniform(0.25, 0.5)), float(rng.uniform(2.0, 8.0)))
        parts: list[Sound] = [_silence(LEAD_IN_S)]
        for piece in [text] if cast is PIPER else sentences(text):
            voice = {**voices[int(rng.integers(len(voices)))], "speed": float(rng.uniform(0.9, 1.1))}
            loud = SPEECH_DBFS + float(rng.uniform(-4, 2))
            parts += [at_level(self._speaker.say(voice, piece), loud), _silence(float(rng.uniform(*PAUSE_S)))]
        speech = np.convolve(np.concatenate([*parts, _silence(TAIL_S)]), echo).astype(np.float32)
        noise = self._noise(rng, len(speech), SPEECH_DBFS - float(rng.uniform(*SIGNAL_TO_NOISE_DB)))
        mixed = speech + refrigerator(rng, len(speech)) + noise
        return np.clip(mixed, -0.99, 0.99).astype(np.float32), str(voices[0]["engine"])

    def _noise(self, rng: np.random.Generator, size: int, dbfs: float) -> Sound:
        if not self._noises:
            return at_level(side_sound(SIDE_SOUNDS[int(rng.integers(len(SIDE_SOUNDS)))], rng, size), dbfs)
        path = self._noises[int(rng.integers(len(self._noises)))]
        recorded = np.asarray(decode_audio(str(path), SAMPLE_RATE_HZ), np.float32)
        return at_level(np.resize(recorded, size) + np.float32(1e-6), dbfs)


def _silence(length_s: float) -> Sound:
    return np.zeros(int(length_s * SAMPLE_RATE_HZ), np.float32)


class Ear:
    """Sound to words by the stages that junod hears with."""

    def __init__(self) -> None:
        self._settings = load_settings()
        self._transcriber = build_transcriber(self._settings)

    def heard(self, sound: Sound) -> str:
        activity = voice_activity(self._settings.vad)
        frames = FrameBuilder(30)
        segments = [one for frame in frames.push(sound, 0.0) for one in activity.push(frame)] + activity.flush()
        texts = []
        for segment in segments:
            speech_s = (segment.speech_end_sample - segment.speech_first_sample) / SAMPLE_RATE_HZ
            guarded = guard(self._transcriber.transcribe(segment.samples), speech_s)
            if guarded.text and not guarded.dropped_reason:
                texts.append(guarded.text)
        return " ".join(texts)


def main() -> int:
    options = vars(_parser().parse_args())
    corpus, out, count, noise = (options.pop(name) for name in ("corpus", "out", "count", "noise"))
    kitchen, ear = Kitchen(Speaker(Tools(**options)), sorted(noise.rglob("*.flac")) if noise else []), Ear()
    done = {json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()} if out.exists() else set()
    with out.open("a", encoding="utf-8") as file:
        for number, row in enumerate(drawn(corpus, count)):
            if row["id"] in done:
                continue
            sound, engine = kitchen.sound(number, row["transcript"])
            heard = {**row, "transcript": ear.heard(sound), "said": row["transcript"], "voice": engine}
            file.write(json.dumps(heard, ensure_ascii=False) + "\n")
            file.flush()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=220)
    parser.add_argument("--noise", type=Path, help="folder of kitchen recordings")
    for name in Tools.__annotations__:
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, required=True, help="see make-scene")
    return parser


if __name__ == "__main__":
    sys.exit(main())
