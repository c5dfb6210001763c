"""Mute and off the record hold over restarts, end when they should and fail closed, on a clock held still."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from ear.ear_fakes import BERLIN, START, Kitchen

from junod.ear_state import next_morning
from junod.errors import JunodError, UsageError
from junod.events import EarChanged, MemoriesForgotten
from junod.spoken_orders import Order, OrderKind


@pytest.fixture
def kitchen(tmp_path: Path) -> Kitchen:
    return Kitchen(tmp_path)


def test_a_muted_ear_is_shut_and_stays_so_over_a_restart(kitchen: Kitchen) -> None:
    kitchen.control.mute()
    assert kitchen.ear.is_shut
    assert kitchen.control.snapshot().state == "muted"
    assert kitchen.control.snapshot().level_dbfs is None
    control, ear = kitchen.restart()
    assert ear.is_shut
    assert control.snapshot().muted
    control.unmute()
    assert not ear.is_shut
    _, ear = kitchen.restart()
    assert not ear.is_shut


def test_the_file_is_readable_by_its_owner_alone(kitchen: Kitchen) -> None:
    kitchen.control.mute()
    assert stat.S_IMODE(kitchen.path.stat().st_mode) == 0o600


def test_off_the_record_ends_by_itself(kitchen: Kitchen) -> None:
    kitchen.control.off_the_record(START + timedelta(minutes=10))
    assert kitchen.control.snapshot().state == "off-record"
    kitchen.clock.advance(599)
    kitchen.control.tick()
    assert kitchen.ear.is_shut
    kitchen.clock.advance(1)
    kitchen.control.tick()
    assert not kitchen.ear.is_shut
    assert kitchen.control.snapshot().off_record_until is None


def test_off_the_record_survives_a_restart_and_then_ends(kitchen: Kitchen) -> None:
    kitchen.control.off_the_record(START + timedelta(hours=1))
    kitchen.clock.advance(1800)
    control, ear = kitchen.restart()
    assert ear.is_shut
    kitchen.clock.advance(1800)
    control.tick()
    assert not ear.is_shut


def test_off_the_record_that_ended_while_the_daemon_was_down_is_over_at_the_first_look(kitchen: Kitchen) -> None:
    kitchen.control.off_the_record(START + timedelta(hours=1))
    kitchen.clock.advance(7200)
    control, ear = kitchen.restart()
    control.tick()
    assert not ear.is_shut


def test_a_wall_clock_put_forward_does_not_open_the_ear_early(kitchen: Kitchen) -> None:
    kitchen.control.off_the_record(START + timedelta(minutes=10))
    kitchen.clock.set_wall(START + timedelta(days=400))
    kitchen.control.tick()
    assert kitchen.ear.is_shut
    kitchen.clock.advance(600)
    kitchen.control.tick()
    assert not kitchen.ear.is_shut


def test_a_wall_clock_put_back_does_not_keep_it_shut_for_years(kitchen: Kitchen) -> None:
    kitchen.control.off_the_record(START + timedelta(minutes=10))
    kitchen.clock.set_wall(START - timedelta(days=400))
    kitchen.clock.advance(600)
    kitchen.control.tick()
    assert not kitchen.ear.is_shut


def test_mute_outlasts_off_the_record(kitchen: Kitchen) -> None:
    kitchen.control.off_the_record(START + timedelta(minutes=10))
    kitchen.control.mute()
    kitchen.clock.advance(601)
    kitchen.control.tick()
    assert kitchen.ear.is_shut
    assert kitchen.control.snapshot().state == "muted"
    kitchen.control.unmute()
    assert not kitchen.ear.is_shut


def test_unmuting_does_not_end_off_the_record(kitchen: Kitchen) -> None:
    kitchen.control.mute()
    kitchen.control.off_the_record(START + timedelta(minutes=10))
    kitchen.control.unmute()
    assert kitchen.ear.is_shut
    kitchen.control.on_the_record()
    assert not kitchen.ear.is_shut


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"muted": "no", "off_record_until": null, "media": "auto"}',
        '{"muted": false}',
        '{"muted": false, "off_record_until": "soon", "media": "auto"}',
        '{"muted": false, "off_record_until": "2026-03-24T18:00:00", "media": "auto"}',
        '{"muted": false, "off_record_until": 7, "media": "auto"}',
        '{"muted": false, "off_record_until": null, "media": "loud"}',
        "\x00\x00",
    ],
)
def test_a_file_that_cannot_be_read_means_muted_and_says_so(kitchen: Kitchen, text: str) -> None:
    kitchen.path.write_text(text)
    control, ear = kitchen.restart()
    assert ear.is_shut
    assert "cannot be read" in control.snapshot().problem
    control.unmute()
    assert not ear.is_shut
    assert control.snapshot().problem == ""


def test_bytes_that_are_no_text_and_a_folder_in_its_place_mean_muted(kitchen: Kitchen) -> None:
    kitchen.path.write_bytes(b"\xff\xfe{")
    assert kitchen.restart()[1].is_shut
    kitchen.path.unlink()
    kitchen.path.mkdir()
    assert kitchen.restart()[1].is_shut


def test_where_nothing_can_be_written_it_is_muted_all_the_same(kitchen: Kitchen) -> None:
    kitchen.path.mkdir()
    with pytest.raises(JunodError) as caught:
        kitchen.control.mute()
    assert kitchen.ear.is_shut
    assert caught.value.hint
    assert [path.name for path in kitchen.path.parent.iterdir()] == ["ear.json"]


def test_each_change_is_told_once(kitchen: Kitchen) -> None:
    with kitchen.bus.subscribe() as events:
        kitchen.control.mute()
        kitchen.control.tick()
        kitchen.ear.state = "lost"
        kitchen.control.unmute()
        kitchen.control.tick()
        kitchen.ear.state = "listening"
        kitchen.control.tick()
        kitchen.control.set_media("on")
        told = [event.snapshot for event in events.drain() if isinstance(event, EarChanged)]
    assert [(one.state, one.media) for one in told] == [
        ("muted", "auto"),
        ("lost", "auto"),
        ("listening", "auto"),
        ("listening", "on"),
    ]


def test_media_is_kept_over_a_restart(kitchen: Kitchen) -> None:
    kitchen.control.set_media("on")
    assert not kitchen.ear.is_shut
    assert kitchen.restart()[0].media == "on"
    with pytest.raises(UsageError):
        kitchen.control.set_media("loud")  # type: ignore[arg-type]


def test_forgetting_empties_the_buffers_before_the_database_and_tells_which_memories_are_gone(
    kitchen: Kitchen,
) -> None:
    with kitchen.bus.subscribe() as events:
        wiped = kitchen.control.forget_last(timedelta(minutes=5))
        gone = [event.ids for event in events.drain() if isinstance(event, MemoriesForgotten)]
    assert wiped.memories == ("m1",)
    assert gone == [("m1",)]
    assert kitchen.ear.wipes == 1
    assert not kitchen.ear.is_shut
    assert kitchen.store.ranges == [(START - timedelta(minutes=5, seconds=45), None)]


@pytest.mark.parametrize("duration", [timedelta(0), timedelta(seconds=-1), timedelta(days=2)])
def test_only_a_sensible_time_is_forgotten(kitchen: Kitchen, duration: timedelta) -> None:
    with pytest.raises(UsageError):
        kitchen.control.forget_last(duration)
    assert kitchen.store.ranges == []


@pytest.mark.parametrize("until", [START, START + timedelta(days=8), datetime(2026, 3, 24, 18)])
def test_off_the_record_needs_a_moment_to_come(kitchen: Kitchen, until: datetime) -> None:
    with pytest.raises((UsageError, TypeError)):
        kitchen.control.off_the_record(until)
    assert not kitchen.ear.is_shut


@pytest.mark.parametrize(
    ("order", "until"),
    [
        (Order(OrderKind.OFF_RECORD, timedelta(minutes=10)), START + timedelta(minutes=10)),
        (Order(OrderKind.OFF_RECORD), START + timedelta(hours=1)),
        (Order(OrderKind.OFF_RECORD, until_morning=True), datetime(2026, 3, 25, 7, tzinfo=BERLIN)),
    ],
)
def test_orders_by_voice_shut_the_ear_for_as_long_as_was_said(kitchen: Kitchen, order: Order, until: Any) -> None:
    kitchen.control.obey(order, START)
    assert kitchen.control.snapshot().off_record_until == until


def test_an_order_to_forget_counts_from_when_it_was_spoken(kitchen: Kitchen) -> None:
    kitchen.clock.advance(20)
    kitchen.control.obey(Order(OrderKind.FORGET), START)
    kitchen.control.obey(Order(OrderKind.FORGET, timedelta(minutes=5)), START)
    assert [since for since, _ in kitchen.store.ranges] == [
        START - timedelta(seconds=120 + 45),
        START - timedelta(seconds=300 + 45),
    ]


def test_a_clock_that_was_set_since_the_order_was_spoken_does_not_make_it_reach_back_for_days(kitchen: Kitchen) -> None:
    kitchen.clock.set_wall(START + timedelta(days=3))
    kitchen.control.obey(Order(OrderKind.FORGET, timedelta(minutes=5)), START)
    ((since, _),) = kitchen.store.ranges
    assert since is not None
    assert kitchen.clock.now() - since < timedelta(minutes=12)


def test_an_order_to_mute_holds_also_where_it_cannot_be_noted(kitchen: Kitchen) -> None:
    kitchen.path.mkdir()
    kitchen.control.obey(Order(OrderKind.MUTE), START)
    assert kitchen.ear.is_shut
    assert "cannot be noted" in kitchen.control.snapshot().problem


@pytest.mark.parametrize(
    ("now", "morning"),
    [
        (datetime(2026, 3, 24, 5, 59, tzinfo=UTC), datetime(2026, 3, 24, 7, tzinfo=BERLIN)),
        (datetime(2026, 3, 24, 6, 0, tzinfo=UTC), datetime(2026, 3, 25, 7, tzinfo=BERLIN)),
        (datetime(2026, 3, 28, 22, 0, tzinfo=UTC), datetime(2026, 3, 29, 7, tzinfo=BERLIN)),
    ],
)
def test_morning_is_by_the_households_clocks_also_in_the_night_they_change(now: datetime, morning: datetime) -> None:
    assert next_morning(now, BERLIN, "07:00") == morning
