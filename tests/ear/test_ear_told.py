"""`junod status` and `junod doctor` say of the daemon what it says of itself."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from daemon_rig import Rig
from typer.testing import CliRunner

from junod.cli.app import app
from junod.health import Status, write_status

STUCK = "hear has shown no progress for 200 s"


@pytest.fixture
def status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Status:
    monkeypatch.setenv("JUNOD_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("JUNOD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("junod.health.STALE_S", 3600.0)  # the commands take their time on a busy machine
    rig = Rig(tmp_path)
    made = replace(rig.daemon.status(), written_at=datetime.now(UTC).isoformat())
    rig.store.close()
    return made


def told(command: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, [command])
    return done.exit_code, done.output


def test_a_stuck_stage_is_named_by_both(status: Status, tmp_path: Path) -> None:
    write_status(replace(status, alive=False, problems=[STUCK]), tmp_path / "run")
    code, said = told("status")
    assert code == 1
    assert STUCK in said
    assert STUCK in told("doctor")[1]


def test_a_lost_microphone_is_named_though_the_daemon_runs(status: Status, tmp_path: Path) -> None:
    write_status(replace(status, ear="lost", problems=["'USB' has gone."]), tmp_path / "run")
    code, said = told("status")
    assert code == 0
    assert "'USB' has gone." in said
    assert "'USB' has gone." in told("doctor")[1]


def test_a_muted_ear_is_shown_and_no_problem(status: Status, tmp_path: Path) -> None:
    write_status(replace(status, ear="muted", muted=True, heard_today=812, kept_today=12), tmp_path / "run")
    said = told("status")[1]
    assert "Ear: muted" in said
    assert "heard 812, kept 12" in said
    assert "ok   daemon: runs; the ear is muted" in told("doctor")[1]


def test_a_status_left_behind_is_old_for_both(status: Status, tmp_path: Path) -> None:
    write_status(replace(status, written_at="2026-01-01T00:00:00+00:00"), tmp_path / "run")
    code, said = told("status")
    assert code == 1
    assert "stuck or gone" in said
    assert "stuck or gone" in told("doctor")[1]


def test_for_programs_the_problems_are_a_list(
    status: Status, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_status(replace(status, alive=False, problems=[STUCK]), tmp_path / "run")
    done = CliRunner().invoke(app, ["status", "--json"])
    shown = json.loads(done.output)
    assert shown["running"] is False
    assert shown["problems"] == [STUCK]
