"""What reads files: a damaged one is named by a JunodError, and nothing else happens."""

from __future__ import annotations

import gzip
import io
import json
import threading
import wave
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from fuzz.fuzz_words import as_bytes, damaged, document, mangled, one_of, text, value
from memory.memory_fakes import NOW, HashEmbedder, embedding, new, passage

from junod.audio.file import FileSource
from junod.clock import SimulatedClock
from junod.dedup.evaluate import read_cases
from junod.ear_state import EarFile
from junod.errors import JunodError
from junod.extract.evaluate import load_labelled, load_passages, load_predictions
from junod.extract.gate import load_calibration
from junod.health import STATUS_FILE, read_status
from junod.memory.backups import Backups
from junod.memory.search import SearchMode, SearchRequest
from junod.memory.store import MemoryStore
from junod.memory.verbs import find
from junod.settings import Settings, load_settings
from junod.settings_text import settings_text
from junod.weights.manifest import load_manifest

FLAC = Path(__file__).parent.parent / "scene" / "kitchen.flac"
ROW = {
    "id": "p1", "transcript": "we need milk", "room": "kitchen", "spoken_at": "2026-03-24T18:00:00+01:00",
    "tz": "Europe/Berlin", "context": ["hello"], "origin": "family", "tags": ["a"], "forbid": ["x"], "optional": [],
    "expect": [{"all": ["milk"], "kind": "shopping", "expires_at": ["2026-03-24T18:00:00+01:00"]}],
    "memories": [{"memory": "milk", "transcript": "milk", "expires_at": None}],
}  # fmt: skip


def _tried(read: Callable[[Path], object], path: Path, content: bytes) -> None:
    path.write_bytes(content)
    try:
        with suppress(JunodError):
            read(path)
    finally:
        path.unlink(missing_ok=True)


def config(rng: Random, folder: Path) -> None:
    lines = _config_text().splitlines()
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(lines))
        name = lines[place].split("=")[0].lstrip("# ")
        odd = rng.choice((json.dumps(value(rng, 1)), text(rng, 3), "2026-03-24", "inf", "nan", "0x1F", "[1, 2]"))
        lines[place] = f"{name} = {odd}" if rng.random() < 0.7 else mangled(rng, lines[place])
    _tried(load_settings, folder / "junod.toml", as_bytes(rng, "\n".join(lines)))


@cache
def _config_text() -> str:
    return settings_text(Settings())


@cache
def sounds() -> tuple[bytes, ...]:
    samples = (np.sin(np.arange(4000) / 9) * 9000).astype("<i2").tobytes()
    found = [FLAC.read_bytes()[:20_000]]
    for channels, rate in ((1, 16_000), (2, 44_100)):
        file = io.BytesIO()
        with wave.open(file, "wb") as out:
            out.setnchannels(channels)
            out.setsampwidth(2)
            out.setframerate(rate)
            out.writeframes(samples)
        found.append(file.getvalue())
    return tuple(found)


def audio(rng: Random, folder: Path) -> None:
    suffix = rng.choice((".wav", ".flac", ".mp3", ".ogg", ""))
    _tried(_all_frames, folder / f"sound{suffix}", one_of(rng, sounds()))


def _all_frames(path: Path) -> None:
    for frame in FileSource(path, 0.0).frames(threading.Event()):
        assert np.isfinite(frame.samples).all()


def passages(rng: Random, folder: Path) -> None:
    content = as_bytes(rng, "\n".join(document(rng, ROW) for _ in range(rng.randint(1, 3))))
    is_packed = rng.random() < 0.3
    if is_packed:
        packed = gzip.compress(content, 1)
        content = damaged(rng, packed) if rng.random() < 0.6 else packed
    path = folder / ("rows.jsonl.gz" if is_packed else "rows.jsonl")
    _tried(rng.choice((load_labelled, load_passages, load_predictions, read_cases)), path, content)


def state(rng: Random, folder: Path) -> None:
    """What the daemon itself keeps in files."""
    content = as_bytes(rng, document(rng, {"muted": True, "off_record_until": "2026-03-24T18:00:00", "media": "auto"}))
    path = folder / "ear.json"
    _tried(lambda path: EarFile(path).load(), path, content)
    _tried(lambda path: read_status(path.parent), folder / STATUS_FILE, content)
    _tried(load_calibration, folder / "calibration.json", content)
    _tried(load_manifest, folder / "manifest.toml", content)


@cache
def database_bytes(folder: Path) -> bytes:
    path = folder / "seed.db"
    with MemoryStore.open(path, clock=SimulatedClock(NOW)) as store:
        for number in range(12):
            memory = store.add(new(f"Shopping list:\n- thing {number}"), embedding(f"thing {number}"))
            store.spool_passage(passage(f"p{number}", "we need milk"))
        store.done(memory.id)
    return path.read_bytes()


def database(rng: Random, folder: Path) -> None:
    path = folder / "junod.db"
    content = database_bytes(folder)
    if rng.random() < 0.5:
        raw = bytearray(content)
        for _ in range(rng.choice((1, 4, 40))):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        content = bytes(raw)
    else:
        content = one_of(rng, [content])
    try:
        _tried(_use, path, content)
        _tried(lambda path: Backups(path.with_name("other.db")).problems(path), path, content)
    finally:
        for file in folder.glob("junod.db*"):
            file.unlink()


def _use(path: Path) -> None:
    with MemoryStore.open(path, clock=SimulatedClock(NOW)) as store:
        for use in (
            store.check,
            store.list,
            lambda: store.journal(limit=None),
            lambda: list(store.export()),
            lambda: find(store, SearchRequest("thing milk", SearchMode.HYBRID), embedder=HashEmbedder(), now=NOW),
            store.next_passage,
            lambda: store.expire(NOW),
            lambda: store.add(new("another thing"), embedding("another")),
            lambda: store.forget_spoken(None, None),
        ):
            with suppress(JunodError):
                use()


FILES: dict[str, Callable[[Random, Path], None]] = {
    "config": config,
    "audio": audio,
    "passages": passages,
    "state": state,
    "database": database,
}
