"""A passage read for declarations: which sentences propose a rule, which ask something back, what is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from junod.rules.listen import Sentence, sentences
from junod.rules.patterns import Unclear, read
from junod.rules.schema import RuleSpec

Ask = Callable[[Sentence], RuleSpec | Unclear | None]
"""Reads a sentence that no pattern reads; the language model behind it may fail with ExtractionError."""


@dataclass(frozen=True, slots=True)
class Declared:
    spec: RuleSpec
    said: str


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    said: str
    is_sure: bool = True
    """The sentence has the form of a rule and is nothing else; not where the language model was asked in vain."""


@dataclass(frozen=True, slots=True)
class Reading:
    declared: tuple[Declared, ...] = ()
    asked: tuple[Asked, ...] = ()

    @property
    def spoken_for(self) -> frozenset[str]:
        """Sentences that are declarations, and nothing to remember."""
        return frozenset([one.said for one in self.declared] + [one.said for one in self.asked if one.is_sure])


def read_rules(text: str, ask: Ask | None = None) -> Reading:
    """Every declaration in a text.

    Raises:
        ExtractionError: from `ask`.
    """
    declared: list[Declared] = []
    asked: list[Asked] = []
    for sentence in sentences(text):
        found = read(sentence)
        is_sure = found is not None
        if not is_sure and ask is not None:
            found = ask(sentence)
        if isinstance(found, RuleSpec):
            declared.append(Declared(found, sentence.said))
        elif isinstance(found, Unclear):
            asked.append(Asked(found.question, sentence.said, is_sure))
    return Reading(tuple(declared), tuple(asked))


def without(text: str, spoken_for: frozenset[str]) -> str:
    """The text without these sentences."""
    rest = " ".join(text.split())
    for said in spoken_for:
        rest = rest.replace(said, " ")
    return " ".join(rest.split())
