"""/api/home: what the family sees in passing; /api/constellation: what hangs together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from junod.agenda.entries import Entry, entry_of, unmarked
from junod.assembly.house import House
from junod.assembly.reminders import coming_reminders, reminder_row
from junod.memory.entity_index import constellation
from junod.memory.store import MAX_LIMIT
from junod.records import Memory
from junod.sections import DeviceSettings
from junod.web.ear import EarControlLike
from junod.web.lists import shopping_lines
from junod.web.present import Presenter
from junod.web.shapes import (
    ConstellationOut,
    CountsOut,
    DayEntryOut,
    DayOut,
    DeviceOut,
    EdgeOut,
    HomeOut,
    NodeOut,
    ReminderOut,
    ShoppingOut,
)
from junod.web.shapes_coming import RemindersOut

NIGHT_BEGINS = time(21, 0)
NIGHT_ENDS = time(6, 30)
MAX_REMINDERS = 12
MAX_NODES = 500
MAX_SHARED = 80
"""More of what they share is no picture any more."""
Days = Annotated[int, Query(ge=1, le=366, description="How far to look ahead.")]
UNSYNCED_FOR = timedelta(days=1)


class HomeApi:
    def __init__(
        self, house: House, ear: EarControlLike, device: DeviceSettings, *, present: Callable[[], Presenter]
    ) -> None:
        self._house, self._ear, self._device, self._present = house, ear, device, present

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/api", tags=["home"])
        router.add_api_route("/home", self.home, response_model=HomeOut)
        router.add_api_route("/reminders", self.reminders, response_model=RemindersOut)
        router.add_api_route("/constellation", self.constellation, response_model=ConstellationOut)
        return router

    def home(self) -> HomeOut:
        shown = self._present()
        now = shown.now.astimezone(shown.zone)
        memories = self._house.store.list(limit=MAX_LIMIT)
        entries = self._entries(memories)
        ear = shown.ear(self._ear.snapshot())
        return HomeOut(
            now=now,
            zone=shown.zone.key,
            device=DeviceOut(id=self._device.id, room=self._device.room),
            ear=ear,
            days=[
                _day(entries, now.date() + timedelta(days=n), label) for n, label in enumerate(("Today", "Tomorrow"))
            ],
            shopping=[
                ShoppingOut(memory_id=line.memory.id, item=line.item, done=line.is_done)
                for line in shopping_lines(memories, shown.now)
            ],
            reminders=_reminders(entries),
            counts=CountsOut(heard=ear.heard_today, kept=ear.kept_today),
            night=not NIGHT_ENDS <= now.time() < NIGHT_BEGINS,
            unsynced=any(_is_unsynced(memory, shown.now) for memory in memories),
        )

    def reminders(self, days: Days = 7) -> RemindersOut:
        """What will be reminded of, and when, the soonest first."""
        rows = (reminder_row(each, self._house.zone) for each in coming_reminders(self._house, days))
        return RemindersOut.model_validate({"reminders": list(rows)})

    def constellation(self) -> ConstellationOut:
        """Memories, and the people, places and things that some of them share."""
        sky = constellation(self._house.store.sessions, MAX_NODES)
        shared = [body for body in sky.entities if body.memories > 1][:MAX_SHARED]
        bodies = {body.id: f"{body.kind}:{body.id}" for body in shared}
        own = [NodeOut(id=star.id, kind="memory", label=unmarked(star.text)) for star in sky.memories]
        return ConstellationOut(
            nodes=own + [NodeOut.model_validate({**asdict(body), "id": bodies[body.id]}) for body in shared],
            links=[EdgeOut(source=star, target=bodies[body]) for star, body in sky.links if body in bodies],
        )

    def _entries(self, memories: Sequence[Memory]) -> list[Entry]:
        zone, day_first = self._house.zone, self._house.day_first
        return [entry_of(memory, zone, day_first=day_first) for memory in memories if memory.source != "done"]


def _day(entries: Sequence[Entry], day: date, label: str) -> DayOut:
    """What falls on a day, timed things last to first after those that fill the day."""
    found = [
        DayEntryOut(id=entry.memory.id, time=entry.clock_on(day), text=entry.text)
        for entry in entries
        if entry.falls_on(day) and (entry.is_timed or not entry.is_task)
    ]
    return DayOut(date=day, label=label, entries=sorted(found, key=lambda entry: (entry.time or "", entry.text)))


def _reminders(entries: Sequence[Entry]) -> list[ReminderOut]:
    """Tasks without a clock time: those due first, then the newest of those that have no day."""
    tasks = [entry for entry in entries if entry.is_task and not entry.is_timed]
    dated = sorted((entry for entry in tasks if entry.last), key=lambda entry: str(entry.last))
    undated = [entry for entry in tasks if entry.last is None]
    return [
        ReminderOut(id=entry.memory.id, text=entry.text, due=_due(entry))
        for entry in [*dated, *undated][:MAX_REMINDERS]
    ]


def _due(entry: Entry) -> datetime | None:
    zone = entry.memory.spoken_at.tzinfo
    return entry.memory.expires_at or (datetime.combine(entry.last, time(0), zone) if entry.last else None)


def _is_unsynced(memory: Memory, now: datetime) -> bool:
    return not memory.clock_synced and now - memory.created_at < UNSYNCED_FOR
