"""Adapter: the SQLite driver and the sqlite-vec extension, and their exceptions made StoreErrors.

Some Python builds (pyenv's default among them) come with a `sqlite3` module that cannot load extensions; there the
`pysqlite3` package, the same code with its own SQLite, takes its place.
"""

from __future__ import annotations

import importlib
import sqlite3
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, cast

from junod.errors import DamagedError, StoreError

DAMAGED_HINT = "`junod restore` goes back to the newest good backup; `sqlite3 FILE .recover` may save what is left."


class _Fault(NamedTuple):
    """How a message of SQLite reads to a person."""

    sign: str
    message: str
    hint: str
    permanent: bool
    kind: type[StoreError] = StoreError


_FAULTS = (
    _Fault("locked", "is in use by another program", "Try again, or stop the other junod.", False),
    _Fault("busy", "is in use by another program", "Try again, or stop the other junod.", False),
    _Fault("disk is full", "cannot grow: the disk is full", "Free some space; nothing was half-written.", False),
    _Fault("readonly", "is read-only", "Check the permissions of the file and of its folder.", True),
    _Fault("read-only", "is read-only", "Check the permissions of the file and of its folder.", True),
    _Fault("unable to open", "cannot be opened", "Check that the folder exists and may be written to.", True),
    _Fault("not authorized", "may not be opened", "Check the permissions of the file and of its folder.", True),
    _Fault(
        "not a database", "is not a database", "Give the path of a junod database, or another path.", True, DamagedError
    ),
    _Fault("malformed", "is damaged", DAMAGED_HINT, True, DamagedError),
    _Fault("codec can't decode", "is damaged", DAMAGED_HINT, True, DamagedError),
    _Fault("malformed database schema", "is damaged", DAMAGED_HINT, True, DamagedError),
    _Fault("disk i/o error", "cannot be read or written: input/output error", "Check the disk and its cable.", False),
)


def load_driver() -> ModuleType:
    """The standard `sqlite3` where it can load extensions, else `pysqlite3`.

    Raises:
        StoreError: neither can.
    """
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3
    try:
        return importlib.import_module("pysqlite3")
    except ImportError as error:
        raise StoreError(
            "This Python's sqlite3 module cannot load extensions.",
            hint="Use Debian's own python3, or `pip install pysqlite3`.",
        ) from error


driver = load_driver()

DriverError: tuple[type[Exception], ...] = (driver.Error, UnicodeDecodeError)
"""The second is what the driver raises where SQLite's words about a damaged database hold bytes of it."""
IntegrityError: type[Exception] = driver.IntegrityError
DataError: tuple[type[Exception], ...] = (driver.DataError, OverflowError)


def connect(uri: str, *, busy_timeout_s: float) -> sqlite3.Connection:
    """A connection in autocommit mode that any thread may use (its owner must serialise them)."""
    connection = driver.connect(uri, uri=True, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False)
    connection.row_factory = driver.Row
    return cast(sqlite3.Connection, connection)


def load_vec(connection: sqlite3.Connection) -> str:
    """Load sqlite-vec and have it answer; returns its version.

    Raises:
        StoreError: the extension is missing or built for another machine (the 0.1.6 wheel for ARM was).
    """
    try:
        import sqlite_vec  # type: ignore[import-untyped]

        connection.enable_load_extension(True)
        sqlite_vec.load(connection)
        connection.enable_load_extension(False)
        return str(connection.execute("SELECT vec_version()").fetchone()[0])
    except (ImportError, driver.Error) as error:
        raise StoreError(
            f"The sqlite-vec extension does not load: {error}.",
            hint="Reinstall it for this machine: pip install --force-reinstall 'sqlite-vec>=0.1.9'.",
        ) from error


def translate(error: Exception, path: Path) -> StoreError:
    """A driver's exception as a StoreError that says what to do next."""
    text = str(error)
    for fault in _FAULTS:
        if fault.sign in text.lower():
            return fault.kind(f"The database {path} {fault.message}.", hint=fault.hint, permanent=fault.permanent)
    return StoreError(f"The database {path} failed: {text}.", hint="`junod doctor` examines it.")
