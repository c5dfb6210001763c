"""Where in a transcript a quote stands, and what the sentences around it are (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from junod.extract.words import Word, words

_SENTENCE = re.compile(r"(?:[^.!?♪\n]|(?<=\d)\.(?=\d))+(?:[.!?]+|♪|\n|$)")
_MAX_GAP = 6
"""Words of the transcript that a quote may leave out between two of its own."""
_MIN_FOUND = 0.75
"""Share of a quote's words that must stand in the transcript, in order."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The transcript's own words behind a quote."""

    span: str
    """Verbatim, from the first quoted word to the last."""
    sentences: tuple[str, ...]
    """The whole sentences the span touches."""
    after: str
    """The next sentence, '' at the end."""

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def find(quote: str, transcript: str) -> Evidence | None:
    """The place a quote was taken from; None where it was not.

    Case, punctuation and inflection are ignored; it may leave out a few spoken words, and a few of its own may be
    missing.
    """
    spoken, quoted = words(transcript), [word.key for word in words(quote)]
    if not quoted:
        return None
    best: list[int] = []
    for start in (i for i, word in enumerate(spoken) if word.key in quoted[:2]):
        found = _follow(quoted, [word.key for word in spoken], start)
        if len(found) > len(best):
            best = found
    if len(best) < max(1, _MIN_FOUND * len(quoted)):
        return None
    return _evidence(transcript, spoken[best[0]], spoken[best[-1]])


def sentences(text: str) -> list[tuple[int, int, str]]:
    """(start, end, sentence) for each sentence of `text`."""
    return [(m.start(), m.end(), m.group().strip()) for m in _SENTENCE.finditer(text) if words(m.group())]


def _follow(quoted: list[str], spoken: list[str], start: int) -> list[int]:
    """Places of the quoted words in order, each within a few words of the last."""
    found: list[int] = []
    place = start
    for key in quoted:
        window = spoken[place : place + (_MAX_GAP if found else 1)]
        if key in window:
            place += window.index(key)
            found.append(place)
            place += 1
    return found


def _evidence(transcript: str, first: Word, last: Word) -> Evidence:
    parts = sentences(transcript)
    touched = [i for i, (start, end, _) in enumerate(parts) if start < last.end and end > first.start]
    after = parts[touched[-1] + 1][2] if touched and touched[-1] + 1 < len(parts) else ""
    span = transcript[first.start : last.end]
    return Evidence(span, tuple(parts[i][2] for i in touched) or (span,), after)
