"""What the daemon learns of how a household lives, now and then."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from junod.clock import Clock
from junod.errors import StoreError
from junod.settings import Settings, household_zone

if TYPE_CHECKING:
    from junod.memory.store import MemoryStore

log = logging.getLogger(__name__)


def habit_chore(settings: Settings, store: MemoryStore, clock: Clock) -> tuple[Callable[[], None], float]:
    """The daemon's periodic job that learns habits and impressions, and how often it is due, in seconds."""
    from junod.habits.learn import HabitLearner
    from junod.persona.learn import PersonaLearner

    learner = HabitLearner(store.sessions, settings.habits, household_zone(settings), settings.device.room)
    persona = PersonaLearner(store.sessions, settings.persona)

    def learn() -> None:
        try:
            learner.run(clock.now())
            persona.run()
        except StoreError as error:
            log.warning("Learning waits for the store: %s", error.message)

    return learn, settings.habits.interval_s
