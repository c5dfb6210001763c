"""Counts of what was heard, kept and thrown away, day by day, from the journal: no content."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo

from junod.memory.session import Sessions


@dataclass(frozen=True, slots=True)
class DayTally:
    day: date
    passages: int
    """Stretches of talk that were decided."""
    kept: int
    """Memories they left."""


@dataclass(frozen=True, slots=True)
class Tally:
    days: tuple[DayTally, ...]
    """The newest first; a day without any talk is left out."""
    thrown_away: dict[str, int]
    """Stage -> passages that it found nothing to keep in."""


class Tallies:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def since(self, moment: datetime, zone: tzinfo) -> Tally:
        """What the journal says from this moment on, by days in the zone."""
        passages: Counter[date] = Counter()
        kept: Counter[date] = Counter()
        thrown: Counter[str] = Counter()
        with self._sessions.read() as session:
            rows = session.connection.execute(
                "SELECT at, event, stage FROM journal WHERE household_id = ? AND at >= ?"
                " AND (event = 'decided' OR (event = 'stored' AND reason = 'voice'))",
                (session.household_id, moment.astimezone(UTC).isoformat()),
            ).fetchall()
        for at, event, stage in rows:
            day = datetime.fromisoformat(at).astimezone(zone).date()
            if event == "stored":
                kept[day] += 1
                continue
            passages[day] += 1
            if stage != "kept":
                thrown[stage or "other"] += 1
        days = tuple(DayTally(day, passages[day], kept[day]) for day in sorted(passages | kept, reverse=True))
        return Tally(days, dict(thrown))

    def first_day(self) -> datetime | None:
        """When the oldest memory there is was stored."""
        with self._sessions.read() as session:
            row = session.connection.execute(
                "SELECT min(created_at) FROM memories WHERE household_id = ?", (session.household_id,)
            ).fetchone()
        return datetime.fromisoformat(row[0]) if row and row[0] else None
