"""From judged pairs to groups that become one memory, and to questions for the language model (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from junod.dedup.candidates import Pair
from junod.dedup.parsed import Parsed
from junod.dedup.policy import Relation, Verdict, about, judge, same_day
from junod.dedup.times import find_times

MAX_NOTES = 6
"""Notes in one question: a newer one and the older ones it may go with, the latest of them."""
_RANK = {Relation.REPEAT: 0, Relation.RESCHEDULE: 1, Relation.CORRECTION: 2, Relation.LIST: 3}


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that the rules alone put together."""

    members: tuple[Parsed, ...]
    relation: Relation
    reason: str


@dataclass(frozen=True, slots=True)
class Question:
    """Something only the language model can tell."""

    notes: tuple[Parsed, ...]
    """In order of speech; the last one is the newer one that raised the question."""
    newer: Parsed


@dataclass(slots=True)
class Plan:
    groups: list[Group] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    vetoed: int = 0
    """Pairs that were near each other and must stay apart."""
    ambiguous: int = 0
    """A change that fits several memories: none is touched."""


def make_plan(pairs: Sequence[Pair]) -> Plan:
    """What to do about these pairs, which are in order of speech."""
    judged = [(pair, judge(pair.older, pair.newer)) for pair in pairs]
    clusters = _Clusters()
    for pair, verdict in judged:
        if verdict.relation in (Relation.LIST, Relation.REPEAT):
            clusters.unite(pair, verdict)
    ambiguous = sum(_follow_change(clusters, newer, edges) for newer, edges in _changes(judged))
    plan = Plan(groups=clusters.groups(), ambiguous=ambiguous)
    plan.vetoed = sum(verdict.relation is Relation.APART for _, verdict in judged)
    plan.questions = _questions(judged, {one.memory.id for group in plan.groups for one in group.members})
    return plan


Judged = tuple[Pair, Verdict]


def _changes(judged: Sequence[Judged]) -> list[tuple[Parsed, list[Judged]]]:
    """For each memory that changes something the older ones it may change, in order of speech."""
    found: dict[str, list[Judged]] = {}
    for pair, verdict in judged:
        if verdict.relation in (Relation.RESCHEDULE, Relation.CORRECTION):
            found.setdefault(pair.newer.memory.id, []).append((pair, verdict))
    return [(edges[0][0].newer, edges) for edges in found.values()]


def _follow_change(clusters: _Clusters, newer: Parsed, edges: Sequence[Judged]) -> bool:
    """Join a change to the one thing it changes; True where it fits several."""
    narrowed = list(edges)
    _unite_chain(clusters, [pair.older for pair, _ in edges])
    for keep in (_same_words, _said_to_have_been, _on_the_same_day):
        if len({clusters.root(pair.older.memory.id) for pair, _ in narrowed}) == 1:
            break
        narrowed = [edge for edge in narrowed if keep(edge[0].older, newer)] or narrowed
    if len({clusters.root(pair.older.memory.id) for pair, _ in narrowed}) > 1:
        return True
    for pair, verdict in narrowed:
        clusters.unite(pair, verdict)
    return False


def _unite_chain(clusters: _Clusters, targets: Sequence[Parsed]) -> None:
    """Earlier states of one thing, none of them recent, are one target of a change."""
    ordered = sorted(targets, key=lambda one: one.at)
    for place, older in enumerate(ordered):
        for newer in ordered[place + 1 :]:
            verdict = judge(older, newer)
            if verdict.relation in (Relation.REPEAT, Relation.RESCHEDULE, Relation.CORRECTION):
                clusters.unite(Pair(older, newer), verdict)


def _same_words(older: Parsed, newer: Parsed) -> bool:
    return older.content == newer.content


def _said_to_have_been(older: Parsed, newer: Parsed) -> bool:
    """'From three to four': it is the one at three."""
    spoken = [newer.sentence, *about(newer.memory.transcript, older.content & newer.content)]
    before = [find_times(text) for text in spoken]
    return any(older.times.days & times.was_days or older.times.clocks & times.was_clocks for times in before)


def _on_the_same_day(older: Parsed, newer: Parsed) -> bool:
    return same_day(older, newer)


def _questions(judged: Sequence[Judged], settled: set[str]) -> list[Question]:
    open_pairs: dict[str, list[Pair]] = {}
    for pair, verdict in judged:
        if verdict.relation is Relation.ASK and not {pair.older.memory.id, pair.newer.memory.id} & settled:
            open_pairs.setdefault(pair.newer.memory.id, []).append(pair)
    questions = []
    for pairs in open_pairs.values():
        newer = pairs[0].newer
        older = sorted((pair.older for pair in pairs), key=lambda one: one.at)[-(MAX_NOTES - 1) :]
        questions.append(Question((*older, newer), newer))
    return questions


class _Clusters:
    """Union-find over memory ids, with the strongest relation of each cluster."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self._members: dict[str, Parsed] = {}
        self._edges: list[tuple[str, Verdict]] = []

    def root(self, memory_id: str) -> str:
        parent = self._parent.get(memory_id, memory_id)
        while parent != self._parent.get(parent, parent):
            parent = self._parent[parent]
        return parent

    def unite(self, pair: Pair, verdict: Verdict) -> None:
        for one in (pair.older, pair.newer):
            self._members[one.memory.id] = one
        self._parent[self.root(pair.newer.memory.id)] = self.root(pair.older.memory.id)
        self._edges.append((pair.newer.memory.id, verdict))

    def groups(self) -> list[Group]:
        members: dict[str, list[Parsed]] = {}
        for memory_id, one in self._members.items():
            members.setdefault(self.root(memory_id), []).append(one)
        return [self._group(root, found) for root, found in members.items()]

    def _group(self, root: str, found: list[Parsed]) -> Group:
        verdicts = [verdict for memory_id, verdict in self._edges if self.root(memory_id) == root]
        strongest = max(verdicts, key=lambda verdict: _RANK[verdict.relation])
        ordered = tuple(sorted(found, key=lambda one: one.at))
        return Group(ordered, strongest.relation, strongest.reason)
