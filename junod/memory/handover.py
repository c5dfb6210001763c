"""Everything a household has, to be taken away: as one value for programs, or as pages of markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from junod.memory.habits import HabitStore
from junod.memory.persona import PersonaStore
from junod.memory.spool import SpooledPassage
from junod.memory.store import MemoryStore
from junod.memory.telling import moment, one_line
from junod.records import Memory

FORMAT = 1
_SLUG_WORDS = 6
_SLUG_CHARS = 60


def memory_row(memory: Memory) -> dict[str, Any]:
    """A memory in JSON. The keys are a contract; readers must ignore keys they do not know."""
    return {
        "id": memory.id,
        "memory": memory.memory,
        "transcript": memory.transcript,
        "room": memory.room,
        "device_id": memory.device_id,
        "spoken_at": memory.spoken_at.isoformat(),
        "created_at": memory.created_at.isoformat(),
        "expires_at": memory.expires_at.isoformat() if memory.expires_at else None,
        "archived": memory.archived,
        "source": memory.source,
        "confidence": memory.confidence,
        "supersedes": list(memory.supersedes),
        "superseded_by": list(memory.superseded_by),
        "clock_synced": memory.clock_synced,
    }


def contents(store: MemoryStore, now: datetime) -> dict[str, Any]:
    """All that a database holds of its household, for programs. Readers must ignore keys they do not know."""
    return {
        "format": FORMAT,
        "household": store.household_id,
        "exported_at": now.isoformat(),
        "memories": [memory_row(memory) for memory in store.export()],
        "undecided": [_undecided_row(spooled) for spooled in store.undecided()],
        "journal": [
            {
                "at": entry.at.isoformat(),
                "event": entry.event,
                "passage_id": entry.passage_id,
                "memory_id": entry.memory_id,
                "stage": entry.stage,
                "score": entry.score,
                "reason": entry.reason,
            }
            for entry in reversed(store.journal(limit=None))
        ],
        **_learned(store),
    }


def _learned(store: MemoryStore) -> dict[str, Any]:
    """Habits and impressions as they are held: times, and places in memories; no words but corrections by hand."""
    habits, persona = HabitStore(store.sessions), PersonaStore(store.sessions)
    return {
        "habits": [
            {
                "id": habit.id,
                "kind": habit.kind,
                "moments": [at.isoformat() for at in habit.moments],
                "memories": list(habit.memory_ids),
                "yes_at": [at.isoformat() for at in habit.yes_at],
                "no_at": [at.isoformat() for at in habit.no_at],
            }
            for habit in habits.all()
        ],
        "talk": [
            {"hour_at": hour.hour_at.isoformat(), "room": hour.room, "passages": hour.passages}
            for hour in habits.talk()
        ],
        "impressions": [
            {
                "id": trait.id,
                "kind": trait.kind,
                "correction": trait.correction,
                "quotes": [{"memory": quote.memory.id, "quote": quote.text} for quote in trait.quotes],
            }
            for trait in persona.all()
        ],
    }


def pages(store: MemoryStore) -> Iterator[tuple[str, str]]:
    """(name, markdown): a page for each memory (older versions under history/), then index.md and undecided.md."""
    index = []
    for memory in store.export():
        name = page_name(memory)
        yield name, markdown_of(memory) + "\n"
        if memory.is_active:
            index.append(f"- [{_plain(one_line(memory.memory))}]({name}), said {moment(memory.spoken_at)}")
    yield "index.md", "\n".join(["# What junod remembers", "", *(index or ["Nothing."])]) + "\n"
    undecided = store.undecided()
    if undecided:
        yield "undecided.md", "\n\n".join(_undecided(each) for each in undecided) + "\n"


def page_name(memory: Memory) -> str:
    """A path from ASCII letters and digits alone, unlike any other memory's."""
    place = "memories" if memory.is_active else "history"
    return f"{place}/{memory.spoken_at:%Y-%m-%d}-{_slug(memory.memory)}-{memory.id[-12:]}.md"


def markdown_of(memory: Memory) -> str:
    """A memory as a markdown document of its own."""
    facts = {
        "id": memory.id,
        "spoken": memory.spoken_at.isoformat(),
        "expires": memory.expires_at.isoformat() if memory.expires_at else "never",
        "room": memory.room,
        "source": memory.source,
        "superseded by": ", ".join(memory.superseded_by),
        "archived": "yes" if memory.archived else "",
        "clock": "" if memory.clock_synced else "not set when this was heard",
    }
    heard = [f"> {line}" for line in memory.transcript.splitlines()]
    lines = [memory.memory, "", *heard, "", *(f"- {name}: {value}" for name, value in facts.items() if value)]
    return "\n".join(lines)


def _undecided_row(spooled: SpooledPassage) -> dict[str, Any]:
    passage = spooled.passage
    return {
        "id": passage.id,
        "state": spooled.state.value,
        "transcript": passage.transcript,
        "context": list(passage.context),
        "spoken_at": passage.spoken_at.isoformat(),
        "room": passage.room,
    }


def _undecided(spooled: SpooledPassage) -> str:
    passage = spooled.passage
    heard = [f"> {line}" for line in passage.transcript.splitlines()]
    facts = (f"spoken: {passage.spoken_at.isoformat()}", f"room: {passage.room}", f"state: {spooled.state.value}")
    return "\n".join([*heard, "", *(f"- {fact}" for fact in facts)])


def _slug(text: str) -> str:
    words = re.findall(r"[a-z0-9]+", text.lower())[:_SLUG_WORDS]
    return "-".join(words)[:_SLUG_CHARS].strip("-") or "memory"


def _plain(text: str) -> str:
    """Text that cannot end a markdown link early."""
    return re.sub(r"([\[\]\\])", r"\\\1", text)
