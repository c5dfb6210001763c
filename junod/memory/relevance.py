"""How well a memory answers a query, as one number. Pure.

Two kinds of evidence add up: the cosine of the whole texts, and how much of what is asked for stands in the memory word
for word, weighed by rarity. The weights and cut-offs were chosen on the first half of tests/search/queries.jsonl, those
of questions on the households of models/search too; what they do on others, and what else was tried, is in
docs/search.md.
"""

from __future__ import annotations

from dataclasses import dataclass

COVERAGE_WEIGHT, ASKED_WEIGHT = 0.5, 0.3
"""Of coverage beside a cosine of the public embedding model, and beside one of what has learned how households ask."""
FULL_COVERAGE = 0.9
"""What holds nearly all that is asked for answers in any case."""
RELIEF = 0.08
"""For each word that is asked for, up to RELIEVED_WORDS: the more of them, the fewer stand in what answers."""
RELIEVED_WORDS = 5


@dataclass(frozen=True, slots=True)
class CutOff:
    """Under which score a memory is no answer."""

    score: float
    """With a model of meaning, relief added."""
    coverage: float
    """Without: how much of what is asked for must stand in the memory."""
    question: float | None = None
    """As `score`, with what has learned how households ask; None = it is not asked, this is no question."""


STRICT = CutOff(0.87, 0.45, 0.64)
"""For a question: nothing is a better answer than a wrong one."""
LENIENT = CutOff(0.70, 0.15)
"""For what bears on a conversation: most of its words are about something else."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a memory."""

    cosine: float | None
    """None where the memory has no vector, or nobody could make one of the query."""
    coverage: float
    """0 to 1."""
    asked: int
    """How many words are asked for."""
    by_question: bool = False
    """The cosine is one of what has learned how households ask."""

    @property
    def score(self) -> float:
        """The higher the better."""
        if self.cosine is None:
            return self.coverage
        return self.cosine + (ASKED_WEIGHT if self.by_question else COVERAGE_WEIGHT) * self.coverage

    def suffices(self, cut_off: CutOff) -> bool:
        if self.coverage >= FULL_COVERAGE:
            return True
        if self.cosine is None:
            return self.coverage >= cut_off.coverage
        least = cut_off.question if self.by_question and cut_off.question is not None else cut_off.score
        return self.score + RELIEF * min(self.asked, RELIEVED_WORDS) >= least
