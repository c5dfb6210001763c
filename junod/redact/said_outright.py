"""Secrets whose own wording gives them away, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from junod.redact.numbers import DIGIT_WORDS, REPEATS, TEENS, TENS

_NUMBER = rf"(?:\d+|{'|'.join(map(re.escape, (*DIGIT_WORDS, *TEENS, *TENS, *REPEATS, 'hundred')))})"
NUMBERS = rf"{_NUMBER}(?:[\s,-]+{_NUMBER})*"
_SYMBOL = (
    r"exclamation(?: mark| point)?|under ?score|dollar sign|hash ?tag|hash|asterisk|ampersand|at sign|question mark"
)
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        # And the code? Marigold seven seven.
        r"\bcodes?(?:'s|\s+is|\s*\?)\s+(?!(?:only|just|like|about|these|those|take|there|after|from|with|have|were|last|"
        rf"first|next|under|over|between|almost|nearly|{_NUMBER})\b)([a-z]{{4,}}[\s,-]+{NUMBERS})\b",
        # Robin with a capital R, nineteen seventy-four.
        rf"\b(\w+,? with an? (?:capital|big) [a-z],?(?: and)? {NUMBERS})\b",
        # Capital R, seven, badger, eight eight, exclamation mark.
        rf"\b(capital [a-z]\b[^.?!\n]{{2,60}}?\b(?:{_SYMBOL})(?:[\s,]+{NUMBERS})?)",
        # It's asking for the four digit, that's two four six eight.
        r"\b(?:four|five|six|eight|4|5|6|8)[ -]digits?\b(?: (?:code|number|pin|one|thing))?[\s,:]*"
        rf"(?:that's|it's|is)\s+({NUMBERS})\b",
        # The code you just sent by SMS is nine zero nine, one four four.
        rf"\bcode (?:you|they|that|i|it|from|in|on|by)\b[^.?!\n]{{0,40}}?\bis\s+({NUMBERS})\b",
        # They ask for the word, and the word is biltong.
        r"\bask(?:s|ed|ing)? (?:you )?for (?:the|a|our|your) word\b[^.?!\n]{0,30}?"
        r"\b(?:word is|word's|it's|it is|say|you say)\s+([\w'-]+)",
    )
)


def secrets_said_outright(lowered: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each in a text in lower case."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(lowered):
            yield match.span(1)
