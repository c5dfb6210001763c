"""A household's store, its learner and its habits on a clock that moves when told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from junod.clock import SimulatedClock
from junod.habits.learn import HabitLearner
from junod.habits.verbs import Habits
from junod.memory.habits import HabitStore
from junod.memory.store import MemoryStore
from junod.records import Memory, NewMemory
from junod.sections import HabitsSettings

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2026, 1, 5, 9, 0, tzinfo=BERLIN)


class Home:
    def __init__(self, store: MemoryStore, clock: SimulatedClock, **settings: Any) -> None:
        self.store = store
        self.clock = clock
        self.set(**settings)

    def set(self, **settings: Any) -> None:
        self.settings = HabitsSettings(**settings)
        self.rows = HabitStore(self.store.sessions)
        self.habits = Habits(self.rows, self.settings, BERLIN)

    @property
    def now(self) -> datetime:
        return self.clock.now().astimezone(BERLIN)

    def learn(self, room: str = "kitchen") -> int:
        return HabitLearner(self.store.sessions, self.settings, BERLIN, room).run(self.clock.now())

    def wait(self, days: float) -> None:
        self.clock.advance(days * 86_400)

    def say(self, text: str, room: str = "kitchen", **changes: Any) -> Memory:
        return self.store.add(NewMemory(text, f"someone said {text}", self.now, changes.get("until"), room))

    def buy(self, item: str, times: int, every_days: float = 7, room: str = "kitchen") -> list[Memory]:
        """Put on the list, got a day later, again and again; ends when the next one is due."""
        lists = []
        for _ in range(times):
            lists.append(self.say(f"Shopping list:\n- {item}", room))
            self.wait(1)
            self.store.done(lists[-1].id)
            self.wait(every_days - 1)
        self.learn()
        return lists

    def finish(self, task: str, times: int) -> list[Memory]:
        done = []
        for _ in range(times):
            done.append(self.store.done(self.say(task).id))
            self.wait(7)
        self.learn()
        return done

    def sentences(self, **options: bool) -> list[str]:
        return [habit.sentence for habit in self.habits.list(self.clock.now(), **options)]


@contextmanager
def home_in(folder: Path, **settings: Any) -> Iterator[Home]:
    clock = SimulatedClock(MONDAY)
    with MemoryStore.open(folder / "junod.db", clock=clock) as store:
        yield Home(store, clock, **settings)


def week(number: int) -> timedelta:
    return timedelta(days=7 * number)
