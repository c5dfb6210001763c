"""Muted means that the sound server has nobody recording: seen from outside, on a real (if virtual) microphone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from daemon_rig import Rig, is_at_rest, wait_for
from fakes import FakeMicrophone
from pulse_server import MICROPHONE, PulseRoom, pulse_room

from junod.audio.microphone import Microphone
from junod.clock import SystemClock
from junod.sections import AudioSettings

__all__ = ["pulse_room"]


class RealEar(Rig):
    opened = 0

    def open_microphone(self) -> FakeMicrophone:
        self.opened += 1
        return Microphone(AudioSettings(device=MICROPHONE), SystemClock())  # type: ignore[return-value]


@pytest.mark.live
def test_a_muted_daemon_records_nothing_and_an_unmuted_one_hears_again(
    pulse_room: PulseRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case v16: toggling mute, again and again, always heals."""
    for name, value in pulse_room.env.items():
        monkeypatch.setenv(name, value)
    rig = RealEar(tmp_path)
    rig.thread.start()
    try:
        for _ in range(3):
            heard = rig.daemon.status().counters.get("frames", 0)
            wait_for(lambda heard=heard: rig.daemon.status().counters.get("frames", 0) > heard + 10)  # type: ignore[misc]
            wait_for(lambda: pulse_room.recorders() == 1)
            begun_s = time.monotonic()
            rig.daemon.control.mute()
            assert time.monotonic() - begun_s < 30
            wait_for(lambda: pulse_room.recorders() == 0 and is_at_rest(rig))
            heard = rig.daemon.status().counters["frames"]
            time.sleep(0.3)
            assert rig.daemon.status().counters["frames"] == heard
            rig.daemon.control.unmute()
    finally:
        rig.stop()
        rig.store.close()
    wait_for(lambda: pulse_room.recorders() == 0)
