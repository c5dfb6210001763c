"""Checking what lies on the disk, finding it, and the manifest itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from weights.weights_helpers import content, hub_source, manifest, packages_source

from junod.errors import ModelError
from junod.weights import locate
from junod.weights import verify as verify_module
from junod.weights.manifest import Manifest, load_manifest
from junod.weights.verify import STAMPS, verify

BIG = content(5_000, "big")
SMALL = content(50, "small")
FILES = {"model.bin": BIG, "sub/config.json": SMALL}


@pytest.fixture
def known() -> Manifest:
    return manifest(hub_source(FILES))


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    """The model, whole."""
    for path, data in FILES.items():
        place = tmp_path / "tiny" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return tmp_path


def test_a_whole_model_is_ok(dest: Path, known: Manifest) -> None:
    (state,) = verify(["tiny"], dest, manifest=known)
    assert (state.state, state.bytes, state.problems) == ("ok", 5_050, ())


def test_a_changed_byte_is_found(dest: Path, known: Manifest) -> None:
    verify(["tiny"], dest, manifest=known)
    (dest / "tiny/model.bin").write_bytes(BIG[:-1] + b"?")
    (state,) = verify(["tiny"], dest, manifest=known)
    assert state.state == "corrupted"
    assert [(file.path, file.problem) for file in state.problems] == [("model.bin", "wrong sha256")]


def test_a_file_cut_short_is_named_with_both_sizes(dest: Path, known: Manifest) -> None:
    (dest / "tiny/model.bin").write_bytes(BIG[:17])
    (state,) = verify(["tiny"], dest, manifest=known)
    assert state.state == "incomplete"
    assert state.problems[0].problem == "17 bytes instead of 5000"


def test_nothing_there_is_missing(tmp_path: Path, known: Manifest) -> None:
    (state,) = verify(["tiny"], tmp_path, manifest=known)
    assert state.state == "missing"


def test_a_file_that_passed_is_hashed_again_only_when_it_changed_or_on_request(
    dest: Path, known: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify(["tiny"], dest, manifest=known)
    hashed: list[str] = []
    real = verify_module.sha256_of

    def counting(path: Path, advance: Callable[[int], None] | None = None) -> str:
        hashed.append(path.name)
        return real(path, advance)

    monkeypatch.setattr(verify_module, "sha256_of", counting)
    verify(["tiny"], dest, manifest=known)
    assert hashed == []
    os.utime(dest / "tiny/model.bin", ns=(1, 1))
    verify(["tiny"], dest, manifest=known)
    assert hashed == ["model.bin"]
    verify(["tiny"], dest, manifest=known, full=True)
    assert hashed == ["model.bin", "model.bin", "config.json"]


def test_a_hash_remembered_for_another_manifest_does_not_count(dest: Path, known: Manifest) -> None:
    verify(["tiny"], dest, manifest=known)
    other = manifest(hub_source({**FILES, "model.bin": content(5_000, "newer")}))
    (state,) = verify(["tiny"], dest, manifest=other)
    assert state.state == "corrupted"


@pytest.mark.parametrize("notes", ["", "not json", "[]", '{"model.bin": 3}', '{"model.bin": [1, 2]}'])
def test_unreadable_notes_mean_hashing_again(dest: Path, known: Manifest, notes: str) -> None:
    (dest / "tiny" / STAMPS).write_text(notes)
    (state,) = verify(["tiny"], dest, manifest=known)
    assert state.state == "ok"


def test_either_conversion_counts_as_installed(dest: Path) -> None:
    other = hub_source({"model.bin": content(10, "hub")})
    (state,) = verify(["tiny"], dest, manifest=manifest(other, packages_source({p: [d] for p, d in FILES.items()})))
    assert state.state == "ok"


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch, known: Manifest) -> None:
    monkeypatch.setattr(locate, "load_manifest", lambda: known)


@pytest.mark.usefixtures("shipped")
def test_a_model_is_found_by_name_as_folder(dest: Path) -> None:
    assert locate.model_path("tiny", dest) == dest / "tiny"


@pytest.mark.usefixtures("shipped")
def test_a_missing_model_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="tiny is not installed") as caught:
        locate.model_path("tiny", tmp_path)
    assert caught.value.hint == "Run `junod models pull tiny`."


@pytest.mark.usefixtures("shipped")
def test_a_model_cut_short_is_refused_before_it_is_loaded(dest: Path) -> None:
    (dest / "tiny/model.bin").write_bytes(BIG[:17])
    with pytest.raises(ModelError, match=r"incomplete: model\.bin missing or cut short") as caught:
        locate.model_path("tiny", dest)
    assert "junod models pull tiny" in caught.value.hint


@pytest.mark.usefixtures("shipped")
def test_a_path_or_a_folder_of_ones_own_is_taken_as_it_is(tmp_path: Path) -> None:
    gguf = tmp_path / "own" / "mine.gguf"
    gguf.parent.mkdir()
    gguf.write_bytes(b"GGUF")
    assert locate.model_path(str(gguf), tmp_path / "models") == gguf
    assert locate.model_path(str(gguf.parent), tmp_path / "models") == gguf
    assert locate.model_path("own", tmp_path) == gguf


@pytest.mark.usefixtures("shipped")
def test_a_name_nobody_knows_lists_the_names(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model 'whale'") as caught:
        locate.model_path("whale", tmp_path)
    assert "tiny" in caught.value.hint


def test_the_shipped_manifest_has_a_default_for_each_role() -> None:
    models = load_manifest().models
    assert {model.role for model in models if model.default} == {"extractor", "speech-to-text", "embedder", "gate"}
    assert all(source.size > 0 for model in models for source in model.sources)


def test_the_shipped_manifest_can_do_without_a_hub() -> None:
    for model in load_manifest().models:
        assert [source.kind in ("packages", "model") for source in model.sources].count(True) == 1


def test_the_settings_name_models_of_the_manifest() -> None:
    from junod.settings import Settings

    settings = Settings()
    assert {settings.extract.model, settings.memory.embedding_model} <= set(load_manifest().names(default_only=True))


VALID = """
[[models]]
name = "m"
role = "embedder"
licence = "MIT"
about = "x"
[[models.sources]]
kind = "hub"
repo = "a/b"
revision = "1"
files = [{ path = "f", size = 1, sha256 = "SHA" }]
""".replace("SHA", "a" * 64)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (VALID.replace('"f"', '"../f"'), "inside the model's folder"),
        (VALID.replace('"f"', '"/etc/f"'), "inside the model's folder"),
        (VALID.replace("aaaa", "AAAA"), "sha256"),
        (VALID.replace('name = "m"', 'name = "../m"'), "name"),
        (VALID.replace('kind = "hub"', 'kind = "packages"'), "needs parts"),
        (VALID.replace('revision = "1"\n', ""), "needs repo and revision"),
        (VALID + VALID, "same name"),
        (VALID + "unknown = 1", "unknown"),
        ("models = [", "not valid TOML"),
    ],
)
def test_a_wrong_manifest_is_refused_with_its_place(tmp_path: Path, wrong: str, said: str) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text(wrong)
    with pytest.raises(ModelError, match=said) as caught:
        load_manifest(path)
    assert str(path) in caught.value.message


def test_a_manifest_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        load_manifest(tmp_path / "none.toml")


@pytest.mark.models
def test_the_installed_default_models_are_what_the_manifest_says() -> None:
    from junod.settings import load_settings, models_dir

    states = verify(load_manifest().names(default_only=True), models_dir(load_settings()))
    assert [state.state for state in states] == ["ok"] * 4
