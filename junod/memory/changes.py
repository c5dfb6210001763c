"""What can happen to memories: stored, superseded (done, edited, restored), archived, forgotten, expired.

Content is never rewritten: a change is a new memory that supersedes the old. Each function runs inside a transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from junod.errors import ConflictError, NotFoundError
from junod.memory import codec, rows, spool, tombstones
from junod.memory.embedder import Embedding
from junod.memory.markdown import struck
from junod.memory.rows import Filter
from junod.memory.session import Session
from junod.records import Memory, NewMemory


def store(session: Session, new: NewMemory, embedding: Embedding | None, *, passage_id: str | None = None) -> str:
    """Store a memory and supersede what it names; returns its id."""
    memory_id = codec.new_id(session.now)
    columns: dict[str, Any] = codec.checked(new, session.household_id) | {
        "id": memory_id,
        "passage_id": passage_id,
        "created_at": session.now.isoformat(),
        "updated_at": session.now.isoformat(),
    }
    rows.insert(session, columns, embedding)
    session.journal("stored", passage_id=passage_id, memory_id=memory_id, reason=new.source)
    for old_id in dict.fromkeys(new.supersedes):
        _supersede(session, old_id, memory_id, new.reason)
    return memory_id


def _supersede(session: Session, old_id: str, new_id: str, reason: str) -> None:
    """Compare and set: only what is still active is superseded."""
    where, params = rows.condition(Filter(), session)
    query = f"SELECT 1 FROM memories m WHERE m.id = :id AND {where}"
    if session.connection.execute(query, {**params, "id": old_id}).fetchone() is None:
        raise ConflictError(f"Memory {old_id} is not active any more.", hint="It was changed meanwhile: look again.")
    session.connection.execute(
        "INSERT INTO supersessions (old_id, new_id, reason, at) VALUES (?, ?, ?, ?)",
        (old_id, new_id, codec.code(reason), session.now.isoformat()),
    )
    session.journal("superseded", memory_id=old_id, reason=reason)


def succeed(
    session: Session, old: Memory, text: str, *, source: str, reason: str, embedding: Embedding | None
) -> Memory:
    """The same memory with another text, in the place of the old."""
    new = NewMemory(
        memory=text,
        transcript=old.transcript,
        spoken_at=old.spoken_at,
        expires_at=old.expires_at,
        room=old.room,
        device_id=old.device_id,
        household_id=old.household_id,
        source=source,
        confidence=old.confidence,
        clock_synced=old.clock_synced,
        supersedes=(old.id,),
        reason=reason,
    )
    return rows.load(session, store(session, new, embedding, passage_id=rows.passage_id(session, old.id)))


def done(session: Session, old: Memory, embedding: Embedding | None) -> Memory:
    if old.source == "done":
        raise ConflictError(f"Memory {old.id} is done already.", hint="`junod memories restore` undoes that.")
    finished = succeed(session, old, struck(old.memory), source="done", reason="done", embedding=embedding)
    if embedding is None:
        rows.copy_embedding(session, old.id, finished.id)
    return finished


def restore(session: Session, memory: Memory, embedding: Embedding | None) -> Memory:
    """Undo 'done' (named by the struck memory or by the one it struck) or 'archive'.

    Raises:
        ConflictError: it is neither done nor archived.
    """
    if memory.archived:
        _set_archived(session, memory.id, archived=False)
        return rows.load(session, memory.id)
    finished = memory if memory.source == "done" else _done_successor(session, memory)
    originals = rows.by_ids(session, finished.supersedes)
    if not originals:
        raise NotFoundError(f"What memory {finished.id} struck through is not there any more.")
    original = originals[0]
    again = succeed(session, finished, original.memory, source=original.source, reason="restored", embedding=embedding)
    if embedding is None:
        rows.copy_embedding(session, original.id, again.id)
    return again


def _done_successor(session: Session, memory: Memory) -> Memory:
    for successor in rows.by_ids(session, memory.superseded_by):
        if successor.source == "done":
            return successor
    raise ConflictError(f"Memory {memory.id} is neither done nor archived.", hint="There is nothing to restore.")


def archive(session: Session, memory: Memory) -> Memory:
    """Put an active memory away: out of lists and search until it is restored."""
    if not memory.is_active:
        raise ConflictError(f"Memory {memory.id} is not active any more.", hint="Look again what became of it.")
    _set_archived(session, memory.id, archived=True)
    return rows.load(session, memory.id)


def _set_archived(session: Session, memory_id: str, *, archived: bool) -> None:
    session.connection.execute(
        "UPDATE memories SET archived = ?, updated_at = ? WHERE id = ?",
        (int(archived), session.now.isoformat(), memory_id),
    )
    session.journal("archived" if archived else "restored", memory_id=memory_id)


def forget(session: Session, memory_ids: Iterable[str]) -> tuple[str, ...]:
    """Erase the whole lineages of memories and set up their tombstones; returns the erased ids."""
    lineage = rows.in_order_stored(session, rows.relatives(session, memory_ids))
    memories = rows.by_ids(session, lineage)
    passages = rows.passages_of(session, lineage)
    transcripts = [memory.transcript for memory in memories]
    tombstones.set_up(session, (tombstones.of_passage(session, passage) for passage in passages))
    tombstones.set_up(
        session,
        (tombstones.of_speech(session, each.transcript, each.spoken_at) for each in memories if each.transcript),
    )
    spool.forget(session, passages=passages, transcripts=transcripts)
    _erase(session, lineage, event="forgotten")
    return lineage


def expire(session: Session, at_us: int) -> tuple[str, ...]:
    """Erase what has expired by then and the superseded ancestors only it kept hidden; returns the erased ids."""
    expired = rows.expired(session, at_us)
    gone = rows.in_order_stored(session, rows.with_orphaned_ancestors(session, expired))
    _erase(session, gone, event="expired")
    return gone


def _erase(session: Session, ids: Sequence[str], *, event: str) -> None:
    if not ids:
        return
    rows.erase(session, ids)
    for memory_id in ids:
        session.journal(event, memory_id=memory_id)
