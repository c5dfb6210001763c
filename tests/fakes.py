"""Parts held still for tests. Each implements the protocol of the real one and produces or records data."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from junod.errors import ExtractionError, TranscriptionError
from junod.records import (
    SAMPLE_RATE_HZ,
    AudioFrame,
    Decision,
    NewMemory,
    Outcome,
    Passage,
    Segment,
    SegmentEnd,
    Transcription,
)

FRAME = SAMPLE_RATE_HZ * 30 // 1000


def at(seconds: float) -> int:
    """Samples in so many seconds."""
    return round(seconds * SAMPLE_RATE_HZ)


def segment(start_s: float, end_s: float, *, wall_s: float = 0.0) -> Segment:
    samples = np.zeros(at(end_s) - at(start_s), np.float32)
    return Segment(at(start_s), samples, wall_s + start_s, at(start_s), at(end_s), SegmentEnd.HANGOVER)


def frames(seconds: float, level: float = 0.0, *, first_sample: int = 0) -> list[AudioFrame]:
    """Frames of 30 ms at one level; a level above 0 is speech to FakeActivity."""
    count = round(seconds * SAMPLE_RATE_HZ / FRAME)
    starts = [first_sample + i * FRAME for i in range(count)]
    return [AudioFrame(s, np.full(FRAME, level, np.float32), s / SAMPLE_RATE_HZ) for s in starts]


class FakeActivity:
    """Every run of frames louder than zero is a segment; it closes at the first silent frame."""

    def __init__(self) -> None:
        self._open: list[AudioFrame] = []
        self.last_speech_sample: int | None = None

    @property
    def is_speaking(self) -> bool:
        return bool(self._open)

    def push(self, frame: AudioFrame) -> list[Segment]:
        if frame.samples.any():
            self._open.append(frame)
            self.last_speech_sample = frame.end_sample
            return []
        return self.flush()

    def check_stalled(self, now_wall_s: float) -> list[Segment]:
        return self.flush()

    def flush(self) -> list[Segment]:
        if not self._open:
            return []
        first, last = self._open[0], self._open[-1]
        samples = np.concatenate([frame.samples for frame in self._open])
        self._open = []
        return [
            Segment(
                first.first_sample, samples, first.wall_time_s, first.first_sample, last.end_sample, SegmentEnd.HANGOVER
            )
        ]

    def wipe(self) -> None:
        self._open = []


class FakeTranscriber:
    """Says the given sentences in turn; an exception in the list is raised."""

    def __init__(self, script: Iterable[str | TranscriptionError]) -> None:
        self._script = list(script)
        self.is_done = threading.Event()
        """Cleared by a test, it keeps the recogniser at work."""
        self.blow: BaseException | None = None
        self.is_done.set()
        self.heard_s: list[float] = []

    def transcribe(self, samples: NDArray[np.float32]) -> Transcription:
        self.heard_s.append(len(samples) / SAMPLE_RATE_HZ)
        self.is_done.wait(120)
        if self.blow is not None:
            raise self.blow
        said = self._script.pop(0) if self._script else ""
        if isinstance(said, TranscriptionError):
            raise said
        return Transcription(said, -0.2, 0.05, 1.0)


@dataclass(frozen=True)
class FakeGuarded:
    text: str
    dropped_reason: str | None = None


def pass_guard(transcription: Transcription, speech_s: float) -> FakeGuarded:
    return FakeGuarded(transcription.text)


def mask_word(word: str) -> Callable[[Passage], Passage]:
    """A mask that knows one secret."""

    def mask(passage: Passage) -> Passage:
        hidden = [text.replace(word, "[masked]") for text in (passage.transcript, *passage.context)]
        return replace(passage, transcript=hidden[0], context=tuple(hidden[1:]))

    return mask


def _set() -> threading.Event:
    event = threading.Event()
    event.set()
    return event


@dataclass
class FakeExtractor:
    """Keeps every passage that says 'remember', as it was said; fails as often as told first."""

    failures: list[ExtractionError] = field(default_factory=list)
    seen: list[Passage] = field(default_factory=list)
    is_done: threading.Event = field(default_factory=_set)
    """Cleared by a test, it keeps the model at work."""

    def decide(self, passage: Passage) -> Decision:
        self.seen.append(passage)
        self.is_done.wait(120)
        if self.failures:
            raise self.failures.pop(0)
        if "remember" not in passage.transcript:
            return Decision(passage.id, Outcome.REJECTED, "gate", 0.01, "below-threshold")
        new = NewMemory(passage.transcript, passage.transcript, passage.spoken_at, None, passage.room, confidence=0.9)
        return Decision(passage.id, Outcome.KEPT, "kept", 0.9, memories=(new,))


class FakeEmbedder:
    """Deterministic unit vectors from a text's bytes."""

    name = "fake"
    dims = 8

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [np.random.default_rng(list(text.encode()) or [0]).normal(size=self.dims) for text in texts]
        vectors = np.array(rows, np.float32).reshape(len(texts), self.dims)
        lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / lengths).astype(np.float32)


class FakeMicrophone:
    """Delivers what is put into it; silent until then."""

    def __init__(self) -> None:
        self._frames: queue.Queue[AudioFrame] = queue.Queue()
        self.state = "opening"
        self.problem = ""
        self.is_wedged = False
        self.wipes = 0
        self.hang: threading.Event | None = None
        """Given by a test, it keeps the driver from coming back."""
        self.is_closed = False

    def put(self, new: Sequence[AudioFrame]) -> None:
        """All at once: an ear that found nothing in between would take it for the end of what is said."""
        with self._frames.mutex:
            self._frames.queue.extend(new)
            self._frames.not_empty.notify_all()

    def poll(self, timeout_s: float) -> list[AudioFrame]:
        if self.hang is not None:
            self.hang.wait(60)
        try:
            frame = self._frames.get(timeout=min(timeout_s, 0.01))
        except queue.Empty:
            return []
        self.state = "listening"
        return [frame]

    def wipe(self) -> None:
        self.wipes += 1
        while not self._frames.empty():
            self._frames.get_nowait()

    def close(self) -> None:
        self.is_closed = True
