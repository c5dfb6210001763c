"""Which pairs of memories are worth judging (pure).

`belongs` is the rule. `reference_pairs` applies it to everything, in chunks: the slow ground truth of 'nothing missed'.
`pairs_among` applies it to what `lookups` found in the store's word index, whose cost does not grow with the history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from junod.dedup.lists import SHOPPING
from junod.dedup.parsed import Parsed
from junod.dedup.policy import change_cue
from junod.memory.kin import Lookup

MANY_WORDS, TWO_WORDS, ONE_WORD = 16, 16, 16
"""Newest memories looked at that have all of a memory's telling words or all but one, any two, and (of two) one."""
LISTS = 60
"""Newest memories with the words of a list's title."""
WIDE = 100
"""The same where a memory has but one such word, or speaks of a change, and so may reach for what shares little."""
MAX_TERMS = 8
_SHOPPING_TERMS: tuple[tuple[str, ...], ...] = (("shopping", "grocery", "groceries"),)

Similarity = Callable[[Parsed, Parsed], float | None]
"""Cosine similarity, -1 to 1; None where one of the two has no vector yet."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories in order of speech."""

    older: Parsed
    newer: Parsed


def belongs(a: Parsed, b: Parsed, similarity: Similarity, threshold: float) -> bool:
    """Whether two memories may have to do with each other.

    One list; or all telling words of the one in the other (one word of many says too little); or some in common where
    the later one speaks of a change: two words, or one and about the same meaning. The rest are different things.
    """
    if a.is_list or b.is_list:
        return a.header == b.header
    shared = a.content & b.content
    if not shared:
        return False
    if shared in (a.content, b.content) and (len(shared) >= 2 or len(a.content | b.content) <= 2):
        return True
    older, newer = sorted((a, b), key=lambda one: one.at)
    if not newer.may_change or not change_cue(older, newer).is_change:
        return False
    if len(shared) >= 2:
        return True
    likeness = similarity(a, b)
    return likeness is not None and likeness >= threshold


def lookups(parsed: Parsed) -> tuple[Lookup, ...]:
    """What to ask the word index so that what `belongs` to a memory is found.

    Sentences that are only a wish ('buy milk') are met among recent memories alone.
    """
    if parsed.is_list:
        words = tuple((word,) for word in parsed.header.split()[:MAX_TERMS])
        titles = _SHOPPING_TERMS if parsed.header == SHOPPING else words
        return (Lookup(titles, len(titles), LISTS),)
    terms = parsed.terms[:MAX_TERMS]
    is_wide = parsed.may_change or len(terms) == 1
    several = {len(terms): MANY_WORDS, len(terms) - 1: MANY_WORDS, 2: WIDE if is_wide else TWO_WORDS}
    each = tuple(Lookup((term,), 1, WIDE if is_wide else ONE_WORD) for term in terms if is_wide or len(terms) == 2)
    return (*(Lookup(terms, count, limit) for count, limit in several.items() if 1 < count <= len(terms)), *each)


def pairs_among(
    focus: Sequence[Parsed], found: Iterable[Parsed], similarity: Similarity, threshold: float
) -> list[Pair]:
    """Pairs of one of `focus` with another of it or with something found, each once, in order of speech."""
    index = _by_word(found, focus)
    recent = {one.memory.id for one in focus}
    seen: set[frozenset[str]] = set()
    pairs = []
    for one in focus:
        others = {other.memory.id: other for word in _index_words(one) for other in index[word]}
        for other in others.values():
            ids = frozenset((one.memory.id, other.memory.id))
            if len(ids) < 2 or ids in seen or (other.is_wish and other.memory.id not in recent):
                continue
            seen.add(ids)
            if belongs(one, other, similarity, threshold):
                pairs.append(Pair(*sorted((one, other), key=lambda each: each.at)))
    return sorted(pairs, key=lambda pair: (pair.newer.at, pair.older.at))


def _by_word(*groups: Iterable[Parsed]) -> dict[str, list[Parsed]]:
    index: dict[str, list[Parsed]] = {}
    for one in {one.memory.id: one for group in groups for one in group}.values():
        for word in _index_words(one):
            index.setdefault(word, []).append(one)
    return index


def _index_words(one: Parsed) -> Iterable[str]:
    """What two memories must have in common to belong together."""
    return (f"list {one.header}",) if one.is_list else one.content


def chunks(history: Sequence[Parsed], size: int, overlap: int) -> Iterator[Sequence[Parsed]]:
    """A history in order of speech, cut into chunks of `size` that share `overlap` memories with the one before."""
    ordered = sorted(history, key=lambda one: one.at)
    step = max(1, size - overlap)
    for start in range(0, max(1, len(ordered) - overlap), step):
        yield ordered[start : start + size]


def reference_pairs(
    focus: Sequence[Parsed],
    history: Sequence[Parsed],
    similarity: Similarity,
    threshold: float,
    size: int,
    overlap: int,
) -> list[Pair]:
    """Every pair that `belongs`, by walking the whole history: the measure of what the word index must find."""
    found: dict[tuple[str, str], Pair] = {}
    for chunk in chunks(history, size, overlap):
        for pair in pairs_among(focus, chunk, similarity, threshold):
            found[pair.older.memory.id, pair.newer.memory.id] = pair
    return sorted(found.values(), key=lambda pair: (pair.newer.at, pair.older.at))
