"""A household for the tests of the server: a real store on a simulated clock, an embedder of hashes, an SDK client."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from mcp import Client
from mcp.types import CallToolResult, TextContent, TextResourceContents
from memory.memory_fakes import HashEmbedder

from junod.assembly.house import House
from junod.assembly.tools import manual_memory
from junod.clock import SimulatedClock
from junod.habits.learn import HabitLearner
from junod.mcp_server.server import build_server
from junod.memory.embedder import Embedder
from junod.memory.store import MemoryStore
from junod.persona.learn import PersonaLearner
from junod.records import Memory, NewMemory
from junod.sections import PersonaSettings
from junod.settings import Settings

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 25, 18, 0, tzinfo=BERLIN)
"""A Wednesday."""
SETTINGS = Settings().model_copy(
    update={"household": Settings().household.model_copy(update={"timezone": "Europe/Berlin"})}
)


class FakeHouse:
    """A house and short ways to fill and ask it."""

    def __init__(self, store: MemoryStore, clock: SimulatedClock, embedder: Embedder | Exception) -> None:
        self.store = store
        self.clock = clock
        self.house = House(
            store, clock, BERLIN, True, lambda: _given(embedder), self._written,
            persona_settings=PersonaSettings(enabled=True, people=("Leo",)),
        )  # fmt: skip

    def _written(self, text: str, expires_at: datetime | None) -> NewMemory:
        return manual_memory(SETTINGS, text, expires_at, self.clock.now())

    def say(self, text: str, ago: timedelta = timedelta(), **changes: Any) -> Memory:
        """A memory spoken so long ago."""
        spoken_at = self.clock.now().astimezone(BERLIN) - ago
        new = NewMemory(text, f"somebody said {text}", spoken_at, None, "kitchen")
        return self.store.add(replace(new, **changes))

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """Ask as an assistant would."""

        async def ask() -> CallToolResult:
            async with Client(build_server(self.house), read_timeout_seconds=120) as client:
                return await client.call_tool(tool, arguments)

        return asyncio.run(ask())

    def texts(self, tool: str, **arguments: Any) -> list[str]:
        """The memories an answer holds."""
        return [row["memory"] for row in data(self.call(tool, **arguments))["memories"]]

    def read(self, uri: str) -> str:
        async def ask() -> str:
            async with Client(build_server(self.house), read_timeout_seconds=120) as client:
                (content,) = (await client.read_resource(uri)).contents
                assert isinstance(content, TextResourceContents)
                return content.text

        return asyncio.run(ask())


@contextmanager
def fake_house(folder: Path, embedder: Embedder | Exception | None = None) -> Iterator[FakeHouse]:
    clock = SimulatedClock(NOW)
    with MemoryStore.open(folder / "junod.db", clock=clock) as store:
        yield FakeHouse(store, clock, embedder or HashEmbedder())


def _given(embedder: Embedder | Exception) -> Embedder:
    if isinstance(embedder, Exception):
        raise embedder
    return embedder


def live(home: FakeHouse) -> None:
    """Eight weeks in which coffee is bought and Leo dreads the dentist."""
    home.clock.set_wall(NOW - timedelta(days=57))
    for _ in range(8):
        listed = home.say("Shopping list:\n- coffee", transcript="we need coffee")
        home.clock.advance(86_400)
        home.store.done(listed.id)
        home.clock.advance(5 * 86_400)
    for _ in range(2):
        home.say("Dentist for Leo", transcript="dentist again, Leo dreads the dentist")
        home.clock.advance(86_400)
    HabitLearner(home.store.sessions, home.house.habit_settings, home.house.zone, "kitchen").run(home.clock.now())
    PersonaLearner(home.store.sessions, home.house.persona_settings).run()
    home.clock.set_wall(NOW)


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def data(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, text(result)
    content: dict[str, Any] | None = result.structured_content
    assert content is not None
    return content


def refusal(result: CallToolResult) -> str:
    """What a refused call was told."""
    assert result.is_error
    return text(result)
