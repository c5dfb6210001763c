"""A household whose ear and models are scripted: sentence n is always the same, and becomes passage n and memory n.

Spool, store, debounce, hearing, deciding and backups are the real ones.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

from fakes import FakeActivity, FakeEmbedder, FakeExtractor, FakeTranscriber, frames, pass_guard
from memory.memory_fakes import NOW

from junod.clock import SimulatedClock
from junod.debounce import Debouncer, Place
from junod.events import Event, EventBus, PassageClosed, PassageDecided
from junod.memory.backups import Backups
from junod.memory.store import MemoryStore
from junod.pipeline import MAX_ATTEMPTS, Contexts, Deciding, Hearing, HearingParts, Listening
from junod.records import AudioFrame
from junod.replay import ReplayReport, ReplayStages, replay_frames
from junod.sections import DebounceSettings

FORGET_EVERY = 5
BACK_UP_EVERY = 9
SENTENCE_S = 8.0
_SAID = DebounceSettings()

Say = Callable[[str], None]


def words(number: int) -> str:
    """What is said in sentence `number`: words of its own, so that no two memories are alike."""
    rng = random.Random(number)
    return "remember " + " ".join("".join(rng.choices(string.ascii_lowercase, k=9)) for _ in range(3))


def spoken_at(number: int) -> datetime:
    return NOW + timedelta(seconds=SENTENCE_S * number)


def live(path: Path, first: int, say: Say, *, sentences: int = 10_000) -> None:
    """Hear sentences from `first` on, decide, forget some, make backups; tell `say` what is certain by then."""
    clock, bus = SimulatedClock(spoken_at(first)), EventBus()
    with MemoryStore.open(path, clock=clock) as store:
        store.recover_spool(max_attempts=MAX_ATTEMPTS)
        say("open")
        follow = Follower(store, clock, say)
        replay_frames(
            _audio(first, sentences), _stages(store, clock, bus, first), ReplayReport(), follow.take, lambda _: None
        )


def settle(path: Path) -> MemoryStore:
    """Open what is left, decide all that waits, parked passages too."""
    clock = SimulatedClock(NOW + timedelta(days=2))
    store = MemoryStore.open(path, clock=clock)
    store.recover_spool(max_attempts=MAX_ATTEMPTS)
    for parked in store.parked():
        store.release(parked.passage.id)
    deciding = Deciding(FakeExtractor(), FakeEmbedder(), store, Contexts(), EventBus())
    while deciding.decide_next() is not None:
        pass
    return store


class Follower:
    """Does what a household does besides talking."""

    def __init__(self, store: MemoryStore, clock: SimulatedClock, say: Say) -> None:
        self._store, self._clock, self._say = store, clock, say
        self._backups = Backups(store.path)

    def take(self, event: Event) -> None:
        if isinstance(event, PassageClosed):
            self._say(f"heard {event.passage.id}")
        if isinstance(event, PassageDecided):
            self._decided(event.decision.passage_id)

    def _decided(self, passage_id: str) -> None:
        self._say(f"decided {passage_id}")
        number = int(passage_id[1:])
        if number % FORGET_EVERY == 0:
            self._forget(number)
        if number % BACK_UP_EVERY == 0:
            self._backups.make(self._clock.now(), keep=2)
            self._say("backup made")

    def _forget(self, number: int) -> None:
        text = words(number)
        self._say(f"forgetting p{number}")
        for memory in [each for each in self._store.list() if each.memory == text]:
            self._store.forget(memory.id)
            self._say(f"forgot p{number}")


def _audio(first: int, sentences: int) -> Iterator[AudioFrame]:
    samples = 0
    for _ in range(sentences):
        for length_s, level in ((1.0, 0.5), (SENTENCE_S - 1.0, 0.0)):
            part = frames(length_s, level, first_sample=samples)
            samples = part[-1].end_sample
            yield from part


def _stages(store: MemoryStore, clock: SimulatedClock, bus: EventBus, first: int) -> ReplayStages:
    contexts, numbers = Contexts(), count(first)
    parts = HearingParts(
        FakeTranscriber(words(number) for number in range(first, first + 10_000)),
        pass_guard,
        Debouncer(_SAID, Place("kitchen"), lambda: f"p{next(numbers)}"),
        lambda passage: passage,
        store,
        contexts,
        ZoneInfo("UTC"),
    )
    deciding = Deciding(FakeExtractor(), FakeEmbedder(), store, contexts, bus)
    return ReplayStages(Listening(FakeActivity()), Hearing(parts, bus), deciding, clock, bus)
