"""A bounded ring between a driver's callback and its listener. The writer never waits; the oldest audio gives way."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray


class Block(Protocol):
    """An `AudioFrame`, or what a driver delivers before it becomes one. A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def samples(self) -> NDArray[np.float32]: ...

    @property
    def lost_samples(self) -> int: ...


BlockT = TypeVar("BlockT", bound=Block)


class AudioRing(Generic[BlockT]):
    """Holds at most `capacity_samples` (or one larger block); thread-safe."""

    def __init__(self, capacity_samples: int) -> None:
        self._capacity = capacity_samples
        self._blocks: deque[BlockT] = deque()
        self._waiting = 0
        self._lost = 0
        self._changed = threading.Condition()
        self.dropped_samples = 0
        """Samples dropped by overflow since the start."""
        self.overflows = 0
        """How often a block found the ring full."""

    @property
    def waiting_samples(self) -> int:
        return self._waiting

    def put(self, block: BlockT) -> None:
        """Append; where there is no room the oldest blocks are dropped and the gap is marked on the next one."""
        with self._changed:
            before = self._lost
            while self._blocks and self._waiting + len(block.samples) > self._capacity:
                self._drop_oldest()
            if self._lost > before:
                self.overflows += 1
            self._blocks.append(block)
            self._waiting += len(block.samples)
            self._changed.notify()

    def get(self, timeout_s: float = 0.0) -> BlockT | None:
        """The oldest block, or None when `timeout_s` passed without one."""
        with self._changed:
            if not self._changed.wait_for(lambda: bool(self._blocks), timeout_s):
                return None
            block = self._blocks.popleft()
            self._waiting -= len(block.samples)
            lost, self._lost = self._lost, 0
        return replace(block, lost_samples=block.lost_samples + lost) if lost else block

    def wipe(self) -> None:
        """Forget what waits (the microphone was muted). The gap is marked; it is not an overflow."""
        with self._changed:
            self._lost += self._waiting + sum(block.lost_samples for block in self._blocks)
            self._blocks.clear()
            self._waiting = 0

    def _drop_oldest(self) -> None:
        oldest = self._blocks.popleft()
        self._waiting -= len(oldest.samples)
        self._lost += len(oldest.samples) + oldest.lost_samples
        self.dropped_samples += len(oldest.samples)
