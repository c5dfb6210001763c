"""Voice activity as the pipeline sees it: frames in, segments out (pure; the detector is given)."""

from __future__ import annotations

from typing import Protocol

from junod.records import AudioFrame, Segment
from junod.sections import VadSettings
from junod.vad.segmenter import Segmenter


class Detector(Protocol):
    def probability(self, frame: AudioFrame) -> float | None: ...

    def refresh(self) -> None: ...

    def reset(self) -> None: ...


class VoiceActivity:
    """One stream of frames. Not thread-safe: push, check and flush from the same thread."""

    def __init__(self, settings: VadSettings, detector: Detector) -> None:
        self._detector = detector
        self._segmenter = Segmenter(settings)

    @property
    def is_speaking(self) -> bool:
        """A segment is open (its hangover included)."""
        return self._segmenter.is_open

    @property
    def last_speech_sample(self) -> int | None:
        """One past the last sample judged speech, knocks shorter than the minimum apart; None = none yet."""
        return self._segmenter.last_speech_sample

    @property
    def next_sample(self) -> int | None:
        """One past the last sample heard: minus `last_speech_sample`, the audio time without speech."""
        return self._segmenter.next_sample

    def push(self, frame: AudioFrame) -> list[Segment]:
        """Segments that this frame closes (a gap before it may close one more)."""
        return self._refreshed(self._segmenter.push(frame, self._detector.probability(frame)))

    def check_stalled(self, now_wall_s: float) -> list[Segment]:
        """Call it while no frames come: closes a segment that would stay open for ever."""
        return self._refreshed(self._segmenter.check_stalled(now_wall_s))

    def flush(self) -> list[Segment]:
        """The stream has ended; what follows is heard as if for the first time."""
        closed = self._segmenter.flush()
        self._detector.reset()
        return closed

    def wipe(self) -> None:
        """Forget all audio at once (mute): nothing of it will come out."""
        self._segmenter.wipe()
        self._detector.reset()

    def _refreshed(self, closed: list[Segment]) -> list[Segment]:
        if closed:
            self._detector.refresh()
        return closed
