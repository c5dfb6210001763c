"""The real sound library in its own process, and a sound server that comes and goes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest
from audio.test_audio_child import is_gone
from pulse_server import MICROPHONE, PulseRoom, pulse_room

from junod.audio.child import ChildStream
from junod.audio.microphone import Microphone, MicrophoneState
from junod.clock import SystemClock
from junod.sections import AudioSettings

__all__ = ["pulse_room"]

LIMIT_S = 90.0


@pytest.fixture
def microphone(pulse_room: PulseRoom, monkeypatch: pytest.MonkeyPatch) -> Iterator[Microphone]:
    for name, value in pulse_room.env.items():
        monkeypatch.setenv(name, value)
    made = Microphone(AudioSettings(device=MICROPHONE, reopen_s=0.2), SystemClock())
    yield made
    made.close()


def hear(microphone: Microphone, frames: int) -> float:
    """Seconds until so many frames were heard."""
    begun_s, heard = time.monotonic(), 0
    while heard < frames:
        heard += len(microphone.poll(0.2))
        assert time.monotonic() - begun_s < LIMIT_S, microphone.problem
    return time.monotonic() - begun_s


def until_lost(microphone: Microphone) -> float:
    begun_s = time.monotonic()
    while microphone.state is MicrophoneState.LISTENING:
        microphone.poll(0.2)
        assert time.monotonic() - begun_s < LIMIT_S
    return time.monotonic() - begun_s


def child_pid(microphone: Microphone) -> int:
    session = microphone._session
    assert session is not None
    assert isinstance(session.stream, ChildStream)
    return session.stream.pid


@pytest.mark.live
def test_a_sound_server_that_restarts_is_heard_again(pulse_room: PulseRoom, microphone: Microphone) -> None:
    """v16: one side restarts, and again."""
    for _ in range(3):
        hear(microphone, 20)
        pulse_room.stop()
        assert until_lost(microphone) < 30
        pulse_room.start()
    hear(microphone, 20)
    assert not microphone.is_wedged


@pytest.mark.live
def test_signals_to_the_whole_service_are_left_to_the_daemon(microphone: Microphone) -> None:
    """systemd sends TERM to every process of a unit; what is being said is still heard until the daemon closes."""
    microphone._settings = microphone._settings.model_copy(update={"stall_s": 30.0})  # a busy machine is no lost one
    hear(microphone, 20)
    first = child_pid(microphone)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        os.kill(first, number)
    hear(microphone, 40)
    assert child_pid(microphone) == first


@pytest.mark.live
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP])
def test_a_capture_process_that_is_killed_crashes_or_hangs_is_replaced(microphone: Microphone, blow: int) -> None:
    """v2, v5: the driver hangs for ever, or takes its process along."""
    hear(microphone, 20)
    first = child_pid(microphone)
    os.kill(first, blow)
    assert until_lost(microphone) < 30
    hear(microphone, 20)
    assert child_pid(microphone) != first
    assert is_gone(first)
