"""What memories have in common: people, places and things that two or more of them name (pure).

By form alone: a capitalised word inside a sentence is a name, a preposition of place before it makes it a place, and a
telling word that a few memories share is a thing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from junod.extract.words import STOP_WORDS, key
from junod.records import Memory
from junod.web.agenda import title

Kind = Literal["person", "place", "thing"]
MAX_SHARED = 80
"""More stars than that are no picture any more."""
MAX_SHARE = 0.3
"""What more than this share of the memories name ('list') tells none of them apart."""
MIN_WORD_CHARS = 3


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_WORD = re.compile(r"[^\W\d_][\w'’]*")
_PLACE_BEFORE = frozenset({"in", "at", "to", "from", "near", "into"})
_NO_NAMES = _words(
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april "
    "may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec"
)
_LIGHT = _words("shopping list every day week month year need buy get call morning afternoon evening come start please")


@dataclass(frozen=True, slots=True)
class Star:
    id: str
    kind: Kind
    label: str
    memories: tuple[str, ...]
    """Ids of those that name it, at least two."""


def shared(memories: Sequence[Memory]) -> tuple[Star, ...]:
    """The people, places and things that at least two memories name, the most named first."""
    texts = {memory.id: title(memory).split(" — ")[0] for memory in memories}
    names = _names(texts.values())
    places = _places(texts.values(), names)
    named: dict[str, set[str]] = defaultdict(set)
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    for memory_id, text in texts.items():
        for word in map(_bare, _WORD.findall(text)):
            if word in names or _is_telling(word):
                stem = word.casefold() if word in names else key(word.casefold())
                named[stem].add(memory_id)
                labels[stem][word] += 1
    most = max(3, int(MAX_SHARE * len(memories)))
    chosen = sorted((stem for stem, ids in named.items() if 2 <= len(ids) <= most), key=lambda s: (-len(named[s]), s))
    return tuple(_star(stem, named[stem], labels[stem], names, places) for stem in chosen[:MAX_SHARED])


def _star(stem: str, ids: set[str], labels: Mapping[str, int], names: set[str], places: set[str]) -> Star:
    label = max(labels, key=lambda word: (labels[word], word))
    kind: Kind = "thing" if label not in names else "place" if label in places else "person"
    return Star(f"{kind}:{stem}", kind, label, tuple(sorted(ids)))


def _names(texts: Iterable[str]) -> set[str]:
    """Words with a capital letter where none has to be."""
    found: set[str] = set()
    for text in texts:
        for sentence in re.split(r"[.!?:]\s+", text):
            words = [_bare(word) for word in _WORD.findall(sentence)]
            found |= {
                word for word in words[1:] if word[:1].isupper() and word.casefold() not in _NO_NAMES | STOP_WORDS
            }
    return found


def _places(texts: Iterable[str], names: set[str]) -> set[str]:
    """Names that stand behind a preposition of place more often than not."""
    votes: Counter[str] = Counter()
    for text in texts:
        words = [_bare(word) for word in _WORD.findall(text)]
        for before, word in pairwise(words):
            if word in names:
                votes[word] += 1 if before.casefold() in _PLACE_BEFORE else -1
    return {word for word, vote in votes.items() if vote > 0}


def _is_telling(word: str) -> bool:
    low = word.casefold()
    return len(low) >= MIN_WORD_CHARS and low not in STOP_WORDS | _LIGHT | _NO_NAMES


def _bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)
