"""Backups: sound, rotated, private, without what was forgotten, and a way back that is tried."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from memory.memory_fakes import NOW, embedding, new, passage

from junod.clock import SimulatedClock
from junod.errors import DamagedError, NotFoundError, StoreError
from junod.memory import copies
from junod.memory.backups import Backups, last_restored, note_restored
from junod.memory.driver import driver
from junod.memory.paired import PairedDevices
from junod.memory.store import MemoryStore
from junod.records import Decision, Outcome


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: SimulatedClock) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as opened:
        opened.add(new("Zanzibar dentistry", transcript="kilimanjaro"), embedding("zanzibar"))
        yield opened


@pytest.fixture
def backups(store: MemoryStore) -> Backups:
    return Backups(store.path)


def scramble(path: Path, begin: int = 4096, end: int = 20_000) -> None:
    content = bytearray(path.read_bytes())
    content[begin:end] = b"\xa5" * (end - begin)
    path.write_bytes(content)


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes().lower() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_backup_is_made_while_the_database_is_in_use_and_is_whole(store: MemoryStore, backups: Backups) -> None:
    made = backups.make(NOW, keep=3)
    assert backups.problems(made.path) == ()
    assert made == backups.list()[0]
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert made.path.parent.stat().st_mode & 0o777 == 0o700
    with MemoryStore.open(made.path, clock=SimulatedClock(NOW), read_only=True) as copy:
        assert copy.list() == store.list()
        assert copy.nearest(embedding("zanzibar"), 1)[0].memory == store.list()[0]
        assert copy.keyword("dentistry", 1)[0].memory == store.list()[0]
        assert copy.check() == ()


def test_what_is_in_the_log_only_is_in_the_backup(store: MemoryStore, backups: Backups) -> None:
    store.add(new("Not in the main file yet"))
    with MemoryStore.open(backups.make(NOW, keep=3).path, clock=SimulatedClock(NOW), read_only=True) as copy:
        assert len(copy.list()) == 2


def test_undecided_passages_are_in_no_backup(store: MemoryStore, backups: Backups, tmp_path: Path) -> None:
    store.spool_passage(passage("p1", "the referee blows his whistle"))
    made = backups.make(NOW, keep=3)
    assert b"referee" not in made.path.read_bytes()
    store.decide("p1", Decision("p1", Outcome.REJECTED, "gate"))
    assert b"referee" not in everything(tmp_path)
    assert backups.list() == (made,)


@pytest.mark.parametrize("act", ["forget", "forget everything", "expire"])
def test_what_was_forgotten_is_in_no_backup(store: MemoryStore, backups: Backups, tmp_path: Path, act: str) -> None:
    """Erasing takes every copy along; the next backup does not have it."""
    store.add(new("Quinoa is out", expires_at=NOW + timedelta(hours=1)))
    backups.make(NOW, keep=3)
    copies.of_version(store.path, 1).write_bytes(b"zanzibar quinoa")
    copies.broken_name(store.path, NOW).write_bytes(b"zanzibar quinoa")
    (tmp_path / "backups" / "junod-000009.db.partial").write_bytes(b"zanzibar quinoa")
    if act == "expire":
        store.expire(NOW + timedelta(hours=2))
    elif act == "forget":
        store.forget(next(each.id for each in store.list() if each.memory.startswith("Quinoa")))
    else:
        store.forget_spoken()
    assert backups.list() == ()
    backups.make(NOW, keep=3)
    assert b"quinoa" not in everything(tmp_path)
    assert (b"zanzibar" in everything(tmp_path)) is (act != "forget everything")


def test_who_was_shut_out_does_not_come_back_with_a_backup(store: MemoryStore, backups: Backups) -> None:
    paired = PairedDevices(store.sessions)
    entry, token = paired.add("Ana's phone", "device")
    backups.make(NOW, keep=3)
    paired.revoke(entry.id)
    assert backups.list() == ()
    assert paired.known(token) is None


def test_a_copy_that_cannot_be_deleted_stops_the_forgetting(
    store: MemoryStore, backups: Backups, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Better not forgotten, and said, than said to be forgotten."""
    made = backups.make(NOW, keep=3)

    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(1, "Operation not permitted", str(path))

    with monkeypatch.context() as stubborn:
        stubborn.setattr(Path, "unlink", refuse)
        with pytest.raises(StoreError, match=made.path.name):
            store.forget(store.list()[0].id)
    assert len(store.list()) == 1
    store.forget(store.list()[0].id)
    assert backups.list() == ()


def test_no_copy_is_made_while_something_is_erased(
    store: MemoryStore, backups: Backups, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A copy of the state before, finished after, would hold what is gone."""
    begun, go_on, real = threading.Event(), threading.Event(), copies.put_in_place

    def slow(partial: Path, target: Path) -> None:
        begun.set()
        assert go_on.wait(90)
        real(partial, target)

    monkeypatch.setattr(copies, "put_in_place", slow)
    making = threading.Thread(target=backups.make, args=(NOW,), kwargs={"keep": 3})
    making.start()
    assert begun.wait(90)
    erasing = threading.Thread(target=store.forget, args=(store.list()[0].id,))
    erasing.start()
    go_on.set()
    making.join(90)
    erasing.join(90)
    assert backups.list() == ()
    assert b"zanzibar" not in everything(tmp_path)


def test_the_oldest_go_whatever_the_clock_says(backups: Backups) -> None:
    """v23, m53: without a real-time clock years pass either way; the order is that of making."""
    days = [400, 0, -4000, 1, 2]
    for day in days:
        backups.make(NOW + timedelta(days=day), keep=3)
    assert [each.made_at for each in backups.list()] == [NOW + timedelta(days=day) for day in (2, 1, -4000)]


def test_a_damaged_database_replaces_no_good_backup(store: MemoryStore, backups: Backups) -> None:
    good = backups.make(NOW, keep=1)
    for number in range(40):
        store.add(new(f"Memory {number} " + "of many words " * 30))
    store.close()
    scramble(store.path)
    with pytest.raises(DamagedError):
        backups.make(NOW, keep=1)
    assert backups.list() == (good,)
    assert backups.problems(good.path) == ()


def test_a_copy_elsewhere_is_not_overwritten(store: MemoryStore, backups: Backups, tmp_path: Path) -> None:
    backups.save_to(tmp_path / "stick.db")
    assert backups.problems(tmp_path / "stick.db") == ()
    with pytest.raises(StoreError, match="exists already"):
        backups.save_to(tmp_path / "stick.db")


def test_a_full_disk_makes_no_backup_and_says_so(
    store: MemoryStore, backups: Backups, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(total=10**9, used=10**9, free=5))
        with pytest.raises(StoreError, match="no room") as caught:
            backups.make(NOW, keep=3)
    assert not caught.value.permanent
    assert backups.list() == ()
    assert store.check() == ()


def test_without_a_database_there_is_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no database"):
        Backups(tmp_path / "junod.db").make(NOW, keep=3)
    assert list(tmp_path.iterdir()) == []


def test_the_way_back_is_tried_not_assumed(store: MemoryStore, backups: Backups, clock: SimulatedClock) -> None:
    """m92: the newest backup is damaged, the one before is good, and the database is set aside, not lost."""
    good = backups.make(NOW, keep=3)
    store.add(new("Later than the backup"))
    scramble(backups.make(NOW, keep=3).path)
    store.close()
    broken = store.path.read_bytes()
    done = backups.restore(NOW)
    assert done.backup == good.path
    assert done.set_aside is not None
    assert done.set_aside.read_bytes() == broken
    with MemoryStore.open(store.path, clock=clock) as again:
        note_restored(again.sessions, done)
        assert [each.memory for each in again.list()] == ["Zanzibar dentistry"]
        assert again.check() == ()
        assert last_restored(again.sessions) == NOW
        assert store.path.stat().st_mode & 0o777 == 0o600


def test_a_log_left_behind_is_not_taken_for_that_of_the_backup(
    store: MemoryStore, backups: Backups, clock: SimulatedClock, tmp_path: Path
) -> None:
    backups.make(NOW, keep=3)
    store.add(new("Later than the backup"))
    log = store.path.with_name("junod.db-wal").read_bytes()
    store.close()
    store.path.with_name("junod.db-wal").write_bytes(log)
    backups.restore(NOW)
    assert not store.path.with_name("junod.db-wal").exists()
    with MemoryStore.open(store.path, clock=clock) as again:
        assert len(again.list()) == 1
        assert again.check() == ()


@pytest.mark.parametrize("cut_short_at", ["the log moved", "the database moved"])
def test_a_restoration_cut_short_is_done_again(store: MemoryStore, backups: Backups, cut_short_at: str) -> None:
    backups.make(NOW, keep=3)
    store.close()
    store.path.with_name("junod.db.restoring").write_bytes(b"half")
    if cut_short_at == "the database moved":
        store.path.unlink()
        assert backups.must_restore()
    backups.restore(NOW)
    assert not backups.must_restore()
    assert backups.problems(store.path) == ()


def test_an_empty_file_in_place_of_a_database_is_no_fresh_start(store: MemoryStore, backups: Backups) -> None:
    assert not backups.must_restore()
    backups.make(NOW, keep=3)
    assert not backups.must_restore()
    store.close()
    store.path.write_bytes(b"")
    assert backups.must_restore()


def test_without_a_good_backup_nothing_is_touched(store: MemoryStore, backups: Backups) -> None:
    store.close()
    before = store.path.read_bytes()
    with pytest.raises(NotFoundError, match="no good backup"):
        backups.restore(NOW)
    assert store.path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\x00" + b"\x00" * 200])
def test_a_file_that_is_no_backup_is_refused_and_nothing_touched(
    store: MemoryStore, backups: Backups, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "other.db").write_bytes(content)
    with pytest.raises(StoreError, match="no good backup"):
        backups.restore(NOW, tmp_path / "other.db")
    assert len(store.list()) == 1


def test_a_backup_of_a_newer_junod_is_refused(store: MemoryStore, backups: Backups) -> None:
    made = backups.make(NOW, keep=3)
    connection = driver.connect(made.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert "newer junod" in backups.problems(made.path)[0]
    with pytest.raises(NotFoundError):
        backups.restore(NOW)
