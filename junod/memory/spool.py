"""The spool: passages heard and not decided yet, so that a crash loses none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from junod.errors import NotFoundError, StoreError
from junod.memory import codec, journal, tombstones
from junod.memory.session import Session
from junod.records import Passage


class SpoolState(StrEnum):
    WAITING = "waiting"
    WORKING = "working"
    PARKED = "parked"


@dataclass(frozen=True, slots=True)
class SpooledPassage:
    passage: Passage
    state: SpoolState
    attempts: int
    """How often it was taken, crashes included."""
    last_error: str
    enqueued_at: datetime


def put(session: Session, passage: Passage) -> bool:
    """False where the passage is known already: spooled, decided or forgotten."""
    if passage.household_id != session.household_id:
        raise StoreError(
            f"The passage belongs to household '{passage.household_id}', the store to '{session.household_id}'."
        )
    text = codec.passage_to_json(passage)
    connection, household_id = session.connection, session.household_id
    if journal.is_decided(connection, household_id, passage.id) or tombstones.covers_passage(session, passage):
        return False
    cursor = connection.execute(
        "INSERT INTO spool (id, household_id, passage, words_hash, enqueued_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO NOTHING",
        (passage.id, household_id, text, tombstones.of_words(session, passage.transcript), session.now.isoformat()),
    )
    if cursor.rowcount:
        session.journal("spooled", passage_id=passage.id)
    return bool(cursor.rowcount)


def take(session: Session) -> SpooledPassage | None:
    """The oldest waiting passage, from now on being worked on. The attempt counts at once, should it kill us."""
    oldest = in_state(session, SpoolState.WAITING, limit=1)
    if not oldest:
        return None
    taken = replace(oldest[0], state=SpoolState.WORKING, attempts=oldest[0].attempts + 1)
    session.connection.execute(
        "UPDATE spool SET state = ?, attempts = ? WHERE id = ?", (taken.state.value, taken.attempts, taken.passage.id)
    )
    return taken


def set_state(session: Session, passage_id: str, state: SpoolState, error_code: str, *, event: str) -> None:
    """Put a passage back or aside.

    Raises:
        NotFoundError: it is not in the spool (decided meanwhile, perhaps).
    """
    cursor = session.connection.execute(
        "UPDATE spool SET state = ?, last_error = ? WHERE household_id = ? AND id = ?",
        (state.value, codec.code(error_code), session.household_id, passage_id),
    )
    if not cursor.rowcount:
        raise NotFoundError(f"Passage {passage_id} is not in the spool.", hint="It may have been decided meanwhile.")
    session.journal(event, passage_id=passage_id, reason=error_code)


def release(session: Session, passage_id: str) -> None:
    """A parked passage gets a fresh start."""
    set_state(session, passage_id, SpoolState.WAITING, "", event="released")
    session.connection.execute("UPDATE spool SET attempts = 0 WHERE id = ?", (passage_id,))


def recover(session: Session, *, max_attempts: int) -> int:
    """What was being worked on waits again, or is parked after too many attempts; returns how many wait."""
    stuck = in_state(session, SpoolState.WORKING)
    for taken in stuck:
        state = SpoolState.PARKED if taken.attempts >= max_attempts else SpoolState.WAITING
        set_state(session, taken.passage.id, state, "interrupted", event="recovered")
    return sum(taken.attempts < max_attempts for taken in stuck)


def park_overflow(session: Session, keep: int) -> int:
    waiting = in_state(session, SpoolState.WAITING)
    extra = waiting[: max(0, len(waiting) - keep)]
    for old in extra:
        set_state(session, old.passage.id, SpoolState.PARKED, "overflow", event="parked")
    return len(extra)


def in_state(session: Session, state: SpoolState, *, limit: int = -1) -> tuple[SpooledPassage, ...]:
    """Oldest first."""
    rows = session.connection.execute(
        "SELECT passage, state, attempts, last_error, enqueued_at FROM spool"
        " WHERE household_id = ? AND state = ? ORDER BY seq LIMIT ?",
        (session.household_id, state.value, limit),
    )
    return tuple(_spooled(row) for row in rows)


def delete(session: Session, passage_id: str) -> None:
    session.connection.execute(
        "DELETE FROM spool WHERE household_id = ? AND id = ?", (session.household_id, passage_id)
    )


def count(session: Session) -> dict[SpoolState, int]:
    rows = session.connection.execute(
        "SELECT state, count(*) FROM spool WHERE household_id = ? GROUP BY state", (session.household_id,)
    )
    found = {SpoolState(state): number for state, number in rows}
    return {state: found.get(state, 0) for state in SpoolState}


def forget(session: Session, *, passages: set[str], transcripts: Iterable[str]) -> None:
    """Delete forgotten passages, and take their words out of what other passages remember as context."""
    said = {text for text in transcripts if text}
    hashes = {tombstones.of_words(session, text) for text in said}
    words = [codec.words_of(text) for text in said]
    rows = session.connection.execute(
        "SELECT id, passage, words_hash FROM spool WHERE household_id = ?", (session.household_id,)
    ).fetchall()
    for row in rows:
        if row["id"] in passages or row["words_hash"] in hashes:
            session.connection.execute("DELETE FROM spool WHERE id = ?", (row["id"],))
        else:
            _lighten(session, codec.passage_from_json(row["passage"]), words)


def _lighten(session: Session, passage: Passage, said: list[str]) -> None:
    context = tuple(line for line in passage.context if not _overlaps(codec.words_of(line), said))
    if context != passage.context:
        text = codec.passage_to_json(replace(passage, context=context))
        session.connection.execute("UPDATE spool SET passage = ? WHERE id = ?", (text, passage.id))


def _overlaps(line: str, said: list[str]) -> bool:
    return bool(line) and any(f" {line} " in f" {text} " or f" {text} " in f" {line} " for text in said if text)


def _spooled(row: sqlite3.Row) -> SpooledPassage:
    return SpooledPassage(
        codec.passage_from_json(row["passage"]),
        SpoolState(row["state"]),
        row["attempts"],
        row["last_error"],
        codec.moment_of(row["enqueued_at"]),
    )
