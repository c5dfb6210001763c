"""A file and a microphone keep the same promises: what follows one can follow the other."""

from __future__ import annotations

import threading
import wave
from pathlib import Path

from audio.fake_backend import FakeBackend

from junod.audio.file import FileSource
from junod.audio.microphone import Microphone
from junod.audio.source import AudioSource
from junod.clock import SystemClock
from junod.sections import AudioSettings


def followed(source: AudioSource) -> int:
    """Frames of a source that is told to stop at once, and given back."""
    stop = threading.Event()
    stop.set()
    count = sum(1 for _ in source.frames(stop))
    source.close()
    source.close()
    return count


def test_file_and_microphone_end_when_told_to_and_close_twice(tmp_path: Path) -> None:
    path = tmp_path / "silence.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(bytes(32_000 * 5))
    assert followed(FileSource(path, 0.0)) < 5 * 16_000 / 480
    assert followed(Microphone(AudioSettings(), SystemClock(), FakeBackend())) == 0
