"""Vectors: one table for each model and dimension, cosine, replaceable, exact under filters."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from memory.memory_fakes import NOW, HashEmbedder, embedding, new

from junod.clock import SimulatedClock
from junod.errors import NotFoundError, StoreError
from junod.memory import changes, driver, rows, vectors
from junod.memory.embedder import Embedding, embed_texts
from junod.memory.rows import Filter
from junod.memory.search import SearchRequest, search
from junod.memory.store import MemoryStore

CLOCK = SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=CLOCK) as opened:
        yield opened


def vector(*numbers: float) -> Embedding:
    return Embedding("tiny", np.array(numbers, dtype=np.float32))


def test_distance_is_cosine_whatever_the_length(store: MemoryStore) -> None:
    """v77: the metric is declared, so a cut-off means what it says."""
    for name, numbers in {"same": (2.0, 0.0), "across": (0.0, 5.0), "against": (-0.5, 0.0)}.items():
        store.add(new(name), vector(*numbers))
    found = store.nearest(vector(1.0, 0.0), 3)
    assert [(each.memory.memory, round(each.measure, 6)) for each in found] == [
        ("same", 0.0),
        ("across", 1.0),
        ("against", 2.0),
    ]


def test_a_vector_is_replaced_and_not_doubled(store: MemoryStore) -> None:
    """m85: REPLACE fails on vec0; a second embedding takes the place of the first."""
    memory = store.add(new("Salt"), vector(1.0, 0.0))
    store.set_embedding(memory.id, vector(0.0, 1.0))
    (found,) = store.nearest(vector(0.0, 1.0), 5)
    assert found.measure == pytest.approx(0)
    assert store.vector_models() == {("tiny", 2): 1}
    with pytest.raises(NotFoundError):
        store.set_embedding("0199aaaa", vector(1.0, 0.0))


def test_hidden_rows_use_up_no_places(store: MemoryStore) -> None:
    current = store.add(new("Dentist, version 0"), vector(1.0, 0.01))
    for number in range(1, 30):
        current = store.edit(current.id, f"Dentist, version {number}", vector(1.0, 0.01))
    other = store.add(new("Something else"), vector(0.0, 1.0))
    found = store.nearest(vector(1.0, 0.0), 2)
    assert [each.memory.id for each in found] == [current.id, other.id]


def test_another_model_gets_its_own_table_and_words_still_find(store: MemoryStore) -> None:
    """m88: a store built for 384 numbers meets a model of 768."""
    small, large = HashEmbedder(384, "small"), HashEmbedder(768, "large")
    memories = [store.add(new(f"Buy salt {n}"), embedding(f"buy salt {n}", small)) for n in range(3)]
    assert store.nearest(embedding("buy salt 1", large), 3) == ()
    hits = search(store, SearchRequest("salt"), embedder=large, now=NOW)
    assert {hit.memory.id for hit in hits} == {memory.id for memory in memories}
    todo = store.unembedded("large", 768)
    assert {memory.id for memory in todo} == {memory.id for memory in memories}
    for memory, fresh in zip(todo, embed_texts(large, [each.memory for each in todo]), strict=True):
        store.set_embedding(memory.id, fresh)
    assert store.unembedded("large", 768) == ()
    assert store.nearest(embedding("buy salt 1", large), 1)[0].memory.id == memories[1].id
    assert store.nearest(embedding("buy salt 1", small), 1)[0].memory.id == memories[1].id
    assert store.vector_models() == {("small", 384): 3, ("large", 768): 3}
    store.forget(memories[1].id)
    assert store.vector_models() == {("small", 384): 2, ("large", 768): 2}


@pytest.mark.parametrize("numbers", [(), (0.0, 0.0), (float("nan"), 1.0), (float("inf"), 1.0)])
def test_a_vector_without_direction_is_refused(store: MemoryStore, numbers: tuple[float, ...]) -> None:
    with pytest.raises(StoreError):
        store.add(new("Salt"), vector(*numbers))
    assert store.list() == ()


def test_an_orphaned_vector_and_a_missing_word_are_noticed(store: MemoryStore) -> None:
    store.add(new("Salt"), vector(1.0, 0.0))
    with store.sessions.write() as session:
        session.connection.execute("INSERT INTO vectors_1 (rowid, embedding) VALUES (77, ?)", (b"\x00\x00\x80?" * 2,))
        session.connection.execute("UPDATE memories SET memory = 'Pepper'")
    problems = store.check()
    assert any("belong to no memory" in problem for problem in problems)
    assert any("word index" in problem for problem in problems)


def test_an_extension_that_does_not_load_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """m89: importing the package proves nothing; opening the store runs it."""
    import sqlite_vec  # type: ignore[import-untyped]

    monkeypatch.setattr(sqlite_vec, "load", lambda connection: connection.load_extension(str(tmp_path / "arm32.so")))
    (tmp_path / "arm32.so").write_bytes(b"\x7fELF\x01")
    with pytest.raises(StoreError, match="sqlite-vec extension does not load") as caught:
        MemoryStore.open(tmp_path / "junod.db", clock=CLOCK)
    assert "sqlite-vec>=0.1.9" in caught.value.hint


def test_a_missing_extension_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_vec(name: str, *rest: Any, **named: Any) -> Any:
        if name == "sqlite_vec":
            raise ImportError("No module named 'sqlite_vec'")
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_vec)
    with pytest.raises(StoreError, match="sqlite_vec"):
        MemoryStore.open(tmp_path / "junod.db", clock=CLOCK)


def test_the_extension_is_new_enough() -> None:
    """m89: the wheel of 0.1.6 for ARM was broken; deletions clear vectors since 0.1.7."""
    connection = driver.connect(":memory:", busy_timeout_s=1)
    numbers = re.findall(r"\d+", driver.load_vec(connection))
    connection.close()
    assert tuple(int(number) for number in numbers[:3]) >= (0, 1, 9)


def test_neighbours_are_asked_for_in_the_form_every_sqlite_understands() -> None:
    """v76: `LIMIT` in a KNN query fails on SQLite 3.40; v77: ordering by a distance function scans everything."""
    source = (Path(changes.__file__).parent / "vectors.py").read_text("utf-8")
    assert "MATCH :vector AND k = :k" in source
    assert "vec_distance" not in source


def test_one_memory_is_found_among_ten_thousand(store: MemoryStore) -> None:
    """v77: in the expected score range, by the index and not by a scan."""
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((10_000, 384), dtype=np.float32)
    with store.sessions.write() as session:
        for number, numbers in enumerate(vectors):
            changes.store(session, new(f"Note {number}"), Embedding("m", numbers))
    (found,) = store.nearest(Embedding("m", vectors[4_711]), 1)
    assert found.memory.memory == "Note 4711"
    assert found.measure == pytest.approx(0.0, abs=1e-5)


def test_what_is_nearest_is_the_same_whether_the_condition_is_asked_before_or_after(store: MemoryStore) -> None:
    """Also where nearly everything near is hidden, so that asking after finds too few."""
    for number in range(120):
        memory = store.add(new(f"note {number}"), embedding(f"note {number}"))
        if number < 110:
            store.archive(memory.id)
    sought = embedding("note 5")
    with store.sessions.read() as session:
        where, params = rows.condition(Filter(), session)
        before = vectors.nearest(session.connection, sought, 8, where, params)
        after = vectors.nearest(session.connection, sought, 8, where, params, mostly=True)
    assert len(before) == 8
    assert before == after


def test_words_of_hidden_memories_use_up_no_places(store: MemoryStore) -> None:
    for number in range(60):
        memory = store.add(new(f"milk {number}"))
        if number < 55:
            store.archive(memory.id)
    assert len(store.keyword("milk", 5)) == 5
