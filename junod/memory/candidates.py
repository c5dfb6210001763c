"""What may answer a query: the nearest by meaning and the best by words, fused into one short list.

Reciprocal rank fusion: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009 (constant 60 theirs).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from junod.memory import rows, vectors, words
from junod.memory.embedder import Embedding
from junod.memory.rows import Filter
from junod.memory.session import Session, Sessions
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
    """Active memories that meet the filter, the likeliest first.

    At most `k` are found by meaning, `k` by the words of the query, and `k` by what the thesaurus gives for them.
    """
    with sessions.read() as session:
        near = _near(session, embedding, k, wanted) if embedding else []
        hits = [_matching(session, text, k, wanted) for text in (query.words, query.related)]
        order = fuse([[each.seq for each in near], *hits])
        cosines = {each.seq: 1 - each.distance for each in near}
        if embedding:
            others = [seq for seq in order if seq not in cosines]
            cosines |= vectors.cosines(session.connection, embedding, others)
        memories = rows.by_seqs(session, order)
    return tuple(Candidate(memory, cosines.get(seq)) for seq, memory in zip(order, memories, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """What was found by meaning beforehand, with its vectors, so that another query close to it costs no search."""

    seqs: tuple[int, ...]
    """Of memories; none is ever given out twice."""
    vectors: NDArray[np.float32]
    """Shape (memories, dims), each row of length 1."""


def pool(sessions: Sessions, embedding: Embedding, k: int, wanted: Filter) -> Pool:
    """The k active memories nearest by meaning."""
    with sessions.read() as session:
        seqs = tuple(each.seq for each in _near(session, embedding, k, wanted))
        found = vectors.of(session.connection, embedding, seqs)
    stacked = np.stack(found) if found else np.zeros((0, len(embedding.vector)), np.float32)
    lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
    return Pool(seqs, stacked / np.maximum(lengths, 1e-9))


def gather_from(
    sessions: Sessions, ready: Pool, query: Query, embedding: Embedding, k: int, wanted: Filter
) -> tuple[Candidate, ...]:
    """As `gather`, but by meaning from the pool alone; by words from everything that is there now."""
    cosines = dict(zip(ready.seqs, map(float, ready.vectors @ embedding.vector), strict=True))
    with sessions.read() as session:
        near = rows.meeting(session, sorted(cosines, key=lambda seq: -cosines[seq]), wanted, k)
        hits = [_matching(session, text, k, wanted) for text in (query.words, query.related)]
        order = fuse([near, *hits])
        others = [seq for seq in order if seq not in cosines]
        cosines |= vectors.cosines(session.connection, embedding, others)
        memories = rows.by_seqs(session, order)
    return tuple(Candidate(memory, cosines.get(seq)) for seq, memory in zip(order, memories, strict=True))


def _near(session: Session, embedding: Embedding, k: int, wanted: Filter) -> list[vectors.Neighbour]:
    where, params = rows.condition(wanted, session)
    return vectors.nearest(session.connection, embedding, k, where, params, mostly=wanted.is_wide)


def _matching(session: Session, text: str, k: int, wanted: Filter) -> list[int]:
    where, params = rows.condition(wanted, session)
    return [each.seq for each in words.matching(session.connection, text, k, where, params)]


def fuse(rankings: Sequence[Sequence[T]]) -> list[T]:
    """Reciprocal rank fusion; best first, of equals the one named first."""
    scores: dict[T, float] = {}
    for ranking in rankings:
        for rank, each in enumerate(ranking, start=1):
            scores[each] = scores.get(each, 0.0) + 1 / (RRF_CONSTANT + rank)
    return sorted(scores, key=scores.__getitem__, reverse=True)
