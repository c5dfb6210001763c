"""A time to think before forgetting: hidden from everything at once, erased for good a little later.

The mark is in the row, so a crash loses it as little as the memory itself. Each function runs inside a transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from junod.errors import ConflictError, UsageError
from junod.memory import codec, rows
from junod.memory.session import Session
from junod.records import Memory

MAX_GRACE_S = 3_600.0
DEFAULT_GRACE_S = 60.0
"""Long enough to dry one's hands and read what went, no longer than the pause between two erasings anyway."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What is forgotten, and until when that can be taken back."""

    ids: tuple[str, ...]
    """The whole lineage, in the order stored."""
    until: datetime | None
    """None = erased already."""


def check(grace_s: float) -> None:
    """A time to think that makes sense.

    Raises:
        UsageError: it does not.
    """
    if not 0 <= grace_s <= MAX_GRACE_S:
        raise UsageError(
            f"{grace_s} seconds to think make no sense.", hint=f"Give from 0 to {MAX_GRACE_S:.0f} seconds."
        )


def begin(session: Session, memory_id: str, grace_s: float) -> Forgetting:
    """Hide a memory with its whole lineage until `due` names it.

    Raises:
        UsageError: see `check`.
    """
    check(grace_s)
    until = session.now + timedelta(seconds=grace_s)
    lineage = rows.in_order_stored(session, rows.relatives(session, [memory_id]))
    session.connection.executemany(
        "UPDATE memories SET forget_at_us = ? WHERE id = ?", [(codec.microseconds(until), each) for each in lineage]
    )
    session.journal("hidden", memory_id=memory_id)
    return Forgetting(lineage, until)


def is_pending(session: Session, memory_id: str) -> bool:
    query = "SELECT 1 FROM memories WHERE id = ? AND forget_at_us IS NOT NULL"
    return session.connection.execute(query, (memory_id,)).fetchone() is not None


def bring_back(session: Session, memory_id: str) -> tuple[Memory, ...]:
    """Undo `begin`, also after its time while nothing was erased yet; returns what is active again.

    Raises:
        NotFoundError: there is no such memory (any more).
        ConflictError: it is not being forgotten.
    """
    memory = rows.load(session, memory_id, forgotten=True)
    if not is_pending(session, memory.id):
        raise ConflictError(f"Memory {memory.id} is not being forgotten.", hint="There is nothing to bring back.")
    lineage = rows.in_order_stored(session, rows.relatives(session, [memory.id]))
    session.connection.executemany(
        "UPDATE memories SET forget_at_us = NULL WHERE id = ?", [(each,) for each in lineage]
    )
    session.journal("shown", memory_id=memory.id)
    return tuple(found for found in rows.by_ids(session, lineage) if rows.is_active(session, found.id))


def due(session: Session) -> list[str]:
    """What is to be erased now: its time is over, or it expired meanwhile, or the clock was set back."""
    at_us = codec.microseconds(session.now)
    found = session.connection.execute(
        "SELECT id FROM memories WHERE household_id = ? AND forget_at_us IS NOT NULL"
        " AND (forget_at_us <= ? OR forget_at_us > ? OR (expires_at_us <= ? AND clock_synced = 1))",
        (session.household_id, at_us, at_us + int(MAX_GRACE_S * 1_000_000), at_us),
    )
    return [row["id"] for row in found]
