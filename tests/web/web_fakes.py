"""A household behind the page's server, for its tests: a real store on a simulated clock, and an ear that obeys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
from fastapi import FastAPI
from memory.memory_fakes import HashEmbedder

from junod.assembly.house import House
from junod.assembly.tools import manual_memory
from junod.clock import SimulatedClock
from junod.ear_state import next_morning
from junod.events import EarChanged, EventBus, MemoriesForgotten
from junod.memory.embedder import Embedder
from junod.memory.store import MemoryStore
from junod.memory.wipe import Wiped
from junod.records import EarSnapshot, Memory, NewMemory
from junod.settings import Settings
from junod.tally import DayCount, Trust
from junod.web.app import Surroundings, create_app
from junod.web.ear import MediaState
from junod.web.guard import SOURCE

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)
"""A Tuesday; summer time begins on the Sunday after."""
MARK = {"X-Junod": "1"}


class FakeEar:
    """An ear that does what it is told, erases from the store, and tells of it."""

    def __init__(self, store: MemoryStore, clock: SimulatedClock, bus: EventBus) -> None:
        self._store, self._clock, self._bus = store, clock, bus
        self.muted = False
        self.until: datetime | None = None
        self.media: MediaState = "auto"
        self.level_dbfs: float | None = -48.0
        self.lost_s: float | None = None
        self.problem = ""
        self.counted = Trust((DayCount(NOW.date(), 812, 12),), {"gate": 700, "guards": 100})

    def mute(self) -> None:
        self.muted = True
        self._tell()

    def unmute(self) -> None:
        self.muted = False
        self._tell()

    def off_the_record(self, until: datetime) -> None:
        self.until = until
        self._tell()

    def on_the_record(self) -> None:
        self.until = None
        self._tell()

    def morning(self) -> datetime:
        return next_morning(self._clock.now(), BERLIN, "06:00")

    def forget_last(self, duration: timedelta) -> Wiped:
        return self._told(self._store.forget_spoken(self._clock.now() - duration, None))

    def forget_everything(self) -> Wiped:
        return self._told(self._store.forget_spoken())

    def set_media(self, state: MediaState) -> None:
        self.media = state
        self._tell()

    def snapshot(self) -> EarSnapshot:
        hears = "listening" if self.lost_s is None else "lost"
        state = "muted" if self.muted else "off-record" if self.until else hears
        age_s = 0.1 if self.lost_s is None else self.lost_s
        return EarSnapshot(state, self.muted, self.until, age_s, self.level_dbfs, self.media, 812, 12, self.problem)

    def lose(self, seconds_ago: float, problem: str) -> None:
        """The microphone went away so long ago."""
        self.lost_s, self.problem = seconds_ago, problem
        self._tell()

    def find(self) -> None:
        """It is back."""
        self.lost_s, self.problem = None, ""
        self._tell()

    def trust(self) -> Trust:
        return self.counted

    def _told(self, wiped: Wiped) -> Wiped:
        self._bus.publish(MemoriesForgotten(wiped.memories))
        return wiped

    def _tell(self) -> None:
        self._bus.publish(EarChanged(self.snapshot()))


@dataclass
class Site:
    """The app and what stands behind it."""

    app: FastAPI
    store: MemoryStore
    clock: SimulatedClock
    ear: FakeEar
    bus: EventBus
    settings: Settings
    lan: FakeLan
    house: House
    reloads: list[int] = field(default_factory=list)

    def say(self, text: str, ago: timedelta = timedelta(), **changes: Any) -> Memory:
        """A memory spoken so long ago."""
        spoken_at = self.clock.now().astimezone(BERLIN) - ago
        new = NewMemory(text, f"somebody said {text}", spoken_at, None, "kitchen")
        return self.store.add(replace(new, **changes))

    def ask(self, method: str, path: str, source: str = "loopback", **options: Any) -> httpx.Response:
        """One request, as the page sends it."""
        headers = {**(MARK if method != "GET" else {}), **options.pop("headers", {})}

        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(app=from_door(self.app, source))
            async with httpx.AsyncClient(
                transport=transport, base_url=options.pop("base", "http://127.0.0.1")
            ) as client:
                return await client.request(method, path, headers=headers, **options)

        return asyncio.run(asked())

    def get(self, path: str, **options: Any) -> Any:
        response = self.ask("GET", path, **options)
        assert response.status_code == 200, response.text
        return response.json()

    def post(self, path: str, body: Any = None, **options: Any) -> Any:
        response = self.ask("POST", path, json=body, **options)
        assert response.status_code in (200, 201), response.text
        return response.json()

    def refused(self, method: str, path: str, status: int, **options: Any) -> dict[str, str]:
        """What a refused request was told."""
        response = self.ask(method, path, **options)
        assert response.status_code == status, response.text
        told: dict[str, str] = response.json()
        assert set(told) == {"error", "message", "hint"}
        assert "Traceback" not in response.text
        return told


class FakeLan:
    """A network door that opens without a network."""

    def __init__(self) -> None:
        self.address = ""

    def turn(self, on: bool) -> None:
        self.address = "http://192.168.1.20:8765" if on else ""

    def names(self) -> tuple[str, ...]:
        return ("192.168.1.20",) if self.address else ()


def from_door(app: FastAPI, source: str) -> Any:
    """The app as it looks from one of its doors."""

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        await app({**scope, SOURCE: source}, receive, send)

    return behind


@contextmanager
def site(
    folder: Path,
    embedder: Embedder | Exception | None = None,
    around: dict[str, Any] | None = None,
    mcp: Callable[[House], Any] | None = None,
    start: datetime = NOW,
    house_parts: dict[str, Any] | None = None,
    **web: Any,
) -> Iterator[Site]:
    clock, bus, lan, reloads = SimulatedClock(start), EventBus(), FakeLan(), list[int]()
    settings = settings_with(**web)

    def load() -> Embedder:
        if isinstance(embedder, Exception):
            raise embedder
        return embedder or HashEmbedder()

    with MemoryStore.open(folder / "junod.db", clock=clock) as store:
        house = House(
            store,
            clock,
            BERLIN,
            True,
            load,
            lambda text, end: manual_memory(settings, text, end, clock.now()),
            **(house_parts or {}),
        )
        ear = FakeEar(store, clock, bus)
        config = folder / "junod.toml"
        config.touch()
        parts: dict[str, Any] = {
            "reload": lambda: reloads.append(1),
            "mcp": mcp(house) if mcp else None,
            "config": config,
            "lan": lan,
            "names": lan.names,
        }
        surroundings = Surroundings(**(parts | (around or {})))
        app = create_app(house, ear, bus, settings, surroundings)
        yield Site(app, store, clock, ear, bus, settings, lan, house, reloads)


def settings_with(**web: Any) -> Settings:
    base = Settings()
    return base.model_copy(
        update={
            "household": base.household.model_copy(update={"timezone": "Europe/Berlin"}),
            "web": base.web.model_copy(update=web),
        }
    )
