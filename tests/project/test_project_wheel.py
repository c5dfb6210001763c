"""What gets built is complete: the wheel carries its data, and pins and extras belong together."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """junod's wheel, built from this tree with the backend that is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    built = subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert built.returncode == 0, built.stderr
    return folder / built.stdout.strip().splitlines()[-1]


def test_the_unpacked_wheel_finds_its_data_files(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    look = (
        "from junod.resources import data_file\n"
        "from junod.weights.manifest import load_manifest\n"
        "print(data_file('models/manifest.toml')); print(data_file('config/junod.toml')); load_manifest()"
    )
    found = subprocess.run(
        [sys.executable, "-c", look], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False
    )
    assert found.returncode == 0, found.stderr
    paths = [Path(line) for line in found.stdout.split()]
    assert [path.name for path in paths] == ["manifest.toml", "junod.toml"]
    assert all(path.is_relative_to(tmp_path) for path in paths)


def test_the_wheel_holds_no_weights_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert not [name for name in names if name.endswith((".gguf", ".flac", ".onnx")) or name.startswith("tests")]
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_holds_the_whole_page_with_the_licences_of_what_it_borrows(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if "/static/" in name}
    static = ROOT / "junod" / "web" / "static"
    assert names == {str(path.relative_to(ROOT)) for path in static.rglob("*") if path.is_file()}
    assert {"junod/web/static/vendor/LICENSES.txt", "junod/web/static/fonts/LICENSE"} <= names


def test_every_dependency_of_the_project_is_pinned() -> None:
    pinned = _pins()
    wanted = {canonicalize_name(requirement.name) for requirement in _requirements() if requirement.name != "junod"}
    assert wanted - set(pinned) == set()


def test_the_pins_are_versions_the_project_accepts() -> None:
    pinned = _pins()
    for requirement in _requirements():
        if requirement.name != "junod":
            version = pinned[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version, prereleases=True), f"{requirement} does not accept {version}"


def test_the_pins_name_no_local_build_and_no_path() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins == sorted(pins)
    assert not [pin for pin in pins if "@" in pin or "+" in pin or "/" in pin or "==" not in pin]


def _pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {str(canonicalize_name(name)): version for name, version in pins}


def _requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    return [Requirement(line) for line in project["dependencies"] + extras]


def test_the_page_names_its_modules_so_that_they_come_at_once() -> None:
    static = ROOT / "junod" / "web" / "static"
    page = (static / "index.html").read_text("utf-8")
    later = {"main.js", "pair.js", "layout-worker.js", "vendor/d3-force.js"}
    modules = {str(path.relative_to(static)) for path in static.rglob("*.js")} - later
    assert {name for name in modules if f'modulepreload" href="/static/{name}"' not in page} == set()
