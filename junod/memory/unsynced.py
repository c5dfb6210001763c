"""Memories heard while the clock was not set: what is needed to date them once it is."""

from __future__ import annotations

from dataclasses import dataclass

from junod.errors import ConflictError
from junod.memory import changes, codec, dating, rows
from junod.memory.rows import Filter
from junod.memory.session import Sessions
from junod.records import Memory, NewMemory, UnsyncedTime

REASON = "clock"
"""Why a memory with the right date supersedes the one without."""


@dataclass(frozen=True, slots=True)
class Undated:
    memory: Memory
    time: UnsyncedTime


class UnsyncedMemories:
    """The store of what waits for the right time."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def waiting(self, boot_id: str) -> tuple[Undated, ...]:
        """Active memories heard since this boot whose moment is not corrected yet."""
        with self._sessions.read() as session:
            found = session.connection.execute(
                "SELECT memory_id, boot_id, elapsed_s, kind, phrase, hint, said FROM unsynced WHERE boot_id = ?",
                (boot_id,),
            ).fetchall()
            active = [row for row in found if rows.is_active(session, row["memory_id"])]
            memories = rows.by_ids(session, [row["memory_id"] for row in active])
        times = {row["memory_id"]: dating.as_time(*tuple(row)[1:]) for row in active}
        return tuple(Undated(memory, times[memory.id]) for memory in memories)

    def correct(self, old: Memory, new: NewMemory) -> Memory | None:
        """Store the same memory with the right time in the place of the old; None where that was changed meanwhile."""
        try:
            with self._sessions.write() as session:
                corrected = changes.store(session, new, None, passage_id=rows.passage_id(session, old.id))
                if new.memory == old.memory:
                    rows.copy_embedding(session, old.id, corrected)
                session.connection.execute("DELETE FROM unsynced WHERE memory_id = ?", (old.id,))
                return rows.load(session, corrected)
        except ConflictError:
            return None

    def give_up_others(self, boot_id: str) -> int:
        """Nobody can tell any more when something was said before this boot; how many memories stay undated."""
        with self._sessions.write() as session:
            return session.connection.execute("DELETE FROM unsynced WHERE boot_id <> ?", (boot_id,)).rowcount

    def left(self) -> tuple[Memory, ...]:
        """Active memories whose moment is not known, those that may still be corrected included."""
        with self._sessions.read() as session:
            where, params = rows.condition(Filter(), session)
            query = f"{rows.SELECT} WHERE {where} AND m.clock_synced = 0 ORDER BY m.seq"
            return tuple(codec.memory_of(row) for row in session.connection.execute(query, params))
