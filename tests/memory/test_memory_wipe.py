"""Forgetting by time, proven by reading the database file, its log and its free pages byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from memory.memory_fakes import NOW, embedding, new, passage

from junod.clock import SimulatedClock
from junod.errors import UsageError
from junod.memory.driver import driver
from junod.memory.store import MemoryStore
from junod.records import Decision, Memory, Outcome

HOUR = timedelta(hours=1)


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: SimulatedClock) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as opened:
        yield opened


def hear(store: MemoryStore, passage_id: str, said: str, memory: str, at: datetime) -> Memory:
    store.spool_passage(passage(passage_id, said, spoken_at=at))
    decision = Decision(passage_id, Outcome.KEPT, "kept", memories=(new(memory, transcript=said, spoken_at=at),))
    return store.decide(passage_id, decision, [embedding(memory)])[0]


def traces(folder: Path, *needles: bytes) -> list[str]:
    """Where the bytes are still to be found in any file beside the database, in any spelling of case."""
    contents = {file.name: file.read_bytes().lower() for file in folder.iterdir()}
    return [f"{name}: {needle!r}" for name, data in contents.items() for needle in needles if needle.lower() in data]


def test_what_was_spoken_in_a_range_is_nowhere_in_the_files(store: MemoryStore, tmp_path: Path) -> None:
    before = hear(store, "p0", "we are out of quinoa", "Shopping list:\n- quinoa", NOW - 3 * HOUR)
    hear(store, "p1", "zanzibar dentistry appointment kilimanjaro", "Zanzibar dentistry", NOW - 2 * HOUR)
    corrected = store.edit(store.list(limit=1)[0].id, "Zanzibar dentistry at noon", embedding("zanzibar noon"))
    after = hear(store, "p2", "the bins go out", "Bins go out", NOW - HOUR)
    vector = embedding("zanzibar noon").vector.tobytes()
    assert traces(tmp_path, b"zanzibar", vector)
    wanted = (NOW - 2.5 * HOUR, NOW - HOUR)
    doomed = store.would_forget(*wanted)
    assert len(doomed.memories) == 2
    assert store.forget_spoken(*wanted) == doomed
    assert corrected.id in doomed.memories
    assert traces(tmp_path, b"zanzi", b"kilimanjaro", b"dentistri", b"noon", vector) == []
    assert store.list(oldest_first=True) == (before, after)
    assert store.check() == ()


def test_the_end_of_a_range_is_not_in_it(store: MemoryStore) -> None:
    first, last = (hear(store, f"p{n}", f"thing {n}", f"Thing {n}", NOW - n * HOUR) for n in (2, 1))
    assert store.forget_spoken(first.spoken_at, last.spoken_at).memories == (first.id,)
    assert store.list() == (last,)


def test_everything_is_nowhere_in_the_files(store: MemoryStore, tmp_path: Path) -> None:
    """Enough of it that tables and indexes span many pages, most of them free afterwards."""
    words = [f"xylophone{number:03d}" for number in range(150)]
    for number, word in enumerate(words):
        hear(store, f"p{number}", f"someone spoke of {word} zanzibar", f"Buy {word}", NOW - number * HOUR)
    store.done(store.list(limit=1)[0].id)
    store.archive(store.list(limit=2)[1].id)
    store.spool_passage(passage("waiting", "the kilimanjaro waits", context=("serengeti was mentioned",)))
    store.spool_passage(passage("odd", "a parked ngorongoro"))
    store.park("odd", "too-long")
    vectors = [embedding(f"Buy {word}").vector.tobytes() for word in words[:20]]
    assert len(traces(tmp_path, b"xylophon", b"zanzibar", b"kilimanjaro", b"serengeti", b"ngorongoro")) >= 5
    erased = store.forget_spoken()
    assert len(erased.memories) == 151
    assert set(erased.passages) == {"waiting", "odd"}
    needles = (b"xylophon", b"zanzibar", b"kilimanjaro", b"serengeti", b"ngorongoro", b"someone spoke")
    assert traces(tmp_path, *needles, *vectors) == []
    assert store.list() == ()
    assert store.spool_count() == 0
    assert store.parked() == ()
    assert store.check() == ()


def test_forgetting_everything_leaves_no_journal_of_when_there_was_speech(store: MemoryStore, tmp_path: Path) -> None:
    memory = hear(store, "passage-of-old", "anything", "Anything", NOW - HOUR)
    store.forget_spoken()
    assert [(entry.event, entry.reason) for entry in store.journal(limit=None)] == [("forgotten", "everything")]
    assert traces(tmp_path, b"passage-of-old", memory.id.encode()) == []


def test_free_pages_hold_nothing_either(store: MemoryStore, tmp_path: Path) -> None:
    for number in range(100):
        hear(store, f"p{number}", f"zanzibar {number} " * 20, f"Zanzibar {number}", NOW - number * HOUR)
    store.forget_spoken(until=NOW - 10 * HOUR)
    store.close()
    raw = driver.connect(str(tmp_path / "junod.db"))
    free = raw.execute("PRAGMA freelist_count").fetchone()[0]
    raw.close()
    data = (tmp_path / "junod.db").read_bytes()
    assert data.count(b"zanzibar 50 ") == 0
    assert b"zanzibar 5 " in data, "what is younger stays"
    assert free == 0, "free pages were given back"


def test_a_decision_under_way_brings_nothing_back(store: MemoryStore) -> None:
    """m101: the passage is with the language model while everything is forgotten."""
    store.spool_passage(passage("p1", "the dentist moved to four"))
    taken = store.next_passage()
    assert taken is not None
    store.forget_spoken()
    decision = Decision(
        "p1", Outcome.KEPT, "kept", memories=(new("Dentist at four", transcript="the dentist moved to four"),)
    )
    assert store.decide("p1", decision, [embedding("x")]) == ()
    assert store.list() == ()


def test_the_same_recording_brings_nothing_back_and_the_same_words_another_day_do(store: MemoryStore) -> None:
    hear(store, "p1", "the dentist moved to four", "Dentist at four", NOW - HOUR)
    store.forget_spoken()
    assert not store.spool_passage(passage("again", "the dentist moved to four", spoken_at=NOW - HOUR))
    assert store.spool_passage(passage("news", "the dentist moved to four", spoken_at=NOW))


def test_a_passage_that_reaches_into_the_range_goes_with_it(store: MemoryStore) -> None:
    at = NOW - HOUR
    starts = (at, at + timedelta(seconds=40))
    store.spool_passage(passage("p1", "a long talk", spoken_at=at, utterance_starts=starts))
    assert store.would_forget(at + timedelta(seconds=50)).passages == ()
    assert store.forget_spoken(at + timedelta(seconds=30)).passages == ("p1",)


def test_forgetting_nothing_is_no_error(store: MemoryStore) -> None:
    assert store.forget_spoken() == store.would_forget()
    assert store.finish_erasing()


def test_another_household_keeps_its_own(tmp_path: Path, clock: SimulatedClock) -> None:
    with MemoryStore.open(tmp_path / "j.db", clock=clock, household_id="other") as other:
        kept = other.add(new("Theirs", household_id="other"))
        with MemoryStore.open(tmp_path / "j.db", clock=clock) as ours:
            ours.add(new("Ours"))
            assert len(ours.forget_spoken().memories) == 1
        assert other.list() == (kept,)


def test_while_another_program_reads_it_is_said_that_traces_stay(store: MemoryStore, tmp_path: Path) -> None:
    hear(store, "p1", "zanzibar", "Zanzibar", NOW - HOUR)
    reader = driver.connect(str(tmp_path / "junod.db"))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchone()
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW), busy_timeout_s=0.1) as second:
        second.forget_spoken()
        assert not second.finish_erasing()
        reader.close()
        assert second.finish_erasing()
    assert traces(tmp_path, b"zanzi") == []


@pytest.mark.parametrize(("since", "until"), [(NOW, NOW), (NOW, NOW - HOUR), (NOW.replace(tzinfo=None), None)])
def test_an_odd_range_is_refused_and_nothing_is_lost(
    store: MemoryStore, since: datetime, until: datetime | None
) -> None:
    store.add(new("Kept"))
    with pytest.raises(UsageError):
        store.forget_spoken(since, until)
    assert len(store.list()) == 1
