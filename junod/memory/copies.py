"""Copies of the database file: what they are called, how one is made while the database is in use, how all go.

    backups/junod-000007-20260324T021500Z.db    a backup (`backups`), numbered so that a wrong clock orders nothing
    junod.db.backup-v2                          made before an upgrade of the schema
    junod.db.broken-20260324T021500Z            a damaged database, set aside when a backup took its place

No copy holds undecided passages, which must be gone once decided, and every copy goes when something is erased: it
would bring back what was forgotten.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from junod.errors import StoreError
from junod.memory.driver import driver
from junod.whole_file import settle

FOLDER = "backups"
PARTIAL = ".partial"
ROOM_LEFT_BYTES = 64 * 1024 * 1024
"""A copy must leave so much of the disk free: the database itself has to go on."""
_STAMP = "%Y%m%dT%H%M%SZ"
_PAGE_BYTES = 4096
_WAIT_S = 30.0
_LOOK_AGAIN_S = 0.02


class Numbered(NamedTuple):
    """What the name of a backup says."""

    number: int
    made_at: datetime
    path: Path


def numbered(database: Path) -> tuple[Numbered, ...]:
    """The backups of a database by their names, the newest first."""
    pattern = re.compile(re.escape(database.stem) + r"-(\d{6,})-(\d{8}T\d{6}Z)\.db")
    found = []
    for path in _files(database.parent / FOLDER):
        if match := pattern.fullmatch(path.name):
            found.append(Numbered(int(match[1]), datetime.strptime(match[2], _STAMP).replace(tzinfo=UTC), path))
    return tuple(sorted(found, reverse=True))


def next_name(database: Path, now: datetime) -> Path:
    """Where the next backup goes."""
    number = max((each.number for each in numbered(database)), default=0) + 1
    return database.parent / FOLDER / f"{database.stem}-{number:06d}-{now.astimezone(UTC):{_STAMP}}.db"


def of_version(database: Path, version: int) -> Path:
    """The copy made before the schema went on from `version`."""
    return database.with_name(f"{database.name}.backup-v{version}")


def broken(database: Path) -> tuple[Path, ...]:
    """Damaged databases set aside, without their logs."""
    return _beside(database, r"\.broken-\d{8}T\d{6}Z")


def broken_name(database: Path, now: datetime) -> Path:
    return database.with_name(f"{database.name}.broken-{now.astimezone(UTC):{_STAMP}}")


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Between programs: no copy is made while something is erased, which could miss that copy, nor the other way.

    Raises:
        StoreError: the other one takes too long, or the lock cannot be had.
    """
    path = database.with_name(database.name + ".copies-lock")
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror}.", hint="Check the disk and the permissions of its folder."
        ) from error
    try:
        _wait_for(file, path)
        yield
    finally:
        os.close(file)


def _wait_for(file: int, path: Path) -> None:
    until = time.monotonic() + _WAIT_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if time.monotonic() > until:
                raise StoreError(
                    f"A backup is being made, or something erased, for too long ({path}).",
                    hint="Try again.",
                    permanent=False,
                ) from error
            time.sleep(_LOOK_AGAIN_S)


def drop(database: Path) -> None:
    """Delete every copy of the database, halves of copies included.

    Raises:
        StoreError: one cannot be deleted, so what is to be forgotten would live on in it.
    """
    doomed = [each.path for each in numbered(database)]
    doomed += _beside(database, r"\.(?:backup-v\d+|broken-\d{8}T\d{6}Z)(?:-wal)?(?:\.partial)?|\.restoring")
    doomed += partials(database)
    try:
        for path in doomed:
            path.unlink(missing_ok=True)
        if doomed:
            settle(database.parent)
    except OSError as error:
        raise StoreError(
            f"A copy of the database cannot be deleted: {error.filename}: {error.strerror}.",
            hint="Nothing was erased. Check the permissions of that file's folder, then try again.",
        ) from error


def partials(database: Path) -> list[Path]:
    """Halves of backups that a crash left."""
    return [path for path in _files(database.parent / FOLDER) if path.name.endswith(PARTIAL)]


def copy(connection: sqlite3.Connection, target: Path) -> None:
    """Write what the connection's database holds now, undecided passages excepted, into a new file (mode 0600).

    The way leads through memory (SQLite's backup API, then VACUUM INTO), so that undecided passages are not even for
    a moment in a second file, and a card is written once. Half a copy never bears the final name.

    Raises:
        StoreError: there is not enough room.
        driver.Error, OSError: the copy failed; nothing is left of it.
    """
    check_room(connection, target.parent)
    partial = target.with_name(target.name + PARTIAL)
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    memory = driver.connect(":memory:", isolation_level=None)
    try:
        connection.backup(memory)
        if memory.execute("SELECT 1 FROM sqlite_master WHERE name = 'spool'").fetchone():
            memory.execute("DELETE FROM spool")
        memory.execute("VACUUM INTO ?", (str(partial),))
        put_in_place(partial, target)
    finally:
        memory.close()
        partial.unlink(missing_ok=True)


def check_room(connection: sqlite3.Connection, folder: Path) -> None:
    pages = int(connection.execute("PRAGMA page_count").fetchone()[0])
    free = shutil.disk_usage(folder).free
    if free < pages * _PAGE_BYTES + ROOM_LEFT_BYTES:
        raise StoreError(
            f"There is no room for a copy of the database in {folder}: {free // 1_000_000} MB are free.",
            hint="Free some space.",
            permanent=False,
        )


def put_in_place(partial: Path, target: Path) -> None:
    """Give a finished file its name, on the disk before this returns."""
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(partial, target)
    settle(target.parent)


def _beside(database: Path, ending: str) -> tuple[Path, ...]:
    pattern = re.compile(re.escape(database.name) + f"(?:{ending})")
    return tuple(sorted(path for path in _files(database.parent) if pattern.fullmatch(path.name)))


def _files(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_file()]
    except FileNotFoundError:
        return []
