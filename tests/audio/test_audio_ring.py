"""The ring between a driver's callback and its listener."""

from __future__ import annotations

import threading
import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from junod.audio.ring import AudioRing
from junod.records import AudioFrame


def frame(first_sample: int, length: int = 10, lost: int = 0) -> AudioFrame:
    return AudioFrame(first_sample, np.full(length, 0.5, np.float32), 0.0, lost)


def test_frames_come_out_in_the_order_they_went_in() -> None:
    ring: AudioRing[AudioFrame] = AudioRing(100)
    for index in range(5):
        ring.put(frame(index * 10))
    taken = [ring.get() for _ in range(6)]
    assert [one.first_sample for one in taken if one] == [0, 10, 20, 30, 40]
    assert taken[5] is None
    assert ring.overflows == ring.dropped_samples == 0


def test_overflow_drops_the_oldest_marks_the_gap_and_counts_it() -> None:
    """v8, v11: an overflow is a counted, marked gap, never an error."""
    ring: AudioRing[AudioFrame] = AudioRing(30)
    for index in range(5):
        ring.put(frame(index * 10))
    first = ring.get()
    second = ring.get()
    assert first is not None
    assert second is not None
    assert (first.first_sample, first.lost_samples) == (20, 20)
    assert (second.first_sample, second.lost_samples) == (30, 0)
    assert (ring.dropped_samples, ring.overflows) == (20, 2)


def test_wiping_leaves_no_audio_and_marks_the_gap() -> None:
    ring: AudioRing[AudioFrame] = AudioRing(100)
    ring.put(frame(0))
    ring.put(frame(10))
    ring.wipe()
    assert ring.get() is None
    assert ring.waiting_samples == 0
    ring.put(frame(20))
    after = ring.get()
    assert after is not None
    assert after.lost_samples == 20
    assert ring.dropped_samples == 0


def test_get_waits_for_a_frame_from_another_thread() -> None:
    ring: AudioRing[AudioFrame] = AudioRing(100)
    threading.Timer(0.02, ring.put, [frame(0)]).start()
    assert ring.get(timeout_s=60) is not None


def test_get_gives_up_after_its_timeout() -> None:
    ring: AudioRing[AudioFrame] = AudioRing(100)
    before_s = time.monotonic()
    assert ring.get(timeout_s=0.02) is None
    assert time.monotonic() - before_s < 30


@given(
    st.lists(st.tuples(st.sampled_from(["put", "get", "wipe"]), st.integers(1, 40), st.integers(0, 20)), max_size=80),
    st.integers(10, 120),
)
def test_every_sample_is_delivered_marked_lost_or_still_waiting(
    steps: list[tuple[str, int, int]], capacity: int
) -> None:
    ring: AudioRing[AudioFrame] = AudioRing(capacity)
    written = accounted = 0
    for action, length, lost in steps:
        if action == "put":
            written += lost
            ring.put(frame(written, length, lost))
            written += length
            assert ring.waiting_samples <= max(capacity, length)
        elif action == "wipe":
            ring.wipe()
        elif (taken := ring.get()) is not None:
            assert taken.first_sample == accounted + taken.lost_samples
            accounted = taken.end_sample
    ring.put(frame(written, capacity + 1))  # drives out whatever waits: the gap must cover it
    last = ring.get()
    assert last is not None
    assert last.first_sample == accounted + last.lost_samples
