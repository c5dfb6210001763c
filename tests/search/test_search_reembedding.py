"""A change of the embedding model: made anew in pieces, resumed where it stopped, the old one answering meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from memory.memory_fakes import NOW, HashEmbedder, embedding, new

from junod.clock import SimulatedClock
from junod.errors import ModelError
from junod.memory.gguf_embedder import GgufEmbedder
from junod.memory.reembedding import PIECE, SMALL, Progress, answering, embed_all, embed_piece, progress
from junod.memory.search import SearchRequest
from junod.memory.store import MemoryStore
from junod.memory.verbs import find
from junod.settings import load_settings, models_dir

OLD, FRESH = HashEmbedder(), HashEmbedder(16, "fresh")
MANY = SMALL + 20


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as opened:
        yield opened


@pytest.fixture
def changed(store: MemoryStore) -> MemoryStore:
    """Many memories that the old model has read, and the new one has not."""
    for number in range(MANY):
        store.add(new(f"note {number}"), embedding(f"note {number}"))
    return store


def test_it_goes_on_where_it_was_interrupted(changed: MemoryStore) -> None:
    assert embed_piece(changed, FRESH) == PIECE
    assert progress(changed, "fresh", 16) == Progress(PIECE, MANY)
    heard: list[int] = []
    assert embed_all(changed, FRESH, heard.append) == MANY - PIECE
    assert heard[-1] == MANY - PIECE
    assert progress(changed, "fresh", 16).left == 0
    assert embed_piece(changed, FRESH) == 0


def test_the_old_model_answers_until_the_new_has_read_nearly_everything(changed: MemoryStore) -> None:
    """m88: another dimension than the store was built for."""
    assert answering(changed, "fresh", 16) == ("hash", 32)
    embed_piece(changed, FRESH)
    assert answering(changed, "fresh", 16) == ("hash", 32)
    embed_all(changed, FRESH, lambda _: None)
    assert answering(changed, "fresh", 16) == ("fresh", 16)


def test_a_new_household_has_the_configured_model_from_the_start(store: MemoryStore) -> None:
    assert answering(store, "fresh", 16) == ("fresh", 16)


def test_a_search_never_waits_for_a_change_of_models_and_words_are_found(changed: MemoryStore) -> None:
    """m88: keyword search still works."""
    found = find(changed, SearchRequest("note 7"), embedder=FRESH, now=NOW)
    assert found[0].memory.memory == "note 7"
    assert progress(changed, "fresh", 16).done == 0


def test_the_few_written_by_hand_are_read_on_the_way(store: MemoryStore) -> None:
    store.add(new("The spare key is under the pot"))
    assert find(store, SearchRequest("spare key"), embedder=FRESH, now=NOW)[0].distance is not None


def test_a_gguf_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"lost\.gguf"):
        GgufEmbedder(tmp_path / "lost.gguf", dims=64, threads=1)
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelError, match="cannot be read"):
        GgufEmbedder(tmp_path / "broken.gguf", dims=64, threads=1)


@pytest.mark.models
def test_a_gguf_model_embeds_cut_vectors_of_length_one() -> None:
    """A language model stands in for an embedding model: the path is the same, the vectors are poor."""
    (path,) = (models_dir(load_settings()) / "qwen2.5-coder-0.5b-instruct-q4_k_m").glob("*.gguf")
    embedder = GgufEmbedder(path, dims=64, threads=1)
    found = embedder.embed(["milk and eggs", "milk and eggs", "the boiler is broken", ""])
    assert (embedder.name, embedder.dims, found.shape) == (path.stem, 64, (4, 64))
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-4)
    assert found[0] @ found[1] > found[0] @ found[2]
    assert embedder.embed([]).shape == (0, 64)
