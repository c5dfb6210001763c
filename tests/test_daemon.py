"""The daemon's threads: it hears, keeps, reloads, ends in time, and its watchdog tells the truth."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from daemon_rig import LIMIT_S, Rig, say, wait_for
from fakes import frames

from junod.clock import SystemClock
from junod.errors import AudioError, ModelError, SettingsError
from junod.events import MemoriesExpired
from junod.health import read_status
from junod.records import NewMemory
from junod.sections import DebounceSettings
from junod.settings import Settings


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    if made.thread.is_alive():
        made.stop()
    made.store.close()


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
        wait_for(lambda: any(isinstance(event, MemoriesExpired) for event in events.drain()))
    assert rig.store.counts().expired == 0
