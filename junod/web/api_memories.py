"""/api/memories and /api/shopping: look at what is remembered, and change it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from junod.assembly.house import House
from junod.errors import ConflictError, UsageError
from junod.events import EventBus, MemorySaved
from junod.memory import verbs
from junod.memory.rows import Filter
from junod.memory.search import SearchMode, SearchRequest
from junod.records import ROOMS, Memory
from junod.web.feed import EventFeed
from junod.web.finder import Finder
from junod.web.present import Presenter
from junod.web.shapes import (
    EditIn,
    ForgottenOut,
    HistoryOut,
    LinkOut,
    MemoriesOut,
    MemoryOut,
    NewMemoryIn,
    TickIn,
)

Id = Annotated[str, Path(pattern=r"^[0-9a-f-]{8,36}$", description="Id of a memory, or its random end.")]
Mode = Literal["hybrid", "semantic", "chronological"]
Words = Annotated[str, Query(max_length=200)]
INCLUDES = ("superseded", "archived")


class MemoriesApi:
    """Every route runs in a worker thread; the store is safe to share.

    Args:
        present: how to show records, as of now.
        masked: a text without credentials.
    """

    def __init__(
        self,
        house: House,
        finder: Finder,
        feed: EventFeed,
        bus: EventBus,
        *,
        present: Callable[[], Presenter],
        masked: Callable[[str], str],
    ) -> None:
        self._house, self._store, self._finder, self._feed, self._bus = house, house.store, finder, feed, bus
        self._present, self._masked = present, masked

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/api", tags=["memories"])
        router.add_api_route("/memories", self.find, response_model=MemoriesOut)
        router.add_api_route("/memories", self.add, methods=["POST"], status_code=201, response_model=MemoryOut)
        router.add_api_route("/memories/{memory_id}", self.show, response_model=MemoryOut)
        router.add_api_route("/memories/{memory_id}/history", self.history, response_model=HistoryOut)
        for verb in (self.done, self.restore, self.archive, self.edit, self.unforget):
            path = f"/memories/{{memory_id}}/{verb.__name__}"
            router.add_api_route(path, verb, methods=["POST"], response_model=MemoryOut)
        router.add_api_route("/memories/{memory_id}/forget", self.forget, methods=["POST"], response_model=ForgottenOut)
        router.add_api_route(
            "/memories/{memory_id}/undo", self.undo, methods=["POST"], response_model=MemoryOut | ForgottenOut
        )
        router.add_api_route("/shopping/{memory_id}/tick", self.tick, methods=["POST"], response_model=MemoryOut)
        return router

    def find(
        self,
        q: Annotated[str, Query(max_length=2_000)] = "",
        mode: Mode = "hybrid",
        since: Words = "",
        until: Words = "",
        room: Words = "",
        source: Words = "",
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
        include: Words = "",
    ) -> MemoriesOut:
        """Search, or without `q` the list, the last spoken first."""
        begin, end = self._house.spoken_range(since, until)
        wanted = _filter(room, include, begin, end)
        if q.strip():
            request = SearchRequest(q, SearchMode(mode), limit, begin, end, wanted.room)
            found, note = self._finder.find(request, wanted)
        else:
            oldest_first = mode == "chronological"
            most = limit if not source else 1_000
            found, note = list(self._store.list(wanted, limit=most, oldest_first=oldest_first)), ""
        shown = self._present()
        chosen = [memory for memory in found if not source or memory.source == source]
        return MemoriesOut(memories=[shown.memory(memory) for memory in chosen[:limit]], note=note)

    def add(self, given: NewMemoryIn) -> MemoryOut:
        """Remember something by hand; the same words with the same end are stored once."""
        ends_at = self._house.end_moment(given.until) if given.until else None
        memory, is_new = verbs.remember(self._store, self._house.written(given.text, ends_at))
        if is_new:
            self._bus.publish(MemorySaved(memory))
        return self._present().memory(memory)

    def show(self, memory_id: Id) -> MemoryOut:
        return self._present().memory(self._store.get(memory_id))

    def history(self, memory_id: Id) -> HistoryOut:
        lineage = self._store.history(memory_id)
        shown = self._present()
        links = [
            LinkOut(old=old, new=memory.id, reason=memory.source, at=memory.created_at.astimezone(shown.zone))
            for memory in lineage
            for old in memory.supersedes
        ]
        return HistoryOut(memories=[shown.memory(memory) for memory in lineage], links=links)

    def done(self, memory_id: Id) -> MemoryOut:
        """Strike it through."""
        return self._changed(self._store.done(memory_id))

    def restore(self, memory_id: Id) -> MemoryOut:
        """Undo `done` or `archive`."""
        return self._changed(self._store.restore(memory_id))

    def archive(self, memory_id: Id) -> MemoryOut:
        return self._changed(self._store.archive(memory_id))

    def edit(self, memory_id: Id, given: EditIn) -> MemoryOut:
        """Correct it; the old text stays in its history."""
        return self._changed(self._store.edit(memory_id, self._masked(given.text)))

    def forget(self, memory_id: Id) -> ForgottenOut:
        erased = self._store.forget(memory_id)
        self._feed.announce("gone", {"ids": list(erased)})
        return ForgottenOut(forgotten=list(erased))

    def undo(self, memory_id: Id) -> MemoryOut | ForgottenOut:
        """Take back the last change that led to this memory."""
        memory = self._store.get(memory_id)
        if memory.source == "done":
            return self._changed(self._store.restore(memory.id))
        if memory.source == "voice" and not memory.supersedes:
            return self.forget(memory.id)
        raise ConflictError("There is nothing to take back.", hint="Edit or forget it instead.")

    def unforget(self, memory_id: Id) -> MemoryOut:
        raise ConflictError(f"Memory {memory_id} was erased for good.", hint="Write it again by hand.")

    def tick(self, memory_id: Id, given: TickIn) -> MemoryOut:
        """Strike one line of a list through, or take that back."""
        raise ConflictError("Single lines cannot be struck yet.", hint="Mark the whole list as done.")

    def _changed(self, memory: Memory) -> MemoryOut:
        self._feed.announce("changed", {"id": memory.id, "superseded": list(memory.supersedes)})
        return self._present().memory(memory)


def _filter(room: str, include: str, begin: datetime | None, end: datetime | None) -> Filter:
    parts = {part.strip() for part in include.split(",") if part.strip()}
    if not parts <= set(INCLUDES):
        raise UsageError("'include' names something unknown.", hint=f"Choose from: {', '.join(INCLUDES)}.")
    if room and room not in ROOMS:
        raise UsageError("There is no such room.", hint=f"Rooms: {', '.join(ROOMS)}.")
    return Filter(
        room=room or None,
        since=begin,
        until=end,
        include_superseded="superseded" in parts,
        include_archived="archived" in parts,
    )
