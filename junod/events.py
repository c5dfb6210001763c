"""Typed events and a bus that faces can follow. A slow subscriber loses events; the publisher never waits."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from junod.records import Decision, EarSnapshot, Memory, Passage, Utterance


@dataclass(frozen=True, slots=True)
class Heard:
    """An utterance passed the guards; its credentials are masked. Held in memory only."""

    utterance: Utterance


@dataclass(frozen=True, slots=True)
class Discarded:
    """A segment or transcription was dropped before it became an utterance."""

    stage: str
    reason: str
    first_sample: int


@dataclass(frozen=True, slots=True)
class PassageClosed:
    passage: Passage


@dataclass(frozen=True, slots=True)
class PassageDecided:
    decision: Decision


@dataclass(frozen=True, slots=True)
class MemorySaved:
    memory: Memory


@dataclass(frozen=True, slots=True)
class MemoryRepeated:
    """What the store holds already was said again; nothing was stored."""

    memory: Memory


@dataclass(frozen=True, slots=True)
class MemoriesMerged:
    """Several memories became one; they stay as its history."""

    memory: Memory
    superseded: tuple[str, ...]
    """Ids, in order of speech."""


@dataclass(frozen=True, slots=True)
class MemoryRedated:
    """The clock was set, and a memory heard before that has its right date."""

    memory: Memory
    superseded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoriesExpired:
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MemoriesForgotten:
    """Erased at somebody's word, with their lineages."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EarChanged:
    """The ear's state, or what was asked of it, is another now."""

    snapshot: EarSnapshot


@dataclass(frozen=True, slots=True)
class RuleProposed:
    """Somebody declared a rule; it waits for a person to confirm it."""

    rule_id: str
    told: str
    """The rule in plain words."""


@dataclass(frozen=True, slots=True)
class RuleUnclear:
    """Somebody declared a rule, but left out what it needs."""

    question: str
    """To be asked back."""


@dataclass(frozen=True, slots=True)
class ReminderDue:
    """It is time to remind of something that is still remembered."""

    memory_id: str
    words: str
    """'Dentist for Leo in 30 minutes'."""
    begins_at: datetime
    """What it is about, aware; with `memory_id` it tells a reminder from another."""


@dataclass(frozen=True, slots=True)
class StageFailed:
    stage: str
    code: str
    message: str


Event = (
    Heard
    | Discarded
    | PassageClosed
    | PassageDecided
    | MemorySaved
    | MemoryRepeated
    | MemoriesMerged
    | MemoryRedated
    | MemoriesExpired
    | MemoriesForgotten
    | EarChanged
    | RuleProposed
    | RuleUnclear
    | ReminderDue
    | StageFailed
)


class Subscription:
    """A bounded inbox. `lost` counts events dropped because the owner was slow."""

    def __init__(self, capacity: int) -> None:
        self._inbox: queue.Queue[Event] = queue.Queue(capacity)
        self.lost = 0

    def offer(self, event: Event) -> None:
        try:
            self._inbox.put_nowait(event)
        except queue.Full:
            self.lost += 1

    def get(self, timeout_s: float | None = None) -> Event | None:
        """The next event, or None when `timeout_s` passed without one."""
        try:
            return self._inbox.get(timeout=timeout_s)
        except queue.Empty:
            return None

    def drain(self) -> Iterator[Event]:
        """What is waiting now, oldest first."""
        while not self._inbox.empty():
            yield self._inbox.get_nowait()


class EventBus:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscriptions: list[Subscription] = []

    def publish(self, event: Event) -> None:
        with self._lock:
            subscriptions = tuple(self._subscriptions)
        for subscription in subscriptions:
            subscription.offer(event)

    @contextmanager
    def subscribe(self, capacity: int = 256) -> Iterator[Subscription]:
        subscription = Subscription(capacity)
        with self._lock:
            self._subscriptions.append(subscription)
        try:
            yield subscription
        finally:
            with self._lock:
                self._subscriptions.remove(subscription)
