"""Search: by meaning, by words, both fused, or along time. Pure ranking over what the store finds.

Reciprocal rank fusion: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009 (constant 60 theirs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from junod.errors import UsageError
from junod.memory.embedder import Embedder, embed_texts
from junod.memory.rows import Filter
from junod.memory.store import Found, MemoryStore, checked_limit
from junod.records import Memory

DEFAULT_LIMIT = 5
MAX_DISTANCE = 0.70
"""Cosine distance beyond which a memory does not answer a query.

Measured with all-MiniLM-L6-v2 on 30 household memories, 36 queries with an answer and 20 without: 36 of 38 right
answers are kept and 1.3 % of the wrong ones, and 2 of the 20 queries without an answer get one. At 0.75: 37, 3.9 % and
3 of 20; at 0.60: 32, 0.2 % and none.
"""
RRF_CONSTANT = 60
RECENCY_WEIGHT = 0.05
"""A memory of this moment outranks an old one that lies about three places ahead of it; more would drown relevance."""
RECENCY_HALF_LIFE_DAYS = 30.0
MAX_QUERY_CHARS = 2_000
"""What the embedding model is given of a query; the usual ones read 256 tokens."""


class SearchMode(StrEnum):
    SEMANTIC = "semantic"
    """By meaning alone, nearest first."""
    CHRONOLOGICAL = "chronological"
    """What was spoken in a time range, oldest first; with a query, only what it finds."""
    HYBRID = "hybrid"
    """Meaning and words fused, recent memories a little ahead."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    query: str = ""
    """May be empty in chronological mode alone."""
    mode: SearchMode = SearchMode.HYBRID
    limit: int = DEFAULT_LIMIT
    since: datetime | None = None
    """Aware; spoken at this moment or later."""
    until: datetime | None = None
    """Aware; spoken before this moment."""
    room: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    score: float
    """The higher the better; comparable within one search only. 0 where nothing was ranked."""
    distance: float | None = None
    """Cosine distance to the query, None where meaning did not find it."""


def search(store: MemoryStore, request: SearchRequest, *, embedder: Embedder | None, now: datetime) -> tuple[Hit, ...]:
    """Active memories that answer the request, best first (chronological: oldest first).

    Args:
        embedder: None = words alone (no model on this machine); semantic mode then fails.

    Raises:
        UsageError: an empty query, a limit or a time range that makes no sense.
        ModelError, StoreError: from the embedder and the store.
    """
    query = request.query.strip()
    checked_limit(request.limit)
    _check_range(request)
    wanted = Filter(room=request.room, since=request.since, until=request.until)
    if request.mode is SearchMode.CHRONOLOGICAL:
        if not query:
            return tuple(Hit(found, 0.0) for found in store.list(wanted, limit=request.limit, oldest_first=True))
        hits = _hybrid(store, query, request.limit, wanted, embedder, now)
        return tuple(sorted(hits, key=lambda hit: (hit.memory.spoken_at, hit.memory.id)))
    if not query:
        raise UsageError("The search is empty.", hint="Say what to look for, or choose the chronological mode.")
    if request.mode is SearchMode.SEMANTIC:
        return _semantic(store, query, request.limit, wanted, embedder)
    return _hybrid(store, query, request.limit, wanted, embedder, now)


def fuse(rankings: Sequence[Sequence[Memory]], *, now: datetime) -> list[tuple[Memory, float]]:
    """Reciprocal rank fusion, then a little for recency; best first."""
    scores: dict[str, float] = {}
    memories: dict[str, Memory] = {}
    for ranking in rankings:
        for rank, memory in enumerate(ranking, start=1):
            memories[memory.id] = memory
            scores[memory.id] = scores.get(memory.id, 0.0) + 1 / (RRF_CONSTANT + rank)
    ranked = [(memory, scores[memory.id] * recency_factor(memory, now)) for memory in memories.values()]
    return sorted(ranked, key=lambda pair: (-pair[1], -pair[0].spoken_at.timestamp(), pair[0].id))


def recency_factor(memory: Memory, now: datetime) -> float:
    """From 1 + RECENCY_WEIGHT for this moment down to 1, halving every RECENCY_HALF_LIFE_DAYS."""
    age_days = max(0.0, (now - memory.spoken_at).total_seconds() / 86_400)
    return float(1 + RECENCY_WEIGHT * 0.5 ** (age_days / RECENCY_HALF_LIFE_DAYS))


def _hybrid(
    store: MemoryStore, query: str, limit: int, wanted: Filter, embedder: Embedder | None, now: datetime
) -> tuple[Hit, ...]:
    pool = min(max(4 * limit, 40), 1_000)
    near = _near(store, query, pool, wanted, embedder) if embedder else ()
    by_words = store.keyword(query, pool, wanted)
    distances = {found.memory.id: found.measure for found in near}
    fused = fuse([[found.memory for found in near], [found.memory for found in by_words]], now=now)
    return tuple(Hit(memory, score, distances.get(memory.id)) for memory, score in fused[:limit])


def _semantic(store: MemoryStore, query: str, limit: int, wanted: Filter, embedder: Embedder | None) -> tuple[Hit, ...]:
    if embedder is None:
        raise UsageError("Searching by meaning needs the embedding model.", hint="Run `junod models pull`.")
    return tuple(
        Hit(found.memory, 1 - found.measure, found.measure) for found in _near(store, query, limit, wanted, embedder)
    )


def _near(store: MemoryStore, query: str, k: int, wanted: Filter, embedder: Embedder) -> tuple[Found, ...]:
    (embedding,) = embed_texts(embedder, [query[:MAX_QUERY_CHARS]])
    return tuple(found for found in store.nearest(embedding, k, wanted) if found.measure <= MAX_DISTANCE)


def _check_range(request: SearchRequest) -> None:
    for moment in (request.since, request.until):
        if moment is not None and moment.utcoffset() is None:
            raise UsageError(f"The time {moment.isoformat()} has no UTC offset.", hint="Give one, for example +01:00.")
    if request.since is not None and request.until is not None and request.since >= request.until:
        raise UsageError("The time range is empty.", hint="Let it begin before it ends.")
