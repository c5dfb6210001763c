"""What is kept of habits: when a thing happened, under a keyed hash of its words. The words stay in the memories.

A sighting goes with its memory when that is forgotten, and lets go of it when it expires: what is left then is a time
without words. This store writes its own tables and reads memories; it has no way to write one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from junod.errors import NotFoundError, UsageError
from junod.memory import codec, rows, tombstones, undoing
from junod.memory.session import Session, Sessions
from junod.records import Memory

SAME_TIME = timedelta(hours=12)
"""Two sightings of one habit nearer than this are one."""
OPEN_KIND = "buy"
"""The kind that a memory may hold open: on the list and not got yet."""


@dataclass(frozen=True, slots=True)
class NewSighting:
    kind: str
    thing: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Seen:
    """What one memory shows, ready to be noted."""

    memory: Memory
    sightings: tuple[NewSighting, ...]
    wanted: frozenset[str]
    closed: frozenset[str]
    withdrawn: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HabitRow:
    id: str
    kind: str
    key: bytes
    created_at: datetime
    is_open: bool
    """Of an item: it stands on a list now."""
    moments: tuple[datetime, ...]
    """When it was seen, oldest first."""
    memory_ids: tuple[str, ...]
    """Where its words stand, newest first; fewer than `moments` once memories have expired."""
    yes_at: tuple[datetime, ...]
    no_at: tuple[datetime, ...]


@dataclass(frozen=True, slots=True)
class TalkHour:
    """Passages heard in one hour: a count, no words."""

    hour_at: datetime
    """UTC, the beginning of the hour."""
    room: str
    passages: int


class HabitStore:
    """The habits of one household, over the sessions of its store."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def unseen(self, limit: int) -> tuple[tuple[Memory, tuple[Memory, ...]], ...]:
        """The next memories in the order stored that were not looked at, each with those that it supersedes."""
        with self._sessions.read() as session:
            found, _ = rows.page(session, int(_cursor(session, "memory_seq")), limit)
            return tuple((memory, rows.by_ids(session, memory.supersedes)) for memory in found)

    def note(self, seen: Sequence[Seen]) -> int:
        """Note what memories showed and go on behind them, in one transaction; returns how many sightings are new.

        A memory erased meanwhile leaves nothing, nor does a change that was taken back.
        """
        noted = 0
        with self._sessions.write() as session:
            for each in seen:
                seq = session.connection.execute("SELECT seq FROM memories WHERE id = ?", (each.memory.id,)).fetchone()
                if seq is not None:
                    noted += 0 if undoing.is_taken_back(session, each.memory.id) else _note_one(session, each)
                    _go_on(session, "memory_seq", seq["seq"])
        return noted

    def brought_back(self) -> tuple[Memory, ...]:
        """Memories that hold again since the last `note_taken_back`, as the change that replaced them was taken back.

        Those of the last moment come twice, in case there were more.
        """
        with self._sessions.read() as session:
            found = session.connection.execute(
                "SELECT DISTINCT old_id FROM withdrawals WHERE withdrawn_at >= ?", (_cursor(session, "withdrawn_at"),)
            ).fetchall()
            return rows.by_ids(session, [row["old_id"] for row in found])

    def note_taken_back(self, wanted: Mapping[str, frozenset[str]]) -> None:
        """Withdraw what changes showed that were taken back.

        Args:
            wanted: of each of `brought_back`, by its id: the things that it keeps open again.
        """
        with self._sessions.write() as session:
            session.connection.execute(
                "DELETE FROM habit_sightings WHERE memory_id IN (SELECT new_id FROM withdrawals)"
            )
            for memory_id, things in wanted.items():
                for thing in things if rows.is_active(session, memory_id) else ():
                    _set_open(session, thing, memory_id)
            last = session.connection.execute("SELECT max(withdrawn_at) FROM withdrawals").fetchone()[0]
            _go_on(session, "withdrawn_at", last or "")
            drop_empty(session)

    def all(self) -> tuple[HabitRow, ...]:
        with self._sessions.read() as session:
            query = "SELECT * FROM habits WHERE household_id = ? ORDER BY id"
            return tuple(_row(session, row) for row in session.connection.execute(query, (session.household_id,)))

    def get(self, habit_id: str) -> HabitRow:
        """One habit by its id or the end of it.

        Raises:
            NotFoundError: there is none.
            UsageError: several end like this.
        """
        with self._sessions.read() as session:
            return _row(session, _find(session, habit_id))

    def words(self, habit: HabitRow, read: Callable[[Memory, Callable[[str], bool]], str]) -> str:
        """What `read` finds in the newest memory that still has words for the habit; '' where none has."""
        with self._sessions.read() as session:

            def is_thing(thing: str) -> bool:
                return _key(session, habit.kind, thing) == habit.key

            found = (read(memory, is_thing) for memory in rows.by_ids(session, habit.memory_ids))
            return next((words for words in found if words), "")

    def is_anything(self, habit: HabitRow) -> bool:
        """Whether it is the habit of no thing in particular."""
        with self._sessions.read() as session:
            return _key(session, habit.kind, "") == habit.key

    def memories(self, habit: HabitRow, limit: int) -> tuple[Memory, ...]:
        """The newest memories that bear it out."""
        with self._sessions.read() as session:
            return rows.by_ids(session, habit.memory_ids[:limit])

    def answer(self, habit_id: str, *, is_yes: bool) -> HabitRow:
        """A person said yes or no to a suggestion. Errors as in `get`."""
        with self._sessions.write() as session:
            row = _find(session, habit_id)
            session.connection.execute(
                "INSERT INTO habit_answers (habit_id, at, is_yes) VALUES (?, ?, ?)",
                (row["id"], session.now.isoformat(), int(is_yes)),
            )
            return _row(session, row)

    def delete(self, habit_id: str) -> str:
        """Erase a habit for good; a tombstone of its hash keeps it from being learned again. Errors as in `get`."""
        with self._sessions.erase() as session:
            row = _find(session, habit_id)
            tombstones.set_up(session, [_grave(session, row["key"])])
            session.connection.execute("DELETE FROM habits WHERE id = ?", (row["id"],))
            return str(row["id"])

    def delete_all(self) -> int:
        """Erase every habit and all counts of talk; what happens from now on may be learned. Returns how many."""
        with self._sessions.erase() as session:
            number = session.connection.execute(
                "DELETE FROM habits WHERE household_id = ?", (session.household_id,)
            ).rowcount
            session.connection.execute("DELETE FROM habit_talk WHERE household_id = ?", (session.household_id,))
            return int(number)

    def prune(self, before: datetime) -> int:
        """Erase sightings and counts older than this, and habits of which nothing is left; returns how many habits."""
        with self._sessions.write() as session:
            at_us = codec.microseconds(before)
            for table, column in (("habit_sightings", "at_us"), ("habit_talk", "hour_us")):
                session.connection.execute(
                    f"DELETE FROM {table} WHERE household_id = ? AND {column} < ?", (session.household_id, at_us)
                )
            return drop_empty(session)

    def count_talk(self, room: str, *, is_counted: bool) -> int:
        """Count passages heard since the last call by their hour; returns how many.

        Args:
            is_counted: False only goes on behind them.
        """
        with self._sessions.write() as session:
            found = session.connection.execute(
                "SELECT seq, at FROM journal WHERE household_id = ? AND event = 'spooled' AND seq > ? ORDER BY seq",
                (session.household_id, _cursor(session, "journal_seq")),
            ).fetchall()
            for row in found if is_counted else ():
                at = codec.moment_of(row["at"]).replace(minute=0, second=0, microsecond=0)
                session.connection.execute(
                    "INSERT INTO habit_talk (household_id, hour_us, room, passages) VALUES (?, ?, ?, 1)"
                    " ON CONFLICT (household_id, hour_us, room) DO UPDATE SET passages = passages + 1",
                    (session.household_id, codec.microseconds(at), room),
                )
            if found:
                _go_on(session, "journal_seq", found[-1]["seq"])
            return len(found) if is_counted else 0

    def talk(self) -> tuple[TalkHour, ...]:
        """Counts of passages, oldest hour first."""
        with self._sessions.read() as session:
            found = session.connection.execute(
                "SELECT hour_us, room, passages FROM habit_talk WHERE household_id = ? ORDER BY hour_us, room",
                (session.household_id,),
            )
            return tuple(TalkHour(codec.moment(row["hour_us"]), row["room"], row["passages"]) for row in found)


def drop_sightings(session: Session, memory_ids: Sequence[str]) -> None:
    """What habits hold of memories that are being forgotten; runs in the same transaction, before they go."""
    session.connection.executemany(
        "DELETE FROM habit_sightings WHERE memory_id = ?", [(memory_id,) for memory_id in memory_ids]
    )
    drop_empty(session)


def drop_range(session: Session, since_us: int | None, until_us: int | None) -> None:
    """Counts and sightings of a time that is being forgotten; no ends: every habit there is."""
    bounds = {"household": session.household_id, "since": since_us, "until": until_us}
    for table, column, length_us in (("habit_sightings", "at_us", 0), ("habit_talk", "hour_us", 3_600_000_000)):
        session.connection.execute(
            f"DELETE FROM {table} WHERE household_id = :household"
            f" AND (:since IS NULL OR {column} + {length_us} >= :since) AND (:until IS NULL OR {column} < :until)",
            bounds,
        )
    if since_us is None and until_us is None:
        session.connection.execute("DELETE FROM habits WHERE household_id = ?", (session.household_id,))
    drop_empty(session)


def drop_empty(session: Session) -> int:
    """Habits that nothing bears out any more; returns how many."""
    return session.connection.execute(
        "DELETE FROM habits WHERE household_id = ? AND open_memory IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM habit_sightings s WHERE s.habit_id = habits.id)",
        (session.household_id,),
    ).rowcount


def _note_one(session: Session, seen: Seen) -> int:
    session.connection.executemany(
        "DELETE FROM habit_sightings WHERE memory_id = ?"
        " AND habit_id IN (SELECT id FROM habits WHERE household_id = ? AND kind <> ?)",
        [(old_id, session.household_id, OPEN_KIND) for old_id in seen.withdrawn],
    )
    noted = sum(_sight(session, each, seen.memory) for each in seen.sightings)
    for thing in seen.wanted:
        _set_open(session, thing, seen.memory.id)
    for thing in seen.closed - seen.wanted:
        _set_open(session, thing, None)
    drop_empty(session)
    return noted


def _sight(session: Session, sighting: NewSighting, memory: Memory) -> bool:
    """False where it is none: deleted by a person, open already, or the same occurrence."""
    key = _key(session, sighting.kind, sighting.thing)
    if session.connection.execute("SELECT 1 FROM tombstones WHERE hash = ?", (_grave(session, key),)).fetchone():
        return False
    session.connection.execute(
        "INSERT INTO habits (id, household_id, kind, key, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (codec.new_id(session.now), session.household_id, sighting.kind, key, session.now.isoformat()),
    )
    habit = _by_key(session, sighting.kind, key)
    at_us = codec.microseconds(sighting.at)
    width_us = SAME_TIME // timedelta(microseconds=1)
    is_same = session.connection.execute(
        "SELECT 1 FROM habit_sightings WHERE habit_id = ? AND abs(at_us - ?) < ?", (habit["id"], at_us, width_us)
    ).fetchone()
    if is_same or habit["open_memory"] is not None:
        return False
    session.connection.execute(
        "INSERT INTO habit_sightings (household_id, habit_id, memory_id, at_us) VALUES (?, ?, ?, ?)",
        (session.household_id, habit["id"], memory.id, at_us),
    )
    return True


def _set_open(session: Session, thing: str, memory_id: str | None) -> None:
    session.connection.execute(
        "UPDATE habits SET open_memory = ? WHERE household_id = ? AND kind = ? AND key = ?",
        (memory_id, session.household_id, OPEN_KIND, _key(session, OPEN_KIND, thing)),
    )


def _find(session: Session, habit_id: str) -> sqlite3.Row:
    part = habit_id.strip().lower()
    found = session.connection.execute(
        "SELECT * FROM habits WHERE household_id = ?1 AND (id = ?2 OR substr(id, -length(?2)) = ?2) LIMIT 2",
        (session.household_id, part),
    ).fetchall()
    if not part or not found:
        raise NotFoundError(f"There is no habit {codec.clean(habit_id)[:40]!r}.", hint="`junod habits list` shows ids.")
    if len(found) > 1:
        raise UsageError(f"Several habits have an id with {part}.", hint="Give more of the id.")
    row: sqlite3.Row = found[0]
    return row


def _by_key(session: Session, kind: str, key: bytes) -> sqlite3.Row:
    found: sqlite3.Row = session.connection.execute(
        "SELECT * FROM habits WHERE household_id = ? AND kind = ? AND key = ?", (session.household_id, kind, key)
    ).fetchone()
    return found


def _row(session: Session, row: sqlite3.Row) -> HabitRow:
    sightings = session.connection.execute(
        "SELECT at_us, memory_id FROM habit_sightings WHERE habit_id = ? ORDER BY at_us", (row["id"],)
    ).fetchall()
    answers = session.connection.execute(
        "SELECT at, is_yes FROM habit_answers WHERE habit_id = ? ORDER BY at", (row["id"],)
    ).fetchall()
    return HabitRow(
        id=row["id"],
        kind=row["kind"],
        key=row["key"],
        created_at=codec.moment_of(row["created_at"]),
        is_open=row["open_memory"] is not None,
        moments=tuple(codec.moment(each["at_us"]) for each in sightings),
        memory_ids=tuple(each["memory_id"] for each in reversed(sightings) if each["memory_id"]),
        yes_at=tuple(codec.moment_of(each["at"]) for each in answers if each["is_yes"]),
        no_at=tuple(codec.moment_of(each["at"]) for each in answers if not each["is_yes"]),
    )


def _key(session: Session, kind: str, thing: str) -> bytes:
    return session.hash("habit", kind, thing)


def _grave(session: Session, key: bytes) -> bytes:
    return session.hash("habit deleted", key.hex())


def _cursor(session: Session, column: str) -> int | str:
    row = session.connection.execute(
        f"SELECT {column} FROM habit_cursors WHERE household_id = ?", (session.household_id,)
    ).fetchone()
    if row is None:
        return "" if column == "withdrawn_at" else 0
    found: int | str = row[0]
    return found


def _go_on(session: Session, column: str, place: int | str) -> None:
    session.connection.execute(
        f"INSERT INTO habit_cursors (household_id, {column}) VALUES (?, ?)"
        f" ON CONFLICT (household_id) DO UPDATE SET {column} = excluded.{column}",
        (session.household_id, place),
    )
