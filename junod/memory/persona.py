"""What is kept of impressions: where in a kept transcript they stand, under a keyed hash, and corrections by hand.

Evidence goes with its memory, forgotten or expired, and with its transcript; an impression without any goes too, its
correction included. This store writes its own tables and reads memories; it has no way to write one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from junod.errors import NotFoundError, UsageError
from junod.memory import codec, rows
from junod.memory.session import Session, Sessions
from junod.records import Memory


@dataclass(frozen=True, slots=True)
class NewEvidence:
    kind: str
    key: str
    """Words that tell this impression from others; hashed before they are stored."""
    start: int
    end: int
    """Characters of the memory's transcript."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Where an impression stands."""

    memory: Memory
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.memory.transcript[self.start : self.end]


@dataclass(frozen=True, slots=True)
class TraitRow:
    id: str
    kind: str
    hash: bytes
    created_at: datetime
    correction: str
    """A person's own wording, '' for none."""
    quotes: tuple[Quote, ...]
    """Oldest first; only what can be read now."""


class PersonaStore:
    """The impressions of one household, over the sessions of its store."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def unseen(self, limit: int) -> tuple[Memory, ...]:
        """The next memories in the order stored that were not looked at."""
        with self._sessions.read() as session:
            return rows.page(session, _cursor(session), limit)[0]

    def pass_over(self) -> None:
        """Go on behind everything stored, without looking."""
        with self._sessions.read() as session:
            last = _last_seq(session)
            if last == _cursor(session):
                return
        with self._sessions.write() as session:
            _go_on(session, _last_seq(session))

    def note(self, found: Sequence[tuple[Memory, Sequence[NewEvidence]]]) -> int:
        """Note what memories bear out and go on behind them; returns how many quotes are new."""
        noted = 0
        with self._sessions.write() as session:
            for memory, evidence in found:
                seq = session.connection.execute("SELECT seq FROM memories WHERE id = ?", (memory.id,)).fetchone()
                if seq is not None:
                    noted += sum(_add(session, memory, each) for each in evidence)
                    _go_on(session, seq["seq"])
        return noted

    def all(self) -> tuple[TraitRow, ...]:
        with self._sessions.read() as session:
            query = "SELECT * FROM persona_traits WHERE household_id = ? AND hidden = 0 ORDER BY id"
            return tuple(_row(session, row) for row in session.connection.execute(query, (session.household_id,)))

    def get(self, trait_id: str) -> TraitRow:
        """One impression by its id or the end of it.

        Raises:
            NotFoundError: there is none.
            UsageError: several end like this.
        """
        with self._sessions.read() as session:
            return _row(session, _find(session, trait_id))

    def hash(self, kind: str, key: str) -> bytes:
        """What `TraitRow.hash` is for these words."""
        with self._sessions.read() as session:
            return _hash(session, kind, key)

    def correct(self, trait_id: str, text: str) -> TraitRow:
        """Let it read as a person says; '' takes that back. Errors as in `get`."""
        with self._sessions.erase() as session:
            row = _find(session, trait_id)
            session.connection.execute(
                "UPDATE persona_traits SET correction = ? WHERE id = ?", (codec.clean(text), row["id"])
            )
            return _row(session, _find(session, row["id"]))

    def delete(self, trait_id: str) -> str:
        """Erase an impression and its evidence; a hash stays, so that it is not formed again. Errors as in `get`."""
        with self._sessions.erase() as session:
            row = _find(session, trait_id)
            session.connection.execute("DELETE FROM persona_evidence WHERE trait_id = ?", (row["id"],))
            session.connection.execute(
                "UPDATE persona_traits SET hidden = 1, correction = '' WHERE id = ?", (row["id"],)
            )
            return str(row["id"])

    def delete_all(self) -> int:
        """Erase every impression, and which were deleted before; returns how many were shown."""
        with self._sessions.erase() as session:
            number = session.connection.execute(
                "SELECT count(*) FROM persona_traits WHERE household_id = ? AND hidden = 0", (session.household_id,)
            ).fetchone()[0]
            session.connection.execute("DELETE FROM persona_traits WHERE household_id = ?", (session.household_id,))
            return int(number)


def drop_unsupported(session: Session) -> None:
    """After memories were erased: evidence whose words are gone, and impressions without any evidence left."""
    household = (session.household_id,)
    session.connection.execute(
        "DELETE FROM persona_evidence WHERE household_id = ?"
        " AND memory_id IN (SELECT id FROM memories WHERE transcript = '')",
        household,
    )
    session.connection.execute(
        "DELETE FROM persona_traits WHERE household_id = ? AND hidden = 0"
        " AND NOT EXISTS (SELECT 1 FROM persona_evidence e WHERE e.trait_id = persona_traits.id)",
        household,
    )


def drop_all(session: Session) -> None:
    """Everything is being forgotten."""
    session.connection.execute("DELETE FROM persona_traits WHERE household_id = ?", (session.household_id,))


def _add(session: Session, memory: Memory, new: NewEvidence) -> bool:
    """False where it was deleted by a person, or the same speech is evidence already."""
    found = _hash(session, new.kind, new.key)
    session.connection.execute(
        "INSERT INTO persona_traits (id, household_id, kind, hash, created_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (codec.new_id(session.now), session.household_id, new.kind, found, session.now.isoformat()),
    )
    row = session.connection.execute(
        "SELECT id, hidden FROM persona_traits WHERE household_id = ? AND hash = ?", (session.household_id, found)
    ).fetchone()
    if row["hidden"]:
        return False
    added = session.connection.execute(
        "INSERT INTO persona_evidence (household_id, trait_id, memory_id, first, last, at_us)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (session.household_id, row["id"], memory.id, new.start, new.end, codec.microseconds(memory.spoken_at)),
    )
    return added.rowcount > 0


def _find(session: Session, trait_id: str) -> sqlite3.Row:
    part = trait_id.strip().lower()
    found = session.connection.execute(
        "SELECT * FROM persona_traits WHERE household_id = ?1 AND hidden = 0"
        " AND (id = ?2 OR substr(id, -length(?2)) = ?2) LIMIT 2",
        (session.household_id, part),
    ).fetchall()
    if not part or not found:
        raise NotFoundError(
            f"There is no impression {codec.clean(trait_id)[:40]!r}.", hint="`junod persona list` shows ids."
        )
    if len(found) > 1:
        raise UsageError(f"Several impressions have an id with {part}.", hint="Give more of the id.")
    row: sqlite3.Row = found[0]
    return row


def _row(session: Session, row: sqlite3.Row) -> TraitRow:
    found = session.connection.execute(
        "SELECT memory_id, first, last FROM persona_evidence WHERE trait_id = ? ORDER BY at_us", (row["id"],)
    ).fetchall()
    memories = {memory.id: memory for memory in rows.by_ids(session, [each["memory_id"] for each in found])}
    quotes = [
        Quote(memories[each["memory_id"]], each["first"], each["last"])
        for each in found
        if each["memory_id"] in memories
    ]
    return TraitRow(
        id=row["id"],
        kind=row["kind"],
        hash=row["hash"],
        created_at=codec.moment_of(row["created_at"]),
        correction=row["correction"],
        quotes=tuple(quotes),
    )


def _hash(session: Session, kind: str, key: str) -> bytes:
    return session.hash("persona", kind, key)


def _cursor(session: Session) -> int:
    row = session.connection.execute(
        "SELECT memory_seq FROM persona_cursors WHERE household_id = ?", (session.household_id,)
    ).fetchone()
    return 0 if row is None else int(row[0])


def _last_seq(session: Session) -> int:
    row = session.connection.execute(
        "SELECT max(seq) FROM memories WHERE household_id = ?", (session.household_id,)
    ).fetchone()
    return max(int(row[0] or 0), _cursor(session))


def _go_on(session: Session, seq: int) -> None:
    session.connection.execute(
        "INSERT INTO persona_cursors (household_id, memory_seq) VALUES (?, ?)"
        " ON CONFLICT (household_id) DO UPDATE SET memory_seq = excluded.memory_seq",
        (session.household_id, seq),
    )
