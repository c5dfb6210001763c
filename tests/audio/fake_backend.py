"""A sound system that does what a test tells it to."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from junod.audio.capture import BlockCallback, CaptureDevice, FormatRefusedError
from junod.errors import AudioError

USB = CaptureDevice("USB Audio Device: - (hw:1,0)", channels=1, rate_hz=16_000, is_default=True)


@dataclass
class FakeStream:
    rate_hz: int
    channels: int
    on_block: BlockCallback
    hang: threading.Event | None = None
    is_closed: bool = False
    problem: str = ""
    device: CaptureDevice = USB
    true_rate_hz: int = 0
    """What it really delivers; 0 = what it says."""

    def feed(self, seconds: float = 0.03, level: float = 0.1, *, lost: bool = False) -> None:
        """One callback."""
        self.on_block(
            np.full((round(seconds * (self.true_rate_hz or self.rate_hz)), self.channels), level, np.float32), lost
        )

    def feed_samples(self, samples: NDArray[np.float32]) -> None:
        self.on_block(samples, False)

    def close(self) -> None:
        if self.hang is not None:
            self.hang.wait(120)
        self.is_closed = True


@dataclass
class FakeBackend:
    present: list[CaptureDevice] = field(default_factory=lambda: [USB])
    accepts: set[tuple[int, int]] | None = None
    """(rate, channels) the device does; None = all."""
    open_error: AudioError | None = None
    open_hang: threading.Event | None = None
    close_hang: threading.Event | None = None
    streams: list[FakeStream] = field(default_factory=list)
    opens: int = 0
    looks: int = 0
    can_look: bool = True
    busy: set[str] = field(default_factory=set)
    """Names that cannot be opened."""
    refreshes: int = 0

    def refresh(self) -> None:
        self.refreshes += 1

    def look(self) -> list[CaptureDevice] | None:
        self.looks += 1
        return self.present if self.can_look else None

    def devices(self) -> list[CaptureDevice]:
        return self.present

    def open(
        self, device: CaptureDevice, rate_hz: int, channels: int, block_ms: int, on_block: BlockCallback
    ) -> FakeStream:
        self.opens += 1
        if self.open_hang is not None:
            self.open_hang.wait(120)
        if device.name in self.busy:
            raise AudioError(f"'{device.name}' is in use by another program.", permanent=False)
        if self.open_error is not None:
            raise self.open_error
        if self.accepts is not None and (rate_hz, channels) not in self.accepts:
            raise FormatRefusedError(f"{rate_hz} Hz refused [PaErrorCode -9997]")
        stream = FakeStream(rate_hz, channels, on_block, self.close_hang)
        stream.device = device
        self.streams.append(stream)
        return stream
