"""Which memories are about whom and what. Filled after the memories, a batch at a time; goes with them when they go."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from junod.memory import codec, rows
from junod.memory.entities import About, about
from junod.memory.rows import Filter
from junod.memory.session import Session, Sessions
from junod.memory.telling import one_line

BATCH = 100


@dataclass(frozen=True, slots=True)
class Star:
    """A memory in the constellation."""

    id: str
    text: str
    """On one line."""
    spoken_at: datetime
    schemas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """An entity in it."""

    id: int
    kind: str
    """'person', 'place' or 'thing'."""
    label: str
    memories: int
    """Of how many of the memories shown."""


@dataclass(frozen=True, slots=True)
class Constellation:
    """Active memories, what they are about, and which is about what."""

    memories: tuple[Star, ...]
    entities: tuple[Body, ...]
    """Those that most memories are about first."""
    links: tuple[tuple[str, int], ...]
    """(id of a memory, id of an entity)."""


def fill(sessions: Sessions, limit: int = BATCH) -> int:
    """Index the next memories that are not yet; how many there were. 0 = nothing is left to do."""
    with sessions.read() as session:
        found = session.connection.execute(
            "SELECT seq, memory FROM memories WHERE household_id = ? AND seq NOT IN (SELECT seq FROM memory_schemas)"
            " ORDER BY seq DESC LIMIT ?",
            (session.household_id, limit),
        ).fetchall()
    told = [(row["seq"], about(row["memory"])) for row in found]
    if told:
        with sessions.write() as session:
            for seq, each in told:
                _put(session, seq, each)
    return len(told)


def constellation(sessions: Sessions, limit: int = 500) -> Constellation:
    """The active memories spoken last, at most `limit`, with what they are about; what is not indexed has no link."""
    with sessions.read() as session:
        where, params = rows.condition(Filter(), session)
        found = session.connection.execute(
            "SELECT m.id, m.seq, m.memory, m.spoken_at, (SELECT s.schemas FROM memory_schemas s WHERE s.seq = m.seq)"
            f" AS schemas FROM memories m WHERE {where} ORDER BY m.spoken_at_us DESC, m.seq DESC LIMIT :limit",
            {**params, "limit": limit},
        ).fetchall()
        links = [(row["id"], *pair) for row in found for pair in _entities_of(session, row["seq"])]
    counts: dict[int, int] = {}
    kinds: dict[int, tuple[str, str]] = {}
    for _, entity_id, kind, label in links:
        counts[entity_id] = counts.get(entity_id, 0) + 1
        kinds[entity_id] = (kind, label)
    bodies = [Body(entity_id, *kinds[entity_id], number) for entity_id, number in counts.items()]
    return Constellation(
        tuple(
            Star(
                row["id"],
                one_line(row["memory"]),
                codec.moment_of(row["spoken_at"]),
                tuple((row["schemas"] or "").split()),
            )
            for row in found
        ),
        tuple(sorted(bodies, key=lambda body: (-body.memories, body.label))),
        tuple((memory_id, entity_id) for memory_id, entity_id, _, _ in links),
    )


def _put(session: Session, seq: int, told: About) -> None:
    connection = session.connection
    still_there = "SELECT seq FROM memories WHERE seq = ? AND seq NOT IN (SELECT seq FROM memory_schemas)"
    if connection.execute(still_there, (seq,)).fetchone() is None:
        return
    connection.execute("INSERT INTO memory_schemas VALUES (?, ?)", (seq, " ".join(sorted(told.schemas))))
    for entity in told.entities:
        key = (session.household_id, entity.kind.value, entity.key)
        connection.execute(
            "INSERT INTO entities (household_id, kind, key, label) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (*key, entity.label),
        )
        row = connection.execute("SELECT id FROM entities WHERE (household_id, kind, key) = (?, ?, ?)", key).fetchone()
        connection.execute("INSERT INTO memory_entities VALUES (?, ?)", (seq, row["id"]))


def _entities_of(session: Session, seq: int) -> list[tuple[int, str, str]]:
    query = (
        "SELECT e.id, e.kind, e.label FROM memory_entities l JOIN entities e ON e.id = l.entity_id WHERE l.seq = ?"
        " ORDER BY e.id"
    )
    return [tuple(row) for row in session.connection.execute(query, (seq,))]
