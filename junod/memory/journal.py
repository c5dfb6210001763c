"""The journal read back: what happened when, without a word of content (`Session.journal` writes it)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime

from junod.memory import codec


@dataclass(frozen=True, slots=True)
class JournalEntry:
    at: datetime
    event: str
    """'spooled', 'decided', 'retried', 'parked', 'released', 'recovered', 'stored', 'superseded', 'archived',
    'restored', 'withdrawn' (a change was taken back), 'hidden' (is being forgotten), 'shown' (that was taken back),
    'forgotten', 'expired' or 'went-back' (a backup took the place of the database)."""
    passage_id: str | None
    memory_id: str | None
    stage: str
    score: float | None
    reason: str


def is_decided(connection: sqlite3.Connection, household_id: str, passage_id: str) -> bool:
    query = "SELECT 1 FROM journal WHERE household_id = ? AND passage_id = ? AND event = 'decided'"
    return connection.execute(query, (household_id, passage_id)).fetchone() is not None


def prune(connection: sqlite3.Connection, household_id: str, before: datetime) -> int:
    """Delete older entries; returns how many. Times are stored in UTC, so that they sort as text."""
    cursor = connection.execute(
        "DELETE FROM journal WHERE household_id = ? AND at < ?", (household_id, before.astimezone(UTC).isoformat())
    )
    return cursor.rowcount


def latest(connection: sqlite3.Connection, household_id: str, limit: int) -> tuple[JournalEntry, ...]:
    """Newest first."""
    rows = connection.execute(
        "SELECT at, event, passage_id, memory_id, stage, score, reason FROM journal"
        " WHERE household_id = ? ORDER BY seq DESC LIMIT ?",
        (household_id, limit),
    )
    return tuple(JournalEntry(codec.moment_of(row[0]), *tuple(row)[1:]) for row in rows)
