"""What is known of English words: which exist, how common they are, and their stems.

Adapter of `pyspellchecker` (for its list of words with counts; its own correction is not used) and `snowballstemmer`
(Porter's stemmer, which SQLite's 'porter' tokenizer implements too). Both are loaded at the first question.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spellchecker import SpellChecker

WORDS_IN_MEMORY = 12
"""In a usual memory: what makes the share of running words a share of memories."""


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """'appointments' -> 'appoint', 'lucía' -> 'lucia', as the word index has it."""
    return str(_porter().stemWord(plain(word)))


def plain(word: str) -> str:
    """Without accents: whoever types on a screen leaves them out."""
    if word.isascii():
        return word
    return "".join(each for each in unicodedata.normalize("NFKD", word) if not unicodedata.combining(each))


def is_english(word: str) -> bool:
    """Whether it is a word, in lower case, and no slip of the keyboard."""
    return plain(word) in _english()


def frequency(word: str) -> float:
    """In how many of a hundred memories, say, a word is to be expected, as a share: 0 (never seen) to 1."""
    usage = float(_english().word_usage_frequency(plain(word)))
    return min(1.0, WORDS_IN_MEMORY * usage)


@cache
def _english() -> SpellChecker:
    from spellchecker import SpellChecker

    return SpellChecker(language="en", distance=1)


@cache
def _porter() -> Any:
    from snowballstemmer import stemmer  # type: ignore[import-untyped]

    return stemmer("porter")
