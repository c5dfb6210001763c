"""A time to think before forgetting: hidden from everything at once, back on request, and then really gone."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from memory.memory_fakes import NOW, HashEmbedder, embedding, new, passage

from junod.clock import SimulatedClock
from junod.errors import ConflictError, NotFoundError
from junod.memory import verbs
from junod.memory.context import context
from junod.memory.search import SearchMode, SearchRequest
from junod.memory.store import EVERYTHING, MemoryStore
from junod.records import Decision, Memory, Outcome

BERLIN = ZoneInfo("Europe/Berlin")
TRACES = (b"zanzi", b"kilimanjaro", b"dentistri")


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: SimulatedClock) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as opened:
        yield opened


def traces(folder: Path, *needles: bytes) -> list[str]:
    contents = {file.name: file.read_bytes().lower() for file in folder.iterdir()}
    return [f"{name}: {needle!r}" for name, data in contents.items() for needle in needles if needle in data]


def hear(store: MemoryStore, passage_id: str, said: str, text: str, at: datetime = NOW) -> tuple[Memory, ...]:
    if not store.spool_passage(passage(passage_id, said, spoken_at=at)):
        return ()
    decision = Decision(passage_id, Outcome.KEPT, "kept", memories=(new(text, transcript=said, spoken_at=at),))
    return store.decide(passage_id, decision, [embedding(text)])


def test_what_is_being_forgotten_is_hidden_from_everything(store: MemoryStore, clock: SimulatedClock) -> None:
    old = store.add(new("Zanzibar dentistry"), embedding("zanzibar dentistry"))
    memory = store.edit(old.id, "Zanzibar dentistry at four", embedding("zanzibar dentistry at four"))
    forgetting = verbs.forget(store, memory.id, grace_s=30)
    assert (forgetting.ids, forgetting.until) == ((old.id, memory.id), NOW + timedelta(seconds=30))
    embedder = HashEmbedder()
    assert store.list() == store.list(EVERYTHING) == ()
    assert store.keyword("zanzibar", 5) == store.nearest(embedding("zanzibar"), 5) == ()
    for mode in SearchMode:
        request = SearchRequest("zanzibar", mode)
        assert verbs.find(store, request, embedder=embedder, now=clock.now()) == ()
    assert context(store, "zanzibar", embedder=None, now=NOW, zone=BERLIN).memories == ()
    assert tuple(store.export()) == ()
    assert (store.counts().active, store.counts().superseded) == (0, 0)
    for look in (store.get, store.history, store.lineage, store.done, store.restore):
        with pytest.raises(NotFoundError):
            look(memory.id)
    with pytest.raises(NotFoundError):
        verbs.pick(store, "zanzibar")


def test_a_forgotten_memory_comes_back_as_it_was(store: MemoryStore) -> None:
    old = store.add(new("Zanzibar dentistry"), embedding("zanzibar"))
    memory = store.edit(old.id, "Zanzibar dentistry at four", embedding("at four"))
    verbs.forget(store, old.id)
    assert verbs.unforget(store, memory.id[-8:]) == (memory,)
    assert store.list() == (memory,)
    assert store.history(memory.id) == (store.get(old.id), memory)
    assert store.nearest(embedding("at four"), 1)[0].memory == memory
    with pytest.raises(ConflictError, match="not being forgotten"):
        verbs.unforget(store, memory.id)


def test_once_its_time_is_over_it_is_nowhere_in_the_files(
    store: MemoryStore, clock: SimulatedClock, tmp_path: Path
) -> None:
    (memory,) = hear(store, "p1", "kilimanjaro dentistry", "Zanzibar dentistry")
    store.edit(memory.id, "Zanzibar at four", embedding("at four"))
    verbs.undo(store, store.list()[0].id)
    verbs.forget(store, memory.id, grace_s=30)
    clock.advance(29)
    assert store.erase_forgotten() == ()
    assert traces(tmp_path, *TRACES)
    clock.advance(1)
    assert len(store.erase_forgotten()) == 2
    assert traces(tmp_path, *TRACES, embedding("Zanzibar dentistry").vector.tobytes()) == []
    with pytest.raises(NotFoundError):
        verbs.unforget(store, memory.id)
    assert store.check() == ()


def test_it_does_not_come_back_from_the_same_recording(store: MemoryStore, clock: SimulatedClock) -> None:
    """m101: neither while it can be brought back nor after; said again on another day it is news."""
    (memory,) = hear(store, "p1", "we need quinoa", "Quinoa")
    verbs.forget(store, memory.id)
    assert hear(store, "p2", "We need quinoa!", "Quinoa") == ()
    clock.advance(61)
    store.erase_forgotten()
    assert hear(store, "p3", "we need quinoa", "Quinoa") == ()
    assert hear(store, "p4", "we need quinoa", "Quinoa", NOW + timedelta(days=1))


def test_said_again_while_it_is_being_forgotten_is_a_new_memory_that_stays(
    store: MemoryStore, clock: SimulatedClock
) -> None:
    (memory,) = hear(store, "p1", "we need quinoa", "Quinoa")
    verbs.forget(store, memory.id)
    clock.advance(20)
    written, is_new = verbs.remember(store, new("Quinoa", spoken_at=clock.now(), source="manual", transcript=""))
    assert is_new
    clock.advance(60)
    store.erase_forgotten()
    assert store.list() == (written,)


def test_what_expires_while_it_is_hidden_goes_for_good(store: MemoryStore, clock: SimulatedClock) -> None:
    memory = store.add(new("Dentist", expires_at=NOW + timedelta(seconds=10)))
    verbs.forget(store, memory.id, grace_s=30)
    clock.advance(10)
    assert store.erase_forgotten() == (memory.id,)


def test_a_clock_set_back_does_not_keep_it(store: MemoryStore, clock: SimulatedClock) -> None:
    """m53 (near): a restart without a clock that runs on must not leave it in the file for weeks."""
    memory = store.add(new("Zanzibar"))
    verbs.forget(store, memory.id)
    clock.set_wall(NOW - timedelta(days=14))
    assert store.erase_forgotten() == (memory.id,)


def test_zero_seconds_erase_at_once(store: MemoryStore, tmp_path: Path) -> None:
    memory = store.add(new("Zanzibar dentistry"))
    forgetting = verbs.forget(store, memory.id, grace_s=0)
    assert (forgetting.ids, forgetting.until) == ((memory.id,), None)
    assert traces(tmp_path, *TRACES) == []


def test_forgetting_a_range_or_everything_takes_what_is_hidden_too(store: MemoryStore, tmp_path: Path) -> None:
    memory = store.add(new("Zanzibar dentistry"))
    verbs.forget(store, memory.id)
    assert store.forget_spoken(NOW - timedelta(hours=1)).memories == (memory.id,)
    assert traces(tmp_path, *TRACES) == []


def test_a_hidden_memory_can_be_erased_at_once_after_all(store: MemoryStore) -> None:
    memory = store.add(new("Zanzibar"))
    verbs.forget(store, memory.id)
    assert store.forget(memory.id) == (memory.id,)


def _forget_and_die(path: Path, memory_id: str) -> None:
    with MemoryStore.open(path, clock=SimulatedClock(NOW)) as store:
        verbs.forget(store, memory_id)
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_crash_does_not_lose_the_wish_to_forget(tmp_path: Path) -> None:
    path = tmp_path / "junod.db"
    with MemoryStore.open(path, clock=SimulatedClock(NOW)) as store:
        memory = store.add(new("Zanzibar dentistry"))
    child = multiprocessing.get_context("fork").Process(target=_forget_and_die, args=(path, memory.id))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    with MemoryStore.open(path, clock=SimulatedClock(NOW + timedelta(minutes=10))) as store:
        assert store.list() == ()
        assert store.erase_forgotten() == (memory.id,)
        assert traces(tmp_path, *TRACES) == []
