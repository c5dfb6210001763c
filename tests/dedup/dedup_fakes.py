"""Fakes of what dedup leans on: a language model that says what it is told, and short ways to memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from junod.dedup.loop import Deduper, Report
from junod.dedup.parsed import Parsed, parse
from junod.errors import ExtractionError
from junod.extract.language_model import Prompt, Reading
from junod.memory.embedder import Embedder
from junod.memory.store import MemoryStore
from junod.records import Memory, NewMemory
from junod.sections import DedupSettings

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)
"""A Tuesday."""


def hours_ago(hours: float) -> datetime:
    return NOW - timedelta(hours=hours)


def new(text: str, ago_h: float = 1.0, **changes: Any) -> NewMemory:
    """A memory spoken so many hours ago, its words also its transcript."""
    fields: dict[str, Any] = {
        "memory": text,
        "transcript": text,
        "spoken_at": hours_ago(ago_h),
        "expires_at": None,
        "room": "kitchen",
    }
    return NewMemory(**(fields | changes))


def shopping(*items: str, title: str = "Shopping list:") -> str:
    return "\n".join([title, *(f"- {item}" for item in items)])


def memory(text: str, ago_h: float = 1.0, **changes: Any) -> Memory:
    fields: dict[str, Any] = {
        "id": f"{text} {ago_h}",
        "memory": text,
        "transcript": text,
        "room": "kitchen",
        "device_id": "",
        "spoken_at": hours_ago(ago_h),
        "created_at": hours_ago(ago_h),
        "expires_at": None,
        "archived": False,
        "source": "voice",
        "confidence": 1.0,
    }
    return Memory(**(fields | changes))


def parsed(text: str, ago_h: float = 1.0, **changes: Any) -> Parsed:
    return parse(memory(text, ago_h, **changes))


@dataclass
class ScriptedModel:
    """Gives its answers in turn, then names no group; an exception among them is raised, a callable is called."""

    script: list[str | Exception | Callable[[], str]] = field(default_factory=list)
    asked: list[Prompt] = field(default_factory=list)

    def read(self, prompt: Prompt) -> Reading:
        return Reading(0.0, np.zeros(1, np.float32), 0)

    def complete(self, prompt: Prompt, grammar: str | None, max_tokens: int, deadline_s: float) -> str:
        self.asked.append(prompt)
        said = self.script.pop(0) if self.script else "]}"
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, str) else said()

    def close(self) -> None:
        pass


def group(*numbers: int, why: str = "same") -> str:
    """The model's answer: these notes belong together."""
    return f'{{"notes": {list(numbers)}, "why": "{why}"}}]}}'


def failure() -> ExtractionError:
    return ExtractionError("The engine failed.", permanent=False)


@dataclass
class Home:
    """A store and dedup over it."""

    store: MemoryStore
    model: ScriptedModel = field(default_factory=ScriptedModel)
    settings: DedupSettings = field(default_factory=DedupSettings)
    embedder: Embedder | None = None

    def __post_init__(self) -> None:
        self.deduper = Deduper(self.store, self.settings, self.model, self.embedder)

    def hear(self, *news: NewMemory) -> list[Memory]:
        return [self.store.add(one) for one in news]

    def run(self, **options: Any) -> Report:
        return self.deduper.run(NOW, **options)

    def texts(self) -> list[str]:
        """Active memories, oldest first."""
        return [one.memory for one in self.store.list(oldest_first=True)]

    def heard(self, memory_id: str) -> Sequence[str]:
        """Transcripts in a memory's history."""
        return [one.transcript for one in self.store.history(memory_id) if one.source == "voice"]
