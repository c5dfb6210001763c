"""WebRTC's voice activity detector as a frame gate (adapter of webrtcvad)."""

from __future__ import annotations

import numpy as np
import webrtcvad  # type: ignore[import-untyped]
from numpy.typing import NDArray

from junod.records import SAMPLE_RATE_HZ


class WebRtcGate:
    """Cheap and generous: lets knocks and taps through, but holds back steady hum.

    Args:
        mode: 0 (generous) to 3 (strict).
    """

    def __init__(self, mode: int) -> None:
        self._mode = mode
        self._vad = webrtcvad.Vad(mode)

    def may_be_speech(self, samples: NDArray[np.float32]) -> bool:
        """One frame of 10, 20 or 30 ms."""
        pcm = np.clip(samples * 32768.0, -32768, 32767).astype(np.int16)
        return bool(self._vad.is_speech(pcm.tobytes(), SAMPLE_RATE_HZ))

    def reset(self) -> None:
        """Forget the noise heard so far."""
        self._vad = webrtcvad.Vad(self._mode)
