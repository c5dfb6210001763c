"""`junod models` as a person or a program sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from weights.weights_helpers import content, hub_source, manifest, serving

from junod.cli import models_view
from junod.cli.models import app
from junod.errors import UsageError
from junod.weights import manifest as manifest_module
from junod.weights import pull as pull_module

FILES = {"model.bin": content(5_000, "big"), "config.json": content(50, "small")}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder of its own and a manifest of one small model."""
    known = manifest(hub_source(FILES))
    for module in (manifest_module, models_view, pull_module):
        monkeypatch.setattr(module, "load_manifest", lambda: known)
    monkeypatch.setenv("JUNOD_CONFIG", "")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("JUNOD_MODELS__PATH", str(tmp_path / "models"))
    return tmp_path / "models"


def test_list_says_what_is_installed(folder: Path) -> None:
    listed = json.loads(CliRunner().invoke(app, ["list", "--json"]).stdout)
    assert listed["folder"] == str(folder)
    assert [(row["name"], row["installed"], row["bytes"]) for row in listed["models"]] == [("tiny", False, 5_050)]


def test_pull_makes_verify_pass(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(FILES) as hub:
        monkeypatch.setenv("JUNOD_MODELS__HUB", hub.base)
        pulled = CliRunner().invoke(app, ["pull"])
    assert pulled.exit_code == 0, pulled.output
    assert f"Whole and verified in {folder}: tiny" in pulled.stderr
    verified = CliRunner().invoke(app, ["verify", "--json"])
    assert verified.exit_code == 0
    assert [(state["name"], state["state"]) for state in json.loads(verified.stdout)] == [("tiny", "ok")]
    assert "yes" in CliRunner().invoke(app, ["list"]).stdout


def test_verify_fails_and_says_what_to_do_when_a_model_is_cut_short(folder: Path) -> None:
    (folder / "tiny").mkdir(parents=True)
    (folder / "tiny/model.bin").write_bytes(b"short")
    verified = CliRunner().invoke(app, ["verify"])
    assert verified.exit_code == 1
    assert "model.bin: 5 bytes instead of 5000" in verified.stdout
    assert "config.json: missing" in verified.stdout
    assert "junod models pull tiny" in verified.stdout


def test_names_and_all_together_are_wrong_use() -> None:
    result = CliRunner().invoke(app, ["pull", "tiny", "--all"])
    assert isinstance(result.exception, UsageError)
