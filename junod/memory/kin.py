"""Which memories may have to do with one: by words they share, and how alike two are. Bounded, whatever the history.

Every function runs inside a transaction of its caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from junod.memory import rows, vectors, words
from junod.memory.rows import Filter
from junod.memory.session import Session
from junod.records import Memory

MANY = 200
"""A word in so many memories tells nothing by itself, and two such lists are long to compare."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """One question to the word index: the newest memories with at least so many of these terms."""

    terms: tuple[tuple[str, ...], ...]
    """Each a word and its synonyms."""
    at_least: int
    limit: int


def mentioning(session: Session, lookups: Sequence[Lookup]) -> tuple[Memory, ...]:
    """Active memories that answer any of the lookups, each once, the last stored first.

    Some, not all, of a lookup's terms in common count only where one of them is in less than `MANY` memories.
    """
    where, params = rows.condition(Filter(), session)
    terms = {term for one in lookups if 1 < one.at_least < len(one.terms) for term in one.terms}
    common = {term for term in terms if words.is_in_many(session.connection, term, MANY)}
    seqs: set[int] = set()
    for one in lookups:
        query = words.combined_query(one.terms, one.at_least, common if one.at_least > 1 else ())
        if query:
            seqs.update(words.newest(session.connection, query, one.limit, where, params))
    return rows.by_seqs(session, sorted(seqs, reverse=True))


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
