"""Storing, correcting and reading memories."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from memory.memory_fakes import NOW, embedding, new

from junod.clock import SimulatedClock
from junod.errors import ConflictError, NotFoundError, StoreError, UsageError
from junod.memory.rows import Filter
from junod.memory.store import EVERYTHING, MemoryStore


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: SimulatedClock) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as opened:
        yield opened


def test_a_memory_comes_back_as_it_was_stored(store: MemoryStore) -> None:
    berlin = datetime(2026, 3, 23, 19, 0, 0, 250_000, tzinfo=ZoneInfo("Europe/Berlin"))
    stored = store.add(
        new(
            "Dentist, Tue 31 Mar 2026, 15:00",
            spoken_at=berlin,
            expires_at=datetime(2026, 3, 31, 15, 0, tzinfo=ZoneInfo("Europe/Berlin")),
            device_id="display",
            confidence=0.97,
            clock_synced=False,
        ),
        embedding("dentist"),
    )
    found = store.get(stored.id)
    assert found == stored
    assert found.spoken_at.isoformat() == "2026-03-23T19:00:00.250000+01:00"
    assert found.expires_at is not None
    assert found.expires_at.isoformat() == "2026-03-31T15:00:00+02:00"
    assert (found.device_id, found.confidence, found.clock_synced, found.archived) == ("display", 0.97, False, False)
    assert found.created_at == NOW


def test_ids_are_uuid_v7_of_the_moment_they_were_made(store: MemoryStore, clock: SimulatedClock) -> None:
    first = store.add(new("one"))
    clock.advance(1)
    second = store.add(new("two"))
    assert first.id[14] == second.id[14] == "7"
    assert int(first.id.replace("-", "")[:12], 16) == int(NOW.timestamp() * 1000)
    assert first.id < second.id


def test_a_prefix_names_a_memory_only_while_no_other_has_it(store: MemoryStore) -> None:
    first, second = store.add(new("one")), store.add(new("two"))
    assert store.get(first.id[:30].upper()).id == first.id
    with pytest.raises(UsageError, match=second.id):
        store.get(first.id[:8])


@pytest.mark.parametrize("wrong", ["", "%", "_", "nothing", "0' OR '1'='1", "\x00", "ffffffff", "🍕"])
def test_an_unknown_id_is_not_found(store: MemoryStore, wrong: str) -> None:
    store.add(new("one"))
    with pytest.raises(NotFoundError):
        store.get(wrong)


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/Los_Angeles"])
def test_a_days_memory_is_seen_all_that_local_day_and_not_after(tmp_path: Path, zone: str) -> None:
    """m47: expiry is an instant; the household's offset neither hides a memory early nor keeps it late."""
    local = ZoneInfo(zone)
    clock = SimulatedClock(datetime(2026, 3, 24, 8, 0, tzinfo=local))
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as store:
        kept = store.add(new("Bins", expires_at=datetime(2026, 3, 25, tzinfo=local)), embedding("bins"))
        clock.advance_to(datetime(2026, 3, 24, 23, 30, tzinfo=local))
        assert [memory.id for memory in store.list()] == [kept.id]
        assert store.expire(clock.now()) == ()
        clock.advance_to(datetime(2026, 3, 25, 0, 30, tzinfo=local))
        assert not any((store.list(), store.keyword("bins", 5), store.nearest(embedding("bins"), 5)))
        assert store.counts().expired == 1
        assert store.expire(clock.now()) == (kept.id,)


def test_spoken_day_keeps_its_offset(store: MemoryStore) -> None:
    """m49: a moment said at two in the morning UTC stays on the 24th whatever the machine's zone is."""
    stored = store.add(new("Milk", spoken_at=datetime(2026, 3, 24, 2, 0, tzinfo=UTC)))
    assert store.get(stored.id).spoken_at.date().isoformat() == "2026-03-24"


def test_expiry_is_exact_across_the_change_to_summer_time(store: MemoryStore, clock: SimulatedClock) -> None:
    """m52 (expiry): 07:00 local is another instant the week after the change."""
    berlin = ZoneInfo("Europe/Berlin")
    before = store.add(new("Bins", expires_at=datetime(2026, 3, 23, 20, 0, tzinfo=berlin)))
    after = store.add(new("Bins", expires_at=datetime(2026, 3, 30, 20, 0, tzinfo=berlin)))
    clock.advance_to(datetime(2026, 3, 23, 19, 0, tzinfo=UTC))
    assert store.expire(clock.now()) == (before.id,)
    clock.advance_to(datetime(2026, 3, 30, 17, 59, tzinfo=UTC))
    assert store.expire(clock.now()) == ()
    clock.advance_to(datetime(2026, 3, 30, 18, 0, tzinfo=UTC))
    assert store.expire(clock.now()) == (after.id,)


def test_a_correction_hides_the_old_and_keeps_it_as_history(store: MemoryStore) -> None:
    """m70: what is active after a correction is the correction."""
    old = store.add(new("Buy oat milk"), embedding("buy oat milk"))
    fresh = store.edit(old.id, "Buy soy milk", embedding("buy soy milk"))
    assert [memory.memory for memory in store.list()] == ["Buy soy milk"]
    assert store.keyword("oat", 5) == ()
    assert [found.memory.id for found in store.nearest(embedding("buy oat milk"), 5)] == [fresh.id]
    assert [memory.memory for memory in store.history(fresh.id)] == ["Buy oat milk", "Buy soy milk"]
    assert store.get(old.id).superseded_by == (fresh.id,)
    assert fresh.supersedes == (old.id,)


def test_only_the_memory_named_is_touched(store: MemoryStore) -> None:
    """m71: ids are ids, never places in a list of neighbours."""
    memories = [store.add(new(f"Note number {n}"), embedding(f"note number {n}")) for n in range(5)]
    near = store.nearest(embedding("note number 3"), 5)[0].memory
    store.edit(near.id, "Note number three")
    untouched = [memory for memory in memories if memory.id != near.id]
    assert near.id == memories[3].id
    assert [store.get(memory.id) for memory in untouched] == untouched


def test_done_strikes_through_and_can_be_undone(store: MemoryStore) -> None:
    old = store.add(new("Shopping list:\n- coffee\n- [ ] ~~tea~~"), embedding("coffee"))
    finished = store.done(old.id)
    assert finished.memory == "~~Shopping list:~~\n- ~~coffee~~\n- [ ] ~~tea~~"
    assert (finished.source, finished.transcript, finished.supersedes) == ("done", old.transcript, (old.id,))
    assert [memory.id for memory in store.list()] == [finished.id]
    assert store.nearest(embedding("coffee"), 1)[0].memory.id == finished.id
    with pytest.raises(ConflictError):
        store.done(finished.id)
    back = store.restore(old.id)
    assert back == old
    assert [memory.id for memory in store.list()] == [back.id]
    assert store.nearest(embedding("coffee"), 1)[0].memory.id == back.id
    with pytest.raises(ConflictError):
        store.restore(finished.id)


def test_a_done_item_does_not_block_saying_it_again(store: MemoryStore, clock: SimulatedClock) -> None:
    """m77: ticked milk, and the next day milk is needed again."""
    store.done(store.add(new("Shopping list:\n- milk")).id)
    clock.advance(86_400)
    again = store.add(new("Shopping list:\n- milk", spoken_at=clock.now()))
    assert again.is_active
    assert again in store.list()


def test_archived_is_out_of_lists_and_search_until_restored(store: MemoryStore) -> None:
    kept = store.add(new("Spare key under the pot"), embedding("spare key"))
    assert store.archive(kept.id).archived
    assert not any((store.list(), store.keyword("key", 5), store.nearest(embedding("spare key"), 5)))
    assert [memory.id for memory in store.list(Filter(include_archived=True))] == [kept.id]
    assert store.restore(kept.id).archived is False
    assert [memory.id for memory in store.list()] == [kept.id]
    with pytest.raises(ConflictError):
        store.restore(kept.id)


def test_two_changes_of_the_same_memory_do_not_both_win(store: MemoryStore) -> None:
    old = store.add(new("Dentist on Tuesday"))
    store.edit(old.id, "Dentist on Wednesday")
    with pytest.raises(ConflictError):
        store.add(new("Dentist on Friday", source="merge", supersedes=(old.id,), reason="reschedule"))
    assert [memory.memory for memory in store.list()] == ["Dentist on Wednesday"]
    assert store.counts().superseded == 1


def test_of_many_threads_correcting_one_memory_exactly_one_succeeds(store: MemoryStore) -> None:
    old = store.add(new("Dentist"))
    outcomes: list[str] = []

    def correct(number: int) -> None:
        try:
            outcomes.append(store.edit(old.id, f"Dentist {number}").memory)
        except ConflictError:
            outcomes.append("lost")

    threads = [threading.Thread(target=correct, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(outcomes) == 8
    assert outcomes.count("lost") == 7
    assert len(store.list()) == 1


def test_threads_read_while_others_write(store: MemoryStore) -> None:
    faults: list[Exception] = []

    def write(start: int) -> None:
        try:
            for number in range(start, start + 20):
                store.add(new(f"note {number}"), embedding(f"note {number}"))
                store.keyword("note", 5)
                store.nearest(embedding("note"), 3)
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    assert store.counts().active == 60
    assert store.check() == ()


def test_a_merge_supersedes_many_and_history_shows_them_all(store: MemoryStore) -> None:
    first, second = store.add(new("Shopping list:\n- milk")), store.add(new("Shopping list:\n- eggs"))
    merged = store.add(
        new("Shopping list:\n- milk\n- eggs", source="merge", supersedes=(first.id, second.id), reason="merge")
    )
    assert store.list() == (merged,)
    assert merged.supersedes == tuple(sorted((first.id, second.id)))
    assert [memory.id for memory in store.history(first.id)] == [first.id, second.id, merged.id]


def test_lists_by_room_and_time(store: MemoryStore) -> None:
    early = store.add(new("early", spoken_at=NOW - timedelta(hours=2)))
    late = store.add(new("late", room="bedroom"))
    assert store.list() == (late, early)
    assert store.list(oldest_first=True, limit=1) == (early,)
    assert store.list(Filter(room="bedroom")) == (late,)
    assert store.list(Filter(until=NOW)) == (early,)
    assert store.list(Filter(since=NOW)) == (late,)


@pytest.mark.parametrize("limit", [0, -1, 1001, True])
def test_a_limit_without_sense_is_wrong_use(store: MemoryStore, limit: int) -> None:
    with pytest.raises(UsageError, match="limit"):
        store.list(limit=limit)


def test_export_gives_everything_once(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("junod.memory.store._PAGE", 2)
    stored = [store.add(new(f"note {number}")).id for number in range(5)]
    finished = store.done(stored[0]).id
    assert [memory.id for memory in store.export()] == [*stored, finished]
    assert len(store.list(EVERYTHING)) == 6


def test_households_do_not_see_each_other(tmp_path: Path, clock: SimulatedClock, store: MemoryStore) -> None:
    kept = store.add(new("Ours"), embedding("ours"))
    with MemoryStore.open(tmp_path / "junod.db", clock=clock, household_id="neighbours") as other:
        assert not any((other.list(), other.keyword("ours", 5), other.nearest(embedding("ours"), 5)))
        with pytest.raises(NotFoundError):
            other.get(kept.id)
        with pytest.raises(NotFoundError):
            other.forget(kept.id)
        with pytest.raises(StoreError, match="household"):
            other.add(new("Ours"))
    assert store.list() == (kept,)


def test_control_characters_and_broken_unicode_are_cleaned(store: MemoryStore) -> None:
    stored = store.add(new("Milk\x00 and\x1b[31m eggs \ud800 \U0001f95a", transcript="a\x00b\r\nc"))
    assert stored.memory == "Milk and[31m eggs \ufffd \U0001f95a"
    assert stored.transcript == "ab\nc"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"memory": " \x00\n"}, "without text"),
        ({"memory": "x" * 4_001}, "4001 characters"),
        ({"transcript": "x" * 100_001}, "100001 characters"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": 1.5}, "confidence"),
        ({"source": "telepathy"}, "source"),
        ({"spoken_at": datetime(2026, 3, 23, 18, 0)}, "offset"),
        ({"expires_at": datetime(2026, 3, 23, 18, 0)}, "offset"),
        ({"supersedes": ("no-such-id",)}, "not active"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_leaves_nothing(
    store: MemoryStore, change: dict[str, object], said: str
) -> None:
    with pytest.raises(StoreError, match=said):
        store.add(new(**({"memory": "fine"} | change)), embedding("fine"))  # type: ignore[arg-type]
    assert store.list(EVERYTHING) == ()
    assert store.vector_models() == {}


def test_an_old_journal_can_be_cut_and_the_memories_stay(store: MemoryStore, clock: SimulatedClock) -> None:
    store.add(new("Salt"))
    clock.advance(0.5)
    store.add(new("Pepper"))
    assert store.prune_journal(NOW) == 0
    assert store.prune_journal(NOW + timedelta(seconds=0.5)) == 1
    assert len(store.journal()) == 1
    assert len(store.list()) == 2


def test_the_journal_holds_codes_and_never_speech(store: MemoryStore) -> None:
    old = store.add(new("Secret surprise party"))
    store.add(new("Party", supersedes=(old.id,), source="merge", reason="she said it is a surprise party"))
    assert {entry.event for entry in store.journal()} == {"stored", "superseded"}
    assert "party" not in repr(store.journal()).lower()
    assert "unlisted" in {entry.reason for entry in store.journal()}
