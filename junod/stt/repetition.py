"""Loops in a text, found by structure: an engine that lost its place says the same thing again and again.

Pure. Used by the adapter, to know that an attempt failed, and by the guards, to throw away what is left.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

MAX_UNIT_WORDS = 16
MIN_LOOP_WORDS = 5
MIN_REPEATS = {1: 5, 2: 4}
"""Fewest repeats in a row that make a loop, by the length of the repeated unit ("no no no" is speech)."""
MIN_REPEATS_LONGER = 3
MIN_ECHO_WORDS = 2
MAX_COMPRESSION = 2.4
"""Above it a text repeats itself without an exact loop. OpenAI's own limit (whisper/transcribe.py)."""
_STUTTER = re.compile(r"(?:([^\W\d_]{1,4})\1{5,}|(\w)\2{11,})[^\W_]{0,3}")
_EDGE = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True)
class Loop:
    """A unit of `unit` words said `repeats` times from word `first` on."""

    first: int
    unit: int
    repeats: int

    @property
    def end(self) -> int:
        return self.first + self.unit * self.repeats


def find_loop(words: list[str]) -> Loop | None:
    """The first, then shortest, loop among `words` (already folded); None where there is none."""
    for first in range(len(words)):
        for unit in range(1, min(MAX_UNIT_WORDS, (len(words) - first) // MIN_REPEATS_LONGER) + 1):
            loop = Loop(first, unit, _repeats(words, first, unit))
            if loop.repeats >= MIN_REPEATS.get(unit, MIN_REPEATS_LONGER) and unit * loop.repeats >= MIN_LOOP_WORDS:
                return loop
    return None


def without_loops(text: str) -> str:
    """`text` with each loop reduced to one round; '' where nothing but loops is left of it."""
    words = _without_stutter(text)
    while (loop := find_loop([fold(word) for word in words])) is not None:
        if len(words) - loop.unit * loop.repeats < 2:
            return ""
        words = words[: loop.first + loop.unit] + words[loop.end :]
    return " ".join(words)


def loops(text: str) -> bool:
    """Whether any part of `text` is a loop, or all of it repeats itself without an exact one."""
    words = text.split()
    return len(_without_stutter(text)) < len(words) or find_loop([fold(word) for word in words]) is not None


def repeats_itself(text: str) -> bool:
    """Stricter than `loops`: whether a stretch of `MIN_ECHO_WORDS` or more is said twice in a row.

    People do that too, so it is a reason to listen again, never one to drop.
    """
    words = [fold(word) for word in text.split()]
    return loops(text) or any(
        words[first : first + unit] == words[first + unit : first + 2 * unit]
        for unit in range(MIN_ECHO_WORDS, len(words) // 2 + 1)
        for first in range(len(words) - 2 * unit + 1)
    )


def compression_ratio(text: str) -> float:
    """len(utf-8) / len(zlib), as Whisper's authors measure repetition; 0 for an empty text."""
    data = text.encode("utf-8", errors="replace")
    return len(data) / len(zlib.compress(data)) if data else 0.0


def fold(word: str) -> str:
    """A word without case and the punctuation around it; a mark that stands alone stays."""
    return _EDGE.sub("", word).casefold() or word


def _repeats(words: list[str], first: int, unit: int) -> int:
    pattern = words[first : first + unit]
    count = 1
    while words[first + count * unit : first + (count + 1) * unit] == pattern:
        count += 1
    return count


def _without_stutter(text: str) -> list[str]:
    """The words, less those that only stutter: "Mmmmmmmm", "hahahahahahaha", "000000000000"."""
    return [word for word in text.split() if not _STUTTER.fullmatch(fold(word))]
