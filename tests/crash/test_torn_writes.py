"""Power cuts as the disk sees them: the log ends anywhere, sectors are half old and half new, in files copied aside."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from memory.memory_fakes import NOW, embedding, new, passage

from junod.clock import SimulatedClock
from junod.memory.driver import connect
from junod.memory.store import EVERYTHING, MemoryStore
from junod.records import Decision, Outcome

CLOCK = SimulatedClock(NOW)
SECTOR = 512
CUTS = 40


@dataclass(frozen=True)
class Moment:
    """The files right after something was confirmed."""

    log_bytes: int
    spooled: frozenset[str]
    decided: frozenset[str]


@dataclass(frozen=True)
class Filmed:
    """A household's files with a log that was never emptied, and what was certain at each length of it."""

    database: bytes
    log: bytes
    moments: tuple[Moment, ...]

    def at(self, log_bytes: int) -> Moment:
        """What was certain when the log had this length."""
        return [moment for moment in self.moments if moment.log_bytes <= log_bytes][-1]


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    path = tmp_path_factory.mktemp("filmed") / "junod.db"
    with MemoryStore.open(path, clock=CLOCK) as store:
        for number in range(5):
            store.add(new(f"From before {number}"), embedding(f"before {number}"))
    log = path.with_name("junod.db-wal")
    with MemoryStore.open(path, clock=CLOCK, busy_timeout_s=0) as store:
        store._db._connection.execute("PRAGMA wal_autocheckpoint = 0")
        store._db._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        reader = connect(f"file:{path}?mode=ro", busy_timeout_s=1)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()  # from here on the log cannot be emptied
        database = path.read_bytes()
        moments = [Moment(log.stat().st_size, frozenset(), frozenset())]
        for number in range(12):
            _hear(store, number)
            moments.append(_after(moments[-1], log, spooled=f"p{number}"))
            _decide(store)
            moments.append(_after(moments[-1], log, decided=f"p{number}"))
        content = log.read_bytes()
        assert path.read_bytes() == database
        reader.execute("ROLLBACK")
        reader.close()
    return Filmed(database, content, tuple(moments))


def _after(last: Moment, log: Path, *, spooled: str = "", decided: str = "") -> Moment:
    return Moment(log.stat().st_size, last.spooled | ({spooled} - {""}), last.decided | ({decided} - {""}))


def _hear(store: MemoryStore, number: int) -> None:
    store.spool_passage(passage(f"p{number}", f"someone said number {number}"))


def _decide(store: MemoryStore) -> None:
    taken = store.next_passage()
    assert taken is not None
    number = taken.passage.id[1:]
    memory = new(f"Memory {number}", transcript=taken.passage.transcript)
    decision = Decision(taken.passage.id, Outcome.KEPT, "kept", memories=(memory,))
    store.decide(taken.passage.id, decision, [embedding(memory.memory)])


def found_sound(folder: Path, database: bytes, log: bytes, certain: Moment) -> None:
    """The files open, are sound, hold what was certain once, and go on: what waits is decided, once."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    path = folder / "junod.db"
    path.write_bytes(database)
    path.with_name("junod.db-wal").write_bytes(log)
    with MemoryStore.open(path, clock=CLOCK) as store:
        assert store.check() == ()
        store.recover_spool(max_attempts=9)
        waiting = {each.passage.id for each in store.undecided()}
        decided = {str(entry.passage_id) for entry in store.journal(limit=None) if entry.event == "decided"}
        assert certain.spooled <= waiting | decided
        assert certain.decided <= decided
        assert not waiting & decided
        while store.spool_count():
            _decide(store)
        texts = Counter(memory.memory for memory in store.list(EVERYTHING))
        assert set(texts.values()) == {1}
        assert {f"Memory {each[1:]}" for each in waiting | decided} <= set(texts)
        assert {f"From before {number}" for number in range(5)} <= set(texts)
        assert store.check() == ()


def test_a_log_that_ends_anywhere_loses_nothing_that_was_confirmed_before(filmed: Filmed, tmp_path: Path) -> None:
    """m92, v79: what the disk had taken when the power went is a beginning of the log."""
    rng = random.Random(3)
    for _ in range(CUTS):
        cut = rng.randint(filmed.moments[0].log_bytes, len(filmed.log))
        found_sound(tmp_path / "cut", filmed.database, filmed.log[:cut], filmed.at(cut))


def test_a_log_whose_end_is_rubbish_is_read_up_to_there(filmed: Filmed, tmp_path: Path) -> None:
    """A file grows before its content arrives: zeros, or what the card held before."""
    rng = random.Random(4)
    for _ in range(CUTS // 2):
        cut = rng.randint(filmed.moments[0].log_bytes, len(filmed.log) - SECTOR)
        rubbish = rng.choice((bytes(8 * SECTOR), rng.randbytes(8 * SECTOR)))
        found_sound(tmp_path / "cut", filmed.database, filmed.log[:cut] + rubbish, filmed.at(cut))


def test_a_sector_that_never_arrived_costs_only_what_came_after(filmed: Filmed, tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(CUTS // 2):
        begin = rng.randrange(filmed.moments[0].log_bytes // SECTOR + 1, len(filmed.log) // SECTOR) * SECTOR
        torn = filmed.log[:begin] + bytes(SECTOR) + filmed.log[begin + SECTOR :]
        found_sound(tmp_path / "cut", filmed.database, torn, filmed.at(begin))


def test_a_checkpoint_cut_short_is_made_good_from_the_log(filmed: Filmed, tmp_path: Path) -> None:
    """The log is emptied only when all of it is in the database: until then any mixture of sectors will do."""
    after = _checkpointed(filmed, tmp_path)
    before = filmed.database.ljust(len(after), b"\x00")
    rng = random.Random(6)
    for _ in range(CUTS // 2):
        share = rng.random()
        mixed = b"".join(
            (after if rng.random() < share else before)[at : at + SECTOR] for at in range(0, len(after), SECTOR)
        )
        found_sound(tmp_path / "mixed", mixed, filmed.log, filmed.moments[-1])


def _checkpointed(filmed: Filmed, folder: Path) -> bytes:
    path = folder / "junod.db"
    path.write_bytes(filmed.database)
    path.with_name("junod.db-wal").write_bytes(filmed.log)
    connection = connect(f"file:{path}?mode=rw", busy_timeout_s=1)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.read_bytes()
