"""What else may stand in a memory for a word of a query: synonyms, what belongs to a kind, what goes with what.

The data are thesaurus.txt beside this file, whose head says how to read it; loaded when first asked. Only the entries
that begin as a query's words do are ever stemmed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from importlib import resources

from junod.memory import lexicon
from junod.memory.words import word_spans

SYNONYM = 0.9
KIND = 0.8
GOES_WITH = 0.45
"""How much a word given by such a line counts, where the word itself counts 1."""
_SIGNS = {">": KIND, "~": GOES_WITH}
_LAST = "\U0010ffff"

Line = tuple[tuple[str, ...], tuple[str, ...], float]
"""The words it is about, the words it gives for each of them, and how much these count."""


class Thesaurus:
    """Lines of words; see `read_line`."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Raises ValueError: a line that cannot be read; it names the line."""
        self._lines = [read_line(text) for text in lines]
        self._standing: dict[str, list[int]] = {}
        for number, (about, _, _) in enumerate(self._lines):
            for entry in about:
                self._standing.setdefault(entry, []).append(number)
        self._sorted = sorted(self._standing)

    def given(self, words: Sequence[str]) -> dict[str, dict[str, float]]:
        """For words as they follow each other in a text: what entries may stand for each, and how much these count.

        An entry of several words stands for all of them, which then have nothing of their own.
        """
        stems = [lexicon.stem(word) for word in words]
        found: dict[str, dict[str, float]] = {}
        begin = 0
        while begin < len(words):
            length, entries = self._longest(stems[begin:])
            others = self._others(entries)
            for word in words[begin : begin + length]:
                found.setdefault(word, {}).update(others)
            begin += max(1, length)
        return found

    def _longest(self, stems: Sequence[str]) -> tuple[int, list[str]]:
        """The entries of most words that the stems begin with, and of how many; (0, []) = none."""
        beginning = stems[0][: max(2, len(stems[0]) - 1)]
        here = self._sorted[bisect_left(self._sorted, beginning) : bisect_left(self._sorted, beginning + _LAST)]
        there: dict[int, list[str]] = {}
        for entry in here:
            own = stemmed(entry).split()
            if own == stems[: len(own)]:
                there.setdefault(len(own), []).append(entry)
        return max(there.items(), default=(0, []))

    def _others(self, entries: Sequence[str]) -> dict[str, float]:
        others: dict[str, float] = {}
        for number in sorted({number for entry in entries for number in self._standing[entry]}):
            _, given, sure = self._lines[number]
            others |= {other: max(sure, others.get(other, 0.0)) for other in given}
        themselves = {stemmed(entry) for entry in entries}
        return {other: sure for other, sure in others.items() if stemmed(other) not in themselves}


def read_line(text: str) -> Line:
    """'sofa, couch' (synonyms), 'rodent > mouse, rat' (a kind), 'wifi ~ router' (what goes with what).

    Raises:
        ValueError: two signs, an empty entry, or nothing beside a word.
    """
    signs = [sign for sign in text if sign in _SIGNS]
    if len(signs) > 1:
        raise ValueError(f"A line of the thesaurus has more than one sign of > and ~: {text!r}")
    sides = [tuple(map(str.strip, side.split(","))) for side in (text.split(signs[0]) if signs else [text])]
    if "" in sides[0] or "" in sides[-1]:
        raise ValueError(f"A line of the thesaurus has an empty entry: {text!r}")
    if not signs and len(sides[0]) == 1:
        raise ValueError(f"A line of the thesaurus says nothing of its only word: {text!r}")
    return sides[0], sides[-1], _SIGNS[signs[0]] if signs else SYNONYM


@cache
def household() -> Thesaurus:
    """The one that comes with junod."""
    text = resources.files("junod.memory").joinpath("thesaurus.txt").read_text("utf-8")
    return Thesaurus([line for line in text.splitlines() if line and not line.startswith("#")])


@cache
def stemmed(entry: str) -> str:
    """'power tools' -> 'power tool'."""
    return " ".join(lexicon.stem(word) for word, _, _ in word_spans(entry))
