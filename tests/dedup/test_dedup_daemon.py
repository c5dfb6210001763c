"""In the daemon dedup runs in the thread that owns the model, when nothing waits, and lets speech through."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import cast

import pytest
from dedup.dedup_fakes import NOW, ScriptedModel, new, shopping
from fakes import FakeEmbedder, FakeExtractor

from junod.clock import SimulatedClock
from junod.dedup.loop import Deduper
from junod.errors import StoreError
from junod.events import EventBus, MemoriesMerged
from junod.health import HealthBoard
from junod.mailbox import Mailbox
from junod.memory.store import MemoryStore
from junod.pipeline import Contexts, Deciding
from junod.sections import DedupSettings
from junod.workers import TIDY_AGAIN_S, DecideWorker, Shared

EVERY_S = 1200.0
LIMIT_S = 60.0


@dataclass
class Tidied:
    """Stands in for Deciding: nothing to decide, notes when it is asked to tidy."""

    clock: SimulatedClock
    results: list[bool | StoreError]
    at_s: list[float] = field(default_factory=list)
    may_go_on: list[bool] = field(default_factory=list)
    finished: Callable[[], None] = lambda: None

    def decide_next(self) -> None:
        """Each look at the empty spool takes ten seconds of the clock."""
        self.clock.advance(10)

    def catch_up(self, may_go_on: Callable[[], bool]) -> int:
        return 0

    def tidy(self, now: datetime, may_go_on: Callable[[], bool]) -> bool:
        self.at_s.append(self.clock.monotonic_s())
        self.may_go_on.append(may_go_on())
        result = self.results.pop(0)
        if not self.results:
            self.finished()
        if isinstance(result, StoreError):
            raise result
        return result


def run_worker(results: list[bool | StoreError]) -> Tidied:
    clock = SimulatedClock(NOW)
    shared = Shared(HealthBoard(clock, {"decide": 60}), clock, Mailbox(10))
    shared.passages.wait = lambda timeout=None: True  # type: ignore[method-assign]  # the clock, not time, moves on
    deciding = Tidied(clock, results)
    worker = DecideWorker(shared, lambda: cast(Deciding, deciding), EVERY_S)
    deciding.finished = worker.stop
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    thread.join(LIMIT_S)
    assert not thread.is_alive()
    return deciding


def test_it_runs_every_interval_and_soon_again_where_it_was_interrupted() -> None:
    busy = StoreError("The database is locked.", permanent=False)
    done = run_worker([True, False, busy, True])
    gaps = [b - a for a, b in zip([0.0, *done.at_s], done.at_s, strict=False)]
    assert gaps == [EVERY_S, EVERY_S, TIDY_AGAIN_S, TIDY_AGAIN_S]
    assert done.may_go_on == [True] * 4


def test_a_waiting_passage_interrupts_it() -> None:
    clock = SimulatedClock(NOW)
    shared = Shared(HealthBoard(clock, {"decide": 60}), clock, Mailbox(10))
    worker = DecideWorker(shared, lambda: cast(Deciding, None), EVERY_S)
    assert worker._may_go_on()
    shared.passages.set()
    assert not worker._may_go_on()


def test_each_merge_is_an_event(tmp_path: Path) -> None:
    bus = EventBus()
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as store, bus.subscribe() as inbox:
        embedder = FakeEmbedder()
        deduper = Deduper(store, DedupSettings(), ScriptedModel(), embedder)
        deciding = Deciding(FakeExtractor(), embedder, store, Contexts(), bus, deduper)
        ids = [store.add(new(shopping(item), 2 - n)).id for n, item in enumerate(("milk", "eggs"))]
        assert deciding.tidy(NOW, lambda: True)
        (event,) = inbox.drain()
    assert isinstance(event, MemoriesMerged)
    assert event.memory.memory == shopping("milk", "eggs")
    assert event.superseded == tuple(ids)


def test_without_dedup_there_is_nothing_to_tidy(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as store:
        deciding = Deciding(FakeExtractor(), FakeEmbedder(), store, Contexts(), EventBus())
        assert deciding.tidy(NOW, lambda: pytest.fail("nobody asks"))
