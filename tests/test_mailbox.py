"""The ear never waits: a full mailbox loses the oldest audio, counts it, and keeps order."""

from __future__ import annotations

import threading

import numpy as np

from junod.mailbox import Item, Mailbox
from junod.records import SAMPLE_RATE_HZ, AudioMark, Segment, SegmentEnd


def segment(first_s: float, length_s: float = 1.0) -> Segment:
    first = int(first_s * SAMPLE_RATE_HZ)
    samples = np.zeros(int(length_s * SAMPLE_RATE_HZ), np.float32)
    return Segment(first, samples, first_s, first, first + len(samples), SegmentEnd.HANGOVER)


def put(box: Mailbox, item: Item) -> None:
    box.put(item, box.epoch)


def get(box: Mailbox, timeout_s: float) -> Item | None:
    taken = box.take(timeout_s)
    return taken.item if taken else None


def test_a_full_mailbox_loses_the_oldest_and_counts_it() -> None:
    """Case v62: a hung recogniser costs the oldest audio, never the ear."""
    box = Mailbox(capacity_s=3)
    for second in range(5):
        put(box, segment(second))
    assert box.dropped_segments == 2
    assert box.dropped_s == 2.0
    assert box.waiting_s == 3.0
    first = get(box, 0)
    assert isinstance(first, Segment)
    assert first.first_sample == 2 * SAMPLE_RATE_HZ


def test_a_segment_longer_than_the_mailbox_still_passes() -> None:
    box = Mailbox(capacity_s=3)
    put(box, segment(0))
    put(box, segment(1, length_s=20))
    item = get(box, 0)
    assert isinstance(item, Segment)
    assert item.duration_s == 20


def test_hours_of_silence_take_no_room() -> None:
    box = Mailbox(capacity_s=3)
    for sample in range(10_000):
        put(box, AudioMark(sample, 0))
    assert get(box, 0) == AudioMark(9_999, 0)
    assert get(box, 0) is None


def test_marks_keep_their_place_between_segments() -> None:
    box = Mailbox(capacity_s=30)
    items: list[Segment | AudioMark] = [segment(0), AudioMark(1, 1), segment(1), AudioMark(2, 2)]
    for item in items:
        put(box, item)
    assert [get(box, 0) for _ in items] == items


def test_closing_lets_the_rest_be_taken() -> None:
    box = Mailbox(capacity_s=30)
    put(box, segment(0))
    box.close()
    assert not box.is_drained
    assert get(box, 0) is not None
    assert box.is_drained
    assert get(box, 5) is None


def test_a_waiting_consumer_is_woken() -> None:
    box = Mailbox(capacity_s=30)
    got: list[object] = []
    consumer = threading.Thread(target=lambda: got.append(get(box, 60)))
    consumer.start()
    put(box, AudioMark(1, 0))
    consumer.join(60)
    assert got == [AudioMark(1, 0)]


def test_a_wipe_leaves_nothing() -> None:
    box = Mailbox(capacity_s=30)
    put(box, segment(0))
    box.wipe()
    assert get(box, 0) is None
    assert box.waiting_s == 0


def test_what_was_heard_before_a_wipe_is_not_taken_after_it() -> None:
    box = Mailbox(capacity_s=30)
    before = box.epoch
    box.wipe()
    box.put(segment(0), before)
    assert box.take(0) is None
    box.put(segment(1), box.epoch)
    taken = box.take(0)
    assert taken is not None
    assert taken.epoch == box.epoch
