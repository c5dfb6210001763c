"""Words that stand for a person or a thing in a rule: tidied, and told from words that name nothing (pure)."""

from __future__ import annotations

import re

from junod.extract.words import content, keys

_CALLED = re.compile(r"^(?:the )?(?:name|word) ", re.IGNORECASE)
_EACH_TIME = re.compile(r" (?:every (?:single )?time|each time|always|ever)$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:all (?:the )?|any(?: more)?|the|a|an|some|more)\s+", re.IGNORECASE)
_NAMES_NOTHING = re.compile(
    r"(?:it|that|this|them|those|these|they|he|she|him|her|you|me|us|anything|everything|something|nothing|one|so|"
    r"the way|there|here|yes|no|stop|now|never|jump|please|i|we|what|who|all|the thing)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:]|^(?:it|that|this|them|those|these|from|to|for|in|on|at|by|with|before|after|he|she|they|you|i|we|what|who|which|if|when|why|"
    r"never|always|well|business|nothing|everything|trouble)\b|\b(?:is|are|was|were|will|would|have|has|had|it's|i|we|it|don't|"
    r"that's|you|he|she|they)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"^(?:(?:my|our|your|the|his|her)\s|[A-ZÀ-Þ]|(?:doctor|dr|mr|mrs|ms|miss|uncle|aunt|auntie|grandma|grandpa|granny|"
    r"nurse|cousin)\b)"
)
_FUNCTION = frozenset((
    "the", "a", "an", "my", "our", "your", "his", "her", "their", "its", "that", "this", "it", "them", "me", "us",
    "you", "him", "here", "there", "mind", "well", "hand", "fact", "time", "case", "order", "particular", "general",
    "place", "bin", "table", "past",
))  # fmt: skip
MAX_WORDS = 6


def thing(words: str) -> str:
    """The thing alone: 'all the garden' -> 'garden'. The article of 'the car' is dropped too."""
    text = " ".join(words.split()).strip(" ,.;:\"'“”")
    return _ARTICLE.sub("", _EACH_TIME.sub("", text))


def name(words: str) -> str:
    """A name as said, its article kept: 'the Beast'."""
    return _CALLED.sub("", " ".join(words.split())).strip(" ,.;:\"'“”")


def is_empty(words: str) -> bool:
    """It names nothing: a pronoun, or grammar alone."""
    return not words or _NAMES_NOTHING.fullmatch(words) is not None or not content(words)


def is_thing(words: str) -> bool:
    """A short noun phrase, no clause."""
    return len(words.split()) <= MAX_WORDS and not _CLAUSE.search(words)


def is_somebody(words: str, *, sure: bool) -> bool:
    """Whether the words can say whom or what a name means: 'my mum', 'Grandma Ellen', 'the big freezer'.

    Args:
        sure: the sentence says that it holds from now on; then any noun phrase will do.
    """
    if not words or len(words.split()) > 8 or is_empty(words) or _CLAUSE.search(words):
        return False
    return sure or _SOMEBODY.search(words) is not None


def is_function_word(word: str) -> bool:
    return word in _FUNCTION


def same(one: str, other: str) -> bool:
    return keys(_ARTICLE.sub("", one)) == keys(_ARTICLE.sub("", other))
