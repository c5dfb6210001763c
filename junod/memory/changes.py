"""What can happen to memories: stored, superseded (done, ticked, edited), archived, forgotten, expired.

Content is never rewritten: a change is a new memory that supersedes the old, and is taken back by unlinking it
(`undoing`). Each function runs inside a transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from junod.errors import ConflictError, NotFoundError, UsageError
from junod.memory import codec, dating, habits, persona, rows, spool, tombstones, undoing
from junod.memory.embedder import Embedding
from junod.memory.markdown import list_items, struck, ticked
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
    if new.unsynced is not None:
        dating.note(session, memory_id, new.unsynced)
    session.journal("stored", passage_id=passage_id, memory_id=memory_id, reason=new.source)
    for old_id in dict.fromkeys(new.supersedes):
        _supersede(session, old_id, memory_id, new.reason)
    return memory_id


def _supersede(session: Session, old_id: str, new_id: str, reason: str) -> None:
    """Compare and set: only what is still active is superseded."""
    if not rows.is_active(session, old_id):
        raise ConflictError(f"Memory {old_id} is not active any more.", hint="It was changed meanwhile: look again.")
    session.connection.execute(
        "INSERT INTO supersessions (old_id, new_id, reason, at) VALUES (?, ?, ?, ?)",
        (old_id, new_id, codec.code(reason), session.now.isoformat()),
    )
    session.journal("superseded", memory_id=old_id, reason=reason)


def succeed(
    session: Session, old: Memory, text: str, *, source: str, reason: str, embedding: Embedding | None = None
) -> Memory:
    """The same memory with another text, in the place of the old.

    One whose moment nobody can tell any more is taken for said now, and to stay, once a person has corrected it.
    """
    time = dating.read(session, old.id)
    is_settled = reason == "edit" and not old.clock_synced and time is None
    new = NewMemory(
        memory=text,
        transcript=old.transcript,
        spoken_at=session.now.astimezone(old.spoken_at.tzinfo) if is_settled else old.spoken_at,
        expires_at=None if is_settled else old.expires_at,
        room=old.room,
        device_id=old.device_id,
        household_id=old.household_id,
        source=source,
        confidence=old.confidence,
        clock_synced=old.clock_synced or is_settled,
        supersedes=(old.id,),
        reason=reason,
        unsynced=time,
    )
    return rows.load(session, store(session, new, embedding, passage_id=rows.passage_id(session, old.id)))


def done(session: Session, old: Memory, embedding: Embedding | None) -> Memory:
    if old.source == "done":
        raise ConflictError(f"Memory {old.id} is done already.", hint="`junod memories restore` undoes that.")
    finished = succeed(session, old, struck(old.memory), source="done", reason="done", embedding=embedding)
    if embedding is None:
        rows.copy_embedding(session, old.id, finished.id)
    return finished


def tick(session: Session, memory: Memory, item: str, *, is_done: bool) -> Memory:
    """Strike one item of a list through, or open it again, in a memory that supersedes the list.

    A list whose last item is struck is done. What has grown or changed meanwhile is followed to what it is now.

    Raises:
        UsageError: it is no list.
        NotFoundError: the list has no such item.
        ConflictError: it is not active any more.
    """
    now = _current(session, memory)
    if not list_items(now.memory):
        raise UsageError(f"Memory {now.id} is no list.", hint="Mark it as done instead.")
    text = ticked(now.memory, item, done=is_done)
    if text is None:
        raise NotFoundError(f"The list {now.id} has no such item.", hint="Look again: it may have changed meanwhile.")
    if text == now.memory:
        return now
    finished = all(one.is_struck for one in list_items(text))
    source = "done" if finished else _source_when_open(session, now)
    changed = succeed(
        session, now, struck(text) if finished else text, source=source, reason="tick" if is_done else "untick"
    )
    rows.copy_embedding(session, now.id, changed.id)
    return changed


def _current(session: Session, memory: Memory) -> Memory:
    """What a memory has become, as long as that is one memory."""
    while len(memory.superseded_by) == 1:
        successors = rows.by_ids(session, memory.superseded_by)
        memory = successors[0] if successors else memory
        if not successors:
            break
    if not rows.is_active(session, memory.id):
        raise ConflictError(f"Memory {memory.id} is not active any more.", hint="Look again what became of it.")
    return memory


def _source_when_open(session: Session, memory: Memory) -> str:
    """Where a memory came from before it was done."""
    while memory.source == "done":
        olds = rows.by_ids(session, memory.supersedes)
        if not olds:
            return "manual"
        memory = olds[0]
    return memory.source


def restore(session: Session, memory: Memory) -> Memory:
    """Take back 'done' (named by the struck memory or by the one it struck), or bring back what was archived.

    Raises:
        ConflictError: it is neither done nor archived, or what it struck is gone.
    """
    if memory.archived and not undoing.is_taken_back(session, memory.id):
        _set_archived(session, memory.id, archived=False)
        return rows.load(session, memory.id)
    finished = memory if memory.source == "done" else _done_successor(session, memory)
    return undoing.take_back(session, finished).memories[0]


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
    memories = rows.by_ids(session, lineage, forgotten=True)
    passages = rows.passages_of(session, lineage)
    transcripts = [memory.transcript for memory in memories]
    tombstones.set_up(session, (tombstones.of_passage(session, passage) for passage in passages))
    tombstones.set_up(
        session,
        (tombstones.of_speech(session, each.transcript, each.spoken_at) for each in memories if each.transcript),
    )
    spool.forget(session, passages=passages, transcripts=transcripts)
    habits.drop_sightings(session, lineage)
    _erase(session, lineage, event="forgotten")
    return lineage


def expire(session: Session, at_us: int) -> tuple[str, ...]:
    """Erase what has expired by then with what only it kept hidden (`rows.with_orphans`); returns the erased ids."""
    gone = rows.in_order_stored(session, rows.with_orphans(session, rows.expired(session, at_us)))
    _erase(session, gone, event="expired")
    return gone


def _erase(session: Session, ids: Sequence[str], *, event: str) -> None:
    if not ids:
        return
    rows.erase(session, ids)
    persona.drop_unsupported(session)
    for memory_id in ids:
        session.journal(event, memory_id=memory_id)
