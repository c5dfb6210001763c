"""Other users of the machine get nothing: no database, spool, socket, status, backup or token."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_rig import Rig, say, wait_for
from memory.memory_fakes import NOW

from junod.clock import SimulatedClock
from junod.mcp_server.http import read_token
from junod.memory.backups import Backups
from junod.web.doors import unix_listener

NOBODY = 65_534


@pytest.fixture
def house() -> Iterator[Path]:
    """A data folder and a runtime folder that a daemon has lived in, below folders that anybody may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as top:
        os.chmod(top, 0o755)
        folder = Path(top) / "data"
        folder.mkdir(mode=0o700)
        rig = Rig(folder, clock=SimulatedClock(NOW))  # it stands still, so that no file comes and goes meanwhile
        door = unix_listener(folder / "run")
        rig.start()
        say(rig)
        wait_for(lambda: len(rig.store.list()) == 1)
        Backups(rig.store.path).make(NOW, keep=2)
        Backups(rig.store.path).save_to(folder / "stick.db")
        read_token(folder / "mcp-token")
        wait_for(lambda: (folder / "status.json").exists())
        yield folder
        rig.stop()
        rig.store.close()
        door.close()


def test_nothing_that_a_daemon_writes_is_open_to_others(house: Path) -> None:
    found = {path: path.stat().st_mode for path in [house, *house.rglob("*")]}
    names = {path.name for path in found}
    assert {"junod.db", "junod.db-wal", "junod.db-shm", "backups", "mcp-token", "junod.sock", "status.json"} <= names
    assert {str(path): oct(mode) for path, mode in found.items() if mode & (stat.S_IRWXG | stat.S_IRWXO)} == {}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_another_user_cannot_read_or_connect(house: Path) -> None:
    """With every folder above open, so that the files' own modes are what holds."""
    for folder in [house, *(path for path in house.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    paths = [path for path in house.rglob("*") if not path.is_dir()]
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os.write(writing, "\n".join(str(path) for path in paths if _can_use(path)).encode() + b"\nend")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        answer = told.read()
    os.waitpid(child, 0)
    assert answer.split() == ["end"]
    assert len(paths) >= 8


def _can_use(path: Path) -> bool:
    try:
        if stat.S_ISSOCK(path.stat().st_mode):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
        else:
            path.read_bytes()
    except PermissionError:
        return False
    return True
