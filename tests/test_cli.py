"""The command line as a person or a program meets it: a process of its own, its output, its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from junod.memory.lock import DaemonLock

Junod = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def junod(tmp_path: Path) -> Junod:
    """Runs `junod` in folders of its own."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("JUNOD_")},
        "JUNOD_DATA_DIR": str(tmp_path / "data"),
        "JUNOD_RUNTIME_DIR": str(tmp_path / "run"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "TZ": "Europe/Berlin",
        "COLUMNS": "160",
    }

    def call(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "junod", *arguments],
            capture_output=True,
            text=True,
            timeout=240,
            env={**environment, **extra},
            check=False,
        )

    return call


def rows(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def fails(done: subprocess.CompletedProcess[str], code: int, *needles: str) -> None:
    """It failed with this exit code, in a sentence that holds the needles, without a traceback."""
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for needle in needles:
        assert needle in done.stderr


def test_help_names_every_command(junod: Junod) -> None:
    """That it loads nothing heavy, and so answers at once, is tested with the imports."""
    done = junod("--help")
    assert done.returncode == 0
    for command in (
        "run", "replay", "memories", "status", "doctor", "config", "models", "eval", "calibrate", "mcp", "export",
        "forget",
    ):  # fmt: skip
        assert command in done.stdout


@pytest.mark.parametrize(
    "command",
    ["run", "replay", "memories list", "memories search", "memories forget", "status", "doctor", "eval", "calibrate"],
)
def test_every_command_explains_itself(junod: Junod, command: str) -> None:
    done = junod(*command.split(), "--help")
    assert done.returncode == 0
    assert len(done.stdout) > 200


def test_a_memory_by_hand_is_listed_corrected_done_restored_and_forgotten(junod: Junod) -> None:
    first = rows(junod("memories", "add", "Bins go out on Tuesday", "--json"))
    assert first["memory"] == "Bins go out on Tuesday"
    assert first["source"] == "manual"
    edited = rows(junod("memories", "edit", first["id"][-8:], "Bins go out on Wednesday", "--json"))
    assert edited["supersedes"] == [first["id"]]
    done = rows(junod("memories", "done", edited["id"], "--json"))
    assert done["memory"] == "~~Bins go out on Wednesday~~"
    restored = rows(junod("memories", "restore", done["id"], "--json"))
    assert restored["memory"] == "Bins go out on Wednesday"
    assert restored["id"] == edited["id"]
    assert [m["id"] for m in rows(junod("memories", "list", "--json"))] == [restored["id"]]
    lineage = rows(junod("memories", "history", restored["id"], "--json"))
    assert len(lineage) == 3
    assert "Bins go out on Tuesday" in junod("memories", "history", restored["id"]).stdout
    assert len(rows(junod("memories", "forget", restored["id"], "--json"))["forgotten"]) == 3
    assert rows(junod("memories", "list", "--all", "--json")) == []


def test_json_of_a_memory_has_the_promised_keys(junod: Junod) -> None:
    memory = rows(junod("memories", "add", "The spare key is under the pot", "--json"))
    assert set(memory) >= {
        "id", "memory", "transcript", "room", "device_id", "spoken_at", "created_at", "expires_at", "archived",
        "source", "confidence", "supersedes", "superseded_by",
    }  # fmt: skip
    assert rows(junod("memories", "show", memory["id"], "--json")) == memory | {"tags": []}
    (exported,) = rows(junod("memories", "export", "--json"))
    assert exported["id"] == memory["id"]


def test_a_credential_written_by_hand_is_masked(junod: Junod) -> None:
    memory = rows(junod("memories", "add", "The alarm code is 4 7 1 1, the cleaner comes on Monday", "--json"))
    assert "4 7 1 1" not in memory["memory"]
    assert "cleaner comes on Monday" in memory["memory"]


def test_search_without_a_query_along_time_needs_no_model(junod: Junod) -> None:
    rows(junod("memories", "add", "first", "--json"))
    rows(junod("memories", "add", "second", "--json"))
    found = rows(junod("memories", "search", "", "--mode", "chronological", "--json"))
    assert [m["memory"] for m in found] == ["first", "second"]


def test_tables_for_people_name_the_memory_and_its_end(junod: Junod) -> None:
    rows(junod("memories", "add", "Dentist for Leo", "--expires", "2099-03-31T15:00:00+02:00", "--json"))
    table = junod("memories", "list").stdout
    assert "Dentist for Leo" in table
    assert "Tue 31 Mar 2099, 15:00" in table


@pytest.mark.parametrize(
    ("arguments", "code", "needles"),
    [
        (["memories", "list"], 1, ["no database", "junod run"]),
        (["memories", "add", " "], 2, ["nothing to remember"]),
        (["memories", "add", "x", "--expires", "2001-01-01T00:00:00+00:00"], 2, ["is over"]),
        (["memories", "add", "x", "--expires", "tomorrow"], 2, ["--expires", "2026-03-24T17:30:00+01:00"]),
        (["memories", "add", "x", "--expires", "2099-01-01T00:00:00"], 2, ["offset"]),
        (["memories", "search", "milk", "--mode", "psychic"], 2, ["psychic", "hybrid"]),
        (["memories", "search", ""], 2, ["empty"]),
        (["memories", "list", "--config", "gone.toml"], 2, ["gone.toml"]),
        (["replay", "gone.wav", "--start", "2026-03-24T17:30:00+01:00"], 1, ["gone.wav"]),
        (["replay", "x.wav", "--start", "2026-03-24T17:30:00"], 2, ["offset"]),
        (["replay", "x.wav", "--start", "2026-02-30T17:30:00+01:00"], 2, ["--start"]),
        (["replay", "x.wav", "--start", "9999-12-31T23:59:59+00:00"], 2, ["too far"]),
        (["replay", "x.wav", "--start", "2026-03-24T17:30:00+01:00", "--room", "garage"], 2, ["garage", "bedroom"]),
        (["replay", "x.wav", "--start", "2026-03-24T17:30:00+01:00", "--tz", "Mars/Base"], 2, ["Mars/Base"]),
        (["eval", "gone.jsonl", "--out", "p.jsonl"], 2, ["gone.jsonl"]),
    ],
)
def test_bad_input_gets_a_sentence_and_an_exit_code(
    junod: Junod, arguments: list[str], code: int, needles: list[str]
) -> None:
    fails(junod(*arguments), code, *needles)


def test_an_unknown_id_and_an_odd_limit_are_named(junod: Junod) -> None:
    rows(junod("memories", "add", "something", "--json"))
    fails(junod("memories", "show", "nothing"), 1, "nothing", "memories list")
    fails(junod("memories", "list", "--limit", "-1"), 2, "limit")


def test_an_odd_tz_is_named(junod: Junod) -> None:
    fails(junod("config", "check", TZ="Nowhere/Land"), 2, "Nowhere/Land")


def test_a_database_that_is_none_is_refused_and_left_alone(junod: Junod, tmp_path: Path) -> None:
    file = tmp_path / "letter.db"
    file.write_text("Dear aunt, " * 50)
    fails(junod("memories", "list", "--db", str(file)), 1, "not a database")
    assert file.read_text() == "Dear aunt, " * 50


def test_config_show_prints_what_is_in_force_and_check_names_the_key(junod: Junod, tmp_path: Path) -> None:
    path = tmp_path / "junod.toml"
    path.write_text("[device]\nroom = 'bedroom'\n")
    assert 'room = "bedroom"' in junod("config", "show", "--config", str(path)).stdout
    assert json.loads(junod("config", "show", "--json", "--config", str(path)).stdout)["device"]["room"] == "bedroom"
    assert junod("config", "check", "--config", str(path)).returncode == 0
    path.write_text("[device]\nroom = 'garage'\n")
    fails(junod("config", "check", "--config", str(path)), 2, "device.room", "junod.toml")


def test_status_says_that_no_daemon_runs(junod: Junod) -> None:
    done = junod("status", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["running"] is False


def test_missing_models_are_named_with_the_command_that_gets_them(junod: Junod, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    fails(junod("run", JUNOD_MODELS__PATH=nowhere), 1, "whisper-base", "junod models pull")


def test_two_daemons_on_one_database_are_refused(junod: Junod, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with DaemonLock(tmp_path / "data" / "junod.db"):
        fails(junod("run"), 1, str(os.getpid()), "--db")
