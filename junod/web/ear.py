"""What the page may ask of the ear, and what stands in for it where no daemon listens."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, Protocol

from junod.errors import AudioError
from junod.memory.wipe import Wiped
from junod.records import EarSnapshot as EarSnapshot

MediaState = Literal["on", "off", "auto"]


class EarControlLike(Protocol):
    """Thread-safe; no call takes longer than about a second."""

    def mute(self) -> None: ...

    def unmute(self) -> None: ...

    def off_the_record(self, until: datetime) -> None: ...

    def on_the_record(self) -> None: ...

    def forget_last(self, duration: timedelta) -> Wiped: ...

    def set_media(self, state: MediaState) -> None: ...

    def snapshot(self) -> EarSnapshot: ...


class NoEar:
    """A server without a daemon: it shows memories and says that nobody listens."""

    def mute(self) -> None:
        raise _absent()

    def unmute(self) -> None:
        raise _absent()

    def off_the_record(self, until: datetime) -> None:
        raise _absent()

    def on_the_record(self) -> None:
        raise _absent()

    def forget_last(self, duration: timedelta) -> Wiped:
        raise _absent()

    def set_media(self, state: MediaState) -> None:
        raise _absent()

    def snapshot(self) -> EarSnapshot:
        return EarSnapshot("lost", False, None, None, None, "auto", 0, 0)


def _absent() -> AudioError:
    return AudioError("No ear is running here.", hint="Start the daemon: `junod run`, or `systemctl start junod`.")
