"""/api/memories and /api/shopping: look at what is remembered, and change it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from junod.assembly.house import House
from junod.errors import ConflictError, UsageError
from junod.events import EventBus, MemorySaved
from junod.memory import verbs
from junod.memory.codec import SOURCES
from junod.memory.grace import Forgetting
from junod.memory.markdown import list_items, plain
from junod.memory.rows import Filter
from junod.memory.search import SearchMode, SearchRequest
from junod.records import ROOMS, Memory
from junod.rules.apply import with_tag
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
        tag: Words = "",
    ) -> MemoriesOut:
        """Search, or without `q` the list, the last spoken first."""
        begin, end = self._house.spoken_range(since, until)
        wanted = _filter(room, source, include, begin, end)
        if q.strip():
            request = SearchRequest(q, SearchMode(mode), limit, begin, end, wanted.room, source=wanted.source)
            found, note = self._finder.find(request, wanted)
        else:
            most = None if tag else limit
            found, note = list(self._store.list(wanted, limit=most, oldest_first=mode == "chronological")), ""
        shown = self._present()
        tagged = with_tag(found, tag, shown.rules, limit)
        return MemoriesOut(memories=[shown.memory(memory) for memory in tagged], note=note)

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
        """All that is linked with it, in the order stored, and the links, those taken back marked."""
        lineage = self._store.lineage(memory_id)
        shown = self._present()
        links = [
            LinkOut(
                old=link.old,
                new=link.new,
                reason=link.reason,
                at=link.at.astimezone(shown.zone),
                withdrawn_at=shown.local(link.withdrawn_at),
            )
            for link in lineage.links
        ]
        return HistoryOut(memories=[shown.memory(memory) for memory in lineage.memories], links=links)

    def done(self, memory_id: Id) -> MemoryOut:
        """Strike it through."""
        return self._changed(self._store.done(memory_id))

    def restore(self, memory_id: Id) -> MemoryOut:
        """Take back `done`, or bring back what was archived."""
        memory = self._store.get(memory_id)
        restored = self._store.restore(memory.id)
        if memory.archived:
            return self._changed(restored, "moved")
        taken_back = memory.id if memory.source == "done" else ""
        return self._back([restored], taken_back)

    def archive(self, memory_id: Id) -> MemoryOut:
        return self._changed(self._store.archive(memory_id), "moved")

    def edit(self, memory_id: Id, given: EditIn) -> MemoryOut:
        """Correct it; the old text stays in its history."""
        return self._changed(self._store.edit(memory_id, self._masked(given.text)))

    def forget(self, memory_id: Id) -> ForgottenOut:
        """Hide it with its whole lineage at once, and erase it for good a little later: see `unforget`."""
        return self._forgotten(verbs.forget(self._store, memory_id, grace_s=self._house.forget_grace_s))

    def undo(self, memory_id: Id) -> MemoryOut | ForgottenOut:
        """Take back the last change that led to this memory; the last of those that are active again is the answer."""
        undone = verbs.undo(self._store, memory_id, grace_s=self._house.forget_grace_s)
        if undone.forgetting is not None:
            return self._forgotten(undone.forgetting)
        if not undone.memories:
            raise ConflictError("It is taken back, but nothing came back: that has expired.", hint="Look again.")
        return self._back(undone.memories, memory_id)

    def unforget(self, memory_id: Id) -> MemoryOut:
        """Bring back what is being forgotten."""
        memories = verbs.unforget(self._store, memory_id)
        if not memories:
            raise ConflictError("It is brought back, but nothing of it is active.", hint="Look at its history.")
        return self._back(memories, memory_id)

    def tick(self, memory_id: Id, given: TickIn) -> MemoryOut:
        """Strike one item of a list through, or open it again; with its last item the list is done."""
        items = list_items(self._store.get(memory_id).memory)
        as_stored = next((item.text for item in items if plain(item.text) == given.item), given.item)
        return self._changed(verbs.tick(self._store, memory_id, as_stored, given.done))

    def _forgotten(self, forgetting: Forgetting) -> ForgottenOut:
        self._feed.gone(forgetting.ids, "hidden")
        return ForgottenOut(forgotten=list(forgetting.ids), undo_until=self._present().local(forgetting.until))

    def _back(self, memories: Sequence[Memory], instead_of: str) -> MemoryOut:
        """These are active again, in the place of what was taken back."""
        for memory in memories:
            self._feed.back(memory, instead_of)
        return self._present().memory(memories[-1])

    def _changed(self, memory: Memory, mark: str = "stored") -> MemoryOut:
        self._feed.changed(memory, mark)
        return self._present().memory(memory)


def _filter(room: str, source: str, include: str, begin: datetime | None, end: datetime | None) -> Filter:
    parts = {part.strip() for part in include.split(",") if part.strip()}
    if not parts <= set(INCLUDES):
        raise UsageError("'include' names something unknown.", hint=f"Choose from: {', '.join(INCLUDES)}.")
    if room and room not in ROOMS:
        raise UsageError("There is no such room.", hint=f"Rooms: {', '.join(ROOMS)}.")
    if source and source not in SOURCES:
        raise UsageError("There is no such source.", hint=f"Sources: {', '.join(SOURCES)}.")
    return Filter(
        room=room or None,
        source=source or None,
        since=begin,
        until=end,
        include_superseded="superseded" in parts,
        include_archived="archived" in parts,
    )
