"""The watchdog's truth: a stage that hangs is seen, one that is idle for a reason is not blamed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from junod.clock import SimulatedClock
from junod.errors import JunodError
from junod.health import HealthBoard, Status, read_status, remove_status, stage_rows, write_status


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(datetime(2026, 3, 24, tzinfo=UTC))


def test_a_stage_that_hangs_stops_the_watchdog(clock: SimulatedClock) -> None:
    """Case v13: the watchdog is fed by progress, never by a timer of its own."""
    board = HealthBoard(clock, {"ear": 5, "llm": 90})
    board.working("llm", "passage")
    clock.advance(4)
    board.idle("ear", "no audio yet")
    assert board.is_alive()
    clock.advance(6)
    assert not board.is_alive()
    assert [s.name for s in board.stages() if not s.is_alive] == ["ear"]


def test_a_stage_idle_for_a_stated_reason_is_alive(clock: SimulatedClock) -> None:
    board = HealthBoard(clock, {"stt": 5})
    for _ in range(100):
        clock.advance(1)
        board.idle("stt", "waiting for speech")
    assert board.is_alive()
    assert board.stages()[0].detail == "waiting for speech"


def test_a_failed_stage_is_alive_and_says_why(clock: SimulatedClock) -> None:
    board = HealthBoard(clock, {"ear": 5})
    board.failed("ear", "microphone lost")
    assert board.is_alive()
    assert board.stages()[0].state == "failed"


def test_work_done_is_counted(clock: SimulatedClock) -> None:
    board = HealthBoard(clock, {"stt": 5})
    board.working("stt")
    board.done("stt")
    board.done("stt")
    assert board.stages()[0].done == 2


def test_the_status_file_says_what_the_daemon_said(tmp_path: Path, clock: SimulatedClock) -> None:
    board = HealthBoard(clock, {"ear": 5})
    status = Status(
        1, "0", "2026-03-24T00:00:00Z", "2026-03-24T00:00:00Z", "listening", 0.1, {}, stage_rows(board.stages()), True
    )
    folder = tmp_path / "run"
    assert read_status(folder) is None
    write_status(status, folder)
    assert read_status(folder) == status
    assert (folder / "status.json").stat().st_mode & 0o077 == 0
    remove_status(folder)
    assert read_status(folder) is None


def test_a_damaged_status_file_is_an_error_and_not_a_missing_daemon(tmp_path: Path) -> None:
    (tmp_path / "status.json").write_text("{")
    with pytest.raises(JunodError, match=r"status\.json"):
        read_status(tmp_path)
