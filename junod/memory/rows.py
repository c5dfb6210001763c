"""Rows of memories: the query that reads them, what counts as active, and how they hang together.

Every function runs inside a transaction of its caller.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from junod.errors import NotFoundError, UsageError
from junod.memory import codec, vectors
from junod.memory.embedder import Embedding
from junod.memory.session import Session
from junod.records import Memory

SELECT = """
SELECT m.*,
    (SELECT group_concat(s.old_id) FROM supersessions s WHERE s.new_id = m.id) AS supersedes,
    (SELECT group_concat(s.new_id) FROM supersessions s WHERE s.old_id = m.id) AS superseded_by
FROM memories m"""

_OF_HOUSEHOLD = "m.household_id = :household"
_SHOWN = "m.forget_at_us IS NULL"
"""What is being forgotten is hidden from everything while it can still be brought back: see `grace`."""
_UNEXPIRED = "(m.expires_at_us IS NULL OR m.expires_at_us > :now_us OR m.clock_synced = 0)"
"""What was heard while the clock was not set ends at no moment anybody knows."""
_SUPERSEDED = "EXISTS (SELECT 1 FROM supersessions s WHERE s.old_id = m.id)"
_ID_PART = re.compile(r"[0-9a-f-]{1,36}")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories are meant. What has expired is not among them, whether or not it was erased yet, unless asked."""

    room: str | None = None
    device_id: str | None = None
    source: str | None = None
    since: datetime | None = None
    """Spoken at this moment or later."""
    until: datetime | None = None
    """Spoken before this moment."""
    ends_before: datetime | None = None
    """Expires before this moment; what never expires is not meant then."""
    include_superseded: bool = False
    include_archived: bool = False
    include_expired: bool = False
    """Also what the next `expire` erases: to see what lies in the file, not what is true now."""
    include_forgotten: bool = False
    """Also what is being forgotten and could still be brought back: only to erase it."""

    @property
    def is_wide(self) -> bool:
        """Nothing is asked for but what is true now, which most memories are."""
        return not any((self.room, self.device_id, self.source, self.since, self.until, self.ends_before))


def condition(wanted: Filter, session: Session) -> tuple[str, dict[str, Any]]:
    """The filter as an SQL condition on `memories m`, with its parameters."""
    terms = [_OF_HOUSEHOLD]
    params: dict[str, Any] = {"household": session.household_id, "now_us": codec.microseconds(session.now)}
    if not wanted.include_forgotten:
        terms.append(_SHOWN)
    if not wanted.include_expired:
        terms.append(_UNEXPIRED)
    if not wanted.include_superseded:
        terms.append(f"NOT {_SUPERSEDED}")
    if not wanted.include_archived:
        terms.append("m.archived = 0")
    for column in ("room", "device_id", "source"):
        value = getattr(wanted, column)
        if value is not None:
            terms.append(f"m.{column} = :{column}")
            params[column] = value
    if wanted.since is not None:
        terms.append("m.spoken_at_us >= :since_us")
        params["since_us"] = codec.microseconds(wanted.since)
    if wanted.until is not None:
        terms.append("m.spoken_at_us < :until_us")
        params["until_us"] = codec.microseconds(wanted.until)
    if wanted.ends_before is not None:
        terms.append("m.expires_at_us < :ends_before_us")
        params["ends_before_us"] = codec.microseconds(wanted.ends_before)
    return " AND ".join(terms), params


def select(session: Session, wanted: Filter, *, limit: int, oldest_first: bool) -> tuple[Memory, ...]:
    """By the time they were spoken; `limit` -1 = all."""
    where, params = condition(wanted, session)
    order = "ASC" if oldest_first else "DESC"
    query = f"{SELECT} WHERE {where} ORDER BY m.spoken_at_us {order}, m.seq {order} LIMIT :limit"
    return tuple(codec.memory_of(row) for row in session.connection.execute(query, {**params, "limit": limit}))


def page(session: Session, after_seq: int, size: int) -> tuple[tuple[Memory, ...], int]:
    """The next memories of all in the order they were stored, and the `seq` of the last."""
    query = f"{SELECT} WHERE m.household_id = ? AND m.seq > ? AND {_SHOWN} ORDER BY m.seq LIMIT ?"
    found = session.connection.execute(query, (session.household_id, after_seq, size)).fetchall()
    return tuple(codec.memory_of(row) for row in found), found[-1]["seq"] if found else after_seq


def by_ids(session: Session, ids: Sequence[str], *, forgotten: bool = False) -> tuple[Memory, ...]:
    """Records of these ids, in the order given; unknown ids are left out, and those being forgotten unless asked."""
    query = f"{SELECT} WHERE m.household_id = ? AND m.id = ?{_shown(forgotten)}"
    found = (session.connection.execute(query, (session.household_id, memory_id)).fetchone() for memory_id in ids)
    return tuple(codec.memory_of(row) for row in found if row is not None)


def _shown(forgotten: bool) -> str:
    return "" if forgotten else f" AND {_SHOWN}"


def by_seqs(session: Session, seqs: Iterable[int]) -> tuple[Memory, ...]:
    query = f"{SELECT} WHERE m.seq = ?"
    return tuple(codec.memory_of(session.connection.execute(query, (seq,)).fetchone()) for seq in seqs)


def meeting(session: Session, seqs: Iterable[int], wanted: Filter, most: int) -> list[int]:
    """The first of these memories that meet the filter now, at most so many."""
    where, params = condition(wanted, session)
    query = f"SELECT 1 FROM memories m WHERE m.seq = :seq AND {where}"
    met = (seq for seq in seqs if session.connection.execute(query, {**params, "seq": seq}).fetchone())
    return list(islice(met, most))


def load(session: Session, memory_id: str, *, forgotten: bool = False) -> Memory:
    """The memory of an id, or of a beginning or an end that no other id has (the end is the random part).

    Raises:
        NotFoundError: there is none.
        UsageError: several ids begin or end like this.
    """
    part = memory_id.strip().lower()
    exact = by_ids(session, [part], forgotten=forgotten)
    if exact:
        return exact[0]
    found: list[sqlite3.Row] = []
    if _ID_PART.fullmatch(part):
        found = session.connection.execute(
            f"{SELECT} WHERE m.household_id = ? AND (m.id LIKE ? || '%' OR m.id LIKE '%' || ?)"
            f"{_shown(forgotten)} ORDER BY m.id LIMIT 6",
            (session.household_id, part, part),
        ).fetchall()
    if not found:
        raise NotFoundError(
            f"There is no memory {codec.clean(memory_id)[:40]!r}.", hint="`junod memories list` shows ids."
        )
    if len(found) > 1:
        ids = ", ".join(row["id"] for row in found[:5])
        raise UsageError(f"Several memories have an id with {part}: {ids}.", hint="Give more of the id.")
    return codec.memory_of(found[0])


def count(session: Session) -> tuple[int, int, int, int]:
    """Active, superseded, archived, expired but not erased yet; each memory counts once."""
    row = session.connection.execute(
        f"""
        SELECT coalesce(sum({_UNEXPIRED} AND NOT {_SUPERSEDED} AND NOT m.archived), 0),
            coalesce(sum({_UNEXPIRED} AND {_SUPERSEDED}), 0),
            coalesce(sum({_UNEXPIRED} AND NOT {_SUPERSEDED} AND m.archived), 0),
            coalesce(sum(NOT {_UNEXPIRED}), 0)
        FROM memories m WHERE {_OF_HOUSEHOLD} AND {_SHOWN}""",
        {"household": session.household_id, "now_us": codec.microseconds(session.now)},
    ).fetchone()
    return row[0], row[1], row[2], row[3]


def is_active(session: Session, memory_id: str) -> bool:
    """Not superseded, archived, expired or being forgotten."""
    where, params = condition(Filter(), session)
    query = f"SELECT 1 FROM memories m WHERE m.id = :id AND {where}"
    return session.connection.execute(query, {**params, "id": memory_id}).fetchone() is not None


def expired(session: Session, at_us: int) -> list[str]:
    rows = session.connection.execute(
        "SELECT id FROM memories WHERE household_id = ? AND expires_at_us <= ? AND clock_synced = 1",
        (session.household_id, at_us),
    )
    return [row["id"] for row in rows]


def passage_id(session: Session, memory_id: str) -> str | None:
    row = session.connection.execute("SELECT passage_id FROM memories WHERE id = ?", (memory_id,)).fetchone()
    return None if row is None else row["passage_id"]


def passages_of(session: Session, ids: Iterable[str]) -> set[str]:
    return {found for memory_id in ids if (found := passage_id(session, memory_id))}


def relatives(session: Session, ids: Iterable[str]) -> set[str]:
    """The whole lineage: everything linked in either direction, taken back or not, the given ids included."""
    found = set(ids)
    todo = list(found)
    while todo:
        linked = session.connection.execute(
            "SELECT old_id AS id FROM supersessions WHERE new_id = ?1"
            " UNION SELECT new_id FROM supersessions WHERE old_id = ?1"
            " UNION SELECT old_id FROM withdrawals WHERE new_id = ?1"
            " UNION SELECT new_id FROM withdrawals WHERE old_id = ?1",
            (todo.pop(),),
        )
        fresh = {row["id"] for row in linked} - found
        found |= fresh
        todo += fresh
    return found


def with_orphans(session: Session, ids: Iterable[str]) -> set[str]:
    """The ids; those superseded memories that nothing else supersedes, as they would come back to life; and changes of
    any of them that were taken back, as they hold the same words.
    """
    gone = set(ids)
    todo = list(gone)
    while todo:
        memory_id = todo.pop()
        taken_back = session.connection.execute("SELECT new_id FROM withdrawals WHERE old_id = ?", (memory_id,))
        fresh = {new_id for (new_id,) in taken_back} - gone
        gone |= fresh
        todo += fresh
        olds = session.connection.execute("SELECT old_id FROM supersessions WHERE new_id = ?", (memory_id,)).fetchall()
        for (old_id,) in olds:
            successors = session.connection.execute("SELECT new_id FROM supersessions WHERE old_id = ?", (old_id,))
            if old_id not in gone and all(new_id in gone for (new_id,) in successors):
                gone.add(old_id)
                todo.append(old_id)
    return gone


def in_order_stored(session: Session, ids: Iterable[str]) -> tuple[str, ...]:
    query = "SELECT seq FROM memories WHERE id = ?"
    found = {memory_id: session.connection.execute(query, (memory_id,)).fetchone() for memory_id in ids}
    if None in found.values():
        raise codec.damaged()
    return tuple(sorted(found, key=lambda memory_id: int(found[memory_id][0])))


def note_household(session: Session) -> None:
    session.connection.execute(
        "INSERT INTO households (id, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (session.household_id, session.now.isoformat()),
    )


def insert(session: Session, columns: dict[str, Any], embedding: Embedding | None) -> None:
    """One memory with its words and its vector.

    Args:
        columns: as `codec.checked` made them, with id, passage_id, created_at and updated_at.
    """
    connection = session.connection
    if columns["device_id"] is not None:
        connection.execute(
            "INSERT INTO devices (household_id, id, room, created_at)"
            " VALUES (:household_id, :device_id, :room, :created_at) ON CONFLICT DO NOTHING",
            columns,
        )
    values = {**columns, "embedding_model": embedding.model if embedding else None}
    marks = ", ".join(f":{name}" for name in values)
    seq = connection.execute(f"INSERT INTO memories ({', '.join(values)}) VALUES ({marks})", values).lastrowid
    if seq is None:
        raise AssertionError("an INSERT into a table with a rowid has one")
    connection.execute("INSERT INTO memories_fts (rowid, memory) VALUES (?, ?)", (seq, columns["memory"]))
    if embedding:
        vectors.put(connection, seq, embedding)


def copy_embedding(session: Session, from_id: str, to_id: str) -> None:
    """For a memory whose words are those of another."""
    connection = session.connection
    query = "SELECT seq, embedding_model FROM memories WHERE id = ?"
    source, target = (connection.execute(query, (memory_id,)).fetchone() for memory_id in (from_id, to_id))
    vectors.copy(connection, source["seq"], target["seq"])
    connection.execute(
        "UPDATE memories SET embedding_model = ? WHERE seq = ?", (source["embedding_model"], target["seq"])
    )


def set_embedding(session: Session, memory_id: str, embedding: Embedding) -> None:
    row = session.connection.execute(
        "SELECT seq FROM memories WHERE household_id = ? AND id = ?", (session.household_id, memory_id)
    ).fetchone()
    if row is None:
        raise NotFoundError(f"There is no memory {memory_id}.")
    vectors.put(session.connection, row["seq"], embedding)
    session.connection.execute("UPDATE memories SET embedding_model = ? WHERE seq = ?", (embedding.model, row["seq"]))


def erase(session: Session, ids: Sequence[str]) -> None:
    """Delete memories with words, vectors and links; what other memories keep of the same speech goes too."""
    connection = session.connection
    query = "SELECT seq, memory FROM memories WHERE id = ?"
    gone = [connection.execute(query, (memory_id,)).fetchone() for memory_id in ids]
    _blank_transcripts(session, passages_of(session, ids), set(ids))
    for row in gone:
        connection.execute("INSERT INTO memories_fts (memories_fts, rowid, memory) VALUES ('delete', ?, ?)", tuple(row))
    vectors.remove(connection, [row["seq"] for row in gone])
    connection.executemany("DELETE FROM memories WHERE seq = ?", [(row["seq"],) for row in gone])
    # What memories are about goes with them; a name that no other memory has must not stay behind.
    connection.execute("DELETE FROM entities WHERE id NOT IN (SELECT entity_id FROM memory_entities)")
    # FTS5 only notes a deletion beside the old words; merging everything into one segment really drops them. (Its own
    # 'secure-delete' would do so too, but makes the index unreadable for the SQLite of Debian 12.)
    connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')")


def _blank_transcripts(session: Session, passages: set[str], gone: set[str]) -> None:
    """The words of a passage are also kept beside its other memories, and in merges that these went into."""
    query = "SELECT id FROM memories WHERE passage_id = ?"
    siblings = [row["id"] for found in sorted(passages) for row in session.connection.execute(query, (found,))]
    for memory_id in relatives(session, siblings) - gone:
        if passage_id(session, memory_id) in passages | {None}:
            session.connection.execute(
                "UPDATE memories SET transcript = '', updated_at = ? WHERE id = ? AND transcript <> ''",
                (session.now.isoformat(), memory_id),
            )
