"""Wrong use of the store and the verbs: a clear sentence, and nothing lost or half-written."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from memory.memory_fakes import NOW, HashEmbedder, embedding, new
from numpy.typing import NDArray

from junod.clock import SimulatedClock
from junod.errors import ConflictError, JunodError, ModelError, NotFoundError, StoreError, UsageError
from junod.memory import verbs
from junod.memory.driver import driver
from junod.memory.embedder import Embedding
from junod.memory.reembedding import embed_piece
from junod.memory.search import SearchMode, SearchRequest
from junod.memory.store import EVERYTHING, MemoryStore
from junod.records import Memory

LIST = "Shopping list:\n- milk\n- eggs"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW), busy_timeout_s=0.05) as opened:
        yield opened


CHANGES: dict[str, Callable[[MemoryStore, Memory], object]] = {
    "add": lambda store, old: store.add(new("more")),
    "edit": lambda store, old: store.edit(old.id, "other"),
    "done": lambda store, old: store.done(old.id),
    "archive": lambda store, old: store.archive(old.id),
    "tick": lambda store, old: verbs.tick(store, old.id, "milk"),
    "undo": lambda store, old: verbs.undo(store, old.id),
    "forget": lambda store, old: verbs.forget(store, old.id),
    "forget now": lambda store, old: verbs.forget(store, old.id, grace_s=0),
    "expire": lambda store, old: store.expire(NOW + timedelta(days=2)),
    "remember": lambda store, old: verbs.remember(store, new("more")),
    "forget a range": lambda store, old: store.forget_spoken(NOW - timedelta(days=1)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_while_another_program_writes_is_worth_a_retry_and_changes_nothing(
    store: MemoryStore, change: Callable[[MemoryStore, Memory], object]
) -> None:
    old = store.add(new(LIST, expires_at=NOW + timedelta(days=1)), embedding("milk eggs"))
    other = driver.connect(store.path, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use by another program") as found:
            change(store, old)
        assert not found.value.permanent
        assert store.list() == (old,)
    finally:
        other.execute("ROLLBACK")
        other.close()
    change(store, old)
    assert store.check() == ()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_that_breaks_halfway_leaves_everything_as_it_was(
    store: MemoryStore, change: Callable[[MemoryStore, Memory], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is written to the journal last fails: with it goes all of the change."""
    old = store.add(new(LIST, expires_at=NOW + timedelta(days=1)), embedding("milk eggs"))

    def broken(*args: object, **kwargs: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr("junod.memory.session.Session.journal", broken)
        with pytest.raises((JunodError, sqlite3.Error)):
            change(store, old)
    assert store.list(EVERYTHING) == (old,)
    assert store.nearest(embedding("milk eggs"), 1)[0].memory == old
    assert store.check() == ()


@pytest.mark.parametrize("supersedes", [("no-such-id",), ("", "0"), ("0198c0de-0000-7000-8000-000000000000",)])
def test_a_merge_with_invented_sources_is_refused(store: MemoryStore, supersedes: tuple[str, ...]) -> None:
    kept = store.add(new(LIST))
    for sources in (supersedes, (kept.id, *supersedes)):
        with pytest.raises(ConflictError):
            store.add(new("Shopping list:\n- milk", source="merge", supersedes=sources, reason="list-growth"))
    assert store.list(EVERYTHING) == (kept,)


@pytest.mark.parametrize("grace_s", [-1.0, math.nan, math.inf, 3_601.0])
def test_an_odd_time_to_think_is_named_and_forgets_nothing(store: MemoryStore, grace_s: float) -> None:
    kept = store.add(new("Dentist"))
    for verb in (verbs.forget, verbs.undo):
        with pytest.raises(UsageError, match="seconds"):
            verb(store, kept.id, grace_s=grace_s)
    assert store.list() == (kept,)


@pytest.mark.parametrize("limit", [0, -1, -(10**9), 1_001, True])
def test_an_odd_limit_is_named_wherever_one_is_taken(store: MemoryStore, limit: int) -> None:
    store.add(new("Dentist"), embedding("dentist"))
    request = SearchRequest("dentist", SearchMode.HYBRID, limit)
    for look in (
        lambda: store.list(limit=limit),
        lambda: store.journal(limit),
        lambda: store.keyword("dentist", limit),
        lambda: store.nearest(embedding("dentist"), limit),
        lambda: store.unembedded("hash", 32, limit),
        lambda: verbs.find(store, request, embedder=None, now=NOW),
    ):
        with pytest.raises(UsageError, match="limit"):
            look()


@pytest.mark.parametrize("item", ["", " ", "-", "~~~~", "milk\n- eggs", "x" * 100_000, "\x00", "Shopping list:"])
def test_an_item_that_is_none_changes_nothing(store: MemoryStore, item: str) -> None:
    kept = store.add(new(LIST))
    with pytest.raises(NotFoundError):
        verbs.tick(store, kept.id, item)
    assert store.list(EVERYTHING) == (kept,)


class LyingEmbedder(HashEmbedder):
    """Gives vectors of another length than it says."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 16), dtype=np.float32)


def test_vectors_of_another_length_than_the_model_claims_are_refused(store: MemoryStore) -> None:
    store.add(new("Dentist"))
    with pytest.raises(ModelError, match="16"):
        embed_piece(store, LyingEmbedder(32))
    with pytest.raises(ModelError, match="16"):
        verbs.find(store, SearchRequest("dentist"), embedder=LyingEmbedder(32), now=NOW)
    assert store.vector_models() == {}


def test_a_query_of_another_length_finds_nothing_and_breaks_nothing(store: MemoryStore) -> None:
    kept = store.add(new("Dentist"), embedding("dentist"))
    assert store.nearest(embedding("dentist", HashEmbedder(16)), 5) == ()
    store.set_embedding(kept.id, embedding("dentist", HashEmbedder(16)))
    assert store.nearest(embedding("dentist", HashEmbedder(16)), 5)[0].memory == kept
    assert store.nearest(embedding("dentist"), 5)[0].memory == kept
    assert store.likeness(kept.id, [kept.id, "no-such-id"]) == {kept.id: pytest.approx(1.0)}


@pytest.mark.parametrize("vector", [np.zeros(8), np.full(8, np.nan), np.ones((2, 8)), np.array([])])
def test_a_vector_that_is_none_is_refused_with_the_memory(store: MemoryStore, vector: NDArray[np.float64]) -> None:
    with pytest.raises(StoreError):
        store.add(new("Dentist"), Embedding("hash", vector.astype(np.float32)))
    assert store.list(EVERYTHING) == ()


def test_changes_of_what_is_done_archived_or_superseded_say_what_became_of_it(store: MemoryStore) -> None:
    old = store.add(new("Dentist"))
    store.edit(old.id, "Dentist at four")
    away = store.add(new("Vet"))
    store.archive(away.id)
    for gone in (old, away):
        for change in (store.done, store.archive, lambda i: store.edit(i, "other"), lambda i: verbs.undo(store, i)):
            with pytest.raises(ConflictError) as found:
                change(gone.id)
            assert found.value.hint
    assert [memory.memory for memory in store.list()] == ["Dentist at four"]
