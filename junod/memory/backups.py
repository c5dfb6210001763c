"""Backups: copies of the database to go back to, seen to be sound, the oldest dropped; and the way back.

A backup holds nothing that was forgotten or has expired, because erasing drops every backup (see `copies`) and a new
one is made soon after. Who wants copies that forgetting does not reach makes them elsewhere, with `save_to`.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from junod.errors import DamagedError, NotFoundError, StoreError
from junod.memory import codec, copies
from junod.memory.driver import DAMAGED_HINT, DriverError, connect, load_vec, translate
from junod.memory.migrations import check_ours
from junod.memory.session import Sessions

_BUSY_S = 10.0
_EVENT = "went-back"


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    made_at: datetime
    """By the clock of then."""
    bytes: int


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restoration did."""

    backup: Path
    made_at: datetime | None
    """None where the file's name does not tell."""
    set_aside: Path | None
    """Where the database that was in place lies now; None where there was none."""


class Backups:
    """The backups of one database, which may be open elsewhere, or damaged, or gone."""

    def __init__(self, database: Path) -> None:
        self.database = database.expanduser().absolute()

    def list(self) -> tuple[Backup, ...]:
        """Newest first; none of them is looked into."""
        found = []
        for each in copies.numbered(self.database):
            with suppress(FileNotFoundError):  # something was erased just now
                found.append(Backup(each.path, each.made_at, each.path.stat().st_size))
        return tuple(found)

    def make(self, now: datetime, *, keep: int) -> Backup:
        """Make a backup, see that it is sound, then drop the oldest beyond `keep`.

        Raises:
            DamagedError: the database is; earlier backups are all still there.
            StoreError: no room, no permission, or no database.
        """
        self._check_there()
        with self._adapted(), copies.locked(self.database):
            target = copies.next_name(self.database, now)
            target.parent.mkdir(mode=0o700, exist_ok=True)
            for half in copies.partials(self.database):
                half.unlink(missing_ok=True)
            self._save(target)
            for old in copies.numbered(self.database)[keep:]:
                old.path.unlink(missing_ok=True)
            return Backup(target, now, target.stat().st_size)

    def save_to(self, target: Path) -> None:
        """A copy anywhere else. Forgetting does not reach it.

        Raises:
            StoreError: see `make`; or there is such a file already.
        """
        if target.exists():
            raise StoreError(f"{target} exists already.", hint="Give another name.")
        self._check_there()
        with self._adapted():
            self._save(target)

    def problems(self, path: Path) -> tuple[str, ...]:
        """What is wrong with a copy; nothing if sound. The file is only read."""
        try:
            with closing(_open(path)) as connection:
                if not check_ours(connection, path):
                    return (f"{path} is empty.",)
                load_vec(connection)
                found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(5)")]
        except DriverError as error:
            return (translate(error, path).message,)
        except StoreError as error:
            return (error.message,)
        return tuple(line for line in found if line != "ok")

    def newest_good(self) -> Backup | None:
        return next((each for each in self.list() if not self.problems(each.path)), None)

    def must_restore(self) -> bool:
        """The database file is gone or empty, and there are backups: a restoration was cut short, or a disk lost it."""
        if not copies.numbered(self.database):
            return False
        return not self.database.exists() or self.database.stat().st_size == 0

    def restore(self, now: datetime, backup: Path | None = None) -> Restored:
        """Put a backup (None = the newest good one) in the place of the database, which is set aside.

        Nobody may have the database open. Cut short at any point, it is done again at the next start.

        Raises:
            NotFoundError: there is no good backup.
            StoreError: the file named is damaged, not ours, or from a newer junod; nothing was changed.
        """
        source = backup or self._newest_good_path()
        if problems := self.problems(source):
            raise StoreError(f"{source} is no good backup: {problems[0]}", hint="`junod check` lists the good ones.")
        fresh = self.database.with_name(self.database.name + ".restoring")
        with self._adapted():
            fresh.unlink(missing_ok=True)
            shutil.copyfile(source, fresh)
            fresh.chmod(0o600)
            set_aside = self._set_aside(now)
            copies.put_in_place(fresh, self.database)
        made_at = next((each.made_at for each in copies.numbered(self.database) if each.path == source), None)
        return Restored(source, made_at, set_aside)

    def _set_aside(self, now: datetime) -> Path | None:
        """The log goes first: beside another database, SQLite would take it for that one's."""
        place = copies.broken_name(self.database, now)
        log = self.database.with_name(self.database.name + "-wal")
        if log.exists() and log.stat().st_size:
            os.replace(log, place.with_name(place.name + "-wal"))
        log.unlink(missing_ok=True)
        self.database.with_name(self.database.name + "-shm").unlink(missing_ok=True)
        if not self.database.exists():
            return None
        os.replace(self.database, place)
        return place

    def _newest_good_path(self) -> Path:
        found = self.newest_good()
        if found is None:
            raise NotFoundError(
                f"There is no good backup of {self.database}.",
                hint="`sqlite3 FILE .recover` may save what is left; or move the file away and start again.",
            )
        return found.path

    def _check_there(self) -> None:
        if not self.database.exists():
            raise StoreError(f"There is no database {self.database}.", hint="Start `junod run` once.")

    def _save(self, target: Path) -> None:
        with closing(_open(self.database, wal=True)) as connection:
            check_ours(connection, self.database)
            load_vec(connection)
            copies.copy(connection, target)
        if problems := self.problems(target):
            target.unlink(missing_ok=True)
            raise DamagedError(f"The database {self.database} is damaged: {problems[0]}", hint=DAMAGED_HINT)

    @contextmanager
    def _adapted(self) -> Iterator[None]:
        """Faults of the disk and the driver as StoreErrors."""
        try:
            yield
        except DriverError as error:
            raise translate(error, self.database) from error
        except OSError as error:
            raise StoreError(
                f"The copy failed: {error.filename}: {error.strerror}.",
                hint="Check the room on the disk and the permissions of the folder.",
                permanent=False,
            ) from error


def _open(path: Path, *, wal: bool = False) -> sqlite3.Connection:
    """Read a database in use (`wal`), or a copy that nobody writes."""
    mode = "mode=ro" if wal else "immutable=1"
    return connect(f"file:{quote(str(path))}?{mode}", busy_timeout_s=_BUSY_S)


def note_restored(sessions: Sessions, restored: Restored) -> None:
    """Write into the journal of the database that was put in place that this happened."""
    reason = f"{restored.made_at:%Y%m%dt%H%M%Sz}" if restored.made_at else ""
    with sessions.write() as session:
        session.journal(_EVENT, reason=reason)


def last_restored(sessions: Sessions) -> datetime | None:
    """When a backup last took the place of the database, as far as the journal goes back."""
    with sessions.read() as session:
        row = session.connection.execute(
            "SELECT max(at) FROM journal WHERE household_id = ? AND event = ?", (session.household_id, _EVENT)
        ).fetchone()
    return codec.moment_of(row[0]) if row[0] else None
