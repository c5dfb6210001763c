"""Tombstones: keyed hashes that recognise what was forgotten, so that hearing about it again from the same recording
stores nothing. The same words said on another occasion are news and are stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from junod.memory import codec
from junod.memory.session import Session
from junod.records import Decision, Passage


def of_words(session: Session, transcript: str) -> bytes:
    return session.hash("words", codec.words_of(transcript))


def of_passage(session: Session, passage_id: str) -> bytes:
    return session.hash("passage", passage_id)


def of_speech(session: Session, transcript: str, spoken_at: datetime) -> bytes:
    """These words said at this second: the same recording, even when a new pass over it gave it another id."""
    return session.hash("speech", codec.words_of(transcript), str(codec.microseconds(spoken_at) // 1_000_000))


def set_up(session: Session, hashes: Iterable[bytes]) -> None:
    session.connection.executemany(
        "INSERT INTO tombstones (hash, at) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(found, session.now.isoformat()) for found in hashes],
    )


def covers_passage(session: Session, passage: Passage) -> bool:
    speech = of_speech(session, passage.transcript, passage.spoken_at)
    return _any_stands(session, (of_passage(session, passage.id), speech))


def covers_decision(session: Session, decision: Decision) -> bool:
    speech = (of_speech(session, new.transcript, new.spoken_at) for new in decision.memories)
    return _any_stands(session, (of_passage(session, decision.passage_id), *speech))


def _any_stands(session: Session, hashes: Iterable[bytes]) -> bool:
    query = "SELECT 1 FROM tombstones WHERE hash = ?"
    coming = _of_hidden(session)
    return any(found in coming or session.connection.execute(query, (found,)).fetchone() for found in hashes)


def _of_hidden(session: Session) -> set[bytes]:
    """Tombstones to come: of what is being forgotten and not erased yet."""
    found = session.connection.execute(
        "SELECT passage_id, transcript, spoken_at FROM memories WHERE household_id = ? AND forget_at_us IS NOT NULL",
        (session.household_id,),
    ).fetchall()
    passages = {of_passage(session, row["passage_id"]) for row in found if row["passage_id"]}
    said = [(row["transcript"], codec.moment_of(row["spoken_at"])) for row in found if row["transcript"]]
    return passages | {of_speech(session, *each) for each in said}
