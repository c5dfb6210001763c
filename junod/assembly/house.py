"""What a face that stays open needs of a household: its store, its zone, its models, and how it reads time words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from junod.assembly.parts import build_embedder, open_store
from junod.assembly.tools import manual_memory
from junod.clock import Clock, SystemClock
from junod.errors import UsageError
from junod.memory.grace import DEFAULT_GRACE_S
from junod.records import Kind, NewMemory
from junod.sections import HabitsSettings
from junod.settings import Settings, household_zone

if TYPE_CHECKING:
    from junod.habits.verbs import Habits
    from junod.memory.embedder import Embedder
    from junod.memory.store import MemoryStore

RANGE_HINT = 'Write "today", "last week", "Monday", "2026-03-24" or "2026-03-24T17:30:00+01:00".'
END_HINT = 'Write "tomorrow at 17:00", "Friday", "2026-03-24" or "2026-03-24T17:30:00+01:00".'


@dataclass(frozen=True, slots=True)
class House:
    store: MemoryStore
    clock: Clock
    zone: ZoneInfo
    day_first: bool
    """3/4 is the third of April."""
    embedder: Callable[[], Embedder]
    """Loads the model at the first call, which takes seconds; ModelError where it cannot."""
    written: Callable[[str, datetime | None], NewMemory]
    """A memory by hand, with its end, credentials masked."""
    forget_grace_s: float = DEFAULT_GRACE_S
    """So long what is forgotten can be brought back."""
    habit_settings: HabitsSettings = field(default_factory=HabitsSettings)

    @property
    def habits(self) -> Habits:
        """What the household does again and again."""
        from junod.habits.verbs import Habits
        from junod.memory.habits import HabitStore

        return Habits(HabitStore(self.store.sessions), self.habit_settings, self.zone)

    def spoken_range(self, since: str, until: str) -> tuple[datetime | None, datetime | None]:
        """See the function of this name."""
        return spoken_range(since, until, now=self.clock.now(), zone=self.zone, day_first=self.day_first)

    def end_moment(self, words: str) -> datetime:
        """See the function of this name."""
        return end_moment(words, now=self.clock.now(), zone=self.zone, day_first=self.day_first)


@contextmanager
def open_house(settings: Settings) -> Iterator[House]:
    """The configured household, its database open.

    Raises:
        StoreError, SettingsError: see `open_store` and `household_zone`.
    """
    clock = SystemClock()
    household_zone(settings)  # complains before the database is touched
    with open_store(settings, clock=clock) as store:
        yield house_of(settings, store, clock)


def house_of(settings: Settings, store: MemoryStore, clock: Clock) -> House:
    """The household of an open database."""
    return House(
        store=store,
        clock=clock,
        zone=household_zone(settings),
        day_first=settings.household.day_first,
        embedder=Once(lambda: build_embedder(settings)),
        written=lambda text, expires_at: manual_memory(settings, text, expires_at, clock.now()),
        forget_grace_s=settings.memory.forget_grace_s,
        habit_settings=settings.habits,
    )


class Once:
    """Builds the embedder at the first call, whatever the thread, and keeps it; a failure is tried again."""

    def __init__(self, build: Callable[[], Embedder]) -> None:
        self._build = build
        self._lock = threading.Lock()
        self._built: Embedder | None = None

    def __call__(self) -> Embedder:
        with self._lock:
            if self._built is None:
                self._built = self._build()
            return self._built


def spoken_range(
    since: str, until: str, *, now: datetime, zone: ZoneInfo, day_first: bool = True
) -> tuple[datetime | None, datetime | None]:
    """From the beginning of `since` up to the end of `until`, each ISO 8601 or words that look back; '' = open.

    Raises:
        UsageError: words that are not understood, or a range that ends before it begins.
    """
    from junod.when.past import past_range

    ends: list[datetime | None] = []
    for name, words in (("since", since), ("until", until)):
        found = past_range(words, now=now, zone=zone, day_first=day_first) if words.strip() else None
        if words.strip() and found is None:
            raise UsageError(f"{name} '{words[:60]}' is not understood as a time.", hint=RANGE_HINT)
        ends.append(None if found is None else found.start if name == "since" else found.end)
    if ends[0] is not None and ends[1] is not None and ends[0] >= ends[1]:
        raise UsageError(f"The time range from '{since[:60]}' until '{until[:60]}' is empty.", hint=RANGE_HINT)
    return ends[0], ends[1]


def end_moment(words: str, *, now: datetime, zone: ZoneInfo, day_first: bool = True) -> datetime:
    """When a memory written by hand ends: an ISO 8601 moment, the end of a day, or time words that look ahead.

    Raises:
        UsageError: not understood, or over.
    """
    from junod.when.resolve import resolve

    try:
        said = datetime.fromisoformat(words.strip())
        found = said if said.tzinfo else None
    except ValueError:
        found = None
    if found is None:
        found = resolve(words, spoken_at=now, zone=zone, kind=Kind.REMINDER, day_first=day_first).expires_at
    if found is None:
        raise UsageError(f"'{words[:60]}' is not understood as a time to come.", hint=END_HINT)
    if found <= now:
        raise UsageError(f"'{words[:60]}' is over.", hint="Give a time to come, or none for a memory that stays.")
    return found
