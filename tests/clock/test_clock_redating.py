"""Memories heard before the clock was set: marked, kept, and dated once it is (m53 and those near it)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from clock.clock_fakes import Machine
from memory.memory_fakes import embedding

from junod.events import EventBus, MemoryRedated
from junod.memory import verbs
from junod.memory.store import EVERYTHING, MemoryStore
from junod.memory.unsynced import UnsyncedMemories
from junod.records import Decision, Kind, Memory, NewMemory, Outcome, Passage, UnsyncedTime
from junod.redating import Redater
from junod.when.resolve import resolve

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)
"""A Tuesday."""
STALE = NOW - timedelta(days=14)


class Board:
    """A board that hears before its clock is set, with a real store and the real resolver."""

    def __init__(self, folder: Path) -> None:
        self.machine = Machine(STALE)
        self.path = folder / "junod.db"
        self.number = 0
        self.bus = EventBus()
        self.open()

    def open(self) -> None:
        self.store = MemoryStore.open(self.path, clock=self.machine.keeper)
        self.undated = UnsyncedMemories(self.store.sessions)
        self.undated.give_up_others(self.machine.keeper.boot_id)
        self.redater = Redater(self.undated, self.machine.keeper, resolve, self.bus, zone=BERLIN)

    def reboot(self, shows: datetime) -> None:
        self.store.close()
        self.machine.clock.set_wall(shows)
        self.machine.boot_id += "'"
        self.machine.start()
        self.open()

    def hear(self, text: str, phrase: str, kind: Kind = Kind.APPOINTMENT) -> Memory:
        """As the pipeline does: stamp, spool, resolve against what the clock says, decide."""
        self.number += 1
        at = self.machine.keeper.steady.now().astimezone(BERLIN)
        said = f"{text} {phrase}"
        passage = self.machine.keeper.stamp(Passage(f"p{self.number}", said, at, "kitchen"))
        self.store.spool_passage(passage)
        taken = self.store.next_passage()
        assert taken is not None
        passage = taken.passage
        found = resolve(phrase, spoken_at=passage.spoken_at, zone=BERLIN, kind=kind)
        new = NewMemory(f"{text} — {found.said}", said, passage.spoken_at, found.expires_at, "kitchen")
        if passage.anchor:
            new = replace(new, clock_synced=False, unsynced=UnsyncedTime(passage.anchor, kind, phrase, "", found.said))
        decision = Decision(passage.id, Outcome.KEPT, "kept", memories=(new,))
        return self.store.decide(passage.id, decision, [embedding(new.memory)])[0]

    def set_clock(self, moment: datetime = NOW) -> None:
        self.machine.set_clock(moment)

    def texts(self) -> list[str]:
        return [memory.memory for memory in self.store.list()]


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    made = Board(tmp_path)
    yield made
    made.store.close()


def test_dentist_tomorrow_heard_two_weeks_ago_by_the_clock_is_tomorrow_once_it_is_set(board: Board) -> None:
    """m53: marked, dated by the real day, and nothing is erased in between."""
    heard = board.hear("Dentist for Leo", "tomorrow at three")
    assert heard.memory == "Dentist for Leo — Wed 11 Mar 2026, 15:00"
    assert not heard.clock_synced
    board.machine.wait(minutes=10)
    assert board.redater.run() == ()
    board.set_clock()
    with board.bus.subscribe() as events:
        (right,) = board.redater.run()
        assert list(events.drain()) == [MemoryRedated(right, (heard.id,))]
    assert right.memory == "Dentist for Leo — Wed 25 Mar 2026, 15:00"
    assert right.spoken_at == NOW - timedelta(minutes=10)
    assert right.expires_at == datetime(2026, 3, 25, 15, 0, tzinfo=BERLIN)
    assert (right.clock_synced, right.source, right.transcript) == (True, "voice", heard.transcript)
    assert board.store.list() == (right,)
    assert board.redater.run() == ()
    (link,) = board.store.lineage(right.id).links
    assert (link.old, link.reason) == (heard.id, "clock")


def test_it_expires_to_the_minute_by_the_right_date_with_all_it_was(board: Board, tmp_path: Path) -> None:
    board.hear("Zanzibar dentistry", "tomorrow at three")
    board.set_clock()
    (right,) = board.redater.run()
    board.machine.clock.advance_to(datetime(2026, 3, 25, 14, 59, tzinfo=BERLIN))
    assert board.store.expire(board.machine.keeper.now()) == ()
    assert board.store.list() == (right,)
    board.machine.wait(minutes=1)
    assert len(board.store.expire(board.machine.keeper.now())) == 2
    assert board.store.list(EVERYTHING) == ()
    assert not any(b"anzibar" in file.read_bytes() for file in tmp_path.iterdir())


def test_what_is_over_by_a_clock_that_was_set_late_is_shown_until_it_is_dated(board: Board) -> None:
    """The wrong date lies in the past: nothing is hidden or erased by it."""
    heard = board.hear("Bins", "tonight", Kind.REMINDER)
    board.set_clock()
    assert board.store.list() == (heard,)
    assert board.store.expire(board.machine.keeper.now()) == ()
    board.redater.run()
    assert len(board.store.list()) == 1


def test_a_weekday_is_another_one_from_another_week_and_a_recurrence_stays(board: Board) -> None:
    board.hear("Vet", "on Friday at ten")
    board.hear("Soccer", "every Tuesday at seven")
    board.set_clock(NOW + timedelta(days=3, hours=-10))  # a Friday, 08:00
    board.redater.run()
    assert set(board.texts()) == {"Vet — Fri 27 Mar 2026, 10:00", "Soccer — Every Tuesday, 07:00"}


def test_what_a_person_changed_meanwhile_is_dated_too_and_stays_changed(board: Board) -> None:
    heard = board.hear("Dentist for Leo", "tomorrow at three")
    done = board.store.done(heard.id)
    edited = board.hear("Vet", "tomorrow at nine")
    board.store.edit(edited.id, edited.memory.replace("Vet", "Vet for the cat"))
    board.set_clock()
    assert done.id in {old for right in board.redater.run() for old in right.supersedes}
    assert sorted(board.texts()) == [
        "Vet for the cat — Wed 25 Mar 2026, 09:00",
        "~~Dentist for Leo — Wed 25 Mar 2026, 15:00~~",
    ]


def test_what_is_forgotten_before_the_clock_is_set_leaves_nothing(board: Board, tmp_path: Path) -> None:
    heard = board.hear("Zanzibar dentistry", "tomorrow at three")
    board.store.forget(heard.id)
    board.set_clock()
    assert board.redater.run() == ()
    assert not any(b"anzibar" in file.read_bytes() for file in tmp_path.iterdir())


def test_hidden_while_it_is_being_forgotten_it_is_dated_when_it_comes_back(board: Board) -> None:
    heard = board.hear("Dentist", "tomorrow at three")
    verbs.forget(board.store, heard.id)
    board.set_clock()
    assert board.redater.run() == ()
    verbs.unforget(board.store, heard.id)
    board.redater.run()
    assert board.texts() == ["Dentist — Wed 25 Mar 2026, 15:00"]


def test_a_restart_of_the_machine_leaves_them_undated_and_for_good_until_a_person_looks(board: Board) -> None:
    heard = board.hear("Dentist", "tomorrow at three")
    board.reboot(NOW)
    board.set_clock(NOW)
    assert board.redater.run() == ()
    board.machine.wait(days=400)
    assert board.store.expire(board.machine.keeper.now()) == ()
    assert board.store.list() == (heard,)
    assert board.undated.left() == (heard,)
    looked = board.store.edit(heard.id, "Dentist was nice")
    assert (looked.clock_synced, looked.expires_at) == (True, None)
    assert looked.spoken_at == board.machine.keeper.now()
    assert board.undated.left() == ()


def test_undo_of_a_fresh_memory_that_was_dated_forgets_it_and_never_takes_the_date_back(board: Board) -> None:
    board.hear("Dentist", "tomorrow at three")
    board.set_clock()
    (right,) = board.redater.run()
    assert verbs.undo(board.store, right.id).change == "stored"
    assert board.texts() == []


def test_a_passage_that_waited_while_the_clock_was_set_is_dated_right_the_first_time(board: Board) -> None:
    machine = board.machine
    at = machine.keeper.steady.now().astimezone(BERLIN)
    board.store.spool_passage(machine.keeper.stamp(Passage("p9", "dentist tomorrow", at, "kitchen")))
    machine.wait(minutes=1)
    board.set_clock()
    taken = board.store.next_passage()
    assert taken is not None
    right = machine.keeper.restamp(taken.passage)
    assert (right.spoken_at, right.clock_synced) == (NOW - timedelta(minutes=1), True)


def test_a_memory_by_hand_keeps_the_end_it_was_given_unless_the_clock_would_end_it_at_once(board: Board) -> None:
    time = UnsyncedTime(board.machine.keeper.anchor())
    by_hand = NewMemory("Bins", "", STALE, STALE + timedelta(days=1), "kitchen", source="manual", clock_synced=False)
    board.store.add(replace(by_hand, unsynced=time))
    far = NewMemory("Tax", "", STALE, NOW + timedelta(days=60), "kitchen", source="manual", clock_synced=False)
    board.store.add(replace(far, unsynced=time))
    board.set_clock()
    ends = {right.memory: right.expires_at for right in board.redater.run()}
    assert ends == {"Bins": NOW + timedelta(days=1), "Tax": NOW + timedelta(days=60)}


def test_a_jump_of_years_hides_and_erases_nothing(board: Board) -> None:
    board.set_clock()
    kept = board.hear("Dentist", "tomorrow at three")
    board.machine.sync.is_there = False
    board.machine.sync.trusts = True
    board.machine.clock.set_wall(NOW + timedelta(days=2_000))
    assert not board.machine.keeper.is_set
    assert board.store.list() == (kept,)
    assert board.store.expire(board.machine.keeper.now()) == ()


@pytest.mark.parametrize(
    ("end", "spare"),
    [
        (datetime(2026, 3, 29, 3, 0, tzinfo=BERLIN), datetime(2026, 3, 29, 1, 59, tzinfo=BERLIN)),
        (datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN), datetime(2026, 10, 25, 2, 29, tzinfo=BERLIN)),
        (datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN), datetime(2026, 10, 25, 2, 59, tzinfo=BERLIN)),
    ],
)
def test_in_the_nights_of_the_changes_a_memory_ends_to_the_minute(board: Board, end: datetime, spare: datetime) -> None:
    """m52 (expiry): the hour that is missing and the hour that comes twice."""
    board.set_clock()
    kept = board.store.add(NewMemory("Night train", "", NOW, end, "kitchen"))
    clock = board.machine.clock
    clock.advance_to(spare)
    assert board.store.expire(board.machine.keeper.now()) == ()
    while clock.now() < end.astimezone(ZoneInfo("UTC")) - timedelta(minutes=1):
        clock.advance(60)
        assert board.store.expire(board.machine.keeper.now()) == ()
    clock.advance(60)
    assert board.store.expire(board.machine.keeper.now()) == (kept.id,)
