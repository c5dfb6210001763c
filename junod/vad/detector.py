"""The cascade: energy, then a cheap gate, and only near frames that passed both the judge (pure)."""

from __future__ import annotations

import math
from collections import deque
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from junod.records import SAMPLE_RATE_HZ, AudioFrame
from junod.sections import VadSettings
from junod.vad.energy import level_dbfs

LOOKBACK_S = 0.5
"""What the judge hears first when it is woken: it has to warm up, and an onset is often too soft to wake it."""
STAY_AWAKE_S = 1.0
"""The judge goes on this long after the last frame that passed the gates; quiet syllables fail them."""


JUDGE_MEMORY_S = 30.0
"""Left running for longer, the judge's state drifts until it hears no speech any more; then it starts afresh."""


class FrameGate(Protocol):
    def may_be_speech(self, samples: NDArray[np.float32]) -> bool: ...

    def reset(self) -> None: ...


class SpeechJudge(Protocol):
    def push(self, samples: NDArray[np.float32]) -> list[float]: ...

    def reset(self) -> None: ...


class SpeechDetector:
    """Speech probability of each frame, at next to no cost in silence."""

    def __init__(self, settings: VadSettings, gate: FrameGate, judge: SpeechJudge) -> None:
        self._floor_dbfs = settings.energy_floor_dbfs
        self._gate = gate
        self._judge = judge
        self._lookback: deque[AudioFrame] = deque()
        self._lookback_samples = 0
        self._awake_samples = 0
        self._judged_samples = 0
        self._is_cold = True
        self._last = 0.0

    def probability(self, frame: AudioFrame) -> float | None:
        """0 to 1; None = unknown (the frame holds no usable numbers)."""
        level = level_dbfs(frame.samples)
        if math.isnan(level):
            return None
        if frame.lost_samples:
            self._forget_audio()
        if level >= self._floor_dbfs and self._gate.may_be_speech(frame.samples):
            self._awake_samples = int(STAY_AWAKE_S * SAMPLE_RATE_HZ)
        self._awake_samples -= len(frame.samples)
        probability = self._consult(frame) if self._awake_samples >= 0 else self._sleep()
        self._remember(frame)
        return probability

    def refresh(self) -> None:
        """A segment was closed: the judge starts afresh, warmed up with the last half second."""
        self._is_cold = True

    def reset(self) -> None:
        """As if nothing had been heard."""
        self._forget_audio()
        self._gate.reset()
        self._awake_samples = 0

    def _consult(self, frame: AudioFrame) -> float:
        if self._is_cold or self._judged_samples > JUDGE_MEMORY_S * SAMPLE_RATE_HZ:
            self._warm_up()
        self._judged_samples += len(frame.samples)
        judged = self._judge.push(frame.samples)
        # A frame may end before the next block does: it keeps the verdict of the block it lies in.
        self._last = max(judged, default=self._last)
        return self._last

    def _warm_up(self) -> None:
        self._judge.reset()
        for earlier in self._lookback:
            self._last = max(self._judge.push(earlier.samples), default=self._last)
        self._judged_samples = 0
        self._is_cold = False

    def _sleep(self) -> float:
        self._is_cold = True
        self._awake_samples = 0
        self._last = 0.0
        return 0.0

    def _remember(self, frame: AudioFrame) -> None:
        self._lookback.append(frame)
        self._lookback_samples += len(frame.samples)
        while self._lookback_samples > LOOKBACK_S * SAMPLE_RATE_HZ:
            self._lookback_samples -= len(self._lookback.popleft().samples)

    def _forget_audio(self) -> None:
        self._lookback.clear()
        self._lookback_samples = 0
        self._is_cold = True
        self._last = 0.0
