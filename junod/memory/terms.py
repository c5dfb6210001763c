"""What a query asks for: its telling words, what else they may stand for, and how much each of them says.

Nothing here knows the database: what the memories hold of a word is asked through `Vocabulary`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Protocol

from rapidfuzz.distance import OSA

from junod.memory import lexicon
from junod.memory.kinds import SURE, asked_for
from junod.memory.thesaurus import Thesaurus, household, stemmed
from junod.memory.words import telling_words, word_spans

BACKGROUND_MEMORIES = 1_000
"""What is known of English weighs as much as so many memories: a new household's own counts say little."""
TYPO_WEIGHT = 0.9
DATE_WEIGHT = 10.0
"""A day and its month together say more than both apart: as much as a word that stands nowhere else."""
COMMON_SHARE = 0.02
COMMON_FROM = 500
"""A word in more memories than both say is common."""
MAX_CORRECTED = 8
"""Unknown words of a query that are compared with the whole vocabulary."""
MAX_RELATED = 24
"""Of what the thesaurus gives for a word, so much counts: what stands in a memory, the surest first."""
MAX_RELATED_SOUGHT = 24
"""Of what it gives for all words together, so much is looked up."""
MAX_RELATED_WORDS = 12
"""A longer query speaks of a thing in many ways by itself."""
_MAX_GUESSES = 3
_SHORTEST_STEM = 3
_LONG_STEM = 5
_NUMBERS = tuple(
    tuple(pair.split())
    for pair in (
        "zero zeroth", "one first", "two second", "three third", "four fourth", "five fifth", "six sixth",
        "seven seventh", "eight eighth", "nine ninth", "ten tenth", "eleven eleventh", "twelve twelfth",
    )
)  # fmt: skip
_CALENDAR = tuple(
    tuple(names.split())
    for names in (
        "january jan", "february feb", "march mar", "april apr", "june jun", "july jul", "august aug",
        "september sept sep", "october oct", "november nov", "december dec", "monday mon", "tuesday tue",
        "wednesday wed", "thursday thu", "friday fri", "saturday sat", "sunday sun",
    )
)  # fmt: skip
_MONTHS = {name: names[0][:3] for names in _CALENDAR[:11] for name in names} | {"may": "may"}
_DIGITS = re.compile(r"(\d{1,9})(?:st|nd|rd|th|am|pm)?")


class Vocabulary(Protocol):
    """The words of all memories."""

    def size(self) -> int:
        """How many memories there are, about."""
        ...

    def counts(self, stems: Sequence[str]) -> Mapping[str, int]:
        """In how many memories each of the stems stands."""
        ...

    def like(self, word: str, fits: Callable[[str], bool]) -> Sequence[str]:
        """Words that begin as this one does and stand in a memory, of which `fits` says yes to the stem."""
        ...


@dataclass(frozen=True, slots=True)
class Term:
    """One telling word of a query."""

    word: str
    """As typed, in lower case."""
    stems: Mapping[str, float]
    """What counts as this word in a memory, and how much: 1 for the word itself, less for a guess; {} = nothing."""
    weight: float
    """How much it says: high for what is rare in this household and in English."""
    is_common: bool = False
    """It stands in so many memories that whoever has it alone is no candidate."""
    meant: str = ""
    """The word it was taken for; '' = itself."""
    related: Mapping[str, float] = field(default_factory=dict)
    """What else may stand for it, by the thesaurus, as `stems`; stems that follow each other have a space between."""


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    """As typed, with slips corrected: what the embedding model reads."""
    terms: tuple[Term, ...]
    related: str = ""
    """Words to be looked up besides: what the thesaurus gives, at most MAX_RELATED_SOUGHT of them."""

    @property
    def words(self) -> str:
        """The words to be looked up in the word index: without the common ones; the rarest two where all are common."""
        there = [term for term in self.terms if term.stems]
        rarest = sorted(there, key=lambda term: -term.weight)[:2]
        sought = [term for term in there if not term.is_common] or rarest or self.terms
        return " ".join(dict.fromkeys(word for term in sought for word in (term.word, *term.stems)))


def understood(text: str, vocabulary: Vocabulary, thesaurus: Thesaurus | None = None) -> Query:
    """What a query asks for. Any text is one; without a word in it there are no terms.

    Args:
        thesaurus: None = the one that comes with junod.
    """
    words = telling_words(text)
    kinds = asked_for(words)
    words = [word for word in words if word in kinds] or words
    given = {} if kinds or len(words) > MAX_RELATED_WORDS else _given(text, words, thesaurus or household())
    size = vocabulary.size()
    forms = {word: [word, *_other_forms(word)] for word in words}
    wanted = [*forms.values(), *kinds.values()]
    sought = [lexicon.stem(form) for each in wanted for form in each]
    counts = vocabulary.counts(sought + [stem for each in given.values() for other in each for stem in _stems(other)])
    given = {word: _there(others, counts) for word, others in given.items()}
    terms: list[Term] = []
    corrected = 0
    for word in words:
        stems = {stem: SURE for each in kinds.get(word, ()) if counts.get(stem := lexicon.stem(each))}
        stems |= {stem: 1.0 for form in forms[word] if counts.get(stem := lexicon.stem(form))}
        meant: tuple[str, ...] = ()
        if not stems and corrected < MAX_CORRECTED and _may_be_a_slip(word):
            corrected += 1
            meant = correct(word, vocabulary)
            stems = {lexicon.stem(guess): TYPO_WEIGHT for guess in meant}
            counts = {**counts, **vocabulary.counts(list(stems))}
        found_in = max((counts.get(stem, 0) for stem in stems), default=0)
        first = meant[0] if meant else ""
        related = {stemmed(other): sure for other, sure in reversed(given.get(word, {}).items())}
        terms.append(
            Term(word, stems, weight(first or word, found_in, size), _is_common(found_in, size), first, related)
        )
    dates = [Term(date, {date: 1.0}, DATE_WEIGHT) for date in sorted(_dates(text))]
    return Query(_corrected(text, terms), (*terms, *dates), _besides(terms, given, counts, size))


def _given(text: str, words: Sequence[str], thesaurus: Thesaurus) -> dict[str, dict[str, float]]:
    given = thesaurus.given([word for word, _, _ in word_spans(text)])
    return {word: given[word] for word in words if word in given}


def _stems(entry: str) -> list[str]:
    return stemmed(entry).split()


def _there(given: Mapping[str, float], counts: Mapping[str, int]) -> dict[str, float]:
    """What is given and may stand in a memory, the surest and rarest first, no more than MAX_RELATED."""
    found_in = {entry: min(counts.get(stem, 0) for stem in _stems(entry)) for entry in given}
    there = sorted((entry for entry in given if found_in[entry]), key=lambda entry: (-given[entry], found_in[entry]))
    return {entry: given[entry] for entry in there[:MAX_RELATED]}


def _besides(
    terms: Iterable[Term], given: Mapping[str, Mapping[str, float]], counts: Mapping[str, int], size: int
) -> str:
    """The rarest word of each that is given, those that say most first; common ones left out."""
    worth: dict[str, float] = {}
    for term in terms:
        for entry, sure in given.get(term.word, {}).items():
            rarest = min(telling_words(entry), key=lambda word: counts[lexicon.stem(word)])
            if not _is_common(counts[lexicon.stem(rarest)], size):
                worth[rarest] = max(term.weight * sure, worth.get(rarest, 0.0))
    return " ".join(sorted(worth, key=lambda word: -worth[word])[:MAX_RELATED_SOUGHT])


def _is_common(found_in: int, size: int) -> bool:
    return found_in > max(COMMON_FROM, COMMON_SHARE * size)


def weight(word: str, found_in: int, size: int) -> float:
    """Inverse document frequency over the memories and what English expects of so many more."""
    expected = BACKGROUND_MEMORIES * lexicon.frequency(word)
    return math.log(1 + (size + BACKGROUND_MEMORIES) / (found_in + expected + 0.5))


def correct(word: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The words of the memories that were most likely meant, those with the fewest slips alone."""
    allowed = slips_allowed(word)
    stem = lexicon.stem(word)

    def fits(other: str) -> bool:
        if other.isdigit() or len(other) < _SHORTEST_STEM:
            return False
        beginning = word[: len(other)]
        return min(OSA.distance(one, other, score_cutoff=allowed) for one in (stem, beginning)) <= allowed

    near = [(_slips(word, stem, other), other) for other in vocabulary.like(word, fits)]
    likely = [pair for pair in near if pair[0] <= allowed]
    fewest = min((slips for slips, _ in likely), default=0)
    return tuple(sorted(other for slips, other in likely if slips == fewest)[:_MAX_GUESSES])


def _slips(word: str, stem: str, other: str) -> int:
    """Of the word, or of its stem where that is long: a memory may have another ending than the query."""
    of_word, bare = OSA.distance(word, lexicon.plain(other)), lexicon.stem(other)
    return of_word if len(bare) < _LONG_STEM else min(of_word, OSA.distance(stem, bare))


def slips_allowed(word: str) -> int:
    """Letters swapped, lost, added or changed: none in words of three letters, two in those of seven and more."""
    return 0 if len(word) < 4 else 1 if len(word) < 7 else 2


def coverage(terms: Iterable[Term], text: str) -> float:
    """How much of what the terms ask for stands in a text, 0 to 1."""
    terms = list(terms)
    stems = [lexicon.stem(word) for word, _, _ in word_spans(text)]
    present, row = set(stems), f" {' '.join(stems)} "
    if any(" " in term.word for term in terms):
        present |= _dates(text)
    asked = found = 0.0
    for term in terms:
        asked += term.weight
        itself = (sure for stem, sure in term.stems.items() if stem in present)
        others = (sure for entry, sure in term.related.items() if f" {entry} " in row)
        found += term.weight * max(chain(itself, others), default=0.0)
    return found / asked if asked else 0.0


def _may_be_a_slip(word: str) -> bool:
    return slips_allowed(word) > 0 and word.isalpha() and not lexicon.is_english(word)


def _other_forms(word: str) -> list[str]:
    """'5th' and 'fifth' -> '5'; '5' -> 'five' and 'fifth'; 'nov' -> 'november'."""
    digits = _DIGITS.fullmatch(word)
    if digits:
        number = int(digits[1])
        return [digits[1], *(_NUMBERS[number] if number < len(_NUMBERS) else ())]
    numbers = [str(number) for number, names in enumerate(_NUMBERS) if word in names]
    return numbers + [name for names in _CALENDAR if word in names for name in names if name != word]


def _dates(text: str) -> set[str]:
    """The days of months that a text names: {'9 nov'} for '9th of November' and for 'Nov 9'."""
    words = [word for word, _, _ in word_spans(text) if word not in ("of", "the")]
    pairs = [pair for one, two in pairwise(words) for pair in ((one, two), (two, one))]
    days = [(_DIGITS.fullmatch(day), _MONTHS.get(month)) for day, month in pairs]
    return {f"{int(day[1])} {month}" for day, month in days if day and month and int(day[1]) <= 31}


def _corrected(text: str, terms: Iterable[Term]) -> str:
    meant = {term.word: term.meant for term in terms if term.meant}
    if not meant:
        return text
    pieces, last = [], 0
    for word, start, end in word_spans(text):
        pieces += [text[last:start], meant.get(word, text[start:end])]
        last = end
    return "".join([*pieces, text[last:]])
