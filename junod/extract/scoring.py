"""How well stored memories agree with what was expected. Pure.

A stored memory matches an expectation when its text holds every string wanted. Matching is one to one and maximal:
augmenting paths after Kuhn, "The Hungarian Method" (1955), tried in an order that prefers right dates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

_SAME_INSTANT_S = 60.0


@dataclass(frozen=True, slots=True)
class Expectation:
    """A memory that must, or may, be stored."""

    wanted: tuple[str, ...]
    """Strings that must all occur in the memory, case ignored; 'a|b' = either."""
    kind: str
    expires_at: tuple[datetime, ...] | None = None
    """Any one of these instants is right; None = it must not expire."""
    time_judged: bool = True

    def matches(self, memory: str) -> bool:
        low = memory.lower()
        return all(any(one.strip().lower() in low for one in wanted.split("|")) for wanted in self.wanted)

    def agrees_in_time(self, expires_at: datetime | None) -> bool | None:
        """None where the time is not judged."""
        if not self.time_judged:
            return None
        if self.expires_at is None or expires_at is None:
            return self.expires_at is None and expires_at is None
        return any(abs((expires_at - right).total_seconds()) < _SAME_INSTANT_S for right in self.expires_at)


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory that was stored."""

    memory: str
    transcript: str = ""
    expires_at: datetime | None = None
    """Aware; None = permanent."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What is right for one passage."""

    expect: tuple[Expectation, ...] = ()
    optional: tuple[Expectation, ...] = ()
    forbid: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    """Names of the groups it is counted in, for example 'room:kitchen'."""


@dataclass(slots=True)
class Tally:
    """Counts over passages."""

    passages: int = 0
    stored: int = 0
    good: int = 0
    """Stored memories that match an expected or an optional one."""
    expected: int = 0
    matched: int = 0
    judged: int = 0
    """Matched pairs whose time is judged."""
    in_time: int = 0
    ghosts: int = 0
    ghost_passages: int = 0
    leaks: int = 0
    """Passages in which a forbidden string was stored anywhere."""

    def add(self, other: Tally) -> None:
        for counter in fields(self):
            setattr(self, counter.name, getattr(self, counter.name) + getattr(other, counter.name))

    @property
    def precision(self) -> float | None:
        return ratio(self.good, self.stored)

    @property
    def recall(self) -> float | None:
        return ratio(self.matched, self.expected)

    @property
    def dates(self) -> float | None:
        return ratio(self.in_time, self.judged)

    @property
    def strict_f05(self) -> float:
        """F0.5 over pairs that match in text and in time."""
        right = self.matched - (self.judged - self.in_time)
        precision, recall = ratio(right, self.stored) or 0.0, ratio(right, self.expected) or 0.0
        return round(1.25 * precision * recall / (0.25 * precision + recall), 4) if precision + recall else 0.0

    @property
    def ghosts_per_1000(self) -> float | None:
        return round(1000 * self.ghosts / self.passages, 2) if self.passages else None


def ratio(part: int, whole: int) -> float | None:
    """Four digits; None of nothing."""
    return round(part / whole, 4) if whole else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The score of one passage."""

    tally: Tally
    ghosts: tuple[int, ...]
    """Indexes of stored memories nobody asked for."""
    missed: tuple[int, ...]
    """Indexes of expectations that no memory matches."""
    mistimed: tuple[int, ...]
    """Indexes of expectations that are matched with a wrong time."""


@dataclass(frozen=True, slots=True)
class Score:
    """The score of many passages."""

    total: Tally = field(default_factory=Tally)
    groups: dict[str, Tally] = field(default_factory=dict)
    """Tally of each group, for example 'origin:tv' or 'kind:shopping'."""


def score(pairs: Iterable[tuple[Answers, Sequence[Stored]]]) -> Score:
    """Score passages, each with what was stored for it."""
    result = Score()
    for answers, stored in pairs:
        verdict = judge(answers, stored)
        result.total.add(verdict.tally)
        for key in answers.keys:
            result.groups.setdefault(key, Tally()).add(verdict.tally)
        for index, expectation in enumerate(answers.expect):
            kind = result.groups.setdefault(f"kind:{expectation.kind}", Tally())
            kind.add(Tally(expected=1, matched=int(index not in verdict.missed)))
    return result


def judge(answers: Answers, stored: Sequence[Stored]) -> Verdict:
    """Score one passage."""
    pairs = pair_up(answers.expect, stored)
    loose = set(range(len(stored))) - set(pairs.values())
    ghosts = [i for i in sorted(loose) if not any(o.matches(stored[i].memory) for o in answers.optional)]
    timing = {e: answers.expect[e].agrees_in_time(stored[m].expires_at) for e, m in pairs.items()}
    tally = Tally(
        passages=1,
        stored=len(stored),
        good=len(stored) - len(ghosts),
        expected=len(answers.expect),
        matched=len(pairs),
        judged=sum(right is not None for right in timing.values()),
        in_time=sum(right is True for right in timing.values()),
        ghosts=len(ghosts),
        ghost_passages=int(bool(ghosts)),
        leaks=int(_leaks(answers.forbid, stored)),
    )
    missed = tuple(e for e in range(len(answers.expect)) if e not in pairs)
    return Verdict(tally, tuple(ghosts), missed, tuple(e for e, right in timing.items() if right is False))


def _leaks(forbid: Sequence[str], stored: Sequence[Stored]) -> bool:
    texts = [f"{one.memory}\n{one.transcript}".lower() for one in stored]
    return any(forbidden.lower() in text for text in texts for forbidden in forbid)


def pair_up(expect: Sequence[Expectation], stored: Sequence[Stored]) -> Mapping[int, int]:
    """Maximum one-to-one matching: index of the expectation -> index of the memory."""
    edges = [_candidates(expectation, stored) for expectation in expect]
    owner: dict[int, int] = {}

    def place(index: int, seen: set[int]) -> bool:
        for memory in edges[index]:
            if memory not in seen:
                seen.add(memory)
                if memory not in owner or place(owner[memory], seen):
                    owner[memory] = index
                    return True
        return False

    for index in range(len(expect)):
        place(index, set())
    return {index: memory for memory, index in owner.items()}


def _candidates(expectation: Expectation, stored: Sequence[Stored]) -> list[int]:
    hits = [i for i, one in enumerate(stored) if expectation.matches(one.memory)]
    return sorted(hits, key=lambda i: expectation.agrees_in_time(stored[i].expires_at) is False)
