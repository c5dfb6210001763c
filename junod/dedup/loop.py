"""One run of dedup: read, judge, ask where only a model can tell, and supersede one group at a time.

Nothing is held while it thinks: each merge is one short transaction that stores the new memory only if all its sources
are still active (`MemoryStore.add`). What arrives, changes or is forgotten meanwhile is left for the next run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from junod.dedup.candidates import Pair, lookups, pairs_among, reference_pairs
from junod.dedup.compose import Merge, merge
from junod.dedup.grouping import Named, ask
from junod.dedup.parsed import Parsed, is_done, name_keys, parse
from junod.dedup.planning import Question, make_plan
from junod.dedup.policy import Relation, judge
from junod.errors import ConflictError, ExtractionError
from junod.extract.language_model import LanguageModel
from junod.memory.codec import MAX_MEMORY_CHARS
from junod.memory.embedder import Embedder, Embedding, embed_texts
from junod.memory.kin import Lookup
from junod.memory.rows import Filter
from junod.records import Memory, NewMemory
from junod.sections import DedupSettings

log = logging.getLogger(__name__)

MAX_ROUNDS = 6
"""A merge may meet a further one; each round looks at what the one before it made, so a second run finds nothing."""
MAX_SETTLED = 20_000
"""Pairs remembered as kept apart; beyond that they are forgotten, and asked about once more."""
MAX_FAILURES = 2
"""After so many failed calls in a row the model is left alone until the next run."""


class DedupStore(Protocol):
    """What a run needs of the store."""

    def list(self, wanted: Filter) -> tuple[Memory, ...]: ...

    def mentioning(self, lookups: Sequence[Lookup]) -> tuple[Memory, ...]: ...

    def likeness(self, memory_id: str, other_ids: Sequence[str]) -> dict[str, float]: ...

    def kept_apart(self) -> frozenset[frozenset[str]]:
        """Pairs of active memories that a person took apart again."""
        ...

    def add(self, new: NewMemory, embedding: Embedding | None = None) -> Memory: ...


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge that was carried out, or, in a dry run, would have been."""

    merge: Merge
    memory: Memory


@dataclass(slots=True)
class Report:
    """What a run did. Numbers are of this run alone."""

    merged: list[Merged] = field(default_factory=list)
    recent: int = 0
    pairs: int = 0
    """Pairs near enough to be judged."""
    vetoed: int = 0
    ambiguous: int = 0
    llm_calls: int = 0
    llm_failures: int = 0
    invented: int = 0
    """Groups the model named with numbers that were not offered, or against a veto: skipped."""
    conflicts: int = 0
    """Merges given up because a source changed meanwhile."""
    is_capped: bool = False
    """A limit of the settings was reached; the next run goes on."""
    is_complete: bool = True
    """False where the run stopped early to let speech through."""

    @property
    def superseded(self) -> int:
        return sum(len(one.merge.sources) for one in self.merged)


class Deduper:
    """Puts memories together. Remembers in this process which pairs the model has kept apart, so as not to ask again.

    Args:
        store: where the memories are.
        settings: limits.
        llm: asked where the rules cannot tell; None = such pairs stay apart.
        embedder: gives a merged memory its vector at once; None = whoever catches up on vectors does.
        after_asking: called at the end of a run that asked the model: leaves it as its other user needs it.
    """

    def __init__(
        self,
        store: DedupStore,
        settings: DedupSettings,
        llm: LanguageModel | None,
        embedder: Embedder | None,
        *,
        after_asking: Callable[[], None] = lambda: None,
    ) -> None:
        self._after_asking = after_asking
        self._store = store
        self._settings = settings
        self._llm = llm
        self._embedder = embedder
        self._settled: set[frozenset[str]] = set()

    def run(
        self,
        now: datetime,
        *,
        dry_run: bool = False,
        thorough: bool = False,
        may_go_on: Callable[[], bool] = lambda: True,
    ) -> Report:
        """One run over what was spoken in the last `window_h` hours, against everything.

        Args:
            now: end of the window; nothing that is stored depends on it.
            dry_run: change nothing, only report what would become of it.
            thorough: walk the whole history in chunks instead of asking the word index.
            may_go_on: asked before each call of the model and each round; False ends the run early.

        Raises:
            StoreError: the store cannot be read or written. Merges made before that stand.
        """
        recent = self._store.list(Filter(since=now - timedelta(hours=self._settings.window_h)))
        run = _Run(self._store, self._settings, self._embedder, dry_run)
        run.apart = set(self._store.kept_apart())
        run.history = self._store.list(Filter()) if thorough else None
        run.report.recent = len(recent)
        focus: Sequence[Memory] = recent
        for _ in range(MAX_ROUNDS):
            if not focus:
                break
            if not may_go_on():
                run.report.is_complete = False
                break
            focus = self._round(run, focus, may_go_on)
        self._give_back(run.report)
        return run.report

    def _give_back(self, report: Report) -> None:
        if not report.llm_calls:
            return
        try:
            self._after_asking()
        except ExtractionError as error:
            log.warning("The language model was not made ready again: %s", error.code)

    def _round(self, run: _Run, focus: Sequence[Memory], may_go_on: Callable[[], bool]) -> list[Memory]:
        """Returns the memories it made."""
        made = len(run.report.merged)
        plan = make_plan(self._pairs(run, focus))
        run.report.vetoed += plan.vetoed
        run.report.ambiguous += plan.ambiguous
        for group in plan.groups:
            for members in run.without_refused(group.members):
                run.carry_out(members, group.relation, group.reason)
        for question in plan.questions:
            if not self._answer(run, question, may_go_on):
                break
        return [one.memory for one in run.report.merged[made:]]

    def _pairs(self, run: _Run, focus: Sequence[Memory]) -> list[Pair]:
        looked_at = run.usable(focus)
        near = run.history if run.history is not None else self._near(looked_at)
        found = {memory.id: memory for memory in (*run.usable(near), *looked_at)}
        names = frozenset(name for memory in found.values() for name in name_keys(memory.memory))
        parsed = {memory_id: parse(memory, names) for memory_id, memory in found.items()}
        recent = [parsed[memory.id] for memory in looked_at]
        limits = self._settings
        if run.history is None:
            pairs = pairs_among(recent, list(parsed.values()), self._likeness, limits.similarity)
        else:
            everything = list(parsed.values())
            pairs = reference_pairs(recent, everything, self._likeness, limits.similarity, limits.chunk, limits.overlap)
        pairs = [pair for pair in pairs if run.may_join(pair.older, pair.newer)]
        run.report.pairs += len(pairs)
        return pairs

    def _near(self, focus: Sequence[Memory]) -> Sequence[Memory]:
        return self._store.mentioning([lookup for memory in focus for lookup in lookups(parse(memory))])

    def _likeness(self, a: Parsed, b: Parsed) -> float | None:
        return self._store.likeness(a.memory.id, [b.memory.id]).get(b.memory.id)

    def _answer(self, run: _Run, question: Question, may_go_on: Callable[[], bool]) -> bool:
        """Ask one question and act on the answer; False = no more questions in this run."""
        notes = [note for note in question.notes if run.is_here(note) and not self._is_settled(note, question.newer)]
        if self._llm is None or len(notes) < 2:
            return True
        if not may_go_on():
            run.report.is_complete = False
            return False
        if run.report.llm_calls >= self._settings.max_llm_calls:
            run.report.is_capped = True
            return False
        run.report.llm_calls += 1
        try:
            answer = ask(self._llm, notes, self._settings.llm_deadline_s)
        except ExtractionError as error:
            log.warning("The language model could not compare memories: %s", error.code)
            run.report.llm_failures += 1
            run.failures_in_a_row += 1
            return run.failures_in_a_row < MAX_FAILURES
        run.failures_in_a_row = 0
        run.report.invented += answer.invented
        if answer.invented:
            log.warning("The language model named %d groups that were not offered; skipped", answer.invented)
        for named in answer.groups:
            self._act(run, named)
        self._settle(notes, question.newer)
        return True

    def _act(self, run: _Run, named: Named) -> None:
        """Carry out what the model said, unless a rule forbids it for any two of the group."""
        members = sorted(named.members, key=lambda one: one.at)
        allowed = (Relation.ASK, Relation.REPEAT)
        pairs = [(older, newer) for place, older in enumerate(members) for newer in members[place + 1 :]]
        if any(judge(*pair).relation not in allowed or not run.may_join(*pair) for pair in pairs):
            run.report.invented += 1
            return
        relation = Relation.CORRECTION if named.is_replaced else Relation.REPEAT
        run.carry_out(members, relation, "model-replaced" if named.is_replaced else "model-same")

    def _is_settled(self, note: Parsed, newer: Parsed) -> bool:
        return frozenset((note.memory.id, newer.memory.id)) in self._settled

    def _settle(self, notes: Iterable[Parsed], newer: Parsed) -> None:
        if len(self._settled) > MAX_SETTLED:
            self._settled.clear()
        self._settled |= {frozenset((note.memory.id, newer.memory.id)) for note in notes if note is not newer}


class _Run:
    """State of one run: what it made, what is gone, how much it may still do."""

    def __init__(self, store: DedupStore, settings: DedupSettings, embedder: Embedder | None, dry_run: bool) -> None:
        self.report = Report()
        self.failures_in_a_row = 0
        self.history: Sequence[Memory] | None = None
        """Everything, where the whole history is walked."""
        self.apart: set[frozenset[str]] = set()
        """Pairs of ids that a person took apart again, those of this run's own merges included."""
        self._store = store
        self._settings = settings
        self._embedder = embedder
        self._dry_run = dry_run
        self._gone: set[str] = set()

    def usable(self, memories: Iterable[Memory]) -> list[Memory]:
        """Not done, not superseded by this run, and spoken at a time that is known."""
        return [
            memory for memory in memories if memory.id not in self._gone and memory.clock_synced and not is_done(memory)
        ]

    def may_join(self, one: Parsed, other: Parsed) -> bool:
        return frozenset((one.memory.id, other.memory.id)) not in self.apart

    def without_refused(self, members: Sequence[Parsed]) -> list[list[Parsed]]:
        """A group without pairs that must stay apart: in parts, the latest memories together."""
        parts: list[list[Parsed]] = []
        for one in sorted(members, key=lambda each: each.at, reverse=True):
            fitting = next((part for part in parts if all(self.may_join(one, other) for other in part)), None)
            if fitting is None:
                parts.append([one])
            else:
                fitting.append(one)
        return [list(reversed(part)) for part in parts if len(part) > 1]

    def is_here(self, note: Parsed) -> bool:
        return note.memory.id not in self._gone

    def carry_out(self, members: Sequence[Parsed], relation: Relation, reason: str) -> None:
        """Supersede the members by one memory, or leave all as they are."""
        room = self._settings.max_supersedes - self.report.superseded
        if len(members) > room:
            self.report.is_capped = True
            if relation is not Relation.LIST or room < 2:
                return
            members = members[:room]
        done = merge(members, relation, reason)
        if len(done.new.memory) > MAX_MEMORY_CHARS:
            self.report.is_capped = True
            return
        try:
            memory = self._kept(done.new)
        except ConflictError:
            self.report.conflicts += 1
            return
        self._gone |= set(done.new.supersedes)
        refused = {other for pair in self.apart if pair & set(done.new.supersedes) for other in pair}
        self.apart |= {frozenset((memory.id, other)) for other in refused - set(done.new.supersedes)}
        self.report.merged.append(Merged(done, memory))

    def _kept(self, new: NewMemory) -> Memory:
        if self._dry_run:
            return _as_if_kept(new, len(self.report.merged) + 1)
        embeddings = embed_texts(self._embedder, [new.memory]) if self._embedder else (None,)
        return self._store.add(new, embeddings[0])


def _as_if_kept(new: NewMemory, number: int) -> Memory:
    return Memory(
        id=f"new-{number}",
        memory=new.memory,
        transcript=new.transcript,
        room=new.room,
        device_id=new.device_id,
        spoken_at=new.spoken_at,
        created_at=new.spoken_at,
        expires_at=new.expires_at,
        archived=False,
        source=new.source,
        confidence=new.confidence,
        supersedes=new.supersedes,
        household_id=new.household_id,
    )
