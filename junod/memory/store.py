"""MemoryStore: the only way to the database. Every write is one transaction; SQL lives in this package alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from junod.clock import Clock
from junod.errors import StoreError, UsageError
from junod.memory import (
    changes,
    codec,
    decisions,
    grace,
    journal,
    kin,
    lineage,
    rows,
    soundness,
    spool,
    undoing,
    vectors,
    wipe,
    words,
)
from junod.memory.connection import Database
from junod.memory.embedder import Embedding
from junod.memory.journal import JournalEntry
from junod.memory.kin import Lookup
from junod.memory.lineage import Lineage
from junod.memory.rows import Filter
from junod.memory.session import Sessions
from junod.memory.spool import SpooledPassage, SpoolState
from junod.memory.wipe import Wiped
from junod.records import Decision, Memory, NewMemory, Outcome, Passage

ACTIVE = Filter()
EVERYTHING = Filter(include_superseded=True, include_archived=True)
MAX_LIMIT = 1_000
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Counts:
    active: int
    superseded: int
    archived: int
    expired: int
    """Hidden already, erased by the next `expire`."""
    waiting: int
    working: int
    parked: int


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that a search turned up."""

    memory: Memory
    measure: float
    """`nearest`: cosine distance, 0 (same) to 2. `keyword`: BM25 as SQLite gives it, the lower the better."""


class MemoryStore:
    """The memories of one household. Safe to use from several threads."""

    def __init__(self, database: Database, clock: Clock, household_id: str) -> None:
        self._db = database
        self.sessions = Sessions(database, clock, household_id)
        self.household_id = household_id

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        clock: Clock,
        household_id: str = "home",
        read_only: bool = False,
        busy_timeout_s: float = 5.0,
    ) -> Self:
        """Open the database at `path`, made (mode 0600) and upgraded where needed.

        Raises:
            StoreError: locked, full, read-only, damaged, too new, not a junod database, or sqlite-vec does not load.
        """
        now = clock.now()
        database = Database.open(path, now=now, read_only=read_only, busy_timeout_s=busy_timeout_s)
        store = cls(database, clock, household_id)
        if not read_only:
            store._note_household()
        return store

    def _note_household(self) -> None:
        try:
            with self.sessions.write() as session:
                rows.note_household(session)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        return self._db.path

    def add(self, new: NewMemory, embedding: Embedding | None = None) -> Memory:
        """Store a memory; without an embedding it is found by its words until `set_embedding`.

        Raises:
            ConflictError: something it supersedes is not active any more.
            StoreError: text or values that cannot be stored.
        """
        with self.sessions.write() as session:
            return rows.load(session, changes.store(session, new, embedding))

    def done(self, memory_id: str, embedding: Embedding | None = None) -> Memory:
        """Strike a memory through: a new one with ~~its text~~ supersedes it.

        Without an embedding it keeps the vector of the old, whose words it has.
        """
        with self.sessions.write() as session:
            return changes.done(session, rows.load(session, memory_id), embedding)

    def edit(self, memory_id: str, text: str, embedding: Embedding | None = None) -> Memory:
        """Correct a memory by hand: a new one with this text supersedes it."""
        with self.sessions.write() as session:
            old = rows.load(session, memory_id)
            return changes.succeed(session, old, text, source="manual", reason="edit", embedding=embedding)

    def restore(self, memory_id: str) -> Memory:
        """Undo `done` or `archive`: what was struck or put away is active again."""
        with self.sessions.write() as session:
            return changes.restore(session, rows.load(session, memory_id))

    def archive(self, memory_id: str) -> Memory:
        """Put a memory away, out of lists and search, without deleting it."""
        with self.sessions.write() as session:
            return changes.archive(session, rows.load(session, memory_id))

    def forget(self, memory_id: str) -> tuple[str, ...]:
        """Delete a memory for good, now, with its whole lineage, transcripts, vectors and what the spool holds of it.

        Keyed hashes stay behind, so that the same recording cannot bring it back. Returns the erased ids.
        """
        with self.sessions.erase() as session:
            return changes.forget(session, [rows.load(session, memory_id, forgotten=True).id])

    def erase_forgotten(self) -> tuple[str, ...]:
        """Erase what is being forgotten and can be brought back no longer; returns the erased ids."""
        with self.sessions.read() as session:
            if not grace.due(session):
                return ()
        with self.sessions.erase() as session:
            return changes.forget(session, grace.due(session))

    def would_forget(self, since: datetime | None = None, until: datetime | None = None) -> Wiped:
        """What `forget_spoken` would erase."""
        with self.sessions.read() as session:
            return wipe.find(session, since, until)

    def forget_spoken(self, since: datetime | None = None, until: datetime | None = None) -> Wiped:
        """Delete for good what was spoken from `since` up to and without `until`, decided or not; no ends: everything.

        Lineages go whole, also where a part of one was spoken outside the range.
        """
        with self.sessions.erase() as session:
            return wipe.wipe(session, since, until)

    def finish_erasing(self) -> bool:
        """Cut the write-ahead log again; False = another program still reads what was erased."""
        return self._db.finish_erasing()

    def expire(self, now: datetime) -> tuple[str, ...]:
        """Delete for good what has expired by `now`, with its superseded ancestors; returns the erased ids."""
        at_us = codec.microseconds(now)
        with self.sessions.read() as session:
            due = bool(rows.expired(session, at_us))
        if not due:
            self._db.finish_erasing()
            return ()
        with self.sessions.erase() as session:
            return changes.expire(session, at_us)

    def spool_passage(self, passage: Passage) -> bool:
        """Keep a passage until it is decided. False where it is known already: spooled, decided or forgotten."""
        with self.sessions.write() as session:
            return spool.put(session, passage)

    def next_passage(self) -> SpooledPassage | None:
        """The oldest waiting passage, marked as being worked on."""
        with self.sessions.write() as session:
            return spool.take(session)

    def decide(
        self, passage_id: str, decision: Decision, embeddings: Sequence[Embedding | None] = ()
    ) -> tuple[Memory, ...]:
        """Carry out the verdict on a passage and erase it from the spool, all or nothing and exactly once.

        A passage decided before, or one whose memory was forgotten, stores nothing again. A parked one stays spooled.

        Args:
            embeddings: one for each of the decision's memories, in order, or none at all.
        """
        news = decision.memories
        if decision.passage_id != passage_id or (embeddings and len(embeddings) != len(news)):
            raise StoreError(f"The decision or its embeddings do not fit passage {passage_id}.")
        if decision.outcome is Outcome.PARKED:
            self.park(passage_id, decision.reason)
            return ()
        with self.sessions.erase(keep_copies=True) as session:
            return rows.by_ids(session, decisions.decide(session, decision, embeddings or [None] * len(news)))

    def retry(self, passage_id: str, code: str) -> None:
        """Put a passage back to be tried again. `code` says what went wrong, never what was said."""
        with self.sessions.write() as session:
            spool.set_state(session, passage_id, SpoolState.WAITING, code, event="retried")

    def park(self, passage_id: str, code: str) -> None:
        """Put a passage aside until a person releases it."""
        with self.sessions.write() as session:
            spool.set_state(session, passage_id, SpoolState.PARKED, code, event="parked")

    def release(self, passage_id: str) -> None:
        """Let a parked passage be tried again."""
        with self.sessions.write() as session:
            spool.release(session, passage_id)

    def recover_spool(self, *, max_attempts: int) -> int:
        """At the daemon's start: what was being worked on when it died waits again; returns how many do.

        A passage taken `max_attempts` times already is parked instead: it may be what kills the process.
        """
        with self.sessions.write() as session:
            return spool.recover(session, max_attempts=max_attempts)

    def park_overflow(self, keep: int) -> int:
        """Park the oldest waiting passages beyond `keep`; returns how many."""
        with self.sessions.write() as session:
            return spool.park_overflow(session, keep)

    def parked(self) -> tuple[SpooledPassage, ...]:
        with self.sessions.read() as session:
            return spool.in_state(session, SpoolState.PARKED)

    def undecided(self) -> tuple[SpooledPassage, ...]:
        """Everything in the spool, state by state, the oldest first."""
        with self.sessions.read() as session:
            return tuple(each for state in SpoolState for each in spool.in_state(session, state))

    def spool_count(self) -> int:
        """Passages waiting or being worked on."""
        with self.sessions.read() as session:
            number = spool.count(session)
        return number[SpoolState.WAITING] + number[SpoolState.WORKING]

    def list(
        self, wanted: Filter = ACTIVE, *, limit: int | None = None, oldest_first: bool = False
    ) -> tuple[Memory, ...]:
        """Memories by the time they were spoken, the newest first unless asked otherwise."""
        most = -1 if limit is None else checked_limit(limit)
        with self.sessions.read() as session:
            return rows.select(session, wanted, limit=most, oldest_first=oldest_first)

    def get(self, memory_id: str) -> Memory:
        """One memory, history included, by its id or a prefix of it that no other has.

        Raises:
            NotFoundError: there is none.
            UsageError: several begin like this.
        """
        with self.sessions.read() as session:
            return rows.load(session, memory_id)

    def history(self, memory_id: str) -> tuple[Memory, ...]:
        """The whole lineage of a memory, in the order it was stored."""
        with self.sessions.read() as session:
            lineage = rows.relatives(session, [rows.load(session, memory_id).id])
            return rows.by_ids(session, rows.in_order_stored(session, lineage))

    def lineage(self, memory_id: str) -> Lineage:
        """The whole lineage of a memory with what superseded what, why and when, changes taken back included."""
        with self.sessions.read() as session:
            return lineage.lineage(session, memory_id)

    def kept_apart(self) -> frozenset[frozenset[str]]:
        """Pairs of active memories that a person took apart again: see `undoing`."""
        with self.sessions.read() as session:
            return undoing.kept_apart(session)

    def export(self) -> Iterator[Memory]:
        """Everything, history included, in the order it was stored; other threads get their turn in between."""
        last = 0
        while True:
            with self.sessions.read() as session:
                found, last = rows.page(session, last, _PAGE)
            if not found:
                return
            yield from found

    def journal(self, limit: int | None = 50) -> tuple[JournalEntry, ...]:
        """What happened, newest first; None = all of it."""
        most = -1 if limit is None else checked_limit(limit)
        with self.sessions.read() as session:
            return journal.latest(session.connection, self.household_id, most)

    def prune_journal(self, before: datetime) -> int:
        """Delete entries older than this moment; returns how many. The memories stay.

        What was decided before it is no longer known to be: choose a moment well before any recording in use.
        """
        with self.sessions.erase(keep_copies=True) as session:
            return journal.prune(session.connection, self.household_id, before)

    def counts(self) -> Counts:
        with self.sessions.read() as session:
            number = spool.count(session)
            return Counts(*rows.count(session), *(number[state] for state in SpoolState))

    def nearest(self, embedding: Embedding, k: int, wanted: Filter = ACTIVE) -> tuple[Found, ...]:
        """The k memories whose vectors of the same model are nearest, nearest first."""
        with self.sessions.read() as session:
            where, params = rows.condition(wanted, session)
            near = vectors.nearest(session.connection, embedding, checked_limit(k), where, params)
            memories = rows.by_seqs(session, [each.seq for each in near])
        return tuple(Found(memory, each.distance) for memory, each in zip(memories, near, strict=True))

    def keyword(self, text: str, k: int, wanted: Filter = ACTIVE, *, every: bool = False) -> tuple[Found, ...]:
        """The k memories that best match any of the text's words (or every one), best first; any text is safe."""
        with self.sessions.read() as session:
            where, params = rows.condition(wanted, session)
            hits = words.matching(session.connection, text, checked_limit(k), where, params, every=every)
            memories = rows.by_seqs(session, [each.seq for each in hits])
        return tuple(Found(memory, each.bm25) for memory, each in zip(memories, hits, strict=True))

    def mentioning(self, lookups: Sequence[Lookup]) -> tuple[Memory, ...]:
        """Active memories that answer any of the lookups, each once, the last stored first; nothing is ranked."""
        with self.sessions.read() as session:
            return kin.mentioning(session, lookups)

    def likeness(self, memory_id: str, other_ids: Sequence[str]) -> dict[str, float]:
        """Cosine similarity of a memory to others by their stored vectors; without an entry where one has none."""
        with self.sessions.read() as session:
            return kin.likeness(session, memory_id, other_ids)

    def unembedded(self, model: str, dims: int, limit: int = 100) -> tuple[Memory, ...]:
        """Memories without a vector of this model: what is left to do after a change of models."""
        with self.sessions.read() as session:
            seqs = vectors.unembedded(session.connection, model, dims, self.household_id, checked_limit(limit))
            return rows.by_seqs(session, seqs)

    def set_embedding(self, memory_id: str, embedding: Embedding) -> None:
        """Give a memory its vector of a model, in place of an earlier one of the same model."""
        with self.sessions.write() as session:
            rows.set_embedding(session, memory_id, embedding)

    def vector_models(self) -> dict[tuple[str, int], int]:
        """(model, dims) -> how many vectors there are."""
        with self.sessions.read() as session:
            found = vectors.tables(session.connection)
            return {(table.model, table.dims): vectors.count(session.connection, table) for table in found}

    def check(self) -> tuple[str, ...]:
        """Examine file, links, words and vectors; what is wrong with them, nothing if sound."""
        return soundness.problems(self.sessions, read_only=self._db.read_only)


def checked_limit(limit: int) -> int:
    """A number of results that makes sense.

    Raises:
        UsageError: it does not.
    """
    if isinstance(limit, bool) or not 1 <= limit <= MAX_LIMIT:
        raise UsageError(f"A limit of {limit} makes no sense.", hint=f"Give a number from 1 to {MAX_LIMIT}.")
    return limit
