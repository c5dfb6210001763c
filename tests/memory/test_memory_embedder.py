"""The real embedding model, and what is said when it is missing or broken."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from memory.memory_fakes import NOW, HashEmbedder, new
from safetensors.numpy import save_file

from junod.assembly.embedders import QUESTIONS
from junod.clock import SimulatedClock
from junod.errors import ModelError
from junod.memory.embedder import embed_question, embed_texts
from junod.memory.search import SearchMode, SearchRequest, search
from junod.memory.sentence_embedder import AskingEmbedder, SentenceEmbedder
from junod.memory.store import MemoryStore
from junod.resources import data_file
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


@pytest.fixture(scope="module")
def asking() -> AskingEmbedder:
    return AskingEmbedder(model_folder(), data_file(QUESTIONS), threads=1)


@pytest.mark.models
def test_memories_keep_their_vectors_and_questions_move_towards_their_answers(
    asking: AskingEmbedder, embedder: SentenceEmbedder
) -> None:
    assert (asking.embed(TEXTS) == embedder.embed(TEXTS)).all()
    (answer,) = embed_texts(asking, ["Drill is lent to Oskar, back by Fri 8 May 2026"])
    plain, asked = embed_texts(asking, ["power tool"])[0], embed_question(asking, "power tool")
    assert (plain.asks, asked.asks) == (False, True)
    assert asked.vector @ answer.vector > plain.vector @ answer.vector + 0.05
    assert asking.embed_questions([]).shape == (0, 384)


@pytest.mark.models
def test_both_models_share_their_table_of_words(asking: AskingEmbedder) -> None:
    first, second = (model[0].auto_model for model in (asking._model, asking._asking))
    assert first.embeddings is second.embeddings
    assert first.encoder.layer[5] is not second.encoder.layer[5]


@pytest.mark.models
def test_what_was_taught_to_other_weights_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.safetensors"
    save_file({"a": np.zeros(1, np.float32)}, other, metadata={"base_sha256": "0" * 64})
    with pytest.raises(ModelError, match="learned to ask"):
        AskingEmbedder(model_folder(), other, threads=1)
    damaged = tmp_path / "questions.safetensors"
    damaged.write_bytes(b"nothing of the kind")
    with pytest.raises(ModelError, match="cannot be read") as caught:
        AskingEmbedder(model_folder(), damaged, threads=1)
    assert str(damaged) in str(caught.value)


def test_a_model_that_has_not_learned_to_ask_reads_questions_like_memories() -> None:
    embedder = HashEmbedder()
    found = embed_question(embedder, "who has the key")
    assert not found.asks
    assert (found.vector == embed_texts(embedder, ["who has the key"])[0].vector).all()
