"""What happens, as a stream of numbered events that a page can take up again where it lost it.

A thread follows the event bus, so that nothing waits for a page; each page waits on its own event loop. What another
process does to the database (`junod memories done`, an assistant) is read from the journal a moment later. Numbers
begin at the milliseconds of the start, so that those of an earlier run of the daemon are always lower.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from junod.clock import Clock
from junod.errors import NotFoundError, StoreError
from junod.events import (
    EarChanged,
    Event,
    EventBus,
    MemoriesExpired,
    MemoriesForgotten,
    MemoriesMerged,
    MemoryRedated,
    MemoryRepeated,
    MemorySaved,
    ReminderDue,
    RuleProposed,
    RuleUnclear,
)
from junod.memory.codec import words_of
from junod.memory.markdown import plain
from junod.memory.store import MemoryStore
from junod.memory.watch import RULE_EVENTS, Change, Watch
from junod.records import Memory
from junod.web.present import Presenter

log = logging.getLogger(__name__)

RING = 256
BEAT_S = 15.0
FRESH_S = 60.0
"""A page whose place in the stream is lost starts anew, and still gets what is younger than this: a toast may wait."""
REPEAT_S = 600.0
"""The same memory saved again within this time is one toast, counted up."""
LOOK_EVERY_S = 1.0
_POLL_S = 0.25
_BUS_CAPACITY = 1024

Mark = tuple[str, str]
"""What happened ('stored', 'moved', 'hidden', 'back', 'gone') to which memory."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One event of the stream. `number` None = nothing that moves the place to resume from."""

    number: int | None
    name: str
    data: dict[str, Any]
    at_s: float

    def text(self) -> str:
        """As the stream of a server-sent event; JSON has no bare line break."""
        number = f"id: {self.number}\n" if self.number is not None else ""
        return f"{number}event: {self.name}\ndata: {json.dumps(self.data, ensure_ascii=False)}\n\n"


class EventFeed:
    """The last 256 events and whoever waits for the next. Thread-safe.

    Args:
        present: how to show records, as of now.
        poll_s: how often the follower looks whether it should end.
    """

    def __init__(
        self,
        bus: EventBus,
        clock: Clock,
        store: MemoryStore,
        present: Callable[[], Presenter],
        *,
        poll_s: float = _POLL_S,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._bus, self._clock, self._store, self._present = bus, clock, store, present
        self._poll_s, self._look_every_s = poll_s, look_every_s
        self._lock = threading.Lock()
        self._ring: deque[Sent] = deque(maxlen=RING)
        self._last = int(clock.now().timestamp() * 1000)
        self._wakers: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._repeats = Repeats(clock)
        self._told = Told()
        self._closing = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._follow_bus, name="feed", daemon=True)

    def start(self) -> None:
        """Follow the bus; when this returns, nothing that is published is missed."""
        self._thread.start()
        self._ready.wait(5.0)

    def close(self) -> None:
        """End all streams, at once."""
        self._closing.set()
        self._wake()
        if self._thread.is_alive():
            self._thread.join(5.0)

    @property
    def last_number(self) -> int:
        with self._lock:
            return self._last

    def announce(self, name: str, data: dict[str, Any], *, about: Iterable[Mark] = ()) -> None:
        """Put an event into the stream.

        Args:
            about: what the journal will say of it, so that it is not told twice.
        """
        with self._lock:
            # Each mark must be set, so no generator: `any` would stop at the first.
            is_new = [self._told.is_first(mark, 1) for mark in about]
            if is_new and not any(is_new):
                return
            self._last += 1
            self._ring.append(Sent(self._last, name, data, self._clock.monotonic_s()))
        self._wake()

    def after(self, number: int) -> list[Sent]:
        """What came after this event; begins with a 'reset' where something in between is lost."""
        with self._lock:
            ring, last = list(self._ring), self._last
        oldest = ring[0].number if ring and ring[0].number is not None else last + 1
        if oldest - 1 <= number <= last:
            return [sent for sent in ring if sent.number is not None and sent.number > number]
        now_s = self._clock.monotonic_s()
        fresh = [sent for sent in ring if now_s - sent.at_s <= FRESH_S]
        before = (fresh[0].number or last) - 1 if fresh else last
        return [Sent(before, "reset", {}, now_s), *fresh]

    async def stream(self, number: int | None) -> AsyncIterator[Sent]:
        """Events from after `number` on (None = from now), a beat when nothing happens, until `close`."""
        waker = asyncio.Event()
        self._wakers[waker] = asyncio.get_running_loop()
        last = self.last_number if number is None else number
        yield self._beat(
            last if number is None else None
        )  # so a page has a place to resume from before anything happens
        try:
            while True:
                waker.clear()
                for sent in self.after(last):
                    last = sent.number if sent.number is not None else last
                    yield sent
                if self._closing.is_set():
                    return
                try:
                    await asyncio.wait_for(waker.wait(), BEAT_S)
                except TimeoutError:
                    yield self._beat()
        finally:
            del self._wakers[waker]

    @property
    def listeners(self) -> int:
        return len(self._wakers)

    def _beat(self, number: int | None = None) -> Sent:
        return Sent(number, "beat", {}, self._clock.monotonic_s())

    def _wake(self) -> None:
        for waker, loop in list(self._wakers.items()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(waker.set)

    def _follow_bus(self) -> None:
        with self._bus.subscribe(_BUS_CAPACITY) as inbox:
            watch = Watch(self._store.sessions)
            self._ready.set()
            lost, looked_s = 0, time.monotonic()
            while not self._closing.is_set():
                event = inbox.get(self._poll_s)
                if inbox.lost > lost:
                    lost = inbox.lost
                    self.announce("reset", {})
                if event is not None:
                    self._pass_on(event)
                if time.monotonic() - looked_s >= self._look_every_s:
                    looked_s = time.monotonic()
                    self._look(watch)

    def _pass_on(self, event: Event) -> None:
        match event:
            case MemorySaved(memory):
                # Counted only where it is told: the journal may have been quicker.
                if self._told.is_first(("stored", memory.id), 1):
                    self.announce("saved", {"memory": self._shown(memory), "repeats": self._repeats.count(memory)})
            case MemoriesMerged(memory, superseded) | MemoryRedated(memory, superseded):
                data = {"memory": self._shown(memory), "superseded": list(superseded)}
                self.announce("merged", data, about=[("stored", memory.id)])
            case MemoryRepeated(memory):
                self.announce("saved", {"memory": self._shown(memory), "repeats": max(1, self._repeats.count(memory))})
            case MemoriesExpired(ids) | MemoriesForgotten(ids):
                self.gone(ids)
            case ReminderDue(memory_id, words, begins_at):
                key = f"{memory_id} {begins_at.isoformat()}"
                self.announce("due", {"memory": memory_id, "text": plain(words), "key": key})
            case EarChanged(snapshot):
                self.announce("ear", {"snapshot": self._present().ear(snapshot).model_dump(mode="json")})
            case RuleProposed(rule_id, told):
                self.announce("rule", {"id": rule_id, "rule": told})
            case RuleUnclear(question):
                self.announce("asked", {"question": question})
            case _:
                pass

    def gone(self, ids: Sequence[str], mark: str = "gone") -> None:
        """These memories are erased, or ('hidden') will be."""
        if ids:
            self.announce("gone", {"ids": list(ids)}, about=[(mark, each) for each in ids])

    def changed(self, memory: Memory, mark: str = "stored") -> None:
        """This memory took the place of what it supersedes, or was put away or taken out again ('moved')."""
        data = {"id": memory.id, "superseded": list(memory.supersedes)}
        self.announce("changed", data, about=[(mark, memory.id)])

    def back(self, memory: Memory, instead_of: str) -> None:
        """This memory is active again, in the place of one that was taken back."""
        self._told.is_first(("back", instead_of), 1)
        self.announce("changed", {"id": memory.id, "superseded": [instead_of] if instead_of != memory.id else []})

    def _look(self, watch: Watch) -> None:
        """Tell what other hands did."""
        try:
            changes = watch.look()
            if any(change.event.startswith(RULE_EVENTS) for change in changes):
                self.announce("learned", {})
            for change in changes:
                if change.memory_id and self._told.is_first(_mark(change), -1):
                    self._tell_of(change)
        except StoreError as error:
            log.warning("What other programs did to the memories is not shown: %s", error.code)

    def _tell_of(self, change: Change) -> None:
        kind, memory_id = _mark(change)
        if kind in ("gone", "hidden"):
            self.announce("gone", {"ids": [memory_id]})
            return
        try:
            family = self._store.lineage(memory_id).memories
        except NotFoundError:  # it came and went between two looks
            return
        if kind == "back":
            for memory in family:
                if memory.is_active:
                    self.announce("changed", {"id": memory.id, "superseded": [memory_id]})
            return
        self._tell_stored(next(memory for memory in family if memory.id == memory_id))

    def _tell_stored(self, memory: Memory) -> None:
        if memory.superseded_by:  # what took its place is told of itself
            return
        if memory.source in ("voice", "manual") and memory.is_active and not memory.supersedes:
            self.announce("saved", {"memory": self._shown(memory), "repeats": self._repeats.count(memory)})
        else:
            self.announce("changed", {"id": memory.id, "superseded": list(memory.supersedes)})

    def _shown(self, memory: Memory) -> dict[str, Any]:
        return self._present().memory(memory).model_dump(mode="json")


_KINDS = {"archived": "moved", "restored": "moved", "forgotten": "gone", "expired": "gone", "shown": "back",
          "withdrawn": "back"}  # fmt: skip


def _mark(change: Change) -> Mark:
    return _KINDS.get(change.event, change.event), change.memory_id


class Told:
    """Pairs what was told with what the journal says: whichever comes second is no news."""

    def __init__(self, capacity: int = 4096) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._balance: OrderedDict[Mark, int] = OrderedDict()

    def is_first(self, mark: Mark, side: Literal[1, -1]) -> bool:
        """Whether this side (1 = told, -1 = journal) is ahead of the other."""
        with self._lock:
            balance = self._balance.pop(mark, 0)
            if balance + side:
                self._balance[mark] = balance + side
            if len(self._balance) > self._capacity:
                self._balance.popitem(last=False)
            return balance * side >= 0


class Repeats:
    """How often the same words were saved lately. Held in memory only."""

    def __init__(self, clock: Clock, capacity: int = 64) -> None:
        self._clock, self._capacity = clock, capacity
        self._seen: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def count(self, memory: Memory) -> int:
        """0 for the first time."""
        words, now_s = words_of(memory.memory), self._clock.monotonic_s()
        times, at_s = self._seen.pop(words, (-1, now_s))
        times = times + 1 if now_s - at_s <= REPEAT_S else 0
        self._seen[words] = (times, now_s)
        if len(self._seen) > self._capacity:
            self._seen.popitem(last=False)
        return times
