"""Is a device as fast as it says? Its samples are counted against the clock (pure)."""

from __future__ import annotations

RATES_HZ = (8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000)
SETTLE_S = 1.0
"""Drivers deliver what they had stored at once when they start."""
COARSE_S, COARSE = 2.0, 0.3
"""After so many seconds a deviation of so much is believed."""
FINE_S, FINE = 10.0, 0.03
NEAR = 0.012
"""How near a usual rate a fine measurement must be to be taken for it."""
_WINDOW_S = 60.0


class RateWatch:
    """Follows one stream."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._begin_s: float | None = None
        self._settled = False
        self._samples = 0

    def heard(self, samples: int, start_s: float, end_s: float, *, lost: bool = False) -> int | None:
        """The true rate, where that is another one than the device says; else None.

        Args:
            samples: of a block, for each channel.
            start_s, end_s: monotonic time of its first and last.
            lost: audio was lost before it, so counting begins anew.
        """
        if self._begin_s is None or lost:
            self._begin_s, self._samples = start_s, 0
        elif not self._settled and end_s - self._begin_s >= SETTLE_S:
            # Of the block that ends the settling the end alone is known for sure.
            self._settled, self._begin_s, self._samples = True, end_s, 0
            return None
        self._samples += samples
        return self._judged(end_s - self._begin_s) if self._settled else None

    def _judged(self, elapsed_s: float) -> int | None:
        if elapsed_s < COARSE_S:
            return None
        measured_hz = self._samples / elapsed_s
        off = abs(measured_hz / self._rate_hz - 1)
        if off > COARSE:
            return self._usual(measured_hz, COARSE / 3)
        if elapsed_s < FINE_S:
            return None
        if elapsed_s > _WINDOW_S:
            self._begin_s = None
        return self._usual(measured_hz, NEAR) if off > FINE else None

    def _usual(self, measured_hz: float, near: float) -> int | None:
        nearest = min(RATES_HZ, key=lambda rate_hz: abs(rate_hz - measured_hz))
        is_near = abs(nearest / measured_hz - 1) <= near
        return nearest if is_near and nearest != self._rate_hz else None
