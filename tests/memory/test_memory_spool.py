"""Passages on their way to a decision: none lost, none decided twice."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from memory.memory_fakes import NOW, embedding, new, passage

from junod.clock import SimulatedClock
from junod.errors import ConflictError, NotFoundError, StoreError
from junod.memory.spool import SpoolState
from junod.memory.store import EVERYTHING, MemoryStore
from junod.records import Decision, Outcome, PassageEnd

REJECTED = Decision("p1", Outcome.REJECTED, "gate", score=0.02, reason="below-threshold")
KEPT = Decision("p1", Outcome.KEPT, "kept", score=0.99, memories=(new("Salt", transcript="buy salt"),))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as opened:
        yield opened


def test_a_passage_comes_back_whole_and_in_its_zone(store: MemoryStore) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    spoken = datetime(2026, 3, 28, 23, 30, tzinfo=berlin)
    said = passage(
        "p1",
        "call mum tomorrow",
        spoken_at=spoken,
        context=("hello",),
        utterance_starts=(spoken, spoken + timedelta(seconds=3)),
        device_id="display",
        closed_by=PassageEnd.CAP,
        clock_synced=False,
    )
    store.spool_passage(said)
    taken = store.next_passage()
    assert taken is not None
    assert taken.passage == said
    assert (taken.passage.spoken_at + timedelta(days=1)).utcoffset() == timedelta(hours=2)  # summer time begins


def test_passages_are_taken_in_the_order_heard_and_once(store: MemoryStore) -> None:
    for number in range(3):
        assert store.spool_passage(passage(f"p{number}", f"words {number}"))
    assert store.spool_passage(passage("p1", "words 1")) is False
    taken = [store.next_passage() for _ in range(4)]
    assert [each.passage.id for each in taken if each] == ["p0", "p1", "p2"]
    assert taken[3] is None
    assert store.spool_count() == 3


def test_deciding_stores_journals_and_erases_in_one_go(store: MemoryStore) -> None:
    store.spool_passage(passage("p1", "buy salt"))
    (memory,) = store.decide("p1", KEPT, [embedding("salt")])
    assert store.list() == (memory,)
    assert store.spool_count() == 0
    decided = next(entry for entry in store.journal() if entry.event == "decided")
    assert (decided.passage_id, decided.stage, decided.score, decided.reason) == ("p1", "kept", 0.99, "")


def test_a_passage_is_decided_exactly_once(store: MemoryStore) -> None:
    store.spool_passage(passage("p1", "buy salt"))
    assert len(store.decide("p1", KEPT, [embedding("salt")])) == 1
    assert store.spool_passage(passage("p1", "buy salt")) is False
    assert store.decide("p1", KEPT, [embedding("salt")]) == ()
    assert len(store.list(EVERYTHING)) == 1
    assert [entry.event for entry in store.journal()].count("decided") == 1


def test_a_rejected_passage_stays_rejected(store: MemoryStore) -> None:
    store.spool_passage(passage("p1", "buy salt"))
    assert store.decide("p1", REJECTED) == ()
    assert store.decide("p1", KEPT) == ()
    assert store.list() == ()


def test_a_decision_that_cannot_be_stored_leaves_the_passage_waiting(store: MemoryStore) -> None:
    store.spool_passage(passage("p1", "buy salt"))
    store.next_passage()
    both = Decision("p1", Outcome.KEPT, "kept", memories=(new("Salt"), new("Pepper", supersedes=("gone",))))
    with pytest.raises(ConflictError):
        store.decide("p1", both, [embedding("salt"), embedding("pepper")])
    assert store.list(EVERYTHING) == ()
    assert store.spool_count() == 1
    assert [entry.event for entry in store.journal()] == ["spooled"]
    store.retry("p1", "conflict")
    again = store.next_passage()
    assert again is not None
    assert (again.attempts, again.last_error) == (2, "conflict")


def test_embeddings_must_fit_the_decision(store: MemoryStore) -> None:
    with pytest.raises(StoreError, match="embeddings"):
        store.decide("p1", KEPT, [embedding("salt"), embedding("pepper")])
    with pytest.raises(StoreError, match="fit passage p2"):
        store.decide("p2", KEPT, [embedding("salt")])


def test_a_parked_passage_is_visible_and_can_be_released(store: MemoryStore) -> None:
    store.spool_passage(passage("p1", "buy salt"))
    store.next_passage()
    store.decide("p1", Decision("p1", Outcome.PARKED, "llm", reason="deadline"))
    (parked,) = store.parked()
    assert (parked.passage.transcript, parked.state, parked.last_error) == ("buy salt", SpoolState.PARKED, "deadline")
    assert parked.enqueued_at == NOW
    assert (store.next_passage(), store.spool_count(), store.counts().parked) == (None, 0, 1)
    store.release("p1")
    again = store.next_passage()
    assert again is not None
    assert again.attempts == 1
    assert len(store.decide("p1", KEPT)) == 1
    assert store.parked() == ()


def test_an_error_code_that_could_be_speech_is_not_written(store: MemoryStore) -> None:
    store.spool_passage(passage("p1", "buy salt"))
    store.park("p1", "could not parse: buy salt")
    assert store.parked()[0].last_error == "unlisted"
    assert "salt" not in repr(store.journal())


@pytest.mark.parametrize("act", ["retry", "park"])
def test_what_is_not_spooled_cannot_be_put_back(store: MemoryStore, act: str) -> None:
    with pytest.raises(NotFoundError, match="p9"):
        getattr(store, act)("p9", "deadline")


def test_what_was_in_work_at_a_crash_waits_again_and_a_killer_is_parked(store: MemoryStore) -> None:
    store.spool_passage(passage("p1", "kills the process"))
    for _ in range(2):
        assert store.next_passage() is not None
        assert store.recover_spool(max_attempts=3) == 1
    store.next_passage()
    assert store.recover_spool(max_attempts=3) == 0
    assert [each.passage.id for each in store.parked()] == ["p1"]


def test_of_too_many_waiting_passages_the_oldest_are_parked(store: MemoryStore) -> None:
    for number in range(5):
        store.spool_passage(passage(f"p{number}", f"words {number}"))
    assert store.park_overflow(3) == 2
    assert [each.passage.id for each in store.parked()] == ["p0", "p1"]
    assert store.park_overflow(3) == 0


def test_a_passage_too_long_is_refused(store: MemoryStore) -> None:
    with pytest.raises(StoreError, match="100001 characters"):
        store.spool_passage(passage("p1", "x" * 100_001))
    with pytest.raises(StoreError, match="household"):
        store.spool_passage(passage("p1", "x", household_id="neighbours"))


def test_a_crash_between_storing_and_knowing_of_it_stores_nothing_twice(tmp_path: Path) -> None:
    clock = SimulatedClock(NOW)
    first = MemoryStore.open(tmp_path / "junod.db", clock=clock)
    first.spool_passage(passage("p1", "buy salt"))
    first.next_passage()
    del first  # never closed, as after kill -9
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as second:
        assert second.recover_spool(max_attempts=3) == 1
        taken = second.next_passage()
        assert taken is not None
        assert len(second.decide(taken.passage.id, KEPT)) == 1
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as third:
        assert third.decide("p1", KEPT) == ()
        assert len(third.list(EVERYTHING)) == 1
