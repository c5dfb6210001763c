"""What happens, as a stream of numbered events that a page can take up again where it lost it.

A thread follows the event bus, so that nothing waits for a page; each page waits on its own event loop. Numbers begin
at the milliseconds of the start, so that those of an earlier run of the daemon are always lower.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from junod.clock import Clock
from junod.events import Event, EventBus, MemoriesExpired, MemoriesMerged, MemorySaved
from junod.memory.codec import words_of
from junod.records import Memory
from junod.web.present import Presenter

RING = 256
BEAT_S = 15.0
FRESH_S = 60.0
"""A page whose place in the stream is lost starts anew, and still gets what is younger than this: a toast may wait."""
REPEAT_S = 600.0
"""The same memory saved again within this time is one toast, counted up."""
_POLL_S = 0.25
_BUS_CAPACITY = 1024


@dataclass(frozen=True, slots=True)
class Sent:
    """One event of the stream. `number` None = a beat, which is no place to resume from."""

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

    def __init__(self, bus: EventBus, clock: Clock, present: Callable[[], Presenter], *, poll_s: float = _POLL_S):
        self._bus, self._clock, self._present, self._poll_s = bus, clock, present, poll_s
        self._lock = threading.Lock()
        self._ring: deque[Sent] = deque(maxlen=RING)
        self._last = int(clock.now().timestamp() * 1000)
        self._wakers: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self._repeats = Repeats(clock)
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

    def announce(self, name: str, data: dict[str, Any]) -> None:
        """Put an event into the stream."""
        with self._lock:
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
        yield self._beat()
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

    def _beat(self) -> Sent:
        return Sent(None, "beat", {}, self._clock.monotonic_s())

    def _wake(self) -> None:
        for waker, loop in list(self._wakers.items()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(waker.set)

    def _follow_bus(self) -> None:
        with self._bus.subscribe(_BUS_CAPACITY) as inbox:
            self._ready.set()
            lost = 0
            while not self._closing.is_set():
                event = inbox.get(self._poll_s)
                if inbox.lost > lost:
                    lost = inbox.lost
                    self.announce("reset", {})
                if event is not None:
                    self._pass_on(event)

    def _pass_on(self, event: Event) -> None:
        match event:
            case MemorySaved(memory):
                self.announce("saved", {"memory": self._shown(memory), "repeats": self._repeats.count(memory)})
            case MemoriesMerged(memory, superseded):
                self.announce("merged", {"memory": self._shown(memory), "superseded": list(superseded)})
            case MemoriesExpired(ids):
                self.announce("gone", {"ids": list(ids)})
            case _:
                pass

    def _shown(self, memory: Memory) -> dict[str, Any]:
        return self._present().memory(memory).model_dump(mode="json")


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
