"""The real embedding model, and what is said when it is missing or broken."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from memory.memory_fakes import NOW, HashEmbedder, new

from junod.clock import SimulatedClock
from junod.errors import ModelError
from junod.memory.embedder import embed_texts
from junod.memory.search import SearchMode, SearchRequest, search
from junod.memory.sentence_embedder import SentenceEmbedder
from junod.memory.store import MemoryStore
from junod.settings import Settings, models_dir

TEXTS = ("Dentist appointment for Ben, Tue 31 Mar 2026, 15:00", "Aunt Ruth is allergic to walnuts", "Bins on Thursday")


def model_folder() -> Path:
    return models_dir(Settings()) / "all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def embedder() -> SentenceEmbedder:
    return SentenceEmbedder(model_folder(), threads=1)


@pytest.mark.models
def test_the_model_gives_rows_of_length_one(embedder: SentenceEmbedder) -> None:
    vectors = embedder.embed([*TEXTS, "", "\ud800\x00", "word " * 5_000])
    assert vectors.shape == (6, 384)
    assert vectors.dtype == np.dtype(np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert embedder.embed([]).shape == (0, 384)
    assert (embedder.name, embedder.dims) == ("all-MiniLM-L6-v2", 384)


@pytest.mark.models
def test_meaning_finds_what_no_word_does(embedder: SentenceEmbedder, tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as store:
        for text, vector in zip(TEXTS, embed_texts(embedder, TEXTS), strict=True):
            store.add(new(text), vector)
        for query, text in (("nuts", TEXTS[1]), ("who looks after the boy's teeth", TEXTS[0])):
            hits = search(store, SearchRequest(query, SearchMode.SEMANTIC), embedder=embedder, now=NOW)
            assert hits[0].memory.memory == text
        assert search(store, SearchRequest("quantum computing"), embedder=embedder, now=NOW) == ()


@pytest.mark.models
def test_weights_cut_short_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(model_folder(), folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1_000_000])
    with pytest.raises(ModelError, match=r"model\.safetensors") as caught:
        SentenceEmbedder(folder, threads=1)
    assert caught.value.hint == "Run `junod models pull all-MiniLM-L6-v2`."


@pytest.mark.parametrize("missing", ["modules.json", "config.json", "tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named_before_anything_heavy_is_loaded(tmp_path: Path, missing: str) -> None:
    for name in {"modules.json", "config.json", "tokenizer.json", "model.safetensors"} - {missing}:
        (tmp_path / name).write_text("{}")
    with pytest.raises(ModelError, match=missing) as caught:
        SentenceEmbedder(tmp_path, threads=1)
    assert "junod models pull" in caught.value.hint


def test_no_texts_need_no_model() -> None:
    assert embed_texts(HashEmbedder(), []) == ()
    assert [each.model for each in embed_texts(HashEmbedder(), ["a", "b"])] == ["hash", "hash"]
