"""The daemon reminds: once, over restarts, changes and ticks; not while the clock is wrong or the rules want quiet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from junod.assembly.house import house_of
from junod.assembly.parts import rule_book
from junod.assembly.reminders import coming_reminders, reminder_chore
from junod.clock import SimulatedClock
from junod.errors import StoreError
from junod.events import EventBus, ReminderDue
from junod.memory.reminders import GivenReminders
from junod.memory.store import MemoryStore
from junod.records import Memory, NewMemory
from junod.reminding import Plan, Reminding
from junod.rules.reminders import Reminder
from junod.settings import Settings

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 24, 12, 0, tzinfo=BERLIN)
DENTIST = NOW + timedelta(hours=3)


@dataclass
class Kitchen:
    """A store, its rules, and a daemon's chore over them that can start anew."""

    store: MemoryStore
    clock: SimulatedClock
    settings: Settings
    told: list[str] = field(default_factory=list)
    is_set: bool = True
    tick: Callable[[], None] = lambda: None

    def restart(self) -> None:
        bus = EventBus()
        bus.publish = lambda event: self.told.append(event.words) if isinstance(event, ReminderDue) else None  # type: ignore[method-assign]
        self.tick, _ = reminder_chore(self.settings, self.store, self.clock, bus, lambda: self.is_set)

    def say(self, text: str, ends: datetime | None = None, **changes: tuple[str, ...]) -> Memory:
        now = self.clock.now().astimezone(BERLIN)
        return self.store.add(NewMemory(text, f"they said {text}", now, ends, "kitchen", **changes))  # type: ignore[arg-type]

    def declare(self, words: str) -> str:
        book = rule_book(self.store)
        return book.confirm(book.propose(words, source="page").rule.id, by="page").id

    def go_on_to(self, hour: str, step_s: float = 30.0) -> None:
        """Ticks as the daemon does, up to this time of day."""
        end = datetime.combine(NOW.date(), datetime.fromisoformat(f"2026-03-24T{hour}").time(), BERLIN)
        while self.clock.now() < end:
            self.clock.advance(min(step_s, (end - self.clock.now()).total_seconds()))
            self.tick()


@pytest.fixture
def kitchen(tmp_path: Path) -> Iterator[Kitchen]:
    settings = Settings.model_validate({"household": {"timezone": "Europe/Berlin"}})
    clock = SimulatedClock(NOW)
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as store:
        made = Kitchen(store, clock, settings)
        made.restart()
        yield made


def test_it_reminds_once_when_it_is_time(kitchen: Kitchen) -> None:
    kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 15:00", DENTIST)
    kitchen.go_on_to("14:29:50", 60)
    assert kitchen.told == []
    kitchen.go_on_to("15:30")
    assert kitchen.told == ["Dentist for Leo in 30 minutes"]


def test_a_restart_neither_tells_twice_nor_loses_one(kitchen: Kitchen) -> None:
    kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 15:00", DENTIST)
    kitchen.say("Piano — Tue 24 Mar 2026, 15:20", DENTIST + timedelta(minutes=20))
    kitchen.go_on_to("14:35")
    kitchen.clock.advance(20 * 60)  # it was off when the second was due
    kitchen.restart()
    kitchen.tick()
    kitchen.tick()
    assert kitchen.told == ["Dentist for Leo in 30 minutes", "Piano in 25 minutes"]


def test_a_rule_makes_it_earlier_and_one_switched_off_does_not(kitchen: Kitchen) -> None:
    kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 15:00", DENTIST)
    rule = kitchen.declare("Always remind us two hours before the dentist")
    kitchen.go_on_to("13:01", 60)
    assert kitchen.told == ["Dentist for Leo in 2 hours"]
    rule_book(kitchen.store).switch(rule, on=False, by="page")
    kitchen.go_on_to("15:00", 60)
    assert len(kitchen.told) == 1


def test_quiet_hours_put_it_off_until_they_end(kitchen: Kitchen) -> None:
    kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 15:00", DENTIST)
    kitchen.declare("No reminders between two and a quarter to three in the afternoon")
    kitchen.go_on_to("14:44", 60)
    assert kitchen.told == []
    kitchen.go_on_to("14:46")
    assert kitchen.told == ["Dentist for Leo in 15 minutes"]


def test_an_edit_of_the_words_tells_nothing_again_and_another_hour_does(kitchen: Kitchen) -> None:
    dentist = kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 15:00", DENTIST)
    kitchen.go_on_to("14:31")
    edited = kitchen.store.edit(dentist.id, "Dentist for Leo and Mia — Tue 24 Mar 2026, 15:00")
    kitchen.go_on_to("14:33")
    assert len(kitchen.told) == 1
    kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 17:00", DENTIST + timedelta(hours=2), supersedes=(edited.id,))
    kitchen.go_on_to("16:31", 60)
    assert len(kitchen.told) == 2


def test_what_is_done_or_forgotten_is_not_reminded_of(kitchen: Kitchen) -> None:
    done = kitchen.say("Call Ida — Tue 24 Mar 2026, 15:00", DENTIST)
    forgotten = kitchen.say("Piano — Tue 24 Mar 2026, 15:00", DENTIST)
    kitchen.store.done(done.id)
    kitchen.store.forget(forgotten.id)
    kitchen.go_on_to("15:00", 60)
    assert kitchen.told == []


def test_what_was_given_goes_with_its_memory(kitchen: Kitchen) -> None:
    dentist = kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 15:00", DENTIST)
    kitchen.go_on_to("14:31")
    given = GivenReminders(kitchen.store.sessions)
    assert given.was_given(dentist.id, DENTIST)
    kitchen.store.forget(dentist.id)
    assert not given.was_given(dentist.id, DENTIST)
    given.note(dentist.id, DENTIST)
    assert not given.was_given(dentist.id, DENTIST)


def test_while_the_clock_is_not_set_nothing_is_told(kitchen: Kitchen) -> None:
    kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 15:00", DENTIST)
    kitchen.is_set = False
    kitchen.go_on_to("14:40")
    assert kitchen.told == []
    kitchen.is_set = True
    kitchen.tick()
    assert kitchen.told == ["Dentist for Leo in 20 minutes"]


def test_a_repeat_is_told_of_each_time(kitchen: Kitchen) -> None:
    kitchen.say("Swimming every Tuesday at 3 in the afternoon")
    kitchen.go_on_to("14:40")
    kitchen.clock.advance(7 * 86_400 - 3600)  # summer time began
    kitchen.tick()
    kitchen.tick()
    assert kitchen.told == [
        "In 30 minutes: Swimming every Tuesday at 3 in the afternoon",
        "In 20 minutes: Swimming every Tuesday at 3 in the afternoon",
    ]


def test_what_is_to_come_is_listed_without_what_was_given(kitchen: Kitchen) -> None:
    kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 15:00", DENTIST)
    kitchen.say("Piano — Wed 25 Mar 2026, 15:00", DENTIST + timedelta(days=1))
    house = house_of(kitchen.settings, kitchen.store, kitchen.clock)
    assert [each.text for each in coming_reminders(house, 7)] == ["Dentist for Leo", "Piano"]
    kitchen.go_on_to("14:31")
    assert [each.text for each in coming_reminders(house, 7)] == ["Piano"]
    assert coming_reminders(house, 1) == coming_reminders(house, 7)


def test_reminders_can_be_off(kitchen: Kitchen) -> None:
    kitchen.settings = Settings.model_validate({"reminders": {"enabled": False}})
    kitchen.restart()
    kitchen.say("Dentist for Leo — Tue 24 Mar 2026, 15:00", DENTIST)
    kitchen.go_on_to("14:40", 60)
    assert kitchen.told == []
    assert coming_reminders(house_of(kitchen.settings, kitchen.store, kitchen.clock), 7) == ()


def test_a_store_that_fails_makes_it_late_and_not_double() -> None:
    class Failing:
        def __init__(self) -> None:
            self.fails = 2

        def was_given(self, memory_id: str, begins_at: datetime) -> bool:
            return False

        def note(self, memory_id: str, begins_at: datetime) -> None:
            self.fails -= 1
            if self.fails >= 0:
                raise StoreError("locked")

    told: list[ReminderDue] = []
    over = DENTIST + timedelta(hours=1)
    due = Reminder("m1", "Dentist", NOW, DENTIST, over, is_timed=True, reads_on=True, by_rule=False)
    clock = SimulatedClock(NOW)
    reminding = Reminding(lambda now: [due], tuple, Failing(), told.append, clock, BERLIN, lambda: True)
    for _ in range(4):
        reminding.tick()
    assert [each.words for each in told] == ["Dentist in 3 hours"]


def test_all_memories_are_read_when_something_changed_and_every_five_minutes_alone() -> None:
    asked: list[datetime] = []
    marks = [1]

    def work_out(now: datetime, until: datetime) -> list[Reminder]:
        asked.append(now)
        return []

    plan = Plan(work_out, lambda: marks[-1])
    for seconds in range(0, 300, 10):
        plan.due(NOW + timedelta(seconds=seconds))
    assert asked == [NOW]
    plan.due(NOW + timedelta(seconds=310))
    assert len(asked) == 2
    marks.append(2)
    plan.due(NOW + timedelta(seconds=320))
    assert len(asked) == 3
    plan.due(NOW)  # the clock was put back
    assert len(asked) == 4
