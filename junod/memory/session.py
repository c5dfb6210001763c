"""One transaction on behalf of one household, as the modules that do the work get it."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from junod.memory import codec


@dataclass(frozen=True, slots=True)
class Session:
    connection: sqlite3.Connection
    household_id: str
    now: datetime
    """The one 'now' of this transaction."""

    def journal(
        self,
        event: str,
        *,
        passage_id: str | None = None,
        memory_id: str | None = None,
        stage: str = "",
        score: float | None = None,
        reason: str = "",
    ) -> None:
        """Note what happened, without a word of content: see `JournalEntry`."""
        self.connection.execute(
            "INSERT INTO journal (household_id, at, event, passage_id, memory_id, stage, score, reason)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.household_id,
                self.now.isoformat(),
                event,
                passage_id,
                memory_id,
                codec.code(stage),
                score,
                codec.code(reason),
            ),
        )

    def hash(self, *parts: str) -> bytes:
        """Recognises a text later without holding it; the key was made with the database."""
        row = self.connection.execute("SELECT value FROM secrets WHERE name = 'tombstones'").fetchone()
        return codec.keyed_hash(row[0], self.household_id, *parts)
