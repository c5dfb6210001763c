"""Killed, locked, full, read-only, damaged, foreign, too new: a clear error, and nothing lost."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest
from memory.memory_fakes import NOW, embedding, new, passage

from junod.clock import SimulatedClock
from junod.errors import StoreError
from junod.memory.driver import driver, translate
from junod.memory.store import EVERYTHING, MemoryStore

ROUNDS = 24
TESTS = Path(__file__).parents[1]
CLOCK = SimulatedClock(NOW)


def filled(path: Path, memories: int = 3) -> Path:
    with MemoryStore.open(path, clock=CLOCK) as store:
        for number in range(memories):
            store.add(new(f"Memory {number} " + "of many words " * 20), embedding(f"memory {number}"))
    return path


def run_and_kill(path: Path, start: int, *, after: int, seconds: float) -> list[str]:
    """What the writer said until it was killed, so many seconds after it had decided `after` passages."""
    command = [sys.executable, str(TESTS / "memory" / "memory_killed_writer.py"), str(path), str(start)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        said = [writer.stdout.readline().strip() for _ in range(after)]
        time.sleep(seconds)
        writer.kill()
        return said + writer.stdout.read().splitlines()


def test_killed_at_any_moment_nothing_is_doubled_lost_or_damaged(tmp_path: Path) -> None:
    """m92, v79: kill -9 in a write loop; what was confirmed is there, once."""
    path = tmp_path / "junod.db"
    rng = random.Random(1)
    confirmed: set[str] = set()
    for turn in range(ROUNDS):
        said = run_and_kill(path, 1_000 * turn, after=rng.randint(0, 5), seconds=rng.uniform(0, 0.03))
        confirmed |= {line for line in said if line.startswith("p")}
    with MemoryStore.open(path, clock=CLOCK) as store:
        assert store.check() == ()
        texts = Counter(memory.memory for memory in store.list(EVERYTHING))
        assert len(confirmed) >= ROUNDS
        assert max(texts.values()) == 1
        lacking = [passage_id for passage_id in confirmed if not texts[f"Memory of {passage_id} second"]]
        forgotten = [passage_id for passage_id in lacking if passage_id.endswith("3")]
        assert lacking == forgotten
        decided = {entry.passage_id for entry in store.journal(1_000) if entry.event == "decided"}
        assert len(texts) >= len(decided - set(forgotten))


def test_a_database_in_use_is_an_error_worth_a_retry(tmp_path: Path) -> None:
    path = filled(tmp_path / "junod.db")
    other = driver.connect(path, isolation_level=None)
    with MemoryStore.open(path, clock=CLOCK, busy_timeout_s=0.05) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="in use") as caught:
            store.add(new("Later"))
        assert caught.value.permanent is False
        assert caught.value.hint
        assert len(store.list()) == 3
        other.execute("ROLLBACK")
        assert store.add(new("Later")).memory == "Later"
    other.close()


def _fill(store: MemoryStore) -> None:
    for number in range(200):
        store.add(new(f"Memory {number} " + "x" * 3_000), embedding(f"more {number}"))


def test_a_full_disk_is_said_and_half_writes_nothing(tmp_path: Path) -> None:
    """v79: the disk fills up during a write."""
    with MemoryStore.open(filled(tmp_path / "junod.db"), clock=CLOCK) as store:
        store.spool_passage(passage("p1", "buy salt"))
        pages = store._db._connection.execute("PRAGMA page_count").fetchone()[0]
        store._db._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match="disk is full") as caught:
            _fill(store)
        assert caught.value.permanent is False
        store._db._connection.execute("PRAGMA max_page_count = 1000000")
        assert store.check() == ()
        assert store.spool_count() == 1
        before = store.counts().active
        store.add(new("Room again"))
        assert store.counts().active == before + 1


def test_a_newer_database_is_refused_and_untouched(tmp_path: Path) -> None:
    path = filled(tmp_path / "junod.db")
    connection = driver.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="newer junod") as caught:
            MemoryStore.open(path, clock=CLOCK, read_only=read_only)
        assert "Update junod" in caught.value.hint
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = driver.connect(path)
    connection.execute("CREATE TABLE photos (name TEXT)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        MemoryStore.open(path, clock=CLOCK)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"hello", b"\x00" * 5_000, b"PK\x03\x04" + b"x" * 500, b"SQLite format 3\x00"])
def test_what_is_not_a_database_is_refused_and_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "junod.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"not a database|damaged") as caught:
        MemoryStore.open(path, clock=CLOCK)
    assert caught.value.hint
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["junod.db"]


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_database_cut_short_is_refused_and_untouched(tmp_path: Path, part: float) -> None:
    path = filled(tmp_path / "junod.db")
    content = path.read_bytes()[: int(path.stat().st_size * part)]
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        MemoryStore.open(path, clock=CLOCK)
    assert path.read_bytes() == content


def test_a_database_with_scrambled_pages_is_refused_and_untouched(tmp_path: Path) -> None:
    path = filled(tmp_path / "junod.db", 30)
    content = bytearray(path.read_bytes())
    content[4096:-4096] = os.urandom(len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        MemoryStore.open(path, clock=CLOCK)
    assert path.read_bytes() == content


def test_a_folder_or_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        MemoryStore.open(tmp_path, clock=CLOCK)
    with pytest.raises(StoreError, match="There is no database") as caught:
        MemoryStore.open(tmp_path / "none.db", clock=CLOCK, read_only=True)
    assert "junod run" in caught.value.hint
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be opened"):
        MemoryStore.open(tmp_path / "file" / "junod.db", clock=CLOCK)


def test_only_the_owner_may_read_the_files(tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path / "data" / "junod.db", clock=CLOCK) as store:
        store.add(new("Salt"))
        modes = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "data").iterdir()}
    names = ("junod.db", "junod.db-wal", "junod.db-shm", "junod.db.copies-lock")
    assert modes == dict.fromkeys(names, 0o600)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_open_for_reading_reads_and_refuses_to_write(tmp_path: Path) -> None:
    path = filled(tmp_path / "junod.db")
    with MemoryStore.open(path, clock=CLOCK, read_only=True) as store:
        assert len(store.list()) == len(store.keyword("memory", 5)) == len(store.nearest(embedding("memory"), 3)) == 3
        assert store.check() == ()
        with pytest.raises(StoreError, match="reading only"):
            store.add(new("Salt"))


def _without_privileges(folder: str, read_only: bool, results: multiprocessing.Queue[str]) -> None:
    _drop_capabilities()
    try:
        with MemoryStore.open(Path(folder) / "junod.db", clock=CLOCK, read_only=read_only) as store:
            results.put(f"{len(store.list())} memories")
    except StoreError as error:
        results.put(str(error))


def _drop_capabilities() -> None:
    """Root, too, is then bound by the modes of its files; no change for anybody else."""
    header = struct.pack("Ii", 0x2008_0522, 0)  # _LINUX_CAPABILITY_VERSION_3, this thread
    assert ctypes.CDLL(None, use_errno=True).capset(header, bytes(24)) == 0, os.strerror(ctypes.get_errno())


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize(("read_only", "said"), [(False, "read-only"), (True, "3 memories")])
def test_a_read_only_folder_still_serves_readers(read_only: bool, said: str) -> None:
    """v79: degrade to reading; writing says what to check."""
    with tempfile.TemporaryDirectory() as folder:
        path = filled(Path(folder) / "junod.db")
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        context = multiprocessing.get_context("fork")
        results: multiprocessing.Queue[str] = context.Queue()
        child = context.Process(target=_without_privileges, args=(folder, read_only, results))
        child.start()
        answer = results.get(timeout=120)
        child.join(60)
        Path(folder).chmod(0o755)
    assert said in answer


def test_an_unknown_fault_of_sqlite_is_passed_on_with_its_words(tmp_path: Path) -> None:
    fault = translate(driver.OperationalError("no such table: spoons"), tmp_path)
    assert "no such table: spoons" in fault.message
    assert "junod doctor" in fault.hint
