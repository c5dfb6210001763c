"""What every source of sound promises."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Protocol

from junod.records import AudioFrame


class AudioSource(Protocol):
    @property
    def name(self) -> str:
        """For a person: a file's name, a microphone's name."""
        ...

    def frames(self, stop: threading.Event) -> Iterator[AudioFrame]:
        """Mono 16 kHz frames of equal length, until the source ends or `stop` is set.

        Raises:
            AudioError: the source cannot be heard at all.
        """
        ...

    def close(self) -> None:
        """Give the source back. Safe to call twice; returns within seconds."""
        ...
