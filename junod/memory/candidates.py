"""What may answer a query: the nearest by meaning and the best by words, fused into one short list.

Reciprocal rank fusion: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009 (constant 60 theirs).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from junod.memory import rows, vectors, words
from junod.memory.embedder import Embedding
from junod.memory.rows import Filter
from junod.memory.session import Sessions
from junod.memory.terms import Query
from junod.records import Memory

RRF_CONSTANT = 60

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Candidate:
    memory: Memory
    cosine: float | None
    """Of the memory and the query; None where one of them has no vector."""


def gather(
    sessions: Sessions, query: Query, embedding: Embedding | None, k: int, wanted: Filter
) -> tuple[Candidate, ...]:
    """Active memories that meet the filter, at most `k` found by meaning and `k` by words, the likeliest first."""
    with sessions.read() as session:
        where, params = rows.condition(wanted, session)
        near = vectors.nearest(session.connection, embedding, k, where, params) if embedding else []
        hits = words.matching(session.connection, query.words, k, where, params)
        order = fuse([[each.seq for each in near], [each.seq for each in hits]])
        cosines = {each.seq: 1 - each.distance for each in near}
        if embedding:
            others = [seq for seq in order if seq not in cosines]
            cosines |= vectors.cosines(session.connection, embedding, others)
        memories = rows.by_seqs(session, order)
    return tuple(Candidate(memory, cosines.get(seq)) for seq, memory in zip(order, memories, strict=True))


def fuse(rankings: Sequence[Sequence[T]]) -> list[T]:
    """Reciprocal rank fusion; best first, of equals the one named first."""
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, each in enumerate(ranking, start=1):
            scores[each] = scores.get(each, 0.0) + 1 / (RRF_CONSTANT + rank)
    return sorted(scores, key=scores.__getitem__, reverse=True)
