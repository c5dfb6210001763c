"""The daemon under its household's hand: shut means shut, wiped means wiped, and a restart changes nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from daemon_rig import Rig, is_at_rest, mute, say, wait_for
from fakes import FakeActivity, frames
from midnight import clear_of_midnight

from junod.clock import SystemClock
from junod.ear_worker import CLOSE_LIMIT_S
from junod.errors import StoreError
from junod.events import Heard, PassageClosed
from junod.health import read_status
from junod.records import NewMemory, Segment


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    if made.thread.is_alive():
        made.stop()
    made.store.close()


def heard_frames(rig: Rig) -> int:
    return rig.daemon.status().counters.get("frames", 0)


def test_mute_releases_the_microphone_within_a_second_and_no_frame_arrives_after_it(rig: Rig) -> None:
    rig.start()
    rig.microphones[0].put(frames(1.0, 0.5))
    wait_for(lambda: heard_frames(rig) > 10)
    begun = time.monotonic()
    rig.daemon.control.mute()
    took_s = time.monotonic() - begun
    assert took_s < 10
    assert rig.microphones[0].is_closed or took_s >= CLOSE_LIMIT_S, "it waits for the release, but not for ever"
    wait_for(lambda: rig.microphones[0].is_closed)
    count = heard_frames(rig)
    rig.microphones[0].put(frames(1.0, 0.5))
    wait_for(lambda: is_at_rest(rig))
    assert heard_frames(rig) == count
    assert len(rig.microphones) == 1
    assert rig.daemon.status().alive
    assert rig.daemon.status().ear == "muted"


class WaitingActivity(FakeActivity):
    """What is said goes on though nothing comes for a moment: only silence ends it."""

    def check_stalled(self, now_wall_s: float) -> list[Segment]:
        return []


class WaitingRig(Rig):
    def activity(self) -> FakeActivity:
        return WaitingActivity()


def test_what_was_half_heard_at_the_mute_is_gone(tmp_path: Path) -> None:
    """An open segment, an open passage and its words are wiped; what was a passage before stays."""
    rig = WaitingRig(tmp_path)
    rig.start()
    with rig.bus.subscribe() as events:
        rig.microphones[0].put(frames(1.0, 0.5) + frames(0.3, first_sample=16_000))
        wait_for(lambda: any(isinstance(event, Heard) for event in events.drain()))
        rig.microphones[0].put(frames(1.0, 0.5, first_sample=20_800))
        wait_for(lambda: heard_frames(rig) >= 70)
        mute(rig)
        rig.daemon.control.unmute()
        wait_for(lambda: len(rig.microphones) == 2)
        rig.microphones[1].put(frames(4.0))
        wait_for(lambda: heard_frames(rig) >= 140)
        assert not [event for event in events.drain() if isinstance(event, Heard | PassageClosed)]
    rig.stop()
    assert rig.store.list() == ()
    assert rig.store.spool_count() == 0
    rig.store.close()


def test_a_transcription_under_way_is_thrown_away_when_it_ends(rig: Rig) -> None:
    rig.transcriber.is_done.clear()
    rig.start()
    say(rig)
    wait_for(lambda: bool(rig.transcriber.heard_s))
    with rig.bus.subscribe() as events:
        mute(rig)
        rig.daemon.control.unmute()
        rig.transcriber.is_done.set()
        wait_for(lambda: len(rig.microphones) == 2)
        say(rig)  # "remember the eggs"
        wait_for(lambda: len(rig.store.list()) == 1)
        heard = [event.utterance.text for event in events.drain() if isinstance(event, Heard)]
    assert heard == ["remember the eggs"]
    assert rig.store.list()[0].memory == "remember the eggs"


def test_a_daemon_started_muted_opens_no_microphone(tmp_path: Path) -> None:
    first = Rig(tmp_path)
    first.daemon.control.mute()
    first.store.close()
    second = Rig(tmp_path)
    second.thread.start()
    try:
        wait_for(lambda: (found := read_status(tmp_path)) is not None and found.muted)
        wait_for(lambda: is_at_rest(second))
        assert second.microphones == []
        second.daemon.control.unmute()
        wait_for(lambda: len(second.microphones) == 1)
        say(second)
        wait_for(lambda: len(second.store.list()) == 1)
    finally:
        second.stop()
        second.store.close()


def test_an_order_by_voice_is_obeyed_and_stored_nowhere(rig: Rig) -> None:
    rig.script[0] = "Juno, off the record for ten minutes."
    rig.transcriber = type(rig.transcriber)(rig.script)
    with rig.bus.subscribe() as events:
        rig.start()
        say(rig)
        wait_for(lambda: rig.daemon.status().ear == "off-record")
        wait_for(lambda: rig.microphones[0].is_closed)
        assert not [event for event in events.drain() if isinstance(event, Heard)]
    until = rig.daemon.control.snapshot().off_record_until
    assert until is not None
    assert until - datetime.now(UTC) < timedelta(minutes=10)
    rig.stop()
    assert rig.store.spool_count() == 0
    assert b"off the record" not in (rig.folder / "junod.db").read_bytes()


def test_forgetting_the_last_minutes_erases_memories_passages_and_what_is_being_heard(rig: Rig) -> None:
    now = SystemClock().now()
    rig.store.add(NewMemory("old", "", now - timedelta(hours=1), None, "kitchen"))
    rig.store.add(NewMemory("new", "", now - timedelta(minutes=1), None, "kitchen"))
    rig.start()
    rig.microphones[0].put(frames(1.0, 0.5) + frames(0.3, first_sample=16_000))
    wait_for(lambda: bool(rig.transcriber.heard_s))
    wiped = rig.daemon.control.forget_last(timedelta(minutes=5))
    assert len(wiped.memories) == 1
    wait_for(lambda: rig.microphones[0].wipes == 1)
    rig.microphones[0].put(frames(4.0, first_sample=32_000))
    wait_for(lambda: heard_frames(rig) >= 130)
    rig.stop()
    assert [memory.memory for memory in rig.store.list()] == ["old"]
    assert rig.store.spool_count() == 0
    assert len(rig.microphones) == 1


def test_counts_of_the_day_survive_a_restart(rig: Rig) -> None:
    clear_of_midnight()
    rig.start()
    say(rig)
    wait_for(lambda: rig.daemon.control.snapshot().kept_today == 1)
    assert rig.daemon.control.snapshot().heard_today == 1
    rig.stop()
    again = Rig(rig.folder)
    snapshot = again.daemon.control.snapshot()
    assert (snapshot.heard_today, snapshot.kept_today) == (1, 1)
    trust = again.daemon.control.trust()
    assert (trust.days[0].heard, trust.days[0].kept) == (1, 1)
    again.store.close()


def test_the_level_of_the_room_is_shown_while_it_listens(rig: Rig) -> None:
    rig.start()
    assert rig.daemon.control.snapshot().level_dbfs is None
    rig.microphones[0].put(frames(0.5, 0.1))
    wait_for(lambda: rig.daemon.control.snapshot().level_dbfs == pytest.approx(-20.0, abs=0.1))


def test_media_is_stamped_on_each_passage(rig: Rig) -> None:
    rig.start()
    rig.daemon.control.set_media("on")
    say(rig)
    wait_for(lambda: bool(rig.extractor.seen))
    assert rig.extractor.seen[0].media == "on"


def test_time_counts_on_over_a_mute_so_that_the_next_passage_closes(rig: Rig) -> None:
    """Case v37: the new microphone counts from zero, the stages behind it do not."""
    rig.start()
    rig.microphones[0].put(frames(30.0))
    wait_for(lambda: heard_frames(rig) >= 1000)
    mute(rig)
    rig.daemon.control.unmute()
    wait_for(lambda: len(rig.microphones) == 2)
    say(rig)
    wait_for(lambda: len(rig.store.list()) == 1)


class Page:
    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.home = "http://127.0.0.1:8765/"
        self.problem = ""
        self.is_stopped = False

    def start(self) -> None:
        if self.failure is not None:
            raise self.failure

    def stop(self) -> None:
        self.is_stopped = True


def test_the_page_is_served_beside_the_ear(tmp_path: Path) -> None:
    page = Page()
    rig = Rig(tmp_path, faces=lambda daemon: page)
    rig.start()
    wait_for(lambda: rig.daemon.status().page == page.home)
    rig.stop()
    rig.store.close()
    assert page.is_stopped


def test_a_page_that_cannot_be_served_does_not_stop_the_ear(tmp_path: Path) -> None:
    rig = Rig(tmp_path, faces=lambda daemon: Page(OSError("port taken")))
    rig.start()
    wait_for(lambda: "port taken" in rig.daemon.status().page_problem)
    say(rig)
    wait_for(lambda: len(rig.store.list()) == 1)
    assert rig.daemon.status().alive
    rig.stop()
    rig.store.close()


def test_buffers_are_empty_also_where_the_database_cannot_forget(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*args: object) -> None:
        raise StoreError("locked", permanent=False)

    rig.start()
    rig.microphones[0].put(frames(1.0, 0.5))
    wait_for(lambda: heard_frames(rig) >= 30)
    monkeypatch.setattr(rig.store, "forget_spoken", locked)
    with pytest.raises(StoreError):
        rig.daemon.control.forget_last(timedelta(minutes=5))
    wait_for(lambda: rig.microphones[0].wipes == 1)
    rig.microphones[0].put(frames(3.0, first_sample=48_000))
    wait_for(lambda: heard_frames(rig) >= 100)
    rig.stop()
    assert rig.store.list() == ()
    assert rig.store.spool_count() == 0


def test_whenever_it_is_muted_nothing_is_written_after_it(rig: Rig) -> None:
    """The moment falls into every stage in turn: speech, recogniser, debounce, spool."""
    rig.script[:] = [f"remember thing {number}" for number in range(200)]
    rig.transcriber = type(rig.transcriber)(rig.script)
    rig.start()
    for turn in range(12):
        count = len(rig.microphones)
        for _ in range(3):
            say(rig)
        time.sleep(0.01 * turn)
        rig.daemon.control.mute()
        spooled = sum(entry.event == "spooled" for entry in rig.store.journal(None))
        time.sleep(0.02)
        assert sum(entry.event == "spooled" for entry in rig.store.journal(None)) == spooled
        wait_for(lambda count=count: rig.microphones[count - 1].is_closed)  # type: ignore[misc]
        rig.daemon.control.unmute()
        wait_for(lambda count=count: len(rig.microphones) > count)  # type: ignore[misc]
