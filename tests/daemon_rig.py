"""A daemon of fakes around a real store, on real threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

from fakes import FakeActivity, FakeEmbedder, FakeExtractor, FakeMicrophone, FakeTranscriber, frames, pass_guard

from junod.clock import Clock, SystemClock
from junod.daemon import Daemon, Factories, House
from junod.debounce import Debouncer, Place
from junod.errors import TranscriptionError
from junod.events import EventBus
from junod.faces_keeper import Faces, NoFaces
from junod.memory.day_counts import DayCountStore
from junod.memory.store import MemoryStore
from junod.memory.talk import NoTalk, Talk
from junod.pipeline import Contexts, Deciding, Hearing, HearingParts
from junod.sections import DebounceSettings
from junod.settings import Settings

LIMIT_S = 60.0
"""Only a test that fails waits so long."""


def wait_for(what: Callable[[], bool]) -> None:
    """Until `what` holds; fails after LIMIT_S. The threads are real, so the waiting is too, but never longer."""
    end = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


@dataclass
class Notes:
    said: list[str] = field(default_factory=list)

    def notify(self, state: str) -> None:
        self.said.append(state)


class Rig:
    """A daemon of fakes around a real store."""

    def __init__(
        self,
        folder: Path,
        faces: Callable[[Daemon], Faces] = lambda daemon: NoFaces(),
        clock: Clock | None = None,
    ) -> None:
        self.store = MemoryStore.open(folder / "junod.db", clock=SystemClock())
        self.clock = clock or SystemClock()
        self.hang = threading.Event()
        self.bus = EventBus()
        self.contexts = Contexts()
        self.talk: Talk = NoTalk()
        self.notes = Notes()
        self.folder = folder
        self.microphones: list[FakeMicrophone] = []
        self.extractor = FakeExtractor()
        self.script: list[str | TranscriptionError] = ["remember the milk", "remember the eggs"]
        quick = DebounceSettings.model_validate({"quiet_s": 1})
        self.settings = Settings().model_copy(update={"debounce": quick})
        self.next_settings: Callable[[], Settings] = lambda: self.settings
        self.transcriber = FakeTranscriber(self.script)
        self.load_hearing: Callable[[], None] = lambda: None
        factories = Factories(
            open_source=lambda settings: self.open_microphone,
            activity=lambda settings: self.activity(),
            hearing=self.hearing,
            deciding=lambda settings: Deciding(self.extractor, FakeEmbedder(), self.store, self.contexts, self.bus),
            read_settings=lambda: self.next_settings(),
            faces=faces,
        )
        house = House(
            self.store,
            self.bus,
            self.clock,
            self.notes,
            folder,
            ear_file=folder / "ear.json",
            tally=DayCountStore(self.store.sessions),
        )
        self.daemon = Daemon(self.settings, factories, house)
        self.failure: list[BaseException] = []
        self.in_time: list[bool] = []
        self.thread = threading.Thread(target=self._run)

    def activity(self) -> FakeActivity:
        return FakeActivity()

    def open_microphone(self) -> FakeMicrophone:
        self.microphones.append(FakeMicrophone())
        return self.microphones[-1]

    def hearing(self, settings: Settings) -> Hearing:
        self.load_hearing()
        numbers = count(1)
        debouncer = Debouncer(settings.debounce, Place("kitchen"), lambda: f"p{next(numbers)}")
        parts = HearingParts(
            self.transcriber,
            pass_guard,
            debouncer,
            lambda p: p,
            self.store,
            self.contexts,
            ZoneInfo("UTC"),
            talk=self.talk,
        )
        return Hearing(parts, self.bus)

    def start(self) -> None:
        self.thread.start()
        wait_for(lambda: bool(self.microphones) or not self.thread.is_alive())

    def stop(self) -> float:
        """Seconds it took to end."""
        begun = time.monotonic()
        self.daemon.request_stop()
        self.thread.join(LIMIT_S + 5)
        assert not self.thread.is_alive()
        return time.monotonic() - begun

    def _run(self) -> None:
        try:
            self.in_time.append(self.daemon.run())
        except BaseException as error:
            self.failure.append(error)


def is_at_rest(rig: Rig) -> bool:
    """The ear is muted, and its thread has come to know: no frame is counted any more."""
    return any(row["detail"] == "muted" for row in rig.daemon.status().stages)


def mute(rig: Rig) -> None:
    """Mute, and wait until the microphone is released: the control waits a second at most."""
    rig.daemon.control.mute()
    wait_for(lambda: rig.microphones[-1].is_closed)


def say(rig: Rig, seconds: float = 1.0, quiet_s: float = 2.0) -> None:
    rig.microphones[-1].put(frames(seconds, 0.5))
    rig.microphones[-1].put(frames(quiet_s, first_sample=round(seconds * 16_000)))
