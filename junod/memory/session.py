"""One transaction on behalf of one household, as the modules that do the work get it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from junod.clock import Clock
from junod.memory import codec
from junod.memory.connection import Database


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


class Sessions:
    """Transactions on one household's database. Every store of junod's data works through these."""

    def __init__(self, database: Database, clock: Clock, household_id: str) -> None:
        self._db = database
        self._clock = clock
        self.household_id = household_id

    @contextmanager
    def read(self) -> Iterator[Session]:
        with self._db.read() as connection:
            yield Session(connection, self.household_id, self._clock.now())

    @contextmanager
    def write(self) -> Iterator[Session]:
        with self._db.write() as connection:
            yield Session(connection, self.household_id, self._clock.now())

    @contextmanager
    def erase(self, *, keep_copies: bool = False) -> Iterator[Session]:
        """A write after which what it deleted is nowhere in the file or its log, nor in any copy of it.

        Args:
            keep_copies: what is deleted is in no copy anyway, as undecided passages are not.
        """
        with self._db.erase(keep_copies=keep_copies) as connection:
            yield Session(connection, self.household_id, self._clock.now())
