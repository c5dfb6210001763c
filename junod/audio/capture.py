"""What the microphone needs from a sound system, and which device and format it asks for (no driver in here)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from junod.errors import AudioError
from junod.records import SAMPLE_RATE_HZ

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class BlockCallback(Protocol):
    def __call__(self, samples: NDArray[np.float32], driver_lost: bool, age_s: float = 0.0) -> None:
        """Called on the driver's thread; the samples belong to the driver and are valid during the call alone.

        Args:
            samples: shape (n, channels).
            driver_lost: the driver says that it lost audio before them.
            age_s: how long ago the last of them was captured.
        """
        ...


@dataclass(frozen=True, slots=True)
class CaptureDevice:
    """A capture device as the sound system lists it. `handle` is void after the next `refresh`."""

    name: str
    channels: int
    rate_hz: int
    """The device's own rate."""
    is_default: bool = False
    handle: int = -1


class FormatRefusedError(AudioError):
    """The device exists but does not do this rate or channel count; another may work."""


class CaptureStream(Protocol):
    @property
    def problem(self) -> str:
        """'' while audio may still come; else why none will."""
        ...

    def close(self) -> None:
        """Stop and give the device back. May hang when the driver does."""
        ...


class CaptureBackend(Protocol):
    def refresh(self) -> None:
        """Look again for devices; no stream may be open."""
        ...

    def devices(self) -> list[CaptureDevice]:
        """Capture devices known since the last `refresh`."""
        ...

    def look(self) -> list[CaptureDevice] | None:
        """Capture devices that exist now, also while a stream is open; None where that cannot be told."""
        ...

    def open(
        self, device: CaptureDevice, rate_hz: int, channels: int, block_ms: int, on_block: BlockCallback
    ) -> CaptureStream:
        """Open and start.

        Raises:
            FormatRefusedError: try another rate or channel count.
            AudioError: busy, gone, broken.
        """
        ...


def pick_device(devices: Sequence[CaptureDevice], wanted: str) -> CaptureDevice:
    """The device whose name is, starts with or holds `wanted` (case ignored); '' = the system's default.

    Raises:
        AudioError: no such device; lists those that exist. Not permanent: it may be plugged in later.
    """
    if not devices:
        raise AudioError(
            "No microphone was found.", hint="Plug one in; `arecord -l` lists what the system sees.", permanent=False
        )
    if not wanted:
        return next((device for device in devices if device.is_default), devices[0])
    needle = wanted.casefold()
    matching = [device for device in devices if needle in device.name.casefold()]
    if not matching:
        raise AudioError(
            f"There is no microphone called '{wanted}'.",
            hint=f"Set audio.device to a part of one of these names: {_names(devices)}.",
            permanent=False,
        )
    return min(matching, key=lambda device: _rank(device.name.casefold(), needle))


def is_wanted(device: CaptureDevice, wanted: str) -> bool:
    """Is it one that `wanted` may mean? '' means any: the system's default may change."""
    return wanted.casefold() in device.name.casefold()


def devices_to_try(devices: Sequence[CaptureDevice], wanted: str, *, others: bool) -> list[CaptureDevice]:
    """The wanted device, and, where `others` may stand in for it, those after it: the system's default first.

    Raises:
        AudioError: as `pick_device`, where no other may stand in.
    """
    if not (others and devices):
        return [pick_device(devices, wanted)]
    by_default = sorted(devices, key=lambda device: not device.is_default)
    try:
        first = pick_device(devices, wanted)
    except AudioError:
        return by_default
    return [first, *(device for device in by_default if device is not first)]


def formats_to_try(device: CaptureDevice) -> Iterator[tuple[int, int]]:
    """(rate, channels): the device's own first, then what sound cards usually do; resampling makes up for it."""
    rates = dict.fromkeys((device.rate_hz, 48_000, 44_100, SAMPLE_RATE_HZ))
    channel_counts = dict.fromkeys((1, min(2, device.channels), device.channels))
    for rate_hz in rates:
        for channels in channel_counts:
            yield rate_hz, channels


def _names(devices: Sequence[CaptureDevice]) -> str:
    return ", ".join(f"'{device.name}'" for device in devices)


def _rank(name: str, needle: str) -> int:
    if name == needle:
        return 0
    return 1 if name.startswith(needle) else 2
