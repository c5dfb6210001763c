"""Frames to segments, with marks of how far the ear has listened: the first stage of the pipeline."""

from __future__ import annotations

from typing import Protocol

from junod.records import SAMPLE_RATE_HZ, AudioFrame, AudioMark, Segment

MARK_EVERY_S = 0.25

EarItem = Segment | AudioMark


class VoiceActivityLike(Protocol):
    @property
    def is_speaking(self) -> bool: ...

    @property
    def last_speech_sample(self) -> int | None: ...

    def push(self, frame: AudioFrame) -> list[Segment]: ...

    def check_stalled(self, now_wall_s: float) -> list[Segment]: ...

    def flush(self) -> list[Segment]: ...

    def wipe(self) -> None: ...


class Listening:
    """Frames to segments, with a mark of how far the ear has listened every quarter of a second of audio."""

    def __init__(self, activity: VoiceActivityLike) -> None:
        self._activity = activity
        self._marked_at = 0

    def take(self, frame: AudioFrame) -> list[EarItem]:
        items: list[EarItem] = list(self._activity.push(frame))
        if items or frame.end_sample - self._marked_at >= MARK_EVERY_S * SAMPLE_RATE_HZ:
            self._marked_at = frame.end_sample
            items.append(self._mark())
        return items

    def no_frames(self, now_wall_s: float) -> list[EarItem]:
        """Audio stopped arriving: an open segment is closed rather than left hanging."""
        return list(self._activity.check_stalled(now_wall_s))

    def flush(self) -> list[EarItem]:
        return list(self._activity.flush())

    def wipe(self) -> None:
        """Forget all audio at once: nothing of it will come out."""
        self._activity.wipe()

    def replace_activity(self, activity: VoiceActivityLike) -> list[EarItem]:
        """Go on with new settings; what was being said is closed, not lost."""
        items = self.flush()
        self._activity = activity
        return items

    def _mark(self) -> AudioMark:
        return AudioMark(self._marked_at, self._activity.last_speech_sample or 0, self._activity.is_speaking)
