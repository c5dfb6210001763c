"""Households that live on a simulated clock and drive a real store: they need things, shop, tick off, and have dates.

Each is seeded and knows its own truth: which habits it has, from when until when. Nothing here looks at how junod
learns; it only adds, edits and finishes memories as voice, dedup and people would.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

from junod.clock import SimulatedClock
from junod.memory.markdown import struck
from junod.memory.store import MemoryStore
from junod.records import Memory, NewMemory

ZONE = ZoneInfo("Europe/Berlin")
START = datetime(2026, 1, 5, 0, 0, tzinfo=ZONE)
"""A Monday; twelve weeks from here cross the change to summer time."""
WEEK = 7
FOREVER = 10_000


@dataclass(frozen=True, slots=True)
class Truth:
    """A habit that the household has."""

    kind: str
    """'buy', 'done' or 'when'."""
    thing: str
    weekday: int = 0
    hour: float = 0.0
    every_days: float = 0.0
    """Of 'buy': how long one lasts."""
    spread: float = 0.0
    """Standard deviation: days of 'buy', minutes of the others."""
    from_day: int = 0
    until_day: int = FOREVER

    def holds(self, day: int) -> bool:
        return self.from_day <= day < self.until_day


@dataclass(frozen=True, slots=True)
class Chance:
    """What happens at random: per week, drawn from pools."""

    items_a_week: float = 4.0
    tasks_a_week: float = 2.0
    dates_a_week: float = 1.0
    items: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Household:
    name: str
    seed: int
    truths: tuple[Truth, ...]
    chance: Chance
    days: int = 12 * WEEK
    away: tuple[tuple[int, int], ...] = ()
    """Holidays: from day, to day; nothing happens at home."""
    ill: tuple[tuple[int, int], ...] = ()
    """Nobody shops or goes to dates, and most tasks are left."""


@dataclass(slots=True)
class Life:
    """One household being lived, day by day."""

    household: Household
    store: MemoryStore
    clock: SimulatedClock
    rng: random.Random = field(init=False)
    _next_need: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.household.seed)

    def days(self) -> Iterator[int]:
        """Lives day after day; the clock stands at the evening of each day given out."""
        for day in range(self.household.days):
            for at, act in sorted(self._plan(day), key=lambda pair: pair[0]):
                self.clock.advance_to(at)
                act()
            self.clock.advance_to(self._at(day, 23.5))
            self.store.expire(self.clock.now())
            yield day

    def _plan(self, day: int) -> list[tuple[datetime, Callable[[], None]]]:
        if any(first <= day < last for first, last in self.household.away):
            self._next_need = {thing: max(at, day + 1 + self.rng.random()) for thing, at in self._next_need.items()}
            return []
        is_ill = any(first <= day < last for first, last in self.household.ill)
        plan = [*self._needs(day), *self._tasks(day, is_ill)]
        if not is_ill:
            plan += [*self._dates(day), *self._shopping(day)]
        return plan

    def _needs(self, day: int) -> Iterator[tuple[datetime, Callable[[], None]]]:
        for truth in self.household.truths:
            if truth.kind == "buy" and truth.holds(day):
                due = self._next_need.setdefault(truth.thing, day + self.rng.random() * truth.every_days)
                if day <= due < day + 1 and not self._is_listed(truth.thing):
                    yield self._at(day, 7 + 13 * (due % 1)), lambda thing=truth.thing: self._list(thing)  # type: ignore[misc]
        for _ in range(self._number(self.household.chance.items_a_week)):
            item = self.rng.choice(self.household.chance.items)
            yield self._waking(day), lambda thing=item: self._list(thing)  # type: ignore[misc]

    def _tasks(self, day: int, is_ill: bool) -> Iterator[tuple[datetime, Callable[[], None]]]:
        for truth in self.household.truths:
            is_due = truth.kind == "done" and truth.holds(day) and truth.weekday == day % WEEK
            if is_due and not (is_ill and self.rng.random() < 0.7):
                yield self._near(day, truth), lambda thing=truth.thing: self._finish(thing)  # type: ignore[misc]
        for _ in range(self._number(self.household.chance.tasks_a_week)):
            task = self.rng.choice(self.household.chance.tasks)
            yield self._waking(day), lambda thing=task: self._finish(thing)  # type: ignore[misc]

    def _dates(self, day: int) -> Iterator[tuple[datetime, Callable[[], None]]]:
        """Said some days ahead, as people do."""
        for truth in self.household.truths:
            ahead = 3
            if truth.kind == "when" and truth.holds(day + ahead) and truth.weekday == (day + ahead) % WEEK:
                at = self._at(day + ahead, truth.hour)
                yield self._at(day, 18.25), lambda thing=truth.thing, at=at: self._date(thing, at)  # type: ignore[misc]
        for _ in range(self._number(self.household.chance.dates_a_week)):
            at = self._at(day + self.rng.randint(1, 9), self.rng.randrange(8 * 4, 20 * 4) / 4)
            thing = self.rng.choice(self.household.chance.dates)
            yield self._waking(day), lambda thing=thing, at=at: self._date(thing, at)  # type: ignore[misc]

    def _shopping(self, day: int) -> Iterator[tuple[datetime, Callable[[], None]]]:
        if day % WEEK in (1, 3, 5) and self.rng.random() < 0.85:
            yield self._at(day, 17 + 2 * self.rng.random()), lambda: self._shop(day)

    def _list(self, item: str) -> None:
        """Said aloud; now and then dedup has put the lists into one by then."""
        if self._is_listed(item):
            return
        self._say(f"Shopping list:\n- {item}", f"we need {item} again")
        lists = self._lists()
        if len(lists) > 1 and self.rng.random() < 0.5:
            lines = dict.fromkeys(line for each in reversed(lists) for line in each.memory.splitlines()[1:])
            merged = NewMemory(
                "\n".join(["Shopping list:", *lines]), "", self._now(), None, "kitchen", source="merge",
                supersedes=tuple(each.id for each in lists), reason="list",
            )  # fmt: skip
            self.store.add(merged)

    def _shop(self, day: int) -> None:
        """Everything on the lists is got, and ticked, left out or done whole."""
        for found in self._lists():
            got = [line.removeprefix("- ") for line in found.memory.splitlines()[1:] if "~~" not in line]
            way = self.rng.random()
            if way < 0.5:
                self.store.done(found.id)
            else:
                head, *lines = found.memory.splitlines()
                kept = [struck(line) for line in (lines if way < 0.9 else lines[:1])]
                self.store.edit(found.id, "\n".join([head, *kept]))
            self._use_up(got, day)

    def _use_up(self, got: Sequence[str], day: int) -> None:
        for truth in self.household.truths:
            if truth.kind == "buy" and truth.thing in got:
                lasts = max(1.0, self.rng.gauss(truth.every_days, truth.spread))
                self._next_need[truth.thing] = day + 0.75 + lasts

    def _finish(self, task: str) -> None:
        """Said in the morning of the day, done at its time."""
        memory = self._say(task, f"don't forget to {task}")
        self.store.done(memory.id)

    def _date(self, thing: str, at: datetime) -> None:
        self._say(f"{thing}: {at:%a} {at.day} {at:%b %Y, %H:%M}", f"{thing} is coming up", at)

    def _say(self, text: str, transcript: str, expires_at: datetime | None = None) -> Memory:
        return self.store.add(NewMemory(text, transcript, self._now(), expires_at, "kitchen"))

    def _lists(self) -> list[Memory]:
        """Shopping lists with something open."""
        lists = [found for found in self.store.list() if found.memory.startswith("Shopping list:")]
        return [found for found in lists if any("~~" not in line for line in found.memory.splitlines()[1:])]

    def _is_listed(self, item: str) -> bool:
        return any(f"- {item}" in found.memory.splitlines() for found in self._lists())

    def _number(self, a_week: float) -> int:
        """How many today, at random."""
        whole, share = divmod(a_week / WEEK, 1)
        return int(whole) + (self.rng.random() < share)

    def _near(self, day: int, truth: Truth) -> datetime:
        return self._at(day, truth.hour) + timedelta(minutes=self.rng.gauss(0, truth.spread))

    def _waking(self, day: int) -> datetime:
        return self._at(day, 7 + 14 * self.rng.random())

    def _at(self, day: int, hour: float) -> datetime:
        midnight = (START.replace(tzinfo=None) + timedelta(days=day)).replace(tzinfo=ZONE)
        return midnight + timedelta(hours=hour)

    def _now(self) -> datetime:
        return self.clock.now().astimezone(ZONE)


def live(household: Household, folder: Path) -> Iterator[tuple[int, Life]]:
    """Each day of a household's life, on a real store in a folder."""
    clock = SimulatedClock(START.astimezone(UTC))
    with MemoryStore.open(folder / f"{household.name}-{next(_NUMBERS)}.db", clock=clock) as store:
        life = Life(household, store, clock)
        for day in life.days():
            yield day, life


_NUMBERS = count()
