"""Stages that are slow, hang or crash: the ear goes on, queues stay bounded, losses are counted, passages are kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_rig import Rig, say, wait_for
from fakes import FakeTranscriber, at, frames

from junod.clock import SystemClock
from junod.daemon import MAILBOX_S
from junod.errors import ExtractionError, StoreError
from junod.memory.store import MemoryStore
from junod.records import Passage

CRASHER = Path(__file__).with_name("crashing_daemon.py")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    if made.thread.is_alive():
        made.stop()
    made.store.close()


def sentences(rig: Rig, number: int, first: int = 0) -> None:
    """Each of one second, with four of silence: five seconds of audio a sentence."""
    for index in range(first, first + number):
        start = at(5.0 * index)
        rig.microphones[-1].put(frames(1.0, 0.5, first_sample=start))
        rig.microphones[-1].put(frames(4.0, first_sample=start + at(0.99)))


def counters(rig: Rig) -> dict[str, int]:
    return rig.daemon.status().counters


def test_a_recogniser_that_hangs_costs_the_oldest_audio_and_never_the_ear(rig: Rig) -> None:
    """Case v62: ten minutes without an answer; what was dropped is counted, the rest is heard in the end."""
    rig.transcriber.is_done.clear()
    rig.start()
    rig.microphones[0].put(frames(0.3, 0.5) + frames(0.3, first_sample=at(0.3)))
    wait_for(lambda: bool(rig.transcriber.heard_s))
    long = [frames(20.0, 0.5, first_sample=at(1 + 21 * index)) for index in range(20)]
    for index, speech in enumerate(long):
        rig.microphones[0].put(speech + frames(1.0, first_sample=at(1 + 21 * index + 19.98)))
    wait_for(lambda: counters(rig).get("dropped_segments", 0) >= 5)
    mailbox = rig.daemon._shared.mailbox
    assert mailbox.waiting_s <= MAILBOX_S
    assert rig.daemon.status().ear == "listening"
    rig.transcriber.is_done.set()
    wait_for(lambda: mailbox.waiting_s == 0)
    dropped = counters(rig)["dropped_segments"]
    wait_for(lambda: rig.daemon.control.trust().thrown_away.get("mailbox") == dropped)


def test_a_recogniser_slower_than_speech_falls_behind_no_further_than_the_mailbox(rig: Rig) -> None:
    """Case v59: the delay is bounded, and what is heard late keeps the time it was spoken."""
    rig.script[:] = [f"remember thing {number}" for number in range(40)]
    rig.transcriber = FakeTranscriber(rig.script)
    rig.start()
    sentences(rig, 12)
    wait_for(lambda: len(rig.store.list()) == 12)
    spoken = [memory.spoken_at.timestamp() for memory in rig.store.list(oldest_first=True)]
    assert spoken == pytest.approx([5.0 * index for index in range(12)], abs=0.5)


def test_a_language_model_that_hangs_keeps_nobody_from_hearing(rig: Rig) -> None:
    rig.script[:] = [f"remember thing {number}" for number in range(40)]
    rig.transcriber = FakeTranscriber(rig.script)
    rig.extractor.is_done.clear()
    rig.start()
    sentences(rig, 10)
    wait_for(lambda: rig.store.spool_count() == 10)
    rig.extractor.is_done.set()
    wait_for(lambda: len(rig.store.list()) == 10)


def test_a_language_model_that_fails_parks_what_it_could_not_decide_in_sight(rig: Rig) -> None:
    rig.extractor.failures = [ExtractionError("no answer", permanent=False)] * 2
    rig.start()
    say(rig)
    wait_for(lambda: len(rig.store.parked()) == 1)
    assert rig.daemon.status().alive


def test_a_passage_that_cannot_be_written_yet_waits_and_is_written_later(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full or locked for a while: the stage says so, goes on, and loses nothing."""
    write, failures = rig.store.spool_passage, [StoreError("full", permanent=False)] * 6

    def full(passage: Passage) -> bool:
        if failures:
            raise failures.pop()
        return write(passage)

    monkeypatch.setattr(rig.store, "spool_passage", full)
    rig.start()
    say(rig, quiet_s=6.0)
    wait_for(lambda: len(rig.store.list()) == 1)
    assert failures == []
    assert rig.daemon.status().alive


def test_a_passage_that_could_not_be_written_is_wiped_with_the_rest(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [True]
    write = rig.store.spool_passage

    def full(passage: Passage) -> bool:
        if broken:
            raise StoreError("full", permanent=False)
        return write(passage)

    monkeypatch.setattr(rig.store, "spool_passage", full)
    rig.start()
    say(rig)
    wait_for(lambda: any(row["state"] == "failed" for row in rig.daemon.status().stages))
    rig.daemon.control.mute()
    broken.clear()
    rig.stop()
    assert rig.store.spool_count() == 0
    assert rig.store.list() == ()


def crash(folder: Path) -> int:
    done = subprocess.run([sys.executable, str(CRASHER), str(folder)], env=os.environ, capture_output=True, timeout=180)
    return done.returncode


def test_a_language_model_that_crashes_the_process_costs_no_passage(tmp_path: Path) -> None:
    """SIGSEGV in native code, a restart, and again: the spool is whole, and the passage that kills is put aside."""
    assert crash(tmp_path) == -signal.SIGSEGV
    with MemoryStore.open(tmp_path / "junod.db", clock=SystemClock()) as store:
        assert store.spool_count() == 3
        assert store.check() == ()
    assert crash(tmp_path) == -signal.SIGSEGV
    assert crash(tmp_path) == 0
    with MemoryStore.open(tmp_path / "junod.db", clock=SystemClock()) as store:
        assert [each.passage.transcript for each in store.parked()] == ["remember the crash"]
        assert sorted(memory.memory for memory in store.list()) == ["remember the eggs", "remember the milk"]
        assert store.spool_count() == 0
