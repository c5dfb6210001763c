"""One opened stream with its own ring: a late callback of an abandoned stream reaches nobody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from junod.audio.capture import CaptureDevice, CaptureStream
from junod.audio.rate import RateWatch
from junod.audio.ring import AudioRing
from junod.clock import Clock

RING_BYTES = 48 * 1024 * 1024
"""Whatever the settings say in seconds: a microphone array delivers much."""


@dataclass(frozen=True, slots=True, eq=False)
class CapturedBlock:
    """What the callback hands over: the device's own rate and channels."""

    samples: NDArray[np.float32]
    """Shape (n, channels); a copy."""
    start_monotonic_s: float
    wall_time_s: float
    """Unix time of the first sample."""
    driver_lost: bool = False
    """The driver reported lost audio before this block; how much, only the clock can tell."""
    lost_samples: int = 0


class StreamSession:
    """What the driver's thread fills and the listener empties."""

    def __init__(self, device: CaptureDevice, rate_hz: int, channels: int, ring_s: float, clock: Clock) -> None:
        self.device = device
        self.rate_hz = rate_hz
        """As the device says, until counting shows another."""
        self.ring: AudioRing[CapturedBlock] = AudioRing(min(int(ring_s * rate_hz), RING_BYTES // (4 * channels)))
        self.stream: CaptureStream | None = None
        self.is_fresh = True
        self.is_stand_in = False
        """It was opened in place of the microphone that is wanted."""
        self.opened_at_s = clock.monotonic_s()
        self.last_heard_s = self.opened_at_s
        self.watch = RateWatch(rate_hz)
        self._driver_overflows = 0
        self._clock = clock

    @property
    def overflows(self) -> int:
        return self._driver_overflows + self.ring.overflows

    @property
    def problem(self) -> str:
        """Why no more will come; '' while it may."""
        return self.stream.problem if self.stream is not None else ""

    def on_block(self, samples: NDArray[np.float32], driver_lost: bool, age_s: float = 0.0) -> None:
        """The driver's thread: copy, stamp, enqueue, and nothing else."""
        now_s = self._clock.monotonic_s()
        behind_s = len(samples) / self.rate_hz + age_s
        wall_s = self._clock.now().timestamp() - behind_s
        self.last_heard_s = now_s
        self._driver_overflows += driver_lost
        self.ring.put(CapturedBlock(samples.copy(), now_s - behind_s, wall_s, driver_lost))

    def take_rate(self, rate_hz: int) -> None:
        """The device is as fast as this, whatever it says."""
        self.rate_hz = rate_hz
        self.watch = RateWatch(rate_hz)

    def close(self) -> None:
        if self.stream is not None:
            self.stream.close()
