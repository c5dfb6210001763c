"""Which memories may have to do with one: by words they share, and how alike two are. Bounded, whatever the history.

Every function runs inside a transaction of its caller.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from junod.memory import rows, vectors, words
from junod.memory.rows import Filter
from junod.memory.session import Session
from junod.records import Memory


def mentioning(session: Session, terms: Sequence[Sequence[str]], at_least: int, k: int) -> tuple[Memory, ...]:
    """The k active memories last stored that have at least so many of the terms (each a word and its synonyms)."""
    query = words.combined_query(terms, at_least)
    if not query:
        return ()
    where, params = rows.condition(Filter(), session)
    return rows.by_seqs(session, words.newest(session.connection, query, k, where, params))


def likeness(session: Session, memory_id: str, other_ids: Sequence[str]) -> dict[str, float]:
    """Cosine similarity of one memory to each of others, by the newest model that has vectors of both."""
    seqs = {each: _seq(session, each) for each in (memory_id, *other_ids)}
    found: dict[str, float] = {}
    for table in vectors.tables(session.connection):
        read = {each: vectors.vector(session.connection, table, seq) for each, seq in seqs.items() if seq is not None}
        own = read.get(memory_id)
        for other in other_ids:
            theirs = read.get(other)
            if own is not None and theirs is not None:
                found[other] = float(own @ theirs / (np.linalg.norm(own) * np.linalg.norm(theirs)))
    return found


def _seq(session: Session, memory_id: str) -> int | None:
    query = "SELECT seq FROM memories WHERE household_id = ? AND id = ?"
    row = session.connection.execute(query, (session.household_id, memory_id)).fetchone()
    return None if row is None else int(row["seq"])
