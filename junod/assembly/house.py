"""What a face that stays open needs of a household: its store, its zone, its models, and how it reads time words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from junod.assembly.embedders import Embedders, reading_again
from junod.assembly.parts import open_store, rule_book
from junod.assembly.spoken import end_moment, spoken_range
from junod.assembly.tools import manual_memory
from junod.clock import Clock, SystemClock
from junod.memory.grace import DEFAULT_GRACE_S
from junod.memory.talk import NoTalk, Talk
from junod.records import NewMemory
from junod.sections import HabitsSettings, LinksSettings, PersonaSettings, RemindersSettings
from junod.settings import Settings, household_zone

if TYPE_CHECKING:
    from junod.habits.verbs import Habits
    from junod.memory.embedder import Embedder
    from junod.memory.reembedding import Progress
    from junod.memory.store import MemoryStore
    from junod.persona.verbs import Persona
    from junod.rules.book import RuleBook


@dataclass(frozen=True, slots=True)
class House:
    store: MemoryStore
    clock: Clock
    zone: ZoneInfo
    day_first: bool
    """3/4 is the third of April."""
    embedder: Callable[[], Embedder]
    """The model whose vectors answer now. The first call loads it, which takes seconds; ModelError where it cannot."""
    written: Callable[[str, datetime | None], NewMemory]
    """A memory by hand, with its end, credentials masked."""
    forget_grace_s: float = DEFAULT_GRACE_S
    """So long what is forgotten can be brought back."""
    habit_settings: HabitsSettings = field(default_factory=HabitsSettings)
    persona_settings: PersonaSettings = field(default_factory=PersonaSettings)
    links_settings: LinksSettings = field(default_factory=LinksSettings)
    talk: Talk = field(default_factory=NoTalk)
    """What is being said now, where this process hears it or can ask the one that does."""
    reading_again: Callable[[], Progress | None] = lambda: None
    """How far a change of the embedding model is; None where none is under way."""
    reminder_settings: RemindersSettings = field(default_factory=RemindersSettings)

    @property
    def habits(self) -> Habits:
        """What the household does again and again; what its rules keep off the list is not suggested."""
        from junod.habits.verbs import Habits
        from junod.memory.habits import HabitStore
        from junod.rules.apply import without_excluded

        return Habits(
            HabitStore(self.store.sessions),
            self.habit_settings,
            self.zone,
            is_allowed=lambda thing: bool(without_excluded(f"Shopping list:\n- {thing}", self.rules.active())),
        )

    @property
    def persona(self) -> Persona:
        """Impressions of those who agreed to them."""
        from junod.memory.persona import PersonaStore
        from junod.persona.verbs import Persona

        return Persona(PersonaStore(self.store.sessions), self.persona_settings, self.zone)

    @property
    def rules(self) -> RuleBook:
        """What the household declared: see its verbs."""
        return rule_book(self.store, self.reminder_settings)

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


def house_of(settings: Settings, store: MemoryStore, clock: Clock, embedders: Embedders | None = None) -> House:
    """The household of an open database."""
    embedders = embedders or Embedders(settings, store)
    return House(
        store=store,
        clock=clock,
        zone=household_zone(settings),
        day_first=settings.household.day_first,
        embedder=embedders.answering,
        written=lambda text, expires_at: manual_memory(settings, text, expires_at, clock.now()),
        forget_grace_s=settings.memory.forget_grace_s,
        habit_settings=settings.habits,
        persona_settings=settings.persona,
        links_settings=settings.links,
        reading_again=lambda: reading_again(settings, store),
        reminder_settings=settings.reminders,
    )
