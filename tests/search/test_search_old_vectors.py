"""A change of the embedding model as the household sees it: the old answers, how far the new is, the old goes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from memory.memory_fakes import NOW, HashEmbedder, embedding, new

from junod.assembly import embedders
from junod.assembly.embedders import Embedders, configured_name, reading_again
from junod.clock import SimulatedClock
from junod.errors import ModelError
from junod.memory.old_vectors import drop_old_vectors
from junod.memory.reembedding import SMALL, Progress, embed_all, progress_of
from junod.memory.store import MemoryStore
from junod.settings import Settings

OLD, FRESH = HashEmbedder(), HashEmbedder(16, "fresh")
MANY = SMALL + 20
WEEK = timedelta(days=7)
SETTINGS = Settings.model_validate({"memory": {"embedding_model": "/nowhere/fresh"}})


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: SimulatedClock) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as opened:
        for number in range(MANY):
            opened.add(new(f"note {number}"), embedding(f"note {number}"))
        yield opened


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, HashEmbedder]:
    """Models on this machine by name."""
    there = {"hash": OLD, "fresh": FRESH}

    def at(path: Path, settings: Settings) -> HashEmbedder:
        if path.name not in there:
            raise ModelError(f"{path} is not there.")
        return there[path.name]

    monkeypatch.setattr(embedders, "_embedder_at", at)
    monkeypatch.setattr("junod.weights.locate.model_path", lambda name, folder: Path(name))
    return there


def test_the_old_model_answers_and_the_new_one_reads_what_is_stored(
    store: MemoryStore, models: dict[str, HashEmbedder]
) -> None:
    both = Embedders(SETTINGS, store)
    assert both.configured() is FRESH
    assert both.answering() is OLD
    embed_all(store, both.configured(), lambda _: None)
    assert both.answering() is FRESH


def test_without_the_old_weights_the_new_model_answers_with_what_it_has(
    store: MemoryStore, models: dict[str, HashEmbedder]
) -> None:
    del models["hash"]
    both = Embedders(SETTINGS, store)
    assert [both.answering(), both.answering()] == [FRESH, FRESH]


def test_how_far_it_is_is_told_without_loading_a_model(store: MemoryStore) -> None:
    assert reading_again(SETTINGS, store) == Progress(0, MANY)
    store.set_embedding(store.list()[0].id, embedding("note", FRESH))
    assert reading_again(SETTINGS, store) == progress_of(store, "fresh") == Progress(1, MANY)
    embed_all(store, FRESH, lambda _: None)
    assert reading_again(SETTINGS, store) is None


def test_a_gguf_model_is_filed_under_the_name_of_its_file() -> None:
    settings = Settings.model_validate({"memory": {"embedding_model": "/nowhere/small-q8.gguf"}})
    assert configured_name(settings) == "small-q8"


def test_old_vectors_stay_some_days_after_the_new_are_all_there(store: MemoryStore, clock: SimulatedClock) -> None:
    assert drop_old_vectors(store.sessions, "fresh", WEEK) == ()
    clock.advance(WEEK / timedelta(seconds=1))
    assert drop_old_vectors(store.sessions, "fresh", WEEK) == ()
    embed_all(store, FRESH, lambda _: None)
    assert drop_old_vectors(store.sessions, "fresh", WEEK) == ()
    clock.advance(WEEK / timedelta(seconds=1) - 1)
    assert drop_old_vectors(store.sessions, "fresh", WEEK) == ()
    clock.advance(1)
    assert drop_old_vectors(store.sessions, "fresh", WEEK) == ("hash",)
    assert store.vector_models() == {("fresh", 16): MANY}
    assert drop_old_vectors(store.sessions, "fresh", WEEK) == ()
    assert store.check() == ()


def test_going_back_to_the_old_model_keeps_its_vectors(store: MemoryStore, clock: SimulatedClock) -> None:
    embed_all(store, FRESH, lambda _: None)
    drop_old_vectors(store.sessions, "fresh", WEEK)
    clock.advance(2 * WEEK / timedelta(seconds=1))
    assert drop_old_vectors(store.sessions, "hash", WEEK) == ()
    clock.advance(WEEK / timedelta(seconds=1) - 1)
    assert drop_old_vectors(store.sessions, "hash", WEEK) == ()
    clock.advance(1)
    assert drop_old_vectors(store.sessions, "hash", WEEK) == ("fresh",)
    assert store.vector_models() == {("hash", 32): MANY}


def test_a_new_memory_without_a_vector_keeps_the_old_ones_in_place(store: MemoryStore) -> None:
    embed_all(store, FRESH, lambda _: None)
    store.add(new("Not read yet"))
    assert drop_old_vectors(store.sessions, "fresh", timedelta(0)) == ()
    embed_all(store, FRESH, lambda _: None)
    assert drop_old_vectors(store.sessions, "fresh", timedelta(0)) == ("hash",)
