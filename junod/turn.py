"""What goes along with an item through the stages: whether it is still wanted, and what was said before."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from junod.spoken_orders import Order


class Contexts:
    """What was said before each passage that waits. Held in memory alone: context is never written.

    A restart loses it, and the passage is then decided by its own words.
    """

    def __init__(self, capacity: int = 256) -> None:
        self._capacity = capacity
        self._of: dict[str, tuple[str, ...]] = {}
        self._lock = threading.Lock()

    def keep(self, passage_id: str, context: tuple[str, ...]) -> None:
        with self._lock:
            self._of[passage_id] = context
            while len(self._of) > self._capacity:
                del self._of[next(iter(self._of))]

    def of(self, passage_id: str) -> tuple[str, ...]:
        with self._lock:
            return self._of.get(passage_id, ())

    def drop(self, passage_id: str) -> None:
        with self._lock:
            self._of.pop(passage_id, None)

    def wipe(self) -> None:
        """Forget all of it; what waits is decided by its own words."""
        with self._lock:
            self._of.clear()


def _always() -> bool:
    return True


def _ignore(order: Order, spoken_at: datetime) -> None:
    """In a replay there is no ear to be shut."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What holds while one item is in hand."""

    is_wanted: Callable[[], bool] = _always
    """False once the household had everything forgotten that was heard when the item was."""
    obey: Callable[[Order, datetime], None] = _ignore
    """Carries out an order by voice; the utterance that gave it is stored nowhere."""
    media: str = "auto"


ALONE = Turn()
