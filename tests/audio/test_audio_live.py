"""The real sound library hears a real (if virtual) capture device."""

from __future__ import annotations

import threading
import time
import wave
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from pulse_server import MICROPHONE, PulseRoom, pulse_room

from junod.audio.microphone import Microphone, MicrophoneState, list_devices
from junod.clock import SystemClock
from junod.records import AudioFrame
from junod.sections import AudioSettings

__all__ = ["pulse_room"]

TONE_HZ = 1000


def write_tone(path: Path, seconds: float, rate_hz: int = 44_100) -> Path:
    tone = 0.5 * np.sin(2 * np.pi * TONE_HZ * np.arange(int(seconds * rate_hz)) / rate_hz)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes((tone * 32767).astype("<i2").tobytes())
    return path


def loudest_hz(samples: NDArray[np.float32]) -> float:
    return float(np.argmax(np.abs(np.fft.rfft(samples)))) * 16_000 / len(samples)


@pytest.mark.live
def test_what_is_played_in_the_room_arrives_as_16_khz_mono_frames_on_the_clock(
    pulse_room: PulseRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in pulse_room.env.items():
        monkeypatch.setenv(name, value)
    assert MICROPHONE in [device.name for device in list_devices()]
    microphone = Microphone(AudioSettings(device=MICROPHONE, stall_s=30.0), SystemClock())
    tone = write_tone(tmp_path / "tone.wav", 1.5)
    player = threading.Thread(target=pulse_room.play, args=(tone,))
    heard: list[AudioFrame] = []
    deadline_s = time.monotonic() + 60
    started_s = 0.0
    try:
        while time.monotonic() < deadline_s and sum(bool(frame.samples.any()) for frame in heard) < 40:
            heard += microphone.poll(0.1)
            if heard and not player.ident:
                started_s = heard[0].wall_time_s
                player.start()
        assert microphone.state is MicrophoneState.LISTENING
    finally:
        microphone.close()
        if player.ident:
            player.join(60)
    loud = [frame for frame in heard if np.abs(frame.samples).max() > 0.1]
    assert {len(frame.samples) for frame in heard} == {480}
    assert loudest_hz(np.concatenate([frame.samples for frame in loud[5:30]])) == pytest.approx(TONE_HZ, abs=5)
    audio_s = loud[-1].first_sample / 16_000
    assert loud[-1].wall_time_s - started_s == pytest.approx(audio_s, abs=0.5)


@pytest.mark.live
def test_an_unknown_microphone_is_named_and_those_that_exist_are_listed(
    pulse_room: PulseRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in pulse_room.env.items():
        monkeypatch.setenv(name, value)
    microphone = Microphone(AudioSettings(device="Kitchen Hood 3000"), SystemClock())
    try:
        assert microphone.poll(0.0) == []
    finally:
        microphone.close()
    assert "Kitchen Hood 3000" in microphone.problem
    assert f"'{MICROPHONE}'" in microphone.problem
