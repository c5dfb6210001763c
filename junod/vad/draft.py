"""A segment while it is being heard (pure)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from junod.records import AudioFrame, Segment, SegmentEnd

_TAIL_SHARE = 0.25
"""The split is looked for in the last quarter, so that no segment gets too short to be understood."""
_QUIET_FRAMES = 5


@dataclass(frozen=True, slots=True)
class _Heard:
    frame: AudioFrame
    is_speech: bool | None


class Draft:
    """Frames from the pre-roll on, each judged speech, silence or unknown (None)."""

    def __init__(self, lead: Iterable[AudioFrame], *, is_continuation: bool = False) -> None:
        self._heard: list[_Heard] = []
        self.is_continuation = is_continuation
        """It follows a split; the speech before it belongs to the same breath."""
        self.samples = 0
        self.speech_samples = 0
        self.silence_samples = 0
        """Since the last speech; unknown frames do not count."""
        self.speech_first_sample = 0
        self.speech_end_sample = 0
        for frame in lead:
            self._append(frame, False)

    def add(self, frame: AudioFrame, is_speech: bool | None) -> None:
        self._append(frame, is_speech)
        if is_speech:
            if not self.speech_samples:
                self.speech_first_sample = frame.first_sample
            self.speech_samples += len(frame.samples)
            self.speech_end_sample = frame.end_sample
            self.silence_samples = 0
        elif is_speech is False:
            self.silence_samples += len(frame.samples)

    def frames_after_speech(self) -> list[AudioFrame]:
        return [heard.frame for heard in self._heard if heard.frame.first_sample >= self.speech_end_sample]

    def split_at_quietest(self) -> tuple[Draft, Draft]:
        """Head and tail; together they hold exactly these frames."""
        start = int(len(self._heard) * (1.0 - _TAIL_SHARE))
        powers = np.array([_power(heard.frame.samples) for heard in self._heard[start:]])
        cut = start + _quietest(powers) + 1
        head, tail = Draft((), is_continuation=self.is_continuation), Draft((), is_continuation=True)
        for index, heard in enumerate(self._heard):
            (head if index < cut else tail).add(heard.frame, heard.is_speech)
        return head, tail

    def segment(self, closed_by: SegmentEnd) -> Segment:
        first = self._heard[0].frame
        return Segment(
            first_sample=first.first_sample,
            samples=np.nan_to_num(np.concatenate([heard.frame.samples for heard in self._heard])),
            wall_time_s=first.wall_time_s,
            speech_first_sample=self.speech_first_sample,
            speech_end_sample=self.speech_end_sample,
            closed_by=closed_by,
        )

    def _append(self, frame: AudioFrame, is_speech: bool | None) -> None:
        self._heard.append(_Heard(frame, is_speech))
        self.samples += len(frame.samples)


def _power(samples: NDArray[np.float32]) -> float:
    power = float(np.dot(samples, samples)) / len(samples)
    return power if math.isfinite(power) else math.inf


def _quietest(powers: NDArray[np.float64]) -> int:
    """Index of the middle of the quietest stretch; the latest where several are equally quiet."""
    width = min(_QUIET_FRAMES, len(powers))
    sums = np.convolve(powers, np.ones(width), mode="valid")
    return len(sums) - 1 - int(np.argmin(sums[::-1])) + width // 2
