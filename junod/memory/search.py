"""Search: by meaning, by words, both, or along time. Pure ranking over what the store finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from junod.errors import UsageError
from junod.memory.candidates import Candidate, gather
from junod.memory.embedder import Embedder, Embedding, embed_question, embed_texts
from junod.memory.relevance import STRICT, CutOff, Evidence
from junod.memory.rows import Filter
from junod.memory.store import MAX_LIMIT, MemoryStore, checked_limit
from junod.memory.terms import Query, coverage, understood
from junod.memory.vocabulary import StoredVocabulary
from junod.records import Memory

DEFAULT_LIMIT = 5
MAX_DISTANCE = 0.65
"""Cosine distance beyond which a memory does not answer a query in semantic mode."""
RECENCY_WEIGHT = 0.02
"""A memory of this moment is so much ahead of an old one; more would drown relevance."""
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
    device_id: str | None = None
    source: str | None = None
    """'voice', 'manual', 'merge' or 'done'."""
    cut_off: CutOff = STRICT


@dataclass(frozen=True, slots=True)
class Hit:
    memory: Memory
    score: float
    """The higher the better; 0 where nothing was ranked."""
    distance: float | None = None
    """Cosine distance to the query, None where one of the two has no vector."""


def search(store: MemoryStore, request: SearchRequest, *, embedder: Embedder | None, now: datetime) -> tuple[Hit, ...]:
    """Active memories that answer the request, best first (chronological: oldest first).

    A query without a single word, of operators or pictures alone, is answered by nothing.

    Args:
        embedder: None = words alone (no model on this machine); semantic mode then fails.

    Raises:
        UsageError: an empty query, a limit or a time range that makes no sense.
        ModelError, StoreError: from the embedder and the store.
    """
    query = request.query.strip()
    checked_limit(request.limit)
    _check_range(request)
    wanted = Filter(
        room=request.room,
        device_id=request.device_id,
        source=request.source,
        since=request.since,
        until=request.until,
    )
    if not query and request.mode is not SearchMode.CHRONOLOGICAL:
        raise UsageError("The search is empty.", hint="Say what to look for, or choose the chronological mode.")
    if not query:
        return tuple(Hit(found, 0.0) for found in store.list(wanted, limit=request.limit, oldest_first=True))
    asked = understood(query[:MAX_QUERY_CHARS], StoredVocabulary(store.sessions))
    if not asked.terms:
        return ()
    if request.mode is SearchMode.SEMANTIC:
        return _semantic(store, asked, request.limit, wanted, embedder)
    hits = _ranked(store, asked, request, wanted, embedder, now)
    if request.mode is SearchMode.CHRONOLOGICAL:
        return tuple(sorted(hits, key=lambda hit: (hit.memory.spoken_at, hit.memory.id)))
    return hits


def _ranked(
    store: MemoryStore, asked: Query, request: SearchRequest, wanted: Filter, embedder: Embedder | None, now: datetime
) -> tuple[Hit, ...]:
    """What answers the query by meaning and words, best first."""
    embedding = _read(asked.text, request.cut_off, embedder) if embedder else None
    pool = min(max(2 * request.limit, 40), MAX_LIMIT)
    found = gather(store.sessions, asked, embedding, pool, wanted)
    by_question = embedding is not None and embedding.asks
    return judged(found, asked, request.cut_off, now, by_question=by_question)[: request.limit]


def _read(text: str, cut_off: CutOff, embedder: Embedder) -> Embedding:
    """A question by what has learned how households ask; talk, for which there is no such cut-off, as memories are."""
    return embed_texts(embedder, [text])[0] if cut_off.question is None else embed_question(embedder, text)


def judged(
    found: Iterable[Candidate], asked: Query, cut_off: CutOff, now: datetime, *, by_question: bool = False
) -> tuple[Hit, ...]:
    """Those candidates that answer the query, best first. Pure.

    Args:
        by_question: the cosines come of an embedding that `asks`.
    """
    hits = []
    for each in found:
        known = Evidence(each.cosine, coverage(asked.terms, each.memory.memory), len(asked.terms), by_question)
        if known.suffices(cut_off):
            distance = None if each.cosine is None else 1 - each.cosine
            hits.append(Hit(each.memory, known.score * recency_factor(each.memory, now), distance))
    return tuple(sorted(hits, key=lambda hit: (-hit.score, -hit.memory.spoken_at.timestamp(), hit.memory.id)))


def recency_factor(memory: Memory, now: datetime) -> float:
    """From 1 + RECENCY_WEIGHT for this moment down to 1, halving every RECENCY_HALF_LIFE_DAYS."""
    age_days = max(0.0, (now - memory.spoken_at).total_seconds() / 86_400)
    return float(1 + RECENCY_WEIGHT * 0.5 ** (age_days / RECENCY_HALF_LIFE_DAYS))


def _semantic(
    store: MemoryStore, asked: Query, limit: int, wanted: Filter, embedder: Embedder | None
) -> tuple[Hit, ...]:
    if embedder is None:
        raise UsageError("Searching by meaning needs the embedding model.", hint="Run `junod models pull`.")
    embedding = embed_question(embedder, asked.text)
    near = store.nearest(embedding, limit, wanted)
    return tuple(Hit(found.memory, 1 - found.measure, found.measure) for found in near if found.measure <= MAX_DISTANCE)


def _check_range(request: SearchRequest) -> None:
    for moment in (request.since, request.until):
        if moment is not None and moment.utcoffset() is None:
            raise UsageError(f"The time {moment.isoformat()} has no UTC offset.", hint="Give one, for example +01:00.")
    if request.since is not None and request.until is not None and request.since >= request.until:
        raise UsageError("The time range is empty.", hint="Let it begin before it ends.")
