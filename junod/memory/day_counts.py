"""Counts of what was heard and thrown away, a row for each day and stage; never a word of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime

from junod.memory.session import Sessions


class DayCountStore:
    """Days are the household's own; what was decided about passages is read from the journal."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def add(self, day: date, counts: Mapping[str, int]) -> None:
        """Add to the counts of a day, in one transaction."""
        with self._sessions.write() as session:
            session.connection.executemany(
                "INSERT INTO tallies (household_id, day, stage, number) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (household_id, day, stage) DO UPDATE SET number = number + excluded.number",
                [(session.household_id, day.isoformat(), stage, number) for stage, number in counts.items()],
            )

    def since(self, day: date) -> dict[date, dict[str, int]]:
        """Day -> stage -> count, from `day` on."""
        with self._sessions.read() as session:
            rows = session.connection.execute(
                "SELECT day, stage, number FROM tallies WHERE household_id = ? AND day >= ? ORDER BY day",
                (session.household_id, day.isoformat()),
            ).fetchall()
        found: dict[date, dict[str, int]] = {}
        for row in rows:
            found.setdefault(date.fromisoformat(row["day"]), {})[row["stage"]] = row["number"]
        return found

    def rejected_since(self, moment: datetime) -> dict[str, int]:
        """Stage -> passages it threw away since then; as far back as the journal reaches."""
        with self._sessions.read() as session:
            rows = session.connection.execute(
                "SELECT stage, count(*) AS number FROM journal WHERE household_id = ? AND event = 'decided'"
                " AND stage <> 'kept' AND at >= ? GROUP BY stage",
                (session.household_id, moment.astimezone(UTC).isoformat()),
            ).fetchall()
        return {row["stage"]: row["number"] for row in rows}

    def prune(self, before: date) -> int:
        """Delete the counts of earlier days; returns how many rows."""
        with self._sessions.write() as session:
            cursor = session.connection.execute(
                "DELETE FROM tallies WHERE household_id = ? AND day < ?", (session.household_id, before.isoformat())
            )
        return cursor.rowcount
