"""The bounded queue between the ear and the recogniser. The ear never waits: when it is full the oldest audio goes.

Capped in seconds of audio, so in bytes: one second is 64 kB.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from junod.records import SAMPLE_RATE_HZ, AudioMark, Segment

Item = Segment | AudioMark


@dataclass(frozen=True, slots=True)
class Taken:
    """An item with the epoch it was heard in: where the mailbox has a later one, it is to be thrown away."""

    item: Item
    epoch: int


class Mailbox:
    """First in, first out; one producer, one consumer.

    Args:
        capacity_s: seconds of audio that may wait.
        on_drop: told of each segment that gave way.
    """

    def __init__(self, capacity_s: float, on_drop: Callable[[Segment], None] | None = None) -> None:
        self._capacity_s = capacity_s
        self._on_drop = on_drop
        self._items: deque[Item] = deque()
        self._waiting_samples = 0
        self._changed = threading.Condition()
        self._closed = False
        self.epoch = 0
        """Counts wipes: what was heard in an earlier epoch is wanted nowhere any more."""
        self.dropped_segments = 0
        self.dropped_s = 0.0

    @property
    def waiting_s(self) -> float:
        """Seconds of audio that wait."""
        return self._waiting_samples / SAMPLE_RATE_HZ

    @property
    def is_drained(self) -> bool:
        """Closed, and everything was taken."""
        with self._changed:
            return self._closed and not self._items

    def put(self, item: Item, epoch: int) -> None:
        """Never blocks. A mark replaces a mark that waits last, so silence takes no room.

        What was heard in an epoch that is over is not taken.
        """
        with self._changed:
            if epoch != self.epoch:
                return
            if isinstance(item, AudioMark):
                if self._items and isinstance(self._items[-1], AudioMark):
                    self._items.pop()
            else:
                self._waiting_samples += len(item.samples)
                self._make_room()
            self._items.append(item)
            self._changed.notify()

    def take(self, timeout_s: float) -> Taken | None:
        """The oldest item, or None when nothing came in `timeout_s` or the box is closed and empty."""
        with self._changed:
            if not self._items and not self._closed:
                self._changed.wait(timeout_s)
            if not self._items:
                return None
            item = self._items.popleft()
            if isinstance(item, Segment):
                self._waiting_samples -= len(item.samples)
            return Taken(item, self.epoch)

    def close(self) -> None:
        """No more will come; what waits can still be taken."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def wipe(self) -> None:
        """Forget all waiting audio, and refuse what was heard up to now and not put in yet."""
        with self._changed:
            self.epoch += 1
            self._items.clear()
            self._waiting_samples = 0

    def _make_room(self) -> None:
        while self.waiting_s > self._capacity_s:
            oldest = next((item for item in self._items if isinstance(item, Segment)), None)
            if oldest is None:
                return
            self._items.remove(oldest)
            self._waiting_samples -= len(oldest.samples)
            self.dropped_segments += 1
            self.dropped_s += oldest.duration_s
            if self._on_drop is not None:
                self._on_drop(oldest)
