"""The ear never waits: a full mailbox loses the oldest audio, counts it, and keeps order."""

from __future__ import annotations

import threading

import numpy as np

from junod.mailbox import Mailbox
from junod.records import SAMPLE_RATE_HZ, AudioMark, Segment, SegmentEnd


def segment(first_s: float, length_s: float = 1.0) -> Segment:
    first = int(first_s * SAMPLE_RATE_HZ)
    samples = np.zeros(int(length_s * SAMPLE_RATE_HZ), np.float32)
    return Segment(first, samples, first_s, first, first + len(samples), SegmentEnd.HANGOVER)


def test_a_full_mailbox_loses_the_oldest_and_counts_it() -> None:
    """Case v62: a hung recogniser costs the oldest audio, never the ear."""
    box = Mailbox(capacity_s=3)
    for second in range(5):
        box.put(segment(second))
    assert box.dropped_segments == 2
    assert box.dropped_s == 2.0
    assert box.waiting_s == 3.0
    first = box.get(0)
    assert isinstance(first, Segment)
    assert first.first_sample == 2 * SAMPLE_RATE_HZ


def test_a_segment_longer_than_the_mailbox_still_passes() -> None:
    box = Mailbox(capacity_s=3)
    box.put(segment(0))
    box.put(segment(1, length_s=20))
    item = box.get(0)
    assert isinstance(item, Segment)
    assert item.duration_s == 20


def test_hours_of_silence_take_no_room() -> None:
    box = Mailbox(capacity_s=3)
    for sample in range(10_000):
        box.put(AudioMark(sample, 0))
    assert box.get(0) == AudioMark(9_999, 0)
    assert box.get(0) is None


def test_marks_keep_their_place_between_segments() -> None:
    box = Mailbox(capacity_s=30)
    items: list[Segment | AudioMark] = [segment(0), AudioMark(1, 1), segment(1), AudioMark(2, 2)]
    for item in items:
        box.put(item)
    assert [box.get(0) for _ in items] == items


def test_closing_lets_the_rest_be_taken() -> None:
    box = Mailbox(capacity_s=30)
    box.put(segment(0))
    box.close()
    assert not box.is_drained
    assert box.get(0) is not None
    assert box.is_drained
    assert box.get(5) is None


def test_a_waiting_consumer_is_woken() -> None:
    box = Mailbox(capacity_s=30)
    got: list[object] = []
    consumer = threading.Thread(target=lambda: got.append(box.get(10)))
    consumer.start()
    box.put(AudioMark(1, 0))
    consumer.join(5)
    assert got == [AudioMark(1, 0)]


def test_a_wipe_leaves_nothing() -> None:
    box = Mailbox(capacity_s=30)
    box.put(segment(0))
    box.wipe()
    assert box.get(0) is None
    assert box.waiting_s == 0
