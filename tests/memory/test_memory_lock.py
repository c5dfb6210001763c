"""Two daemons never use one database."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from junod.errors import StoreError
from junod.memory.lock import DaemonLock

HOLDER = """
import sys
from pathlib import Path
from junod.memory.lock import DaemonLock
DaemonLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_daemon_is_told_who_has_the_database(tmp_path: Path) -> None:
    path = tmp_path / "data" / "junod.db"
    command = [sys.executable, "-c", HOLDER, str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match=rf"Another junod daemon \(pid {other.pid}\)"):
            DaemonLock(path).acquire()
        other.kill()
        other.wait(60)
    with DaemonLock(path):
        assert int(DaemonLock(path).path.read_text()) == os.getpid()


def test_a_released_lock_can_be_taken_again(tmp_path: Path) -> None:
    lock = DaemonLock(tmp_path / "junod.db")
    with lock, pytest.raises(StoreError):
        DaemonLock(tmp_path / "junod.db").acquire()
    with lock:
        assert lock.path.stat().st_mode & 0o777 == 0o600


def test_a_lock_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "junod.db.lock").mkdir()
    with pytest.raises(StoreError, match=r"junod\.db\.lock"):
        DaemonLock(tmp_path / "junod.db").acquire()
