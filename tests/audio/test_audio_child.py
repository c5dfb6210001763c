"""The driver in a process of its own: whatever it does there, the listener hears of it in time."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from audio.fake_child import DEVICES
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from junod.audio.capture import FormatRefusedError
from junod.audio.child import ChildBackend, ChildStream
from junod.audio.microphone import Microphone, MicrophoneState
from junod.audio.wire import Kind, Message, OpenRequest, Reader, audio_message, message
from junod.clock import SystemClock
from junod.errors import AudioError
from junod.sections import AudioSettings

SCRIPT = Path(__file__).with_name("fake_child.py")


def backend(mode: str, open_limit_s: float = 60.0, start_limit_s: float = 60.0) -> ChildBackend:
    return ChildBackend((sys.executable, str(SCRIPT), mode), start_limit_s=start_limit_s, open_limit_s=open_limit_s)


class Ear:
    def __init__(self) -> None:
        self.blocks: list[NDArray[np.float32]] = []
        self.ages_s: list[float] = []

    def __call__(self, samples: NDArray[np.float32], driver_lost: bool, age_s: float = 0.0) -> None:
        self.blocks.append(samples.copy())
        self.ages_s.append(age_s)


def wait_until(condition: Callable[[], bool], deadline_s: float = 60.0) -> None:
    end_s = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < end_s, "waited in vain"
        time.sleep(0.005)


def is_gone(pid: int) -> bool:
    """It runs no more, though nobody may have asked yet how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def opened(made: ChildBackend, ear: Ear) -> ChildStream:
    made.refresh()
    stream = made.open(made.devices()[0], 16_000, 1, 30, ear)
    assert isinstance(stream, ChildStream)
    return stream


def test_blocks_of_the_child_arrive_whole_and_closing_ends_it() -> None:
    ear, made = Ear(), backend("play")
    stream = opened(made, ear)
    wait_until(lambda: len(ear.blocks) == 10)
    assert made.devices() == DEVICES
    assert np.concatenate(ear.blocks).shape == (4800, 1)
    assert all((block == 0.25).all() for block in ear.blocks)
    assert max(ear.ages_s) < 60
    stream.close()
    wait_until(lambda: is_gone(stream.pid))
    assert stream.problem == ""


def test_a_crash_in_the_driver_is_an_end_of_the_stream_and_no_more() -> None:
    """v5: SIGSEGV on disconnect."""
    ear = Ear()
    stream = opened(backend("crash"), ear)
    wait_until(lambda: bool(stream.problem))
    assert "SIGSEGV" in stream.problem
    assert len(ear.blocks) == 10
    stream.close()
    wait_until(lambda: is_gone(stream.pid))


def test_a_driver_that_ends_the_stream_by_itself_is_told() -> None:
    stream = opened(backend("end"), Ear())
    wait_until(lambda: "ended the stream" in stream.problem)
    stream.close()


def test_a_start_that_never_returns_costs_its_deadline_and_the_child() -> None:
    """v4."""
    made = backend("hang", open_limit_s=0.3)
    made.refresh()
    begun_s = time.monotonic()
    with pytest.raises(AudioError, match="did not answer within"):
        made.open(DEVICES[0], 16_000, 1, 30, Ear())
    assert time.monotonic() - begun_s < 30
    assert made._child is None


def test_a_sound_system_that_never_answers_costs_its_deadline() -> None:
    with pytest.raises(AudioError, match="did not answer within"):
        backend("mute", start_limit_s=0.3).refresh()


def test_a_refused_format_is_asked_again_of_the_same_process() -> None:
    """v28."""
    made = backend("refuse-once")
    made.refresh()
    with pytest.raises(FormatRefusedError):
        made.open(DEVICES[0], 16_000, 1, 30, Ear())
    stream = made.open(DEVICES[0], 48_000, 1, 30, Ear())
    stream.close()


@pytest.mark.parametrize(("mode", "text"), [("no-library", "missing"), ("nonsense", "nonsense")])
def test_a_child_without_a_sound_system_says_why(mode: str, text: str) -> None:
    with pytest.raises(AudioError, match=text):
        backend(mode).refresh()


def test_a_busy_device_keeps_its_hint() -> None:
    """v25."""
    made = backend("busy")
    made.refresh()
    with pytest.raises(AudioError) as caught:
        made.open(DEVICES[0], 16_000, 1, 30, Ear())
    assert caught.value.hint == "fuser"


def test_a_program_that_is_not_there_is_an_audio_error() -> None:
    with pytest.raises(AudioError, match="cannot be started"):
        ChildBackend(("/nowhere/python",)).refresh()


def test_devices_can_be_looked_for_beside_an_open_stream() -> None:
    made = backend("play")
    stream = opened(made, Ear())
    assert made.look() == DEVICES
    assert not is_gone(stream.pid)
    stream.close()


def test_the_child_ends_with_its_parent() -> None:
    """Whatever it is doing: the end of its standard input is its own end."""
    code = (
        "import sys, time; from junod.audio.child import ChildBackend, COMMAND\n"
        "import junod.audio.child as c; child = c._Child((sys.executable, sys.argv[1], 'play'))\n"
        "print(child.pid, flush=True); import os; os._exit(0)"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", code, str(SCRIPT)], capture_output=True, text=True, timeout=180)
    pid = int(done.stdout)
    wait_until(lambda: is_gone(pid))


def test_a_microphone_heals_a_crash_of_its_driver_within_seconds() -> None:
    """v5: the parent survives, the child is started anew."""
    microphone = Microphone(AudioSettings(reopen_s=0.1), SystemClock(), backend("crash"), call_deadline_s=30)
    heard = 0
    try:
        end_s = time.monotonic() + 90
        while microphone.reopens < 2 and time.monotonic() < end_s:
            heard += len(microphone.poll(0.1))
        assert microphone.reopens >= 2
        assert heard >= 10
        assert not microphone.is_wedged
        assert microphone.state in set(MicrophoneState)
    finally:
        microphone.close()


def test_descriptors_and_threads_do_not_pile_up_over_many_openings() -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))

    made = backend("play")
    opened(made, Ear()).close()
    before, threads = descriptors(), threading.active_count()
    for _ in range(8):
        opened(made, Ear()).close()
    wait_until(lambda: descriptors() <= before + 2 and threading.active_count() <= threads)


@given(st.lists(st.tuples(st.sampled_from(list(Kind)), st.binary(max_size=200)), max_size=20), st.integers(1, 64))
def test_messages_survive_pieces_of_any_length(sent: list[tuple[Kind, bytes]], piece: int) -> None:
    data = b"".join(message(kind, payload) for kind, payload in sent)
    reader, got = Reader(), []
    for start in range(0, len(data), piece):
        got += reader.push(data[start : start + piece])
    assert got == [Message(kind, payload) for kind, payload in sent]


@given(st.binary(max_size=400))
def test_nonsense_is_an_audio_error_and_never_a_crash(data: bytes) -> None:
    reader = Reader()
    with suppress(AudioError):
        reader.push(data)


def test_a_request_survives_its_line() -> None:
    request = OpenRequest(3, "Tin can\n: ☕", 48_000, 2, 90)
    assert OpenRequest.of_line(request.line()) == request
    assert request.line().count(b"\n") == 1
    assert len(audio_message(b"1234", True, datetime.now(UTC).timestamp())) == 5 + 9 + 4
