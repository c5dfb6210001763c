"""Which reminders were given, so that none is given twice. A row goes with its memory."""

from __future__ import annotations

from datetime import datetime, timedelta

from junod.memory import codec, rows
from junod.memory.session import Sessions

KEPT = timedelta(days=3)
"""So long after what it was about; then nothing reminds of that any more."""


class GivenReminders:
    """Reminders of one household. Safe to use from several threads."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def was_given(self, memory_id: str, begins_at: datetime) -> bool:
        """Of this memory, or of one it comes from or that came from it, for the same moment."""
        with self._sessions.read() as session:
            return any(
                session.connection.execute(
                    "SELECT 1 FROM reminders_given WHERE memory_id = ? AND begins_at_us = ?",
                    (each, codec.microseconds(begins_at)),
                ).fetchone()
                for each in rows.relatives(session, [memory_id])
            )

    def mark(self) -> int:
        """Another one whenever memories or rules changed: all of that is in the journal."""
        with self._sessions.read() as session:
            return int(session.connection.execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()[0])

    def note(self, memory_id: str, begins_at: datetime) -> None:
        """It was given; nothing where its memory is gone."""
        with self._sessions.write() as session:
            session.connection.execute(
                "DELETE FROM reminders_given WHERE begins_at_us < ?", (codec.microseconds(session.now - KEPT),)
            )
            session.connection.execute(
                "INSERT OR IGNORE INTO reminders_given (memory_id, begins_at_us, given_at)"
                " SELECT id, ?, ? FROM memories WHERE id = ? AND household_id = ?",
                (codec.microseconds(begins_at), session.now.isoformat(), memory_id, session.household_id),
            )
