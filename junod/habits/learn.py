"""Learning habits from what the store has kept since the last time: a periodic job, no model, no network."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from junod.audit import is_suspect
from junod.habits.sightings import observe
from junod.memory.habits import HabitStore, NewSighting, Seen
from junod.memory.session import Sessions
from junod.records import Memory
from junod.sections import HabitsSettings

_BATCH = 200
PRIVATE_ROOM = "bedroom"


class HabitLearner:
    """Looks at each stored memory once.

    Args:
        sessions: of the household's store; only the tables of habits are written.
        room: where this display stands, for the counts of talk.
    """

    def __init__(self, sessions: Sessions, settings: HabitsSettings, zone: ZoneInfo, room: str) -> None:
        self._store = HabitStore(sessions)
        self._settings = settings
        self._zone = zone
        self._room = room

    def run(self, now: datetime) -> int:
        """Note what happened since the last run and erase what is too old; returns how many sightings are new.

        With habits off, or in a bedroom, what happened is passed over: turning them on does not look back.
        """
        noted = 0
        if back := self._store.brought_back():
            self._store.note_taken_back({memory.id: observe(memory, (), self._zone).wanted for memory in back})
        while unseen := self._store.unseen(_BATCH):
            noted += self._store.note([self._seen(memory, olds) for memory, olds in unseen])
        self._store.count_talk(self._room, is_counted=self._may_learn_from(self._room))
        self._store.prune(now - timedelta(days=self._settings.history_days))
        return noted

    def _seen(self, memory: Memory, olds: tuple[Memory, ...]) -> Seen:
        shown = observe(memory, olds, self._zone)
        is_fit = memory.clock_synced and not is_suspect(memory.memory)  # its hour is known, and it orders no program
        learns = self._may_learn_from(memory.room) and is_fit
        sightings = tuple(NewSighting(each.kind, each.thing, each.at) for each in shown.sightings) if learns else ()
        return Seen(memory, sightings, shown.wanted, shown.closed, shown.withdrawn)

    def _may_learn_from(self, room: str) -> bool:
        return self._settings.enabled and (room != PRIVATE_ROOM or self._settings.bedrooms)
