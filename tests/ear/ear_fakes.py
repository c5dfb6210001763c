"""An ear of fakes: what was asked of it is written down, and everything stands on one clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from junod.clock import SimulatedClock
from junod.control import ControlParts, EarControl
from junod.ear_state import EarFile
from junod.events import EventBus
from junod.memory.wipe import Wiped
from junod.sections import PrivacySettings
from junod.tally import Tally

START = datetime(2026, 3, 24, 17, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


@dataclass
class FakeEar:
    state: str = "listening"
    problem: str = ""
    last_audio_age_s: float | None = 0.1
    level_dbfs: float | None = -40.0
    is_shut: bool = False
    wipes: int = 0

    def shut(self, reason: str) -> None:
        self.is_shut = True
        self.wipe()

    def open(self) -> None:
        self.is_shut = False

    def wipe(self) -> None:
        self.wipes += 1


@dataclass
class FakeForgetting:
    ranges: list[tuple[datetime | None, datetime | None]] = field(default_factory=list)
    memories: tuple[str, ...] = ("m1",)

    def forget_spoken(self, since: datetime | None = None, until: datetime | None = None) -> Wiped:
        self.ranges.append((since, until))
        return Wiped(self.memories, ())


class Kitchen:
    """The controls over a fake ear; `restart` makes new ones from what is on the disk."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ear.json"
        self.clock = SimulatedClock(START)
        self.bus = EventBus()
        self.store = FakeForgetting()
        self.control, self.ear = self.restart()

    def restart(self, settings: PrivacySettings | None = None) -> tuple[EarControl, FakeEar]:
        ear = FakeEar()
        tally = Tally(None, self.clock, BERLIN)
        file = EarFile(self.path)
        parts = ControlParts(ear, self.store, tally, self.clock, BERLIN, self.bus.publish, file)
        self.control, self.ear = EarControl(parts, settings or PrivacySettings(), passage_s=45.0), ear
        return self.control, ear
