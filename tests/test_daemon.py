"""The daemon's threads: it hears, keeps, reloads, ends in time, and its watchdog tells the truth."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from fakes import FakeActivity, FakeEmbedder, FakeExtractor, FakeMicrophone, FakeTranscriber, frames, pass_guard

from junod.clock import SystemClock
from junod.daemon import Daemon, Factories, House
from junod.debounce import Debouncer, Place
from junod.errors import AudioError, ModelError, SettingsError
from junod.events import EventBus
from junod.health import read_status
from junod.memory.store import MemoryStore
from junod.pipeline import Contexts, Deciding, Hearing, HearingParts
from junod.records import NewMemory
from junod.sections import DebounceSettings
from junod.settings import Settings

LIMIT_S = 10.0


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

    def __init__(self, folder: Path) -> None:
        self.store = MemoryStore.open(folder / "junod.db", clock=SystemClock())
        self.bus = EventBus()
        self.contexts = Contexts()
        self.notes = Notes()
        self.folder = folder
        self.microphones: list[FakeMicrophone] = []
        self.extractor = FakeExtractor()
        self.script = ["remember the milk", "remember the eggs"]
        quick = DebounceSettings.model_validate({"quiet_s": 1})
        self.settings = Settings().model_copy(update={"debounce": quick})
        self.next_settings: Callable[[], Settings] = lambda: self.settings
        self.load_hearing: Callable[[], None] = lambda: None
        factories = Factories(
            open_source=lambda settings: self.open_microphone,
            activity=lambda settings: FakeActivity(),
            hearing=self.hearing,
            deciding=lambda settings: Deciding(self.extractor, FakeEmbedder(), self.store, self.contexts, self.bus),
            read_settings=lambda: self.next_settings(),
        )
        house = House(self.store, self.bus, SystemClock(), self.notes, folder)
        self.daemon = Daemon(self.settings, factories, house)
        self.failure: list[BaseException] = []
        self.in_time: list[bool] = []
        self._thread = threading.Thread(target=self._run)

    def open_microphone(self) -> FakeMicrophone:
        self.microphones.append(FakeMicrophone())
        return self.microphones[-1]

    def hearing(self, settings: Settings) -> Hearing:
        self.load_hearing()
        numbers = count(1)
        debouncer = Debouncer(settings.debounce, Place("kitchen"), lambda: f"p{next(numbers)}")
        parts = HearingParts(
            FakeTranscriber(list(self.script)),
            pass_guard,
            debouncer,
            lambda p: p,
            self.store,
            self.contexts,
            ZoneInfo("UTC"),
        )
        return Hearing(parts, self.bus)

    def start(self) -> None:
        self._thread.start()
        wait_for(lambda: bool(self.microphones) or not self._thread.is_alive())

    def stop(self) -> float:
        """Seconds it took to end."""
        begun = time.monotonic()
        self.daemon.request_stop()
        self._thread.join(LIMIT_S + 5)
        assert not self._thread.is_alive()
        return time.monotonic() - begun

    def _run(self) -> None:
        try:
            self.in_time.append(self.daemon.run())
        except BaseException as error:
            self.failure.append(error)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    if made._thread.is_alive():
        made.stop()
    made.store.close()


def say(rig: Rig, seconds: float = 1.0, quiet_s: float = 2.0) -> None:
    rig.microphones[-1].put(frames(seconds, 0.5))
    rig.microphones[-1].put(frames(quiet_s, first_sample=round(seconds * 16_000)))


def test_a_spoken_sentence_becomes_a_memory(rig: Rig) -> None:
    rig.start()
    say(rig)
    wait_for(lambda: len(rig.store.list()) == 1)
    assert rig.store.list()[0].memory == "remember the milk"
    assert rig.notes.said[0] == "READY=1"
    rig.stop()
    assert rig.in_time == [True]
    assert rig.microphones[0].is_closed
    assert rig.notes.said[-1] == "STOPPING=1"


def test_what_is_said_while_models_load_is_not_lost(rig: Rig) -> None:
    ready = threading.Event()
    rig.load_hearing = lambda: assert_waited(ready)
    rig.start()
    say(rig)
    wait_for(lambda: rig.daemon.status().counters.get("frames", 0) >= 90)
    ready.set()
    wait_for(lambda: len(rig.store.list()) == 1)


def assert_waited(ready: threading.Event) -> None:
    assert ready.wait(LIMIT_S)


def test_term_drains_what_was_heard_in_under_ten_seconds(rig: Rig) -> None:
    """Case v85: a sentence without its five seconds of quiet is spooled, not dropped."""
    rig.start()
    rig.microphones[0].put(frames(1.0, 0.5))
    wait_for(lambda: rig.daemon.status().counters.get("frames", 0) >= 30)
    assert rig.stop() < 10
    texts = [m.memory for m in rig.store.list()]
    assert texts == ["remember the milk"] or rig.store.spool_count() == 1


def test_reloading_settings_keeps_the_ear(rig: Rig) -> None:
    """Case m10: after the signal new frames still arrive."""
    rig.start()
    rig.daemon.request_reload()
    wait_for(lambda: not rig.daemon._reload.is_set())
    say(rig)
    wait_for(lambda: len(rig.store.list()) == 1)
    assert len(rig.microphones) == 1


def test_another_microphone_in_the_settings_is_opened_without_a_restart(rig: Rig) -> None:
    rig.start()
    audio = rig.settings.audio.model_copy(update={"device": "USB"})
    rig.next_settings = lambda: rig.settings.model_copy(update={"audio": audio})
    rig.daemon.request_reload()
    wait_for(lambda: len(rig.microphones) == 2)
    assert rig.microphones[0].is_closed
    say(rig)
    wait_for(lambda: len(rig.store.list()) == 1)


def test_new_settings_of_the_debounce_hold_without_a_restart(rig: Rig) -> None:
    rig.start()
    slow = DebounceSettings.model_validate({"quiet_s": 30})
    rig.next_settings = lambda: rig.settings.model_copy(update={"debounce": slow})
    rig.daemon.request_reload()
    wait_for(lambda: rig.daemon._settings.debounce == slow)
    say(rig, quiet_s=4)
    wait_for(lambda: rig.daemon.status().counters.get("frames", 0) >= 160)
    assert rig.store.list() == ()
    rig.stop()
    assert len(rig.store.list()) + rig.store.spool_count() == 1


def test_bad_settings_on_reload_change_nothing(rig: Rig) -> None:
    def broken() -> Settings:
        raise SettingsError("vad.threshold = 7")

    rig.start()
    rig.next_settings = broken
    rig.daemon.request_reload()
    wait_for(lambda: not rig.daemon._reload.is_set())
    say(rig)
    wait_for(lambda: len(rig.store.list()) == 1)


def test_a_stage_that_cannot_start_ends_the_daemon_with_its_own_error(rig: Rig) -> None:
    def missing() -> None:
        raise ModelError("whisper-base/model.bin is missing.", hint="Run `junod models pull`.")

    rig.load_hearing = missing
    rig.start()
    wait_for(lambda: bool(rig.failure))
    assert isinstance(rig.failure[0], ModelError)


def test_the_status_file_tells_what_the_daemon_does_and_goes_with_it(rig: Rig) -> None:
    rig.start()
    say(rig)
    wait_for(lambda: len(rig.store.list()) == 1)
    wait_for(lambda: (s := read_status(rig.folder)) is not None and s.counters.get("memories") == 1)
    status = read_status(rig.folder)
    assert status is not None
    assert status.ear == "listening"
    assert {row["name"] for row in status.stages} == {"ear", "hear", "decide", "house"}
    rig.stop()
    assert read_status(rig.folder) is None


def test_a_silent_microphone_leaves_the_daemon_alive_and_says_so(rig: Rig) -> None:
    """Case v14: a missing microphone is shown, retried, and never the end."""
    rig.start()
    wait_for(lambda: any(row["detail"].startswith("no audio") for row in rig.daemon.status().stages))
    assert rig.daemon.status().alive
    assert not rig.failure


def test_a_driver_that_hangs_for_good_ends_the_daemon_so_that_systemd_starts_a_new_one(rig: Rig) -> None:
    """Case v2."""
    rig.start()
    rig.microphones[0].is_wedged = True
    wait_for(lambda: bool(rig.failure))
    assert isinstance(rig.failure[0], AudioError)


def test_a_memory_written_by_another_process_gets_its_vector(rig: Rig) -> None:
    now = SystemClock().now()
    rig.store.add(NewMemory("by hand", "", now, None, "kitchen", source="manual"))
    rig.start()
    wait_for(lambda: not rig.store.unembedded("fake", 8))


def test_expired_memories_are_erased_while_it_runs(rig: Rig) -> None:
    now = datetime.now(UTC)
    gone = NewMemory("dentist", "dentist", now - timedelta(days=2), now - timedelta(days=1), "kitchen")
    rig.store.add(gone)
    rig.store.add(replace(gone, memory="stays", expires_at=None))
    with rig.bus.subscribe() as events:
        rig.start()
        event = events.get(LIMIT_S)
    assert type(event).__name__ == "MemoriesExpired"
    assert rig.store.counts().expired == 0
