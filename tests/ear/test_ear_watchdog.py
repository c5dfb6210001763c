"""The watchdog cannot lie: every stage that hangs or dies is noticed, and every face tells the same."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from daemon_rig import Rig, is_at_rest, say, wait_for
from ear.ear_fakes import START
from fakes import frames

from junod.clock import SimulatedClock
from junod.health import STALE_S, HealthBoard, StageHealth, judge, judge_status, read_status
from junod.records import EarSnapshot

EAR = EarSnapshot("listening", False, None, 0.1, -40.0, "auto", 0, 0)
LONG_S = 400.0


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(START)


@pytest.fixture
def rig(tmp_path: Path, clock: SimulatedClock) -> Iterator[Rig]:
    made = Rig(tmp_path, clock=clock)
    yield made
    made.hang.set()
    made.transcriber.is_done.set()
    made.extractor.is_done.set()
    if made.thread.is_alive():
        made.stop()
    made.store.close()


def fed(rig: Rig) -> int:
    return rig.notes.said.count("WATCHDOG=1")


def pass_time(clock: SimulatedClock, seconds: float) -> None:
    """Step by step, so that stages that live can show it."""
    for _ in range(round(seconds / 20)):
        clock.advance(20)
        time.sleep(0.03)


def look_after(rig: Rig, clock: SimulatedClock, seconds: float) -> None:
    """Let time pass until the daemon has looked after it once, and written that it is not alive."""
    before = clock.now()
    pass_time(clock, seconds)

    def is_written() -> bool:
        written = read_status(rig.folder)
        return written is not None and not written.alive and datetime.fromisoformat(written.written_at) > before

    wait_for(is_written)


def assert_noticed(rig: Rig, clock: SimulatedClock, stage: str) -> None:
    """Its silence starves the watchdog, and status, page and doctor all name it."""
    wait_for(lambda: fed(rig) > 0)
    pass_time(clock, LONG_S)
    wait_for(lambda: not rig.daemon.status().alive)
    status = rig.daemon.status()
    assert any(problem.startswith(stage) for problem in status.problems), status.problems
    look_after(rig, clock, 20)
    before = fed(rig)
    look_after(rig, clock, 60)
    assert fed(rig) == before
    written = read_status(rig.folder)
    assert written is not None
    assert judge_status(replace(written, written_at=clock.now().isoformat()), clock.now()).alive is False


def test_a_hearing_stage_that_hangs(rig: Rig, clock: SimulatedClock) -> None:
    rig.transcriber.is_done.clear()
    rig.start()
    say(rig)
    wait_for(lambda: bool(rig.transcriber.heard_s))
    assert_noticed(rig, clock, "hear")
    rig.transcriber.is_done.set()
    wait_for(lambda: rig.daemon.status().alive)


def test_a_deciding_stage_that_hangs(rig: Rig, clock: SimulatedClock) -> None:
    rig.extractor.is_done.clear()
    rig.start()
    say(rig)
    wait_for(lambda: bool(rig.extractor.seen))
    assert_noticed(rig, clock, "decide")


def test_an_ear_that_hangs(rig: Rig, clock: SimulatedClock) -> None:
    rig.start()
    rig.microphones[0].hang = rig.hang
    assert_noticed(rig, clock, "ear")


def test_loading_may_take_longer_than_working(clock: SimulatedClock) -> None:
    board = HealthBoard(clock, {"hear": 180.0})
    board.working("hear", "loading")
    clock.advance(100)
    assert board.is_alive()
    board.working("hear", limit_s=90.0)
    clock.advance(100)
    assert not board.is_alive()
    board.idle("hear", "no speech")
    clock.advance(100)
    assert board.is_alive()


@pytest.mark.parametrize("blow", [SystemExit("killed"), RuntimeError("killed"), MemoryError()])
def test_a_stage_whose_thread_dies_ends_the_daemon_whatever_killed_it(rig: Rig, blow: BaseException) -> None:
    rig.transcriber.blow = blow
    rig.start()
    say(rig)
    wait_for(lambda: bool(rig.failure))
    assert rig.failure[0] is blow or isinstance(rig.failure[0], type(blow))


def test_a_muted_ear_is_alive_for_a_stated_reason(rig: Rig, clock: SimulatedClock) -> None:
    rig.start()
    rig.daemon.control.mute()
    wait_for(lambda: is_at_rest(rig))
    pass_time(clock, LONG_S)
    wait_for(lambda: rig.daemon.status().alive)
    assert rig.daemon.status().problems == []


def test_a_microphone_that_is_lost_is_a_problem_but_no_reason_to_restart(rig: Rig) -> None:
    rig.start()
    rig.microphones[0].put(frames(0.3))
    wait_for(lambda: rig.daemon.status().ear == "listening")
    rig.microphones[0].state, rig.microphones[0].problem = "lost", "'USB' has delivered no sound for 2 s."
    wait_for(lambda: bool(rig.daemon.status().problems))
    assert rig.daemon.status().alive
    assert "USB" in rig.daemon.status().problems[0]


STAGE = StageHealth("ear", "idle", "", 1.0, 42.0, 7)


def test_one_judgement_for_every_face() -> None:
    assert judge([STAGE], EAR).alive
    assert judge([STAGE], EAR).problems == ()
    late = judge([replace(STAGE, age_s=50.0)], EAR)
    assert not late.alive
    assert late.problems == ("ear has shown no progress for 50 s",)
    failed = judge([replace(STAGE, name="decide", state="failed", detail="store")], EAR)
    assert failed.alive
    assert failed.problems == ("decide failed: store",)
    deaf = judge([STAGE], replace(EAR, last_audio_age_s=30.0))
    assert deaf.problems == ("the ear says it listens, but has heard nothing for 30 s",)


def test_a_daemon_that_left_its_status_behind_is_no_running_daemon(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    status = rig.daemon.status()
    rig.store.close()
    now = datetime.now(UTC)
    assert judge_status(None, now).alive is False
    assert judge_status(status, now).alive
    stale = judge_status(status, now + timedelta(seconds=STALE_S + 1))
    assert not stale.alive
    assert "seconds ago" in stale.problems[0]
