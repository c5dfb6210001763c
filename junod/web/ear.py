"""What the page asks of the ear: `junod.control.EarControl`, or whatever a test puts in its place."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, Protocol

from junod.memory.wipe import Wiped
from junod.records import EarSnapshot
from junod.tally import Trust

MediaState = Literal["on", "off", "auto"]


class EarControlLike(Protocol):
    """Thread-safe; no call takes longer than about a second. Each change is published on the event bus."""

    def mute(self) -> None: ...

    def unmute(self) -> None: ...

    def off_the_record(self, until: datetime) -> None: ...

    def on_the_record(self) -> None: ...

    def morning(self) -> datetime: ...

    def forget_last(self, duration: timedelta) -> Wiped: ...

    def forget_everything(self) -> Wiped: ...

    def set_media(self, state: MediaState) -> None: ...

    def snapshot(self) -> EarSnapshot: ...

    def trust(self) -> Trust: ...
