"""What became of memories and rules since the last look, whoever did it: other processes write here too."""

from __future__ import annotations

from dataclasses import dataclass

from junod.memory.session import Sessions

RULE_EVENTS = "rule-"
"""How the journal's events about rules begin."""
EVENTS = ("stored", "archived", "restored", "hidden", "shown", "withdrawn", "forgotten", "expired")


@dataclass(frozen=True, slots=True)
class Change:
    event: str
    """One of `EVENTS`, or about a rule (`RULE_EVENTS`)."""
    memory_id: str
    """'' where it is about a rule."""
    reason: str
    """For 'stored' the memory's source."""


class Watch:
    """Begins with what happens after it was made. One thread at a time."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        with sessions.read() as session:
            self._last = int(session.connection.execute("SELECT coalesce(max(seq), 0) FROM journal").fetchone()[0])

    def look(self) -> tuple[Change, ...]:
        """In the order in which it happened."""
        with self._sessions.read() as session:
            rows = session.connection.execute(
                "SELECT seq, household_id, event, memory_id, reason FROM journal WHERE seq > ? ORDER BY seq",
                (self._last,),
            ).fetchall()
        self._last = rows[-1]["seq"] if rows else self._last
        return tuple(
            Change(row["event"], row["memory_id"] or "", row["reason"])
            for row in rows
            if row["household_id"] == self._sessions.household_id and _is_told(row["event"], row["memory_id"])
        )


def _is_told(event: str, memory_id: str | None) -> bool:
    return event.startswith(RULE_EVENTS) or (bool(memory_id) and event in EVENTS)
