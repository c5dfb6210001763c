"""Words with their places in a transcript, numbered by sentence.

Everything in this package works on these tokens, so that a recogniser's punctuation ("8-1-9, 4-4-6", "D E, eight nine")
is seen once, in one place, as the gap in front of a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MASK_LABELS = ("card number", "security code", "account number", "id number", "one-time code", "code", "password")
"""What a mask says: `[code]`; also the values of `Masked.found`."""

MASK_PATTERN = re.compile(r"\[(?:" + "|".join(MASK_LABELS) + r")\]")

_TOKEN_PATTERN = re.compile(
    MASK_PATTERN.pattern + r"|[^\W_]+(?:['’][^\W_]+)*|[$£€¥#*@%+_!&=\\/]",
)
_SENTENCE_END_PATTERN = re.compile(r"[.!?…;](?:[\s\"'”’)]|$)|\n")


def word_set(*lines: str) -> frozenset[str]:
    """The blank-separated words of `lines`."""
    return frozenset(" ".join(lines).split())


_SENTENCE_STARTERS = word_set("and but so i you he she we they it the oh well because yeah no there what")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, a symbol or a mask."""

    text: str
    lower: str
    """Lower-cased, with a plain apostrophe."""
    start: int
    end: int
    gap: str
    """What stands between the previous token and this one."""
    sentence: int
    is_mask: bool = False

    @property
    def follows_closely(self) -> bool:
        """Whether only blanks or a hyphen separate it from the token before."""
        return self.gap.strip() in ("", "-")


def tokenize(text: str) -> list[Token]:
    """Split `text` into tokens; their `start` and `end` are offsets into `text`."""
    tokens: list[Token] = []
    sentence, length, previous_end = 0, 0, 0
    for match in _TOKEN_PATTERN.finditer(text):
        gap = text[previous_end : match.start()]
        word = match.group()
        length += 1
        if _SENTENCE_END_PATTERN.search(gap) or length > _breath_words(word):
            sentence, length = sentence + 1, 0
        is_mask = word.startswith("[")
        tokens.append(
            Token(word, word.lower().replace("’", "'"), match.start(), match.end(), gap, sentence, is_mask),
        )
        previous_end = match.end()
    return tokens


def _breath_words(word: str) -> int:
    """Longest sentence, in tokens, before `word`: recognisers may write no punctuation at all."""
    return 30 if word.lower() in _SENTENCE_STARTERS else 60


def sentence_ranges(tokens: Sequence[Token]) -> list[range]:
    """Token index range of each sentence, in order; sentence numbers are positions in this list."""
    ranges: list[range] = []
    first = 0
    for index, token in enumerate(tokens):
        if token.sentence != tokens[first].sentence:
            ranges.extend(_filled(ranges, tokens[first].sentence, range(first, index)))
            first = index
    if tokens:
        ranges.extend(_filled(ranges, tokens[first].sentence, range(first, len(tokens))))
    return ranges


def _filled(ranges: Sequence[range], sentence: int, found: range) -> list[range]:
    """`found`, after an empty range for every sentence number without a token."""
    return [range(found.start, found.start)] * (sentence - len(ranges)) + [found]
