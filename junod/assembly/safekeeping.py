"""Backups of the configured database: made at night, gone back to when it is damaged, and what there is to say."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from junod.assembly.parts import open_store
from junod.clock import Clock, SystemClock
from junod.errors import DamagedError, NotFoundError
from junod.settings import Settings, database_path, household_zone

if TYPE_CHECKING:
    from junod.memory.backups import Backup, Backups, Restored
    from junod.memory.store import MemoryStore
    from junod.nightly import NightlyBackup

log = logging.getLogger(__name__)

TOLD_FOR = timedelta(days=7)
"""So long `junod status` and `junod doctor` speak of a restoration."""
TOO_OLD = timedelta(hours=50)


@dataclass(frozen=True, slots=True)
class Safety:
    """How well the memories are kept."""

    backups: tuple[Backup, ...]
    """Newest first."""
    went_back_at: datetime | None
    """When a backup took the place of the database, if that was lately."""
    set_aside: tuple[Path, ...]
    """Databases that were replaced."""
    is_overdue: bool
    """There should be a newer backup."""


def backups_of(settings: Settings) -> Backups:
    from junod.memory.backups import Backups

    return Backups(database_path(settings))


def nightly_backup(settings: Settings, clock: Clock) -> NightlyBackup:
    from junod.nightly import NightlyBackup

    return NightlyBackup(backups_of(settings), settings.backup, clock, household_zone(settings))


@contextmanager
def open_or_restore(settings: Settings, clock: Clock) -> Iterator[MemoryStore]:
    """Open the configured database for the daemon, which holds its lock; a damaged one is replaced by its backup.

    Raises:
        StoreError: see `MemoryStore.open`; damaged only where there is no good backup.
    """
    backups = backups_of(settings)
    restored = backups.restore(clock.now()) if backups.must_restore() else None
    if restored is None:
        try:
            store = open_store(settings, clock=clock)
        except DamagedError as damage:
            log.error("%s", damage.message)
            restored = _go_back(backups, clock, damage)
    if restored is not None:
        store = open_store(settings, clock=clock)
        _note(store, restored)
    with store:
        yield store


def _go_back(backups: Backups, clock: Clock, damage: DamagedError) -> Restored:
    try:
        return backups.restore(clock.now())
    except NotFoundError:
        raise damage from None


def restore_now(settings: Settings, backup: Path | None) -> Restored:
    """Go back to a backup, the newest good one unless named.

    Raises:
        StoreError: the daemon runs, or see `Backups.restore`; nothing was changed.
    """
    from junod.memory.lock import DaemonLock

    clock = SystemClock()
    with DaemonLock(database_path(settings)):
        restored = backups_of(settings).restore(clock.now(), backup)
        with open_store(settings, clock=clock) as store:
            _note(store, restored)
    return restored


def _note(store: MemoryStore, restored: Restored) -> None:
    from junod.memory.backups import note_restored

    note_restored(store.sessions, restored)
    log.error(
        "The database was replaced by the backup %s. What was kept after it was made is lost; %s",
        restored.backup.name,
        f"the file that was in place is {restored.set_aside}." if restored.set_aside else "there was no other file.",
    )


def safety_of(settings: Settings, store: MemoryStore, now: datetime) -> Safety:
    """What there is to say about the backups of an open database."""
    from junod.memory import copies
    from junod.memory.backups import last_restored

    backups, path = backups_of(settings), database_path(settings)
    made = backups.list()
    at = last_restored(store.sessions)
    newest = made[0].made_at if made else _first_kept(store)
    return Safety(
        backups=made,
        went_back_at=at if at and now - at < TOLD_FOR else None,
        set_aside=copies.broken(path),
        is_overdue=settings.backup.enabled and newest is not None and now - newest > TOO_OLD,
    )


def _first_kept(store: MemoryStore) -> datetime | None:
    """A fresh household misses no backup."""
    memories = store.list(limit=1, oldest_first=True)
    return memories[0].created_at if memories else None
