"""Forgetting and expiring: for good, whole, and with no way back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from memory.memory_fakes import NOW, embedding, new, passage

from junod.clock import SimulatedClock
from junod.errors import NotFoundError, StoreError
from junod.memory import vectors
from junod.memory.driver import driver
from junod.memory.embedder import Embedding
from junod.memory.store import MemoryStore
from junod.records import Decision, Memory, NewMemory, Outcome


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: SimulatedClock) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as opened:
        yield opened


def kept(passage_id: str, *memories: NewMemory) -> Decision:
    return Decision(passage_id, Outcome.KEPT, "kept", memories=memories)


def hear(store: MemoryStore, passage_id: str, said: str, *memories: str) -> tuple[Memory, ...]:
    store.spool_passage(passage(passage_id, said))
    news = tuple(new(text, transcript=said) for text in memories)
    return store.decide(passage_id, kept(passage_id, *news), [embedding(text) for text in memories])


def traces(folder: Path, *needles: bytes) -> list[str]:
    """Where the bytes are still to be found, in any spelling of case."""
    contents = {file.name: file.read_bytes().lower() for file in folder.iterdir()}
    return [f"{name}: {needle!r}" for name, data in contents.items() for needle in needles if needle.lower() in data]


def test_a_forgotten_text_is_nowhere_in_the_files(store: MemoryStore, tmp_path: Path) -> None:
    (other,) = hear(store, "p0", "we are out of quinoa", "Shopping list:\n- quinoa")
    (memory,) = hear(store, "p1", "zanzibar dentistry appointment kilimanjaro", "Zanzibar dentistry")
    corrected = store.edit(memory.id, "Zanzibar dentistry at noon", embedding("zanzibar noon"))
    vector = embedding("zanzibar noon").vector.tobytes()
    assert traces(tmp_path, b"zanzibar", vector)
    assert store.forget(corrected.id) == (memory.id, corrected.id)
    assert traces(tmp_path, b"zanzi", b"kilimanjaro", b"dentistri", b"noon", vector) == []
    assert traces(tmp_path, b"quinoa")
    assert store.list() == (other,)
    assert store.check() == ()


def test_an_expired_text_is_nowhere_in_the_files(store: MemoryStore, clock: SimulatedClock, tmp_path: Path) -> None:
    for number in range(200):
        store.add(new(f"Filler number {number}"), embedding(f"filler {number}"))
    first = store.add(
        new("Zanzibar dentistry", transcript="kilimanjaro", expires_at=NOW + timedelta(hours=1)), embedding("zanzibar")
    )
    clock.advance(60)
    second = store.edit(first.id, "Zanzibar dentistry, moved", embedding("moved"))
    clock.advance(3600)
    assert store.expire(clock.now()) == (first.id, second.id)
    gone = (embedding("zanzibar").vector.tobytes(), embedding("moved").vector.tobytes())
    assert traces(tmp_path, b"zanzi", b"kilimanjaro", b"dentistri", *gone) == []
    assert store.counts().active == 200
    assert store.check() == ()


def test_a_decided_passage_is_nowhere_in_the_files(store: MemoryStore, tmp_path: Path) -> None:
    store.spool_passage(passage("p1", "the referee blows his whistle in zanzibar"))
    assert traces(tmp_path, b"zanzibar")
    store.decide("p1", Decision("p1", Outcome.REJECTED, "gate", score=0.01, reason="below-threshold"))
    assert traces(tmp_path, b"zanzibar", b"referee") == []


def test_traces_go_later_when_another_program_reads_the_old_state(store: MemoryStore, tmp_path: Path) -> None:
    (memory,) = hear(store, "p1", "zanzibar", "Zanzibar")
    reader = driver.connect(tmp_path / "junod.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchone()
    store._db._connection.execute("PRAGMA busy_timeout = 50")
    store.forget(memory.id)
    assert store.list() == ()
    reader.execute("COMMIT")
    assert store.expire(NOW) == ()
    assert traces(tmp_path, b"zanzibar") == []
    reader.close()


def test_forgetting_takes_the_whole_lineage(store: MemoryStore) -> None:
    milk, eggs = store.add(new("List:\n- milk")), store.add(new("List:\n- eggs"))
    merged = store.add(new("List:\n- milk\n- eggs", source="merge", supersedes=(milk.id, eggs.id), reason="merge"))
    finished = store.done(merged.id)
    assert set(store.forget(milk.id)) == {milk.id, eggs.id, merged.id, finished.id}
    assert list(store.export()) == []


def test_a_forgotten_memory_does_not_come_back_from_the_same_recording(store: MemoryStore) -> None:
    """m101: neither under the passage's id nor when a new pass over the recording gave it another."""
    (memory,) = hear(store, "p1", "We're out of salt!", "Shopping list:\n- salt")
    store.forget(memory.id)
    assert hear(store, "p1", "We're out of salt!", "Shopping list:\n- salt") == ()
    assert store.spool_passage(passage("p2", "we're out of SALT")) is False
    assert hear(store, "p2", "we're out of SALT", "Shopping list:\n- salt") == ()
    assert store.list() == ()
    assert store.spool_count() == 0


def test_saying_again_what_was_forgotten_makes_a_new_memory(store: MemoryStore, clock: SimulatedClock) -> None:
    """m76: a later remark is news; neither tombstone nor vector of the old suppresses it."""
    (memory,) = hear(store, "p1", "buy salt", "Shopping list:\n- salt")
    store.forget(memory.id)
    clock.advance(3600)
    again = new("Shopping list:\n- salt", transcript="buy salt", spoken_at=clock.now())
    assert store.spool_passage(passage("p2", "buy salt", spoken_at=clock.now()))
    (stored,) = store.decide("p2", kept("p2", again), [embedding("salt")])
    assert store.list() == (stored,)
    assert [found.memory.id for found in store.nearest(embedding("salt"), 5)] == [stored.id]


def test_tombstones_hold_no_content(store: MemoryStore) -> None:
    (memory,) = hear(store, "p1", "buy salt", "Salt")
    store.forget(memory.id)
    with store.sessions.read() as session:
        found = session.connection.execute("SELECT hash, at FROM tombstones").fetchall()
    assert len(found) == 2
    assert all(isinstance(row["hash"], bytes) and len(row["hash"]) == 32 for row in found)


def test_forgetting_one_memory_of_a_passage_leaves_the_other_without_the_transcript(store: MemoryStore) -> None:
    said = "the vet sees Momo at ten and we need rice"
    vet, rice = hear(store, "p1", said, "Vet for Momo at ten", "Shopping list:\n- rice")
    finished = store.done(rice.id)
    store.forget(vet.id)
    assert [memory.id for memory in store.list()] == [finished.id]
    assert store.get(finished.id).transcript == store.get(rice.id).transcript == ""
    assert store.get(rice.id).memory == rice.memory


def test_forgetting_clears_the_spool_of_the_same_words(store: MemoryStore) -> None:
    (memory,) = hear(store, "p1", "We need salt. And the vet is at ten.", "Salt")
    store.spool_passage(passage("p2", "goodbye", context=("we need salt", "see you then")))
    store.spool_passage(passage("p3", "we need salt and the vet is at ten", spoken_at=NOW + timedelta(minutes=5)))
    store.forget(memory.id)
    waiting = store.next_passage()
    assert waiting is not None
    assert (waiting.passage.id, waiting.passage.context) == ("p2", ("see you then",))
    assert store.next_passage() is None


def test_expiry_erases_superseded_ancestors_that_nothing_else_needs(store: MemoryStore, clock: SimulatedClock) -> None:
    permanent = store.add(new("Piano lesson"))
    dated = store.add(
        new("Piano lesson today", supersedes=(permanent.id,), reason="update", expires_at=NOW + timedelta(hours=1))
    )
    shared = store.add(new("Trip: train and hotel"))
    train = store.add(
        new("Train at nine", supersedes=(shared.id,), reason="split", expires_at=NOW + timedelta(hours=1))
    )
    clock.advance(3600)
    assert set(store.expire(clock.now())) == {permanent.id, dated.id, train.id, shared.id}
    assert list(store.export()) == []


def test_an_expired_ancestor_goes_and_its_living_successor_stays(store: MemoryStore, clock: SimulatedClock) -> None:
    old = store.add(new("Dentist at seven", expires_at=NOW + timedelta(hours=1)))
    moved = store.add(
        new("Dentist on Friday", supersedes=(old.id,), reason="reschedule", expires_at=NOW + timedelta(days=4))
    )
    clock.advance(3600)
    assert store.expire(clock.now()) == (old.id,)
    assert [memory.id for memory in store.list()] == [moved.id]
    assert store.get(moved.id).supersedes == ()


def test_an_expired_memory_takes_no_transcript_of_another_passage_along(
    store: MemoryStore, clock: SimulatedClock
) -> None:
    due = NOW + timedelta(hours=1)
    tuesday = new("Dentist on Tuesday", transcript="dentist tuesday", expires_at=due)
    trip = new("Trip", transcript="dentist tuesday")
    old, sibling = store.decide("p1", kept("p1", tuesday, trip))
    merged = store.add(
        new("Trip, two bags", transcript="dentist tuesday\ntwo bags", supersedes=(sibling.id,), source="merge")
    )
    moved = new("Dentist on Friday", transcript="the dentist called", supersedes=(old.id,), reason="reschedule")
    (successor,) = store.decide("p2", kept("p2", moved))
    clock.advance(3600)
    assert store.expire(clock.now()) == (old.id,)
    assert store.get(successor.id).transcript == "the dentist called"
    assert store.get(sibling.id).transcript == store.get(merged.id).transcript == ""


def test_a_failing_vector_step_undoes_the_whole_forgetting(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """m100: a deletion is whole or an error that is shown, never a success that comes undone."""
    (memory,) = hear(store, "p1", "buy salt", "Salt")
    with store.sessions.write() as session:
        session.connection.execute("ALTER TABLE vector_tables RENAME TO hidden")
    with pytest.raises(StoreError):
        store.forget(memory.id)
    with store.sessions.write() as session:
        session.connection.execute("ALTER TABLE hidden RENAME TO vector_tables")
    assert [found.memory.id for found in store.keyword("salt", 5)] == [memory.id]
    assert store.get(memory.id).transcript == "buy salt"
    assert store.check() == ()


def test_forgetting_what_is_not_there_is_an_error(store: MemoryStore) -> None:
    with pytest.raises(NotFoundError):
        store.forget("0199aaaa")


def test_a_thousand_memories_come_and_go_and_the_file_stays_small(store: MemoryStore, tmp_path: Path) -> None:
    """m86: vectors deleted one by one do not pile up as holes."""
    rng = np.random.default_rng(7)
    permanent = store.add(new("Spare key under the pot"), Embedding("m", rng.standard_normal(384).astype(np.float32)))
    sizes = []
    with_vectors = 0
    for number in range(1_000):
        vector = Embedding("m", rng.standard_normal(384).astype(np.float32))
        due = NOW + timedelta(seconds=number + 1)
        store.add(new(f"Note {number} of the day", expires_at=due), vector)
        if number % 10 == 9:
            store.expire(NOW + timedelta(seconds=number + 1))
            sizes.append((tmp_path / "junod.db").stat().st_size)
            with_vectors = max(with_vectors, store.vector_models()["m", 384])
    assert with_vectors == 1
    assert store.list() == (permanent,)
    assert max(sizes[50:]) <= max(sizes[:20]) + 200_000  # the journal alone grows, by some 120 bytes an entry
    assert store.check() == ()


def test_deleting_most_memories_gives_the_disk_its_space_back(
    store: MemoryStore, tmp_path: Path, clock: SimulatedClock
) -> None:
    """m91: free space really grows."""
    rng = np.random.default_rng(7)
    for number in range(400):
        due = None if number % 10 == 0 else NOW + timedelta(hours=1)
        vector = Embedding("m", rng.standard_normal(384).astype(np.float32))
        store.add(new(f"Note {number} " + "and more " * 50, expires_at=due), vector)
    store._db._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = (tmp_path / "junod.db").stat().st_size
    clock.advance(3600)
    assert len(store.expire(clock.now())) == 360
    after = (tmp_path / "junod.db").stat().st_size
    assert after < before / 2
    assert store.counts().active == 40
    assert store.vector_models() == {("m", 384): 40}


def test_vectors_survive_the_rebuilding_of_a_hollow_table(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "CHUNK_ROWS", 8)
    memories = [store.add(new(f"note {n}"), embedding(f"note {n}")) for n in range(64)]
    for memory in memories[:60]:
        store.forget(memory.id)
    for number in range(60, 64):
        (found,) = store.nearest(embedding(f"note {number}"), 1)
        assert found.memory.id == memories[number].id
        assert found.measure == pytest.approx(0, abs=1e-6)
