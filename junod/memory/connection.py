"""One SQLite connection behind a lock: opening with every check, transactions, and erasing for good."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from junod.errors import DamagedError, StoreError
from junod.memory import copies
from junod.memory.driver import DAMAGED_HINT, DriverError, connect, load_vec, translate
from junod.memory.migrations import MIGRATIONS, check_ours, migrate

_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_opening = threading.Lock()
_open_here = Counter[tuple[int, int]]()
"""How often this process has each file open, by device and inode. Whoever opens a file by other means than SQLite and
closes it drops every lock that the process has on it (POSIX), and another process then takes the log file away."""


class Database:
    """An open database. Any thread may use it; one at a time gets the connection."""

    def __init__(self, connection: sqlite3.Connection, path: Path, file: tuple[int, int], *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self._connection = connection
        self._file: tuple[int, int] | None = file
        self._lock = threading.RLock()
        self._erasing = False
        """Something was deleted whose last trace may still be in the write-ahead log."""

    @classmethod
    def open(cls, path: Path, *, now: datetime, read_only: bool, busy_timeout_s: float) -> Database:
        """Open `path`; unless read-only, create it (mode 0600) and bring its schema up to date.

        Raises:
            StoreError: see the module `driver` for the faults told apart; a file refused is left as it was.
        """
        path = path.expanduser().absolute()
        file = _enter(path, read_only=read_only)
        connection = None
        try:
            connection = _connect(path, read_only=read_only, busy_timeout_s=busy_timeout_s)
            _prepare(connection, path, now=now, read_only=read_only)
        except BaseException as error:
            if connection is not None:
                connection.close()
            _leave(file)
            if isinstance(error, DriverError):
                raise translate(error, path) from error
            raise
        return cls(connection, path, file, read_only=read_only)

    def close(self) -> None:
        with self._lock:
            self._connection.close()
            if self._file is not None:
                _leave(self._file)
                self._file = None

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """All queries inside see one state of the database."""
        with self._lock, self._transaction("BEGIN"):
            yield self._connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is stored or, on any exception, nothing."""
        if self.read_only:
            raise StoreError(f"{self.path} is open for reading only.", hint="Open it for writing.")
        with self._lock, self._transaction("BEGIN IMMEDIATE"):
            yield self._connection

    @contextmanager
    def erase(self, *, keep_copies: bool = False) -> Iterator[sqlite3.Connection]:
        """A write that deletes content: afterwards its traces leave the file and the write-ahead log too.

        Copies of the database would bring it back, so they go before it is final.

        Args:
            keep_copies: what is deleted is in no copy (see `copies`).

        Raises:
            StoreError: also where a copy cannot be deleted; then nothing was erased.
        """
        with self._lock:
            with nullcontext() if keep_copies else copies.locked(self.path), self.write() as connection:
                yield connection
                if not keep_copies:
                    copies.drop(self.path)
            self._erasing = True
            self.finish_erasing()

    def finish_erasing(self) -> bool:
        """Give freed pages back and cut the write-ahead log to nothing, as it still holds what was deleted.

        False = another program is reading the old state; what it needs goes at the next call.
        """
        with self._lock:
            if not self._erasing:
                return True
            try:
                # One page a step, without result columns: `execute` of Python 3.11 would stop after the first.
                self._connection.executescript("PRAGMA incremental_vacuum")
                busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except DriverError as error:
                fault = translate(error, self.path)
                if fault.permanent:
                    raise fault from error
                return False
            self._erasing = bool(busy)
            return not busy

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        try:
            self._connection.execute(begin)
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            self._roll_back()
            if isinstance(error, DriverError):
                raise translate(error, self.path) from error
            raise

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except DriverError as error:  # closed, or rolled back by SQLite itself: the first error is the one to report
            if "closed" not in str(error) and "no transaction" not in str(error):
                raise


def _enter(path: Path, *, read_only: bool) -> tuple[int, int]:
    """Check the file and count it as open in this process; `_leave` it when its connection is closed."""
    with _opening:
        file = _check_file(path, read_only=read_only)
        _open_here[file] += 1
        return file


def _leave(file: tuple[int, int]) -> None:
    with _opening:
        _open_here[file] -= 1
        if not _open_here[file]:
            del _open_here[file]


def _check_file(path: Path, *, read_only: bool) -> tuple[int, int]:
    """Refuse, before SQLite touches it, what cannot be a database; device and inode of what can.

    What this process has open already was checked then.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder.", hint="Give the path of a file, such as junod.db.")
        if not path.exists():
            _make_file(path, read_only=read_only)
        status = path.stat()
        identity = status.st_dev, status.st_ino
        header = None if identity in _open_here else _header(path)
    except OSError as error:
        raise StoreError(
            f"The database {path} cannot be opened: {error.strerror}.",
            hint="Check the permissions of the file and of its folder.",
        ) from error
    if not (read_only or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))):
        raise StoreError(
            f"The database {path} is read-only.", hint="Check the permissions of the file and of its folder."
        )
    if header is None:
        return identity
    if header and not header.startswith(_MAGIC):
        raise DamagedError(f"{path} is not a database.", hint="Give the path of a junod database, or another path.")
    if header and len(header) < _HEADER_BYTES:
        raise DamagedError(f"The database {path} is damaged: it is cut short.", hint=DAMAGED_HINT)
    if not header and read_only:
        raise StoreError(f"{path} is empty.", hint="Start `junod run` once, or give another path.")
    return identity


def _header(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEADER_BYTES)


def _make_file(path: Path, *, read_only: bool) -> None:
    """An empty file that only its owner may read; SQLite gives its log files the same mode."""
    if read_only:
        raise StoreError(f"There is no database {path}.", hint="Start `junod run` once, or give another path.")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def _connect(path: Path, *, read_only: bool, busy_timeout_s: float) -> sqlite3.Connection:
    if not read_only:
        return connect(f"file:{quote(str(path))}?mode=rw", busy_timeout_s=busy_timeout_s)
    try:
        connection = connect(f"file:{quote(str(path))}?mode=ro", busy_timeout_s=busy_timeout_s)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except DriverError as error:
        # In a folder that cannot be written to, SQLite cannot make the files WAL needs; with no log there is
        # nothing they would add.
        log = path.with_name(path.name + "-wal")
        wants_to_write = "unable to open" in str(error) or "readonly" in str(error)
        if not wants_to_write or (log.exists() and log.stat().st_size):
            raise
        return connect(f"file:{quote(str(path))}?immutable=1", busy_timeout_s=busy_timeout_s)
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, *, now: datetime, read_only: bool) -> None:
    """Every check that only reads comes before the first thing that writes."""
    if read_only:
        if _checked(connection, path) < len(MIGRATIONS):
            raise StoreError(f"{path} was written by an older junod.", hint="Start `junod run` once to upgrade it.")
        connection.execute("PRAGMA query_only = ON")
        return
    # Of two programs that find it new or old at once, one makes it and the other waits.
    with copies.locked(path) if check_ours(connection, path) < len(MIGRATIONS) else nullcontext():
        _checked(connection, path)
        _set_pragmas(connection, path)
        migrate(connection, path, now=now)


def _checked(connection: sqlite3.Connection, path: Path) -> int:
    """The schema's version of a database that is ours and sound."""
    version = check_ours(connection, path)
    load_vec(connection)
    if version:
        _check_sound(connection, path)
    return version


def _check_sound(connection: sqlite3.Connection, path: Path) -> None:
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise DamagedError(f"The database {path} is damaged: {found}.", hint=DAMAGED_HINT)


def _set_pragmas(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only before the first table; later a no-op
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise StoreError(
            f"The database {path} cannot use a write-ahead log.",
            hint="Put it on a local disk, not on a network share.",
        )
    # FULL: with NORMAL a power cut could undo the last commits, and a memory that was confirmed would be gone.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON").fetchall()
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
