"""Upgrading a database: numbered, recorded, all or nothing, with a copy kept until something is forgotten."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from memory.memory_fakes import NOW, embedding, new, passage

from junod.clock import SimulatedClock
from junod.errors import StoreError
from junod.memory import migrations
from junod.memory.driver import driver
from junod.memory.migrations import Migration
from junod.memory.store import MemoryStore

CLOCK = SimulatedClock(NOW)
SECOND = Migration("remember colours", "ALTER TABLE memories ADD COLUMN colour TEXT; CREATE TABLE colours (name TEXT)")
BROKEN = Migration("half a thought", "CREATE TABLE halves (name TEXT); INSERT INTO nowhere VALUES (1)")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "junod.db"
    with MemoryStore.open(path, clock=CLOCK) as store:
        store.add(new("Zanzibar", expires_at=NOW + timedelta(days=1)), embedding("zanzibar"))
        store.spool_passage(passage("p1", "still undecided"))
    return path


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = driver.connect(path)
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


def test_each_migration_is_recorded(path: Path) -> None:
    applied = query(path, "SELECT number, name, applied_at FROM migrations")
    names = [migration.name for migration in migrations.MIGRATIONS]
    assert applied == [(number, name, NOW.isoformat()) for number, name in enumerate(names, start=1)]
    assert query(path, "PRAGMA user_version") == [(len(names),)]


def test_the_pragmas_that_keep_it_safe_are_on(path: Path) -> None:
    with MemoryStore.open(path, clock=CLOCK) as store:
        found = {
            name: store._db._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "busy_timeout", "auto_vacuum")
        }
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "secure_delete": 1,
        "foreign_keys": 1,
        "busy_timeout": 5_000,
        "auto_vacuum": 2,
    }


def before_upgrades(path: Path) -> tuple[Path, ...]:
    return tuple(sorted(path.parent.glob(f"{path.name}.backup-v*")))


def test_a_new_database_leaves_no_backup(path: Path) -> None:
    assert before_upgrades(path) == ()


def test_an_older_database_is_copied_then_upgraded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, SECOND))
    with MemoryStore.open(path, clock=CLOCK) as store:
        assert [memory.memory for memory in store.list()] == ["Zanzibar"]
        assert store.spool_count() == 1
        (copy,) = before_upgrades(path)
        assert copy.stat().st_mode & 0o777 == 0o600
    assert query(path, "SELECT count(*) FROM colours") == [(0,)]
    assert query(copy, "SELECT memory FROM memories") == [("Zanzibar",)]
    assert query(copy, "PRAGMA user_version") == [(len(migrations.MIGRATIONS) - 1,)]
    assert query(copy, "SELECT count(*) FROM spool") == [(0,)]
    assert b"undecided" not in copy.read_bytes()


def test_the_copy_is_a_database_to_go_back_to(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """m92: the way back is tried, not assumed."""
    with monkeypatch.context() as newer:
        newer.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, SECOND))
        MemoryStore.open(path, clock=CLOCK).close()
        (copy,) = before_upgrades(path)
    with pytest.raises(StoreError, match="newer junod"):
        MemoryStore.open(path, clock=CLOCK)
    copy.replace(path)
    with MemoryStore.open(path, clock=CLOCK) as store:
        assert [memory.memory for memory in store.list()] == ["Zanzibar"]
        assert store.nearest(embedding("zanzibar"), 1)[0].memory == store.list()[0]
        assert store.check() == ()


@pytest.mark.parametrize("act", ["forget", "expire"])
def test_the_copy_goes_when_something_is_erased(path: Path, monkeypatch: pytest.MonkeyPatch, act: str) -> None:
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, SECOND))
    with MemoryStore.open(path, clock=CLOCK) as store:
        assert store.expire(NOW) == ()
        assert len(before_upgrades(path)) == 1
        if act == "forget":
            store.forget(store.list()[0].id)
        else:
            store.expire(NOW + timedelta(days=1))
    assert before_upgrades(path) == ()
    assert not any(b"anzibar" in file.read_bytes() for file in path.parent.iterdir())


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = query(path, "SELECT name, sql FROM sqlite_master")
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, BROKEN))
    with pytest.raises(StoreError, match="no such table: nowhere"):
        MemoryStore.open(path, clock=CLOCK)
    assert query(path, "SELECT name, sql FROM sqlite_master") == before
    assert query(path, "PRAGMA user_version") == [(len(migrations.MIGRATIONS) - 1,)]


def test_reading_an_older_database_asks_for_the_upgrade(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from junod.memory import connection

    both = (*migrations.MIGRATIONS, SECOND)
    monkeypatch.setattr(migrations, "MIGRATIONS", both)
    monkeypatch.setattr(connection, "MIGRATIONS", both)
    with pytest.raises(StoreError, match="older junod"):
        MemoryStore.open(path, clock=CLOCK, read_only=True)


def test_two_programs_may_make_the_same_database_at_once(tmp_path: Path) -> None:
    faults: list[Exception] = []

    def open_and_add(number: int) -> None:
        try:
            with MemoryStore.open(tmp_path / "junod.db", clock=CLOCK) as store:
                store.add(new(f"Memory {number}"), embedding("memory"))
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=open_and_add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    with MemoryStore.open(tmp_path / "junod.db", clock=CLOCK) as store:
        assert store.counts().active == 4
        assert store.check() == ()


TAKE_IT_FOR_ONESELF = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
    except OSError:
        sys.exit(0)
sys.exit("another program could have the file for itself")
"""
"""What SQLite asks before it takes the write-ahead log away: the bytes it locks are part of its file format."""


def test_a_second_opening_leaves_the_first_its_locks(tmp_path: Path) -> None:
    path = tmp_path / "junod.db"
    with MemoryStore.open(path, clock=CLOCK) as store:
        store.add(new("Soap"), embedding("soap"))
        for read_only in (True, False):
            MemoryStore.open(path, clock=CLOCK, read_only=read_only).close()
            subprocess.run([sys.executable, "-c", TAKE_IT_FOR_ONESELF, str(path)], check=True, timeout=120)
        store.add(new("Rice"), embedding("rice"))
    with MemoryStore.open(path, clock=CLOCK) as store:
        assert store.counts().active == 2
        assert store.check() == ()
