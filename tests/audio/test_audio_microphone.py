"""A microphone that is never given up, on a clock and a sound system held still."""

from __future__ import annotations

import logging
import threading
import time

import numpy as np
import pytest
from audio.fake_backend import USB, FakeBackend
from audio.fake_room import START, Room

from junod.audio.capture import CaptureDevice, formats_to_try, pick_device
from junod.audio.microphone import MicrophoneState, list_devices
from junod.errors import AudioError
from junod.sections import AudioSettings

HANG_S = 2.0
"""Of real time, for calls that hang; far longer than those take that do not, on any machine."""


def test_it_listens_and_stamps_each_frame_with_the_moment_it_was_heard() -> None:
    room = Room()
    room.poll()
    assert room.is_(MicrophoneState.LISTENING)
    room.say(0.3)
    assert [frame.first_sample for frame in room.heard] == [480 * index for index in range(10)]
    assert room.heard[0].wall_time_s == pytest.approx(START.timestamp())
    assert room.heard[9].wall_time_s == pytest.approx(START.timestamp() + 0.27)


def test_an_unplugged_microphone_is_noticed_within_the_stall_time_and_reopened() -> None:
    """v1, v20: callbacks simply stop and nothing is raised, the device may even stay listed."""
    room = Room()
    room.poll()
    room.say(1.0)
    room.wait(2.0)
    assert room.is_(MicrophoneState.LOST)
    assert "no sound" in room.microphone.problem
    assert room.backend.streams[0].is_closed
    room.wait(1.0)
    assert room.is_(MicrophoneState.LISTENING)
    assert len(room.backend.streams) == 2
    room.say(0.3)
    assert room.microphone.problem == ""
    assert room.microphone.reopens == 1


def test_the_gap_of_a_lost_microphone_is_marked_so_that_samples_keep_up_with_the_clock() -> None:
    """v1: audio time must not fall behind wall time."""
    room = Room()
    room.poll()
    room.say(0.9)
    room.wait(5.0)
    room.say(0.9)
    (gap,) = [frame for frame in room.heard if frame.lost_samples]
    assert gap.lost_samples == pytest.approx(5.0 * 16_000, abs=480)
    last = room.heard[-1]
    assert last.first_sample / 16_000 == pytest.approx(last.wall_time_s - START.timestamp(), abs=0.001)
    assert room.microphone.lost_samples == gap.lost_samples


def test_a_close_that_never_returns_is_given_up_and_nothing_is_opened_over_it() -> None:
    """v2: ALSA loops for ever after a USB power cycle."""
    hang = threading.Event()
    room = Room(backend=FakeBackend(close_hang=hang), call_deadline_s=HANG_S)
    room.poll()
    before_s = time.monotonic()
    room.wait(2.0)
    assert time.monotonic() - before_s < 30
    assert room.microphone.is_wedged
    room.wait(10.0)
    assert room.is_(MicrophoneState.LOST)
    assert room.backend.opens == 1
    room.backend.close_hang = None
    hang.set()
    wait_until(lambda: not room.microphone.is_wedged)
    assert room.wait_for(MicrophoneState.LISTENING, 31.0)


def test_closing_for_good_returns_even_when_the_driver_does_not() -> None:
    """v2: the shutdown is bounded too."""
    hang = threading.Event()
    room = Room(backend=FakeBackend(close_hang=hang), call_deadline_s=HANG_S)
    room.poll()
    before_s = time.monotonic()
    room.microphone.close()
    room.microphone.close()
    assert time.monotonic() - before_s < 30
    hang.set()


def test_a_start_that_never_returns_has_a_deadline_of_its_own() -> None:
    """v4: start hangs when the ALSA start fails."""
    hang = threading.Event()
    room = Room(backend=FakeBackend(open_hang=hang), call_deadline_s=HANG_S)
    room.poll()
    assert room.is_(MicrophoneState.LOST)
    assert "did not come back" in room.microphone.problem
    hang.set()
    wait_until(lambda: not room.microphone.is_wedged)
    # What came too late is closed again, not leaked.
    assert [stream.is_closed for stream in room.backend.streams] == [True]
    room.backend.open_hang = None
    room.wait(2.0)
    assert room.is_(MicrophoneState.LISTENING)


def test_after_an_overrun_that_kills_the_stream_a_new_one_is_opened() -> None:
    """v7, v8: one overflow, then the handle is dead; it is counted, and the handle is not tried again."""
    room = Room()
    room.poll()
    room.say(0.3)
    room.clock.advance(0.03)
    room.backend.streams[0].feed(lost=True)
    room.poll()
    room.wait(4.0)
    assert room.microphone.overflows == 1
    assert len(room.backend.streams) == 2
    assert room.is_(MicrophoneState.LISTENING)


def test_loss_reported_by_the_driver_is_measured_by_the_clock() -> None:
    room = Room()
    room.poll()
    room.say(0.3)
    room.clock.advance(0.53)
    room.backend.streams[0].feed(lost=True)
    (frame,) = room.poll()
    assert frame.lost_samples == pytest.approx(0.5 * 16_000, abs=1)


def test_a_stream_that_ends_cleanly_is_a_loss_too() -> None:
    """v29: a recorder stops at the 2^31 bytes of a wav header as if all were well."""
    room = Room()
    room.poll()
    room.say(0.3)
    room.backend.streams[0].close()
    room.wait(4.0)
    room.say(0.3)
    assert len(room.backend.streams) == 2
    assert sum(bool(frame.lost_samples) for frame in room.heard) == 1


def test_the_callbacks_buffer_is_copied() -> None:
    """v10: the driver uses one buffer for all callbacks."""
    room = Room()
    room.poll()
    given = np.random.default_rng(3).uniform(-1, 1, (20, 480)).astype(np.float32)
    buffer = np.zeros((480, 1), np.float32)
    for row in given:
        room.clock.advance(0.03)
        buffer[:, 0] = row
        room.backend.streams[0].feed_samples(buffer)
    buffer[:] = 9
    while room.poll():
        pass
    assert np.array_equal(np.concatenate([frame.samples for frame in room.heard]), given.reshape(-1))


def test_an_hour_without_a_microphone_is_waited_out_with_few_words(caplog: pytest.LogCaptureFixture) -> None:
    """v14: the loss of the microphone never ends the process; v17: it may appear late; v19: the log is not flooded."""
    room = Room(backend=FakeBackend(present=[]))
    with caplog.at_level(logging.WARNING):
        room.wait(3600, step_s=1.0)
    assert room.is_(MicrophoneState.LOST)
    assert "No microphone" in room.microphone.problem
    assert 100 < room.backend.refreshes < 140  # 1, 2, 4, 8, 16, then every 30 s
    assert 1 <= len(caplog.records) <= 7
    room.backend.present = [USB]
    assert room.wait_for(MicrophoneState.LISTENING, 31.0)
    room.say(0.3)
    assert room.heard[0].lost_samples == 0


def test_ten_minutes_of_exact_zeros_are_called_suspicious_not_quiet(caplog: pytest.LogCaptureFixture) -> None:
    """v22: a USB microphone that delivers digital silence."""
    room = Room()
    room.poll()
    with caplog.at_level(logging.WARNING):
        room.say(600, level=0.0, step_s=0.3)
    assert room.microphone.has_suspicious_zeros
    assert len([record for record in caplog.records if "exact zeros" in record.message]) == 1
    room.say(0.3, level=0.0001)
    assert not room.microphone.has_suspicious_zeros


def test_a_busy_device_is_retried_slowly_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """v25, v26: a second process holds the device."""
    busy = AudioError("'USB' is in use by another program.", hint="`fuser -v /dev/snd/*` names it.", permanent=False)
    room = Room(backend=FakeBackend(open_error=busy))
    with caplog.at_level(logging.WARNING):
        room.wait(60)
    assert room.backend.opens <= 7
    assert "fuser" in room.microphone.problem
    assert len(caplog.records) == 1
    room.backend.open_error = None
    assert room.wait_for(MicrophoneState.LISTENING, 31.0)


@pytest.mark.parametrize("accepted", [(48_000, 2), (44_100, 1), (44_100, 2)])
def test_a_device_without_16_khz_mono_is_heard_at_its_own_format(accepted: tuple[int, int]) -> None:
    """v28: -9997, the device offers 44.1 or 48 kHz only, perhaps in stereo only."""
    device = CaptureDevice("Hat", channels=2, rate_hz=accepted[0], is_default=True)
    room = Room(backend=FakeBackend(present=[device], accepts={accepted}))
    room.poll()
    assert room.is_(MicrophoneState.LISTENING)
    room.say(3.0)
    sound = np.concatenate([frame.samples for frame in room.heard])
    assert len(sound) / 16_000 == pytest.approx(3.0, abs=0.1)
    assert sound[1600:] == pytest.approx(np.full(len(sound) - 1600, 0.1), abs=0.01)


def test_a_slow_listener_loses_the_oldest_audio_and_is_told_how_much() -> None:
    room = Room(AudioSettings(ring_s=5.0))
    room.poll()
    for _ in range(300):
        room.clock.advance(0.03)
        room.backend.streams[0].feed()
    while room.poll():
        pass
    assert room.heard[0].lost_samples == pytest.approx(4.0 * 16_000, abs=480)
    assert room.heard[-1].end_sample == 9 * 16_000
    assert room.microphone.overflows > 0


def test_muting_wipes_what_was_captured_and_not_yet_heard() -> None:
    room = Room()
    room.poll()
    for _ in range(10):
        room.clock.advance(0.03)
        room.backend.streams[0].feed()
    room.microphone.wipe()
    assert room.poll() == []
    room.say(0.03)
    assert room.heard[0].lost_samples == 4800


def test_frames_end_when_told_to_and_give_the_device_back() -> None:
    room = Room()
    stop = threading.Event()
    stop.set()
    room.poll()
    assert list(room.microphone.frames(stop)) == []
    assert room.backend.streams[0].is_closed


def test_devices_are_chosen_by_name_never_by_number() -> None:
    names = ["HDA Intel: ALC (hw:0,0)", "Jabra SPEAK 510: USB (hw:1,0)", "Jabra"]
    devices = [CaptureDevice(name, 1, 48_000, is_default=name == names[0]) for name in names]
    assert pick_device(devices, "speak").name == names[1]
    assert pick_device(devices, "jabra").name == "Jabra"
    assert pick_device(devices, "").name == names[0]
    with pytest.raises(AudioError) as caught:
        pick_device(devices, "Yeti")
    assert all(name in caught.value.hint for name in names)
    assert not caught.value.permanent


def test_the_devices_own_format_is_tried_first() -> None:
    assert next(formats_to_try(CaptureDevice("Hat", channels=6, rate_hz=44_100))) == (44_100, 1)
    assert (16_000, 6) in formats_to_try(CaptureDevice("Hat", channels=6, rate_hz=44_100))


def test_devices_are_listed_afresh() -> None:
    backend = FakeBackend()
    assert list_devices(backend) == [USB]
    assert backend.refreshes == 0
    backend.can_look = False
    assert list_devices(backend) == [USB]
    assert backend.refreshes == 1


def wait_until(condition: object, deadline_s: float = 60.0) -> None:
    assert callable(condition)
    end_s = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < end_s, "waited in vain"
        time.sleep(0.005)
