"""Which time is believed: at boot without a clock, when it is set, when it jumps, across summer time."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from clock.clock_fakes import FakeSync, Machine
from hypothesis import given
from hypothesis import strategies as st

from junod import timekeeper
from junod.clock import SystemClock
from junod.records import ClockAnchor, Passage
from junod.timekeeper import FLOOR, SystemSync, Timekeeper, Trust

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)
STALE = NOW - timedelta(days=14)


def heard(machine: Machine, text: str = "dentist tomorrow") -> Passage:
    """A passage that begins now, stamped as the microphone does."""
    at = machine.keeper.steady.now().astimezone(BERLIN)
    return Passage("p1", text, at, "kitchen", utterance_starts=(at, at + timedelta(seconds=3)))


def test_a_passage_heard_before_the_clock_is_set_keeps_its_place_in_time() -> None:
    """m53: booted with a clock two weeks old."""
    machine = Machine(STALE)
    machine.wait(minutes=2)
    passage = machine.keeper.stamp(heard(machine))
    assert (passage.clock_synced, passage.spoken_at) == (False, STALE + timedelta(minutes=2))
    assert passage.anchor == ClockAnchor("boot-1", 120.0)
    assert machine.keeper.moment(ClockAnchor("boot-0", 120.0)) is None
    machine.wait(minutes=5)
    machine.set_clock(NOW)
    assert machine.keeper.moment(passage.anchor) == NOW - timedelta(minutes=5)
    right = machine.keeper.restamp(passage)
    assert (right.clock_synced, right.anchor) == (True, None)
    assert right.spoken_at == NOW - timedelta(minutes=5)
    assert right.utterance_starts == (right.spoken_at, right.spoken_at + timedelta(seconds=3))
    assert right.spoken_at.tzinfo is BERLIN


def test_a_clock_set_in_the_middle_of_a_passage_counts_for_all_of_it() -> None:
    machine = Machine(STALE)
    passage = heard(machine)
    machine.wait(seconds=20)
    machine.set_clock(NOW)
    stamped = machine.keeper.stamp(passage)
    assert (stamped.clock_synced, stamped.spoken_at) == (True, NOW - timedelta(seconds=20))


def test_a_waiting_passage_stays_as_it_is_while_the_clock_is_not_set() -> None:
    machine = Machine(STALE)
    passage = machine.keeper.stamp(heard(machine))
    assert machine.keeper.restamp(passage) == passage


def test_a_restart_of_the_daemon_alone_loses_no_anchor_and_one_of_the_machine_does() -> None:
    machine = Machine(STALE)
    machine.wait(minutes=1)
    passage = machine.keeper.stamp(heard(machine))
    machine.start()
    machine.wait(minutes=1)
    machine.set_clock(NOW)
    assert machine.keeper.restamp(passage).spoken_at == NOW - timedelta(minutes=1)
    machine.boot_id = "boot-2"
    machine.start()
    assert machine.keeper.restamp(passage) == passage


@pytest.mark.parametrize("jump", [timedelta(hours=-13), timedelta(minutes=-3), timedelta(hours=2), timedelta(hours=23)])
def test_a_clock_set_by_hand_is_followed(jump: timedelta) -> None:
    machine = Machine(NOW, trusts=True)
    machine.clock.set_wall(NOW + jump)
    assert machine.keeper.now() == NOW + jump
    assert machine.keeper.is_set


@pytest.mark.parametrize("years", [-30, -2, 3, 12])
def test_a_jump_of_years_is_believed_only_when_a_time_server_confirms_it(years: int) -> None:
    machine = Machine(NOW, trusts=True)
    machine.wait(hours=1)
    machine.clock.set_wall(NOW + timedelta(days=365 * years))
    assert machine.keeper.now() == NOW + timedelta(hours=1)
    assert not machine.keeper.is_set
    machine.wait(minutes=10)
    assert machine.keeper.now() == NOW + timedelta(hours=1, minutes=10)
    machine.sync.is_there = True
    assert machine.keeper.is_set
    assert machine.keeper.now() == NOW + timedelta(days=365 * years, minutes=10)


def test_a_jump_that_is_taken_back_leaves_no_trace() -> None:
    machine = Machine(NOW, trusts=True)
    machine.clock.set_wall(NOW + timedelta(days=900))
    assert not machine.keeper.is_set
    machine.clock.set_wall(NOW + timedelta(seconds=1))
    assert machine.keeper.is_set
    assert machine.keeper.now() == NOW + timedelta(seconds=1)


@given(st.lists(st.tuples(st.floats(0, 90_000), st.floats(-80_000, 80_000), st.booleans()), max_size=20))
def test_the_steady_clock_never_jumps_and_every_anchor_is_as_long_ago_as_it_was(
    steps: list[tuple[float, float, bool]],
) -> None:
    machine = Machine(NOW)
    anchors: list[tuple[ClockAnchor, float]] = []
    for wait_s, jump_s, is_there in steps:
        before = machine.keeper.steady.now()
        anchors.append((machine.keeper.anchor(), machine.clock.monotonic_s()))
        machine.wait(seconds=wait_s)
        machine.clock.set_wall(machine.clock.now() + timedelta(seconds=jump_s))
        machine.sync.is_there = is_there
        assert abs((machine.keeper.steady.now() - before).total_seconds() - wait_s) < 1e-3
        for anchor, at_s in anchors:
            moment = machine.keeper.moment(anchor)
            assert moment is not None
            ago_s = (machine.keeper.now() - moment).total_seconds()
            assert abs(ago_s - (machine.clock.monotonic_s() - at_s)) < 1e-3


@pytest.mark.parametrize(
    ("set_to", "spoken"),
    [
        (datetime(2026, 3, 29, 3, 10, tzinfo=BERLIN), datetime(2026, 3, 29, 1, 50, tzinfo=BERLIN)),
        (datetime(2026, 10, 25, 2, 10, fold=1, tzinfo=BERLIN), datetime(2026, 10, 25, 2, 50, fold=0, tzinfo=BERLIN)),
    ],
)
def test_moments_are_put_right_in_real_time_across_a_change_of_summer_time(set_to: datetime, spoken: datetime) -> None:
    """m48, m50 (near): twenty minutes before the clock was set is in the hour before the change."""
    machine = Machine(STALE)
    passage = machine.keeper.stamp(heard(machine))
    machine.wait(minutes=20)
    machine.set_clock(set_to)
    right = machine.keeper.restamp(passage)
    assert right.spoken_at.astimezone(UTC) == spoken.astimezone(UTC)
    assert (right.spoken_at.hour, right.spoken_at.minute) == (spoken.hour, spoken.minute)


@pytest.mark.parametrize(
    ("trust", "kernel", "board", "hardware", "is_set"),
    [
        ("auto", 0, True, None, True),  # a time server
        ("auto", 5, True, None, False),  # a board without a clock of its own
        ("auto", 5, True, 0, False),  # its clock has no battery: it starts in 1970
        ("auto", 5, True, "now", True),
        ("auto", 5, False, None, True),  # a PC has one
        ("sync", 5, False, "now", False),
        ("sync", 0, True, None, True),
        ("always", 5, True, None, True),
    ],
)
def test_what_the_machine_knows_of_its_clock(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    trust: Trust,
    kernel: int,
    board: bool,
    hardware: int | str | None,
    is_set: bool,
) -> None:
    monkeypatch.setattr(timekeeper, "_kernel_state", lambda: kernel)
    monkeypatch.setattr(timekeeper, "_DEVICE_TREE", tmp_path if board else tmp_path / "none")
    monkeypatch.setattr(timekeeper, "_RTC", tmp_path / "rtc")
    if hardware is not None:
        (tmp_path / "rtc").write_text(f"{int(NOW.timestamp()) if hardware == 'now' else hardware}\n", "ascii")
    assert SystemSync(trust).is_set(NOW) is is_set


def test_a_clock_that_started_from_nothing_is_never_set_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timekeeper, "_kernel_state", lambda: 5)
    assert not SystemSync("auto").is_set(FLOOR - timedelta(seconds=1))


def test_where_the_kernel_may_not_be_asked_the_mark_of_timesyncd_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(timekeeper, "_kernel_state", lambda: None)
    monkeypatch.setattr(timekeeper, "_SYNC_MARK", tmp_path / "synchronized")
    assert not SystemSync("sync").is_confirmed()
    (tmp_path / "synchronized").touch()
    assert SystemSync("sync").is_confirmed()
    os.utime(tmp_path / "synchronized", (0, 0))
    assert not SystemSync("sync").is_confirmed()
    assert SystemSync("sync").is_set(NOW)


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="asks Linux")
def test_linux_answers() -> None:
    assert timekeeper._kernel_state() in {None, 0, 1, 2, 3, 4, 5}
    assert timekeeper.read_boot_id() == timekeeper.read_boot_id()
    keeper = Timekeeper(SystemClock(), FakeSync(trusts=True, is_there=True))
    assert keeper.is_set
    assert abs((keeper.now() - datetime.now(UTC)).total_seconds()) < 5
    assert abs((keeper.steady.now() - keeper.now()).total_seconds()) < 5
