"""What dates a memory later, beside the memory. Each function runs inside a transaction of its caller."""

from __future__ import annotations

from junod.memory import codec
from junod.memory.session import Session
from junod.records import ClockAnchor, Kind, UnsyncedTime


def note(session: Session, memory_id: str, time: UnsyncedTime) -> None:
    """Keep what dates a memory later. Goes with the memory when that is erased."""
    session.connection.execute(
        "INSERT INTO unsynced (memory_id, boot_id, elapsed_s, kind, phrase, hint, said) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            memory_id,
            time.anchor.boot_id,
            time.anchor.elapsed_s,
            time.kind.value,
            codec.clean(time.phrase),
            codec.clean(time.hint),
            time.said,
        ),
    )


def read(session: Session, memory_id: str) -> UnsyncedTime | None:
    """What `note` kept of a memory."""
    row = session.connection.execute(
        "SELECT boot_id, elapsed_s, kind, phrase, hint, said FROM unsynced WHERE memory_id = ?", (memory_id,)
    ).fetchone()
    return as_time(*tuple(row)) if row else None


def as_time(boot_id: str, elapsed_s: float, kind: str, phrase: str, hint: str, said: str) -> UnsyncedTime:
    return UnsyncedTime(ClockAnchor(boot_id, elapsed_s), Kind(kind), phrase, hint, said)
