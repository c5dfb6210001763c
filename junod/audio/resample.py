"""Any rate and channel count to 16 kHz mono, block by block (adapter of soxr)."""

from __future__ import annotations

import numpy as np
import soxr
from numpy.typing import NDArray

from junod.records import SAMPLE_RATE_HZ


class MonoResampler:
    """A streaming resampler; blocks of any length, no seams between them."""

    def __init__(self, rate_hz: int) -> None:
        self._stream = (
            None if rate_hz == SAMPLE_RATE_HZ else soxr.ResampleStream(rate_hz, SAMPLE_RATE_HZ, 1, dtype="float32")
        )

    @property
    def delay_s(self) -> float:
        """How far the next output lies behind the next input."""
        return self._stream.delay() / SAMPLE_RATE_HZ if self._stream is not None else 0.0

    def flush(self) -> NDArray[np.float32]:
        """What is still inside, shape (m,); nothing may be pushed after it."""
        return self.push(np.zeros(0, np.float32), last=True)

    def push(self, block: NDArray[np.float32], *, last: bool = False) -> NDArray[np.float32]:
        """A block of shape (n, channels) or (n,) becomes shape (m,); the channels are averaged."""
        mono = block.mean(axis=1, dtype=np.float32) if block.ndim == 2 else block
        if self._stream is None:
            return np.ascontiguousarray(mono, np.float32)
        return np.asarray(self._stream.resample_chunk(np.ascontiguousarray(mono, np.float32), last=last), np.float32)
