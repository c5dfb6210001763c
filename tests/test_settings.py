"""Settings: defaults, one file over them, environment over that; every error names key, place and range."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from junod.errors import SettingsError
from junod.resources import data_file
from junod.settings import Settings, data_dir, database_path, household_zone, load_settings, runtime_dir
from junod.settings_text import settings_text


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JUNOD_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "junod.toml"
    path.write_text(text, "utf-8")
    return path


def test_environment_wins_over_the_file_and_the_command_line_over_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "[vad]\nhangover_ms = 700\nthreshold = 0.4\n[device]\nid = 'file'\n")
    monkeypatch.setenv("JUNOD_VAD__THRESHOLD", "0.6")
    settings = load_settings(path, overrides={"device": {"id": "line"}})
    assert (settings.vad.hangover_ms, settings.vad.threshold, settings.device.id) == (700, 0.6, "line")
    assert settings.device.room == "kitchen"


@pytest.mark.parametrize(
    ("text", "needles"),
    [
        ("[vad]\nthresold = 0.5\n", ["vad.thresold", "unknown key", "junod.toml"]),
        ("[vad]\nthreshold = 7\n", ["vad.threshold", "less than 1", "junod.toml", "7"]),
        ("[device]\nroom = 'garage'\n", ["device.room", "kitchen", "living_room", "bedroom", "garage"]),
        ("[household]\ntimezone = 'Mars/Base'\n", ["household.timezone", "Mars/Base"]),
        ("[nothing]\na = 1\n", ["nothing", "unknown key"]),
        ("[vad\n", ["not valid TOML", "line 1"]),
    ],
)
def test_a_bad_file_is_named_with_its_key_and_what_is_allowed(tmp_path: Path, text: str, needles: list[str]) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(written(tmp_path, text))
    for needle in needles:
        assert needle in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_bad_environment_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUNOD_DEBOUNCE__QUIET_S", "soon")
    with pytest.raises(SettingsError, match="JUNOD_DEBOUNCE__QUIET_S"):
        load_settings()


def test_a_settings_file_that_is_not_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match=r"gone\.toml"):
        load_settings(tmp_path / "gone.toml")
    monkeypatch.setenv("JUNOD_CONFIG", str(tmp_path / "gone.toml"))
    with pytest.raises(SettingsError, match="JUNOD_CONFIG"):
        load_settings()


def test_settings_cannot_be_changed_after_they_were_read() -> None:
    settings = load_settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.vad.threshold = 0.1  # type: ignore[misc]  # that it fails is the point


def test_the_shipped_file_holds_every_key_with_its_default() -> None:
    text = data_file("config/junod.toml").read_text("utf-8")
    assert text == settings_text(Settings())
    assert Settings.model_validate(tomllib.loads(text)) == Settings()


@pytest.mark.parametrize("zone", ["Nowhere/Land", "CEST-1", "../etc/passwd"])
def test_an_odd_tz_is_refused_with_its_name(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    with pytest.raises(SettingsError, match="TZ="):
        household_zone(Settings())


def test_the_setting_wins_over_tz_and_an_unset_tz_falls_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Bangkok")
    assert household_zone(Settings()).key == "Asia/Bangkok"
    assert household_zone(load_settings(overrides={"household": {"timezone": "Europe/Berlin"}})).key == "Europe/Berlin"
    monkeypatch.delenv("TZ")
    assert household_zone(Settings()).key


def test_systemd_folders_win_over_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JUNOD_DATA_DIR", raising=False)
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    assert data_dir() == tmp_path / "state"
    assert database_path(Settings()) == tmp_path / "state" / "junod.db"
    assert runtime_dir() == tmp_path / "run"


def test_a_lone_carriage_return_is_no_end_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "junod.toml"
    path.write_bytes(b'[household]\rname = "Kim"\n')
    with pytest.raises(SettingsError, match="is not valid TOML"):
        load_settings(path)
