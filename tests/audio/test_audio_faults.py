"""What sound cards do to a listener in a year: each fault is seen within seconds, shown, and healed."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from audio.fake_backend import FakeBackend
from audio.fake_room import Room

from junod.audio.capture import CaptureDevice, devices_to_try
from junod.audio.complaints import MOST_LINES, Complaints
from junod.audio.microphone import MicrophoneState
from junod.audio.rate import RateWatch
from junod.errors import AudioError
from junod.sections import AudioSettings

KITCHEN = CaptureDevice("Kitchen mic: USB (hw:2,0)", channels=1, rate_hz=16_000)
SPARE = CaptureDevice("Built-in (hw:0,0)", channels=1, rate_hz=16_000, is_default=True)
NAMED = AudioSettings(device="Kitchen", stall_s=2.0, reopen_s=1.0)
OR_ANOTHER = NAMED.model_copy(update={"failover": True})


def test_a_stream_whose_process_or_driver_is_gone_is_noticed_at_once() -> None:
    """v5, v29: not only when the frames have been missing for long."""
    room = Room()
    room.poll()
    room.say(0.3)
    room.backend.streams[0].problem = "The capture process crashed (SIGSEGV)."
    room.poll()
    assert room.is_(MicrophoneState.LOST)
    assert "SIGSEGV" in room.microphone.problem
    room.wait(1.0)
    assert room.is_(MicrophoneState.LISTENING)


def test_a_driver_that_crashes_again_and_again_is_tried_more_and_more_slowly(caplog: pytest.LogCaptureFixture) -> None:
    room = Room()
    with caplog.at_level(logging.WARNING):
        for _ in range(600):
            room.clock.advance(1.0)
            room.poll()
            if room.is_(MicrophoneState.LISTENING):
                room.say(0.3)
                room.backend.streams[-1].problem = "The capture process crashed (SIGSEGV)."
    assert room.backend.opens < 40
    assert len(caplog.records) <= MOST_LINES


def test_a_microphone_that_comes_under_another_number_is_found_by_its_name() -> None:
    """Renumbered: the name stays, the handle and the order do not."""
    room = Room(NAMED, FakeBackend(present=[SPARE, KITCHEN]))
    room.poll()
    room.say(0.3)
    moved = CaptureDevice("Kitchen mic: USB (hw:1,0)", channels=1, rate_hz=16_000, handle=7)
    room.backend.present = [moved, SPARE]
    room.wait(3.5)
    assert room.backend.streams[-1].device == moved


def test_without_failover_a_missing_microphone_is_waited_for() -> None:
    """v19: the named one is absent, another is present."""
    room = Room(NAMED, FakeBackend(present=[SPARE]))
    room.wait(120)
    assert room.is_(MicrophoneState.LOST)
    assert room.backend.opens == 0


def test_with_failover_another_stands_in_and_the_named_one_is_taken_back_later() -> None:
    """v19."""
    room = Room(OR_ANOTHER, FakeBackend(present=[SPARE, KITCHEN]))
    room.poll()
    room.say(0.3)
    assert room.microphone.name == KITCHEN.name
    room.backend.present = [SPARE]
    room.wait(3.5)
    room.say(0.3)
    assert room.microphone.name == SPARE.name
    assert "missing" in room.microphone.problem
    room.backend.present = [SPARE, KITCHEN]
    room.say(70, step_s=0.09)
    assert room.microphone.name == KITCHEN.name
    assert room.microphone.problem == ""
    assert sum(bool(frame.lost_samples) for frame in room.heard) == 2


def test_a_busy_microphone_may_be_stood_in_for_too() -> None:
    """v25: another program holds it."""
    room = Room(OR_ANOTHER, FakeBackend(present=[SPARE, KITCHEN], busy={KITCHEN.name}))
    room.poll()
    room.say(0.3)
    assert room.microphone.name == SPARE.name
    room.backend.busy.clear()
    room.say(70, step_s=0.09)
    assert room.microphone.name == KITCHEN.name


def test_looking_back_for_a_microphone_that_stays_away_becomes_rare() -> None:
    room = Room(OR_ANOTHER, FakeBackend(present=[SPARE]))
    room.poll()
    room.say(3600 - 3, step_s=0.3)
    assert 5 <= room.backend.looks <= 9
    assert len(room.backend.streams) == 1


def test_where_no_other_is_there_failover_waits_as_well() -> None:
    with pytest.raises(AudioError):
        devices_to_try([], "Kitchen", others=True)
    assert devices_to_try([SPARE, KITCHEN], "kitchen", others=True) == [KITCHEN, SPARE]
    assert devices_to_try([KITCHEN, SPARE], "Yeti", others=True) == [SPARE, KITCHEN]


def test_exact_zeros_are_shown_within_seconds_and_the_device_opened_anew_after_a_minute() -> None:
    """v22."""
    room = Room()
    room.poll()
    room.say(0.3)
    room.say(2.5, level=0.0)
    assert "exact zeros" in room.microphone.problem
    assert room.is_(MicrophoneState.LISTENING)
    room.say(600, level=0.0, step_s=0.3)
    assert 3 <= room.microphone.reopens <= 5
    room.say(0.3)
    assert room.microphone.problem == ""


def test_a_machine_that_slept_opens_its_microphone_anew_and_the_sleep_is_a_gap() -> None:
    """Suspended: monotonic time stood still, the wall clock did not; another conversation begins."""
    room = Room()
    room.poll()
    room.say(0.9)
    room.clock.set_wall(room.clock.now() + timedelta(hours=8))
    room.say(0.3)
    room.wait(0.25)
    room.say(0.3)
    assert len(room.backend.streams) == 2
    gaps = [frame.lost_samples for frame in room.heard if frame.lost_samples]
    assert sum(gaps) / 16_000 == pytest.approx(8 * 3600, abs=2)
    assert room.microphone.problem == ""


def test_a_wall_clock_that_is_put_back_changes_nothing() -> None:
    room = Room()
    room.poll()
    room.say(0.9)
    room.clock.set_wall(room.clock.now() - timedelta(days=400))
    room.say(0.9)
    assert len(room.backend.streams) == 1
    assert not [frame for frame in room.heard if frame.lost_samples]


@pytest.mark.parametrize(
    ("says_hz", "is_hz", "within_s"), [(16_000, 48_000, 5), (48_000, 44_100, 15), (44_100, 48_000, 15)]
)
def test_a_device_that_lies_about_its_rate_is_found_out(says_hz: int, is_hz: int, within_s: int) -> None:
    device = CaptureDevice("Liar", channels=1, rate_hz=says_hz, is_default=True)
    room = Room(backend=FakeBackend(present=[device]))
    room.poll()
    room.backend.streams[0].true_rate_hz = is_hz
    room.say(within_s)
    before = room.heard[-1].end_sample
    room.say(10)
    assert (room.heard[-1].end_sample - before) / 16_000 == pytest.approx(10, abs=0.1)
    assert len(room.backend.streams) == 1


@pytest.mark.parametrize("says_hz", [16_000, 44_100, 48_000])
@pytest.mark.parametrize("drift", [0.98, 0.999, 1.0, 1.001, 1.02])
def test_a_device_that_only_drifts_is_believed(says_hz: int, drift: float) -> None:
    watch = RateWatch(says_hz)
    for number in range(2000):
        start_s = number * 0.09
        assert watch.heard(round(0.09 * says_hz * drift), start_s, start_s + 0.09) is None


def test_lost_audio_is_not_taken_for_a_slow_device() -> None:
    watch = RateWatch(16_000)
    for number in range(2000):
        start_s = number * 0.18  # every second block is lost, and said to be
        assert watch.heard(1440, start_s, start_s + 0.09, lost=True) is None


def test_a_rate_that_no_device_has_is_left_alone() -> None:
    watch = RateWatch(48_000)
    for number in range(1000):
        start_s = number * 0.09
        assert watch.heard(round(0.09 * 36_000), start_s, start_s + 0.09) is None


def test_troubles_that_take_turns_do_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """v19: 1,450 retries in a day."""
    room = Room()
    complaints = Complaints(room.clock)
    with caplog.at_level(logging.WARNING):
        for number in range(1450):
            complaints.say(f"trouble {number % 50}")
            room.clock.advance(60)
    assert len(caplog.records) <= 1450 / 10 * MOST_LINES
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        for number in range(1000):
            complaints.say(f"trouble {number}")
    assert len(caplog.records) <= MOST_LINES
