"""Blocks of any length in, frames of one length out, with their place in time (pure)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from junod.records import SAMPLE_RATE_HZ, AudioFrame


class FrameBuilder:
    """Cuts a 16 kHz mono stream into frames.

    Args:
        frame_ms: length of a frame.
        first_sample: index of the first sample that will be pushed.
    """

    def __init__(self, frame_ms: int, first_sample: int = 0) -> None:
        self._frame_samples = SAMPLE_RATE_HZ * frame_ms // 1000
        self._next_sample = first_sample
        self._pending: NDArray[np.float32] = np.zeros(0, np.float32)
        self._pending_wall_s = 0.0
        self._lost = 0

    @property
    def pending_samples(self) -> int:
        """Samples that wait for the rest of their frame."""
        return len(self._pending)

    def push(self, samples: NDArray[np.float32], wall_time_s: float) -> list[AudioFrame]:
        """Add samples, shape (n,); `wall_time_s` is when the first of them was heard."""
        if not len(self._pending):
            self._pending_wall_s = wall_time_s
        joined = np.concatenate([self._pending, samples])
        whole = len(joined) // self._frame_samples
        frames = [self._take(joined, index) for index in range(whole)]
        self._pending = joined[whole * self._frame_samples :]
        if whole:
            self._pending_wall_s = wall_time_s + (len(samples) - len(self._pending)) / SAMPLE_RATE_HZ
        return frames

    def mark_lost(self, samples: int) -> None:
        """`samples` were lost here. An unfinished frame before the gap is given up and counted as lost too."""
        self._lost += samples + len(self._pending)
        self._pending = np.zeros(0, np.float32)

    def flush(self) -> list[AudioFrame]:
        """The end of the stream: the unfinished frame, filled with silence to full length."""
        missing = -len(self._pending) % self._frame_samples
        if not missing:
            return []
        return self.push(np.zeros(missing, np.float32), self._pending_wall_s)

    def _take(self, joined: NDArray[np.float32], index: int) -> AudioFrame:
        start = index * self._frame_samples
        first_sample = self._next_sample + self._lost
        frame = AudioFrame(
            first_sample=first_sample,
            samples=joined[start : start + self._frame_samples].copy(),
            wall_time_s=self._pending_wall_s + start / SAMPLE_RATE_HZ,
            lost_samples=self._lost,
        )
        self._next_sample = first_sample + self._frame_samples
        self._lost = 0
        return frame
