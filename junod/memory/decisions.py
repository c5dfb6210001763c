"""Carrying out the verdict on a passage: all or nothing, and exactly once however often it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from junod.memory import changes, journal, spool, tombstones
from junod.memory.embedder import Embedding
from junod.memory.session import Session
from junod.records import Decision


def decide(session: Session, decision: Decision, embeddings: Sequence[Embedding | None]) -> list[str]:
    """Store what was decided and erase the passage; returns the new ids, none where it was decided before."""
    ids: list[str] = []
    if not journal.is_decided(session.connection, session.household_id, decision.passage_id):
        buried = tombstones.covers_decision(session, decision)
        if not buried:
            for new, embedding in zip(decision.memories, embeddings, strict=True):
                ids.append(changes.store(session, new, embedding, passage_id=decision.passage_id))
        session.journal(
            "decided",
            passage_id=decision.passage_id,
            stage=decision.stage,
            score=decision.score,
            reason="forgotten" if buried else decision.reason,
        )
    spool.delete(session, decision.passage_id)
    return ids
