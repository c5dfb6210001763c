"""`junod backup`, `restore` and `check` as a person meets them, and what the daemon does by itself at its start."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from memory.memory_fakes import NOW, new

from junod.assembly.safekeeping import backups_of, open_or_restore
from junod.clock import SimulatedClock
from junod.errors import DamagedError
from junod.memory.lock import DaemonLock
from junod.memory.store import MemoryStore
from junod.settings import Settings, load_settings

Junod = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "junod.db"
    with MemoryStore.open(path, clock=SimulatedClock(NOW)) as store:
        store.add(new("The spare key is under the blue pot"))
    return path


@pytest.fixture
def settings(database: Path) -> Settings:
    return load_settings(overrides={"memory": {"path": database}})


@pytest.fixture
def junod(database: Path) -> Junod:
    environment = {**os.environ, "JUNOD_MEMORY__PATH": str(database), "JUNOD_RUNTIME_DIR": str(database.parent)}

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "junod", *arguments],
            capture_output=True,
            text=True,
            timeout=240,
            env=environment,
            check=False,
        )

    return call


def scramble(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * 16_384 + content[20_480:])


def test_back_up_damage_check_restore(junod: Junod, database: Path) -> None:
    """m92, v79: the whole way, as a person would go it."""
    made = json.loads(junod("backup", "--json").stdout)
    assert Path(made["path"]).parent == database.parent / "backups"
    assert junod("check").returncode == 0
    scramble(database)
    checked = junod("check", "--json")
    assert checked.returncode == 1
    assert [bool(row["problems"]) for row in json.loads(checked.stdout)] == [True, False]
    shown = junod("memories", "list")
    assert shown.returncode == 1
    assert "`junod restore`" in shown.stderr
    restored = json.loads(junod("restore", "--yes", "--json").stdout)
    assert restored["restored"] == made["path"]
    assert Path(restored["set_aside"]).exists()
    assert "blue pot" in junod("memories", "list").stdout
    told = json.loads(junod("status", "--json").stdout)["store"]
    assert told["backups"] == 1
    assert told["went_back_at"]
    assert "took the place of the damaged database" in junod("doctor").stdout


def test_restoring_asks_first(junod: Junod) -> None:
    junod("backup")
    asked = junod("restore")
    assert asked.returncode == 1
    assert "Put" in asked.stderr


def test_restoring_under_a_running_daemon_is_refused(junod: Junod, database: Path) -> None:
    junod("backup")
    with DaemonLock(database):
        refused = junod("restore", "--yes")
    assert refused.returncode == 1
    assert "Stop it first" in refused.stderr
    assert "blue pot" in junod("memories", "list").stdout


def test_a_copy_elsewhere(junod: Junod, tmp_path: Path) -> None:
    junod("backup", "--to", str(tmp_path / "stick.db"))
    assert (tmp_path / "stick.db").stat().st_mode & 0o777 == 0o600
    assert junod("backup", "--to", str(tmp_path / "stick.db")).returncode == 1
    assert junod("restore", str(tmp_path / "stick.db"), "--yes").returncode == 0


@pytest.mark.parametrize("harm", ["scrambled", "overwritten", "cut short", "emptied", "gone"])
def test_the_daemon_goes_back_by_itself_and_says_so(
    settings: Settings, database: Path, caplog: pytest.LogCaptureFixture, harm: str
) -> None:
    """m92: a corrupt database at the start is replaced by the newest good backup, loudly."""
    clock = SimulatedClock(NOW)
    backups_of(settings).make(NOW, keep=3)
    content = database.read_bytes()
    harmed = {"overwritten": b"\xff" * 9000, "cut short": content[:9000], "emptied": b""}
    if harm == "scrambled":
        scramble(database)
    elif harm == "gone":
        database.unlink()
    else:
        database.write_bytes(harmed[harm])
    with caplog.at_level(logging.ERROR), open_or_restore(settings, clock) as store:
        assert [each.memory for each in store.list()] == ["The spare key is under the blue pot"]
        assert store.check() == ()
    assert "was replaced by the backup junod-000001" in caplog.records[-1].message
    assert not any("blue pot" in record.getMessage() for record in caplog.records)
    with open_or_restore(settings, clock):
        assert len(list(database.parent.glob("*.broken-*"))) == (harm != "gone")


def test_without_a_backup_a_damaged_database_is_left_alone(settings: Settings, database: Path) -> None:
    scramble(database)
    before = database.read_bytes()
    with pytest.raises(DamagedError), open_or_restore(settings, SimulatedClock(NOW)):
        pass
    assert database.read_bytes() == before


def test_a_first_start_makes_a_database(tmp_path: Path) -> None:
    fresh = load_settings(overrides={"memory": {"path": tmp_path / "new" / "junod.db"}})
    with open_or_restore(fresh, SimulatedClock(NOW)) as store:
        assert store.list() == ()
