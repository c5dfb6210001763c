"""Tables of number words, letter words and what may stand between them in a dictated code."""

from __future__ import annotations

import re

from junod.redact.tokens import word_set


def _numbered(words: str, first: int) -> dict[str, str]:
    return {word: str(value) for value, word in enumerate(words.split(), first)}


DIGIT_WORDS = {
    **dict.fromkeys(word_set("zero oh o nought naught zeros zeroes ohs os o's"), "0"),
    **_numbered("one two three four five six seven eight nine", 1),
    **_numbered("ones twos threes fours fives sixes sevens eights nines", 1),
    "niner": "9",
}
TEENS = _numbered("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10)
TENS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 2) | {"fourty": "4"}
PLURALS = word_set("zeros zeroes ohs ones twos threes fours fives sixes sevens eights nines")
HOMOPHONES = {"to": "2", "too": "2", "for": "4", "ate": "8", "won": "1"}
REPEATS = {"double": 2, "triple": 3, "treble": 3, "quadruple": 4}
MAGNITUDES = {"hundred": 2, "thousand": 3}
NATO = {
    word: word[0]
    for word in word_set(
        "alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar",
        "papa quebec romeo sierra tango uniform victor whiskey whisky xray yankee zulu",
    )
}
SYMBOL_WORDS = word_set("dash hyphen minus slash dot underscore hash hashtag star asterisk space pound stroke")
FILLERS = word_set("uh um er erm ah then wait and # * - _ / \\") | SYMBOL_WORDS
LETTER_WORDS = word_set("a i")
"""Single letters that are words too."""
DETERMINERS = word_set(
    "this that the which new old other first last each every another no any only big small right wrong"
)


def is_number_word(word: str) -> bool:
    """Whether `word`, in lower case, is a number or says one."""
    return word.isdecimal() or any(word in table for table in (DIGIT_WORDS, TEENS, TENS, REPEATS, MAGNITUDES))


_BENIGN_WRITTEN = re.compile(
    r"(?<![\d.,:/-])(?:"
    r"\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?"  # 3:15, 7.30
    r"|\d{1,2}/\d{1,2}/\d{2,4}|\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}\S*)?"  # dates
    r"|\d{1,3}(?:,\d{3})*\.\d{1,2}"  # decimals
    r")(?![.,:/-]?\d)"
    r"|[$£€¥]\s?\d[\d,.]{0,20}(?:\s?(?:k|million|billion|thousand)\b)?"
    r"|(?<![\d,.])\d[\d,.]{0,20}\s?(?:%|[€£°])"
)


def benign_written_spans(text: str) -> list[tuple[int, int]]:
    """Character spans of clock times, dates, decimals and prices written in figures."""
    return [match.span() for match in _BENIGN_WRITTEN.finditer(text)]
