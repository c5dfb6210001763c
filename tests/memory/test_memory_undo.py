"""Taking back: what a change replaced is active again, under its old id, and the change stays in history."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from memory.memory_fakes import NOW, embedding, new

from junod.clock import SimulatedClock
from junod.errors import ConflictError, NotFoundError
from junod.memory import verbs
from junod.memory.store import MemoryStore
from junod.records import Memory


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: SimulatedClock) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as opened:
        yield opened


def shopping(*items: str) -> str:
    return "\n".join(["Shopping list:", *(f"- {item}" for item in items)])


def merged(store: MemoryStore, *olds: Memory, text: str = "merged") -> Memory:
    sources = tuple(old.id for old in olds)
    return store.add(new(text, source="merge", supersedes=sources, reason="list-growth"), embedding(text))


def test_undoing_done_brings_the_memory_back_under_its_id(store: MemoryStore) -> None:
    old = store.add(new("Call the plumber"), embedding("call plumber"))
    finished = store.done(old.id)
    undone = verbs.undo(store, finished.id)
    assert (undone.change, undone.memories, undone.forgetting) == ("done", (old,), None)
    assert store.list() == (old,)
    assert [found.memory.id for found in store.keyword("plumber", 5)] == [old.id]
    assert [found.memory.id for found in store.nearest(embedding("call plumber"), 5)] == [old.id]


def test_undoing_an_edit_brings_back_the_text_before_and_then_the_one_before_that(store: MemoryStore) -> None:
    """m70, the other way."""
    first = store.add(new("Buy oat milk"))
    second = store.edit(first.id, "Buy soy milk")
    third = store.edit(second.id, "Buy rice milk")
    assert [memory.memory for memory in verbs.undo(store, third.id).memories] == ["Buy soy milk"]
    assert [memory.memory for memory in verbs.undo(store, second.id).memories] == ["Buy oat milk"]
    assert store.list() == (first,)


def test_undoing_a_merge_brings_back_all_its_sources(store: MemoryStore) -> None:
    milk, eggs = store.add(new(shopping("milk"))), store.add(new(shopping("eggs")))
    both = merged(store, milk, eggs)
    undone = verbs.undo(store, both.id)
    assert (undone.change, undone.memories) == ("merge", (milk, eggs))
    assert set(store.list()) == {milk, eggs}
    assert store.kept_apart() == {frozenset((milk.id, eggs.id))}


def test_what_was_taken_apart_stays_apart_whatever_becomes_of_it(store: MemoryStore) -> None:
    milk, eggs, jam = (store.add(new(shopping(item))) for item in ("milk", "eggs", "jam"))
    verbs.undo(store, merged(store, milk, eggs).id)
    corrected = store.edit(milk.id, shopping("oat milk"))
    grown = merged(store, eggs, jam)
    assert store.kept_apart() == {frozenset((corrected.id, grown.id))}


def test_what_was_kept_apart_from_a_merge_is_kept_apart_from_its_sources(store: MemoryStore) -> None:
    milk, eggs, jam = (store.add(new(shopping(item))) for item in ("milk", "eggs", "jam"))
    two = merged(store, milk, eggs)
    verbs.undo(store, merged(store, two, jam).id)
    verbs.undo(store, two.id)
    pairs = ((milk, eggs), (milk, jam), (eggs, jam))
    assert {frozenset((one.id, other.id)) for one, other in pairs} <= store.kept_apart()


def test_a_change_of_a_merge_by_hand_refuses_no_merge(store: MemoryStore) -> None:
    milk, eggs = store.add(new(shopping("milk"))), store.add(new(shopping("eggs")))
    both = merged(store, milk, eggs, text=shopping("milk", "eggs"))
    assert verbs.undo(store, verbs.tick(store, both.id, "milk").id).change == "tick"
    assert verbs.undo(store, store.done(both.id).id).change == "done"
    assert store.kept_apart() == frozenset()
    assert store.list() == (both,)


def test_history_shows_what_was_taken_back_and_when(store: MemoryStore, clock: SimulatedClock) -> None:
    old = store.add(new("Dentist at three"))
    clock.advance(60)
    edited = store.edit(old.id, "Dentist at four")
    clock.advance(60)
    verbs.undo(store, edited.id)
    lineage = store.lineage(old.id)
    assert [memory.memory for memory in lineage.memories] == ["Dentist at three", "Dentist at four"]
    (link,) = lineage.links
    assert (link.old, link.new, link.reason) == (old.id, edited.id, "edit")
    assert (link.at, link.withdrawn_at) == (NOW + timedelta(seconds=60), NOW + timedelta(seconds=120))
    assert "withdrawn" in {entry.event for entry in store.journal()}


def test_a_change_is_taken_back_once(store: MemoryStore) -> None:
    old = store.add(new("Dentist"))
    edited = store.edit(old.id, "Dentist at four")
    verbs.undo(store, edited.id)
    with pytest.raises(ConflictError):
        verbs.undo(store, edited.id)
    with pytest.raises(ConflictError):
        store.restore(edited.id)
    assert store.list() == (old,)


def test_what_something_else_replaced_must_be_undone_from_the_newest(store: MemoryStore) -> None:
    old = store.add(new("Dentist"))
    edited = store.edit(old.id, "Dentist at four")
    newest = store.edit(edited.id, "Dentist at five")
    with pytest.raises(ConflictError, match=newest.id):
        verbs.undo(store, edited.id)
    assert store.list() == (newest,)


def test_a_fresh_memory_is_forgotten_with_time_to_bring_it_back(store: MemoryStore) -> None:
    memory = store.add(new("Dentist"))
    undone = verbs.undo(store, memory.id)
    assert undone.change == "stored"
    assert undone.forgetting is not None
    assert undone.forgetting.until == NOW + timedelta(seconds=60)
    assert store.list() == ()
    back = verbs.undo(store, memory.id)
    assert (back.change, back.memories) == ("forget", (memory,))
    assert store.list() == (memory,)


def test_an_old_memory_that_changed_nothing_is_not_forgotten_by_accident(
    store: MemoryStore, clock: SimulatedClock
) -> None:
    memory = store.add(new("Dentist"))
    clock.advance(24 * 3600 + 1)
    with pytest.raises(ConflictError, match="no change"):
        verbs.undo(store, memory.id)
    assert store.list() == (memory,)


def test_sources_that_expired_meanwhile_stay_gone(store: MemoryStore, clock: SimulatedClock) -> None:
    old = store.add(new("Dentist at three", expires_at=NOW + timedelta(hours=1)))
    moved = store.add(new("It moved to four", expires_at=NOW + timedelta(hours=2)))
    one = merged(store, old, moved)
    clock.advance(3700)
    store.expire(clock.now())
    assert verbs.undo(store, one.id).memories == (store.get(moved.id),)


def test_nothing_is_lost_where_all_sources_are_gone(store: MemoryStore, clock: SimulatedClock) -> None:
    old = store.add(new("Dentist at three", expires_at=NOW + timedelta(hours=1)))
    kept = merged(store, old)
    clock.advance(3600)
    with pytest.raises(ConflictError, match="gone"):
        verbs.undo(store, kept.id)
    store.expire(clock.now())
    with pytest.raises(ConflictError):
        verbs.undo(store, kept.id)
    assert [memory.id for memory in store.list()] == [kept.id]


def test_a_change_taken_back_goes_with_what_it_changed(
    store: MemoryStore, clock: SimulatedClock, tmp_path: Path
) -> None:
    old = store.add(new("Zanzibar at three", expires_at=NOW + timedelta(hours=1)), embedding("zanzibar"))
    both = merged(store, old, store.add(new("Bins")), text="Zanzibar, bins")
    verbs.undo(store, both.id)
    clock.advance(3600)
    assert set(store.expire(clock.now())) == {old.id, both.id}
    assert not any(b"anzibar" in file.read_bytes() for file in tmp_path.iterdir())
    assert store.check() == ()


def test_forgetting_takes_what_was_taken_back_along(store: MemoryStore, tmp_path: Path) -> None:
    old = store.add(new("Dentist"))
    edited = store.edit(old.id, "Zanzibar dentistry")
    verbs.undo(store, edited.id)
    assert store.forget(old.id) == (old.id, edited.id)
    assert not any(b"anzibar" in file.read_bytes() for file in tmp_path.iterdir())


def test_of_many_that_undo_one_change_exactly_one_succeeds(store: MemoryStore) -> None:
    old = store.add(new("Dentist"))
    edited = store.edit(old.id, "Dentist at four")
    outcomes: list[str] = []

    def undo() -> None:
        try:
            outcomes.append(verbs.undo(store, edited.id).change)
        except ConflictError:
            outcomes.append("lost")

    threads = [threading.Thread(target=undo) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(outcomes) == ["edit", *["lost"] * 7]
    assert store.list() == (old,)


def test_an_undo_that_meets_a_newer_change_changes_nothing(store: MemoryStore) -> None:
    old = store.add(new("Dentist"))
    edited = store.edit(old.id, "Dentist at four")
    store.archive(edited.id)
    with pytest.raises(ConflictError, match="not active"):
        verbs.undo(store, edited.id)
    assert store.list() == ()


@pytest.mark.parametrize("wrong", ["", "%", "no-such-id", "ffffffff"])
def test_an_unknown_id_is_not_found(store: MemoryStore, wrong: str) -> None:
    with pytest.raises(NotFoundError):
        verbs.undo(store, wrong)
