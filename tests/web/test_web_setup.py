"""Setup, trust, export and forgetting everything."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web.web_fakes import Site, site

from junod.errors import SettingsError
from junod.settings import load_settings
from junod.web import setup_writer
from junod.web.setup_writer import SetupWriter


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path) as made:
        yield made


def test_what_is_chosen_is_written_and_the_comments_stay(house: Site, tmp_path: Path) -> None:
    file = tmp_path / "junod.toml"
    file.write_text("# ours\n[device]\nid = 'display' # by the sink\n")
    saved = house.post("/api/setup", {"device_id": "kitchen-1", "timezone": "Europe/Zurich", "microphone": "USB"})
    text = file.read_text()
    assert "# ours" in text
    assert "# by the sink" in text
    settings = load_settings(file)
    assert (settings.device.id, settings.household.timezone, settings.audio.device) == (
        "kitchen-1", "Europe/Zurich", "USB"
    )  # fmt: skip
    assert saved["needs_restart"] == ["device_id", "timezone"]
    assert house.reloads == [1]
    assert house.get("/api/setup")["microphone"] == "USB"


@pytest.mark.parametrize(
    ("body", "status"),
    [({"timezone": "Mars/Olympus"}, 400), ({"room": "attic"}, 422), ({"device_id": ""}, 422), ({"models": "x"}, 422)],
)
def test_what_is_not_allowed_changes_nothing(house: Site, tmp_path: Path, body: object, status: int) -> None:
    told = house.refused("POST", "/api/setup", status, json=body)
    assert (tmp_path / "junod.toml").read_text() == ""
    assert [file.name for file in tmp_path.glob("*.toml*")] == ["junod.toml"]
    assert house.reloads == []
    assert str(tmp_path / "junod.toml.") not in told["message"]


def test_a_broken_file_is_said_to_be_broken(house: Site, tmp_path: Path) -> None:
    (tmp_path / "junod.toml").write_text("[device\n")
    house.refused("POST", "/api/setup", 400, json={"room": "bedroom"})


def test_a_file_of_somebody_else_is_left_alone_and_ours_goes_over_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    etc, own = tmp_path / "etc.toml", tmp_path / "home" / "junod.toml"
    etc.write_text("# the administrator's\n[device]\nroom = 'bedroom'\n")
    monkeypatch.setattr(setup_writer, "find_config", lambda named: own if own.exists() else etc)
    monkeypatch.setattr(setup_writer, "user_config", lambda: own)
    monkeypatch.setattr(setup_writer, "_may_write", lambda path: path == own)
    writer = SetupWriter(None)
    assert writer.write({"device_id": "new"}) == own
    assert "# the administrator's" in own.read_text()
    assert load_settings(own).device.room == "bedroom"
    assert "new" not in etc.read_text()
    writer.write({"device_id": "newer"})
    assert load_settings(own).device.id == "newer"


def test_a_named_file_that_may_not_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "junod.toml"
    file.touch()
    monkeypatch.setattr(setup_writer, "_may_write", lambda path: False)
    with pytest.raises(SettingsError, match="may not be written"):
        SetupWriter(file).write({"device_id": "new"})


def test_microphones_are_listed_by_a_process_of_its_own(house: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"name": "USB mic", "channels": 1, "rate_hz": 48000, "is_default": True}]

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert command[-2:] == ["microphones", "--json"]
        return subprocess.CompletedProcess(command, 0, json.dumps(rows), "")

    monkeypatch.setattr(subprocess, "run", run)
    assert house.get("/api/setup/microphones")["microphones"] == rows


def test_microphones_that_cannot_be_listed_are_an_error_and_not_none(
    house: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(subprocess, "run", run)
    assert house.refused("GET", "/api/setup/microphones", 503)["error"] == "audio"


def test_models_that_lack_are_named_with_what_to_do(house: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = house.get("/api/setup/models")["models"]
    assert {row["name"] for row in rows} >= {"whisper-base", "all-MiniLM-L6-v2"}
    assert {"speech-to-text", "searching by meaning, judging what is worth keeping"} <= {row["use"] for row in rows}
    for row in rows:
        assert row["present"] or "junod models pull" in row["hint"]


def test_trust_tells_counts_and_no_word(house: Site) -> None:
    house.say("Buy milk")
    trust = house.get("/api/trust")
    assert trust["today"] == {"heard": 812, "kept": 12}
    assert trust["days"] == [{"date": "2026-03-24", "heard": 812, "kept": 12}]
    assert {"name": "gate", "thrown_away": 700} in trust["stages"]
    assert trust["size_bytes"] > 0
    assert trust["since"] == "2026-03-24T18:00:00+01:00"
    assert "milk" not in json.dumps(trust)


def test_everything_can_be_taken_out_as_json_and_as_markdown(house: Site) -> None:
    said = house.say("Piano at four")
    house.store.edit(said.id, "Piano at five")
    rows = house.get("/api/export.json")["memories"]
    assert [row["memory"] for row in rows] == ["Piano at four", "Piano at five"]
    response = house.ask("GET", "/api/export.zip")
    assert 'filename="junod-2026-03-24.zip"' in response.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        names = archive.namelist()
        assert "junod/index.md" in names
        assert any(name.startswith("junod/history/") for name in names)
        assert all(".." not in name for name in names)


@pytest.mark.parametrize("typed", ["", "yes", "delete", "delete everything!"])
def test_a_slip_erases_nothing(house: Site, typed: str) -> None:
    house.say("stays")
    assert "delete everything" in house.refused("POST", "/api/forget-all", 400, json={"typed": typed})["hint"]
    assert len(house.store.list()) == 1


def test_everything_is_erased_when_it_is_asked_for_in_words(house: Site) -> None:
    said = house.say("goes")
    assert house.post("/api/forget-all", {"typed": "Delete everything"})["forgotten"] == [said.id]
    assert list(house.store.export()) == []
