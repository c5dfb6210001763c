"""Taking back the last change that led to a memory. Each function runs inside a transaction of its caller.

Nothing is rewritten: the memory that made the change stays as history, out of lists and search, and its links move
from `supersessions` (what holds) to `withdrawals` (what held until then). What it replaced is active again, under its
old id.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations

from junod.errors import ConflictError
from junod.memory import codec, grace, rows
from junod.memory.grace import Forgetting
from junod.memory.session import Session
from junod.records import Memory

FRESH = timedelta(hours=24)
"""A memory that changed nothing can be undone, that is forgotten, for so long; later only by saying 'forget'."""
FORGET, STORED, MERGE, CLOCK = "forget", "stored", "merge", "clock"
_BY_HAND = ("done", "tick", "untick", "edit", "restored", CLOCK)
"""Reasons that are changes of one memory, also where that memory is a merge."""


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back."""

    change: str
    """'done', 'tick', 'untick', 'edit', 'merge', 'forget', 'stored', or another reason for which it superseded."""
    memories: tuple[Memory, ...]
    """What is active again; nothing for 'stored'."""
    forgetting: Forgetting | None = None
    """For 'stored': a new memory is forgotten, which can be taken back for a while."""


def undo(session: Session, memory_id: str, *, grace_s: float) -> Undone:
    """Take back the last change that led to an active memory, or the forgetting of one.

    Raises:
        NotFoundError: there is no such memory.
        ConflictError: it is not active any more, nothing led to it that could be taken back, or what it replaced is
            gone.
    """
    memory = rows.load(session, memory_id, forgotten=True)
    if grace.is_pending(session, memory.id):
        return Undone(FORGET, grace.bring_back(session, memory.id))
    if memory.supersedes and _change(session, memory) != CLOCK:
        return take_back(session, memory)
    _check_active(session, memory)
    was_changed = any(old.supersedes for old in rows.by_ids(session, memory.supersedes))
    if memory.source not in ("voice", "manual") or was_changed or session.now - memory.created_at > FRESH:
        raise ConflictError(
            f"There is no change of memory {memory.id} to take back.", hint="`junod memories forget` erases it."
        )
    return Undone(STORED, (), grace.begin(session, memory.id, grace_s))


def take_back(session: Session, memory: Memory) -> Undone:
    """Unlink an active memory from what it superseded; see `undo` for errors."""
    _check_active(session, memory)
    if not any(_is_there(session, old) for old in memory.supersedes):
        raise ConflictError(f"What memory {memory.id} replaced is gone.", hint="Correct the memory, or forget it.")
    change = _change(session, memory)
    _unlink(session, memory.id)
    if change == MERGE:
        _refuse(session, memory)
    session.journal("withdrawn", memory_id=memory.id, reason=change)
    back = [old for old in memory.supersedes if rows.is_active(session, old)]
    return Undone(change, rows.by_ids(session, rows.in_order_stored(session, back)))


def is_taken_back(session: Session, memory_id: str) -> bool:
    query = "SELECT 1 FROM withdrawals WHERE new_id = ?"
    return session.connection.execute(query, (memory_id,)).fetchone() is not None


def kept_apart(session: Session) -> frozenset[frozenset[str]]:
    """Pairs of memories, as they stand now, that dedup must not put together, since a person took that back.

    A refusal holds for what the two become later.
    """
    found = session.connection.execute(  # CROSS JOIN: refusals first, as they are few and the memories are not
        "SELECT r.one_id, r.other_id FROM refusals r CROSS JOIN memories m ON m.id = r.one_id WHERE m.household_id = ?",
        (session.household_id,),
    ).fetchall()
    heads = {memory_id: _heads(session, memory_id) for memory_id in {each for pair in found for each in pair}}
    return frozenset(
        frozenset((one, other)) for a, b in found for one in heads[a] for other in heads[b] if one != other
    )


def _check_active(session: Session, memory: Memory) -> None:
    if rows.is_active(session, memory.id):
        return
    newer = ", ".join(memory.superseded_by)
    hint = f"Take back {newer} first, which replaced it." if newer else "Look again what became of it."
    raise ConflictError(f"Memory {memory.id} is not active any more.", hint=hint)


def _is_there(session: Session, memory_id: str) -> bool:
    """Whether it comes back when nothing supersedes it: it has not expired."""
    query = "SELECT expires_at_us IS NULL OR expires_at_us > ? OR clock_synced = 0 FROM memories WHERE id = ?"
    row = session.connection.execute(query, (codec.microseconds(session.now), memory_id)).fetchone()
    return row is not None and bool(row[0])


def _change(session: Session, memory: Memory) -> str:
    row = session.connection.execute("SELECT reason FROM supersessions WHERE new_id = ?", (memory.id,)).fetchone()
    reason = str(row["reason"])
    return MERGE if memory.source == MERGE and reason not in _BY_HAND else reason


def _unlink(session: Session, memory_id: str) -> None:
    connection, now = session.connection, session.now.isoformat()
    connection.execute(
        "INSERT INTO withdrawals (old_id, new_id, reason, at, withdrawn_at)"
        " SELECT old_id, new_id, reason, at, ? FROM supersessions WHERE new_id = ?",
        (now, memory_id),
    )
    connection.execute("DELETE FROM supersessions WHERE new_id = ?", (memory_id,))
    connection.execute("UPDATE memories SET archived = 1, updated_at = ? WHERE id = ?", (now, memory_id))


def _refuse(session: Session, merged: Memory) -> None:
    """Remember, by ids alone, that these were taken apart; what was kept apart from the merge is from its sources."""
    query = "SELECT one_id, other_id FROM refusals WHERE one_id = ?1 OR other_id = ?1"
    found = session.connection.execute(query, (merged.id,)).fetchall()
    others = {each for pair in found for each in pair} - {merged.id}
    _keep_apart(session, combinations(merged.supersedes, 2))
    _keep_apart(session, ((source, other) for source in merged.supersedes for other in others))


def _keep_apart(session: Session, pairs: Iterable[tuple[str, str]]) -> None:
    session.connection.executemany(
        "INSERT INTO refusals (one_id, other_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(*sorted(pair), session.now.isoformat()) for pair in pairs],
    )


def _heads(session: Session, memory_id: str) -> set[str]:
    """What a memory has become: the ends of its line of successors."""
    heads, todo, seen = set(), [memory_id], {memory_id}
    while todo:
        one = todo.pop()
        newer = session.connection.execute("SELECT new_id FROM supersessions WHERE old_id = ?", (one,)).fetchall()
        fresh = {new_id for (new_id,) in newer} - seen
        seen |= fresh
        todo += fresh
        if not newer:
            heads.add(one)
    return heads
