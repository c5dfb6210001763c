"""A memory read for comparing: its list, or the time, numbers, names and telling words of its sentence (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from junod.dedup import lists
from junod.dedup.cues import speaks_of_change
from junod.dedup.lists import Item
from junod.dedup.times import Times, find_times
from junod.extract.words import STOP_WORDS, Word, key, negations, words
from junod.records import Memory

_DASH = " — "
"""Stands between a memory's sentence and its resolved time: 'Dentist for Leo — Tue 31 Mar 2026, 15:00'."""
_STRUCK = re.compile(r"^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?~~.*~~\s*$")
_WISH = re.compile(
    r"^(?:(?:we|i) )?(?:(?:also )?(?:buy|pick up some|(?:(?:we|i)(?:['’]re| are|['’]m) )?(?:all )?out of|"
    r"(?:we['’]ve |we have )?(?:ran|run) out of)|(?:need|grab|get)(?: some| more)?"
    r"(?! (?:a|an|to|the|more time|help)\b))"
    r"\s+(?P<items>[^.:!?]+?)(?: again| please| too| as well)*[.!]?$",
    re.IGNORECASE,
)
_WISH_WORDS = 6
_SYNONYMS = (
    ("mum", "mom", "mother", "mama"), ("dad", "father", "papa"), ("grandma", "granny", "nana", "gran", "grandmother"),
    ("grandpa", "granddad", "grandad", "grandfather"), ("call", "ring", "phone", "telephone"),
    ("doctor", "gp", "dr"), ("trash", "rubbish", "garbage", "bin", "bins"), ("pay", "paid"), ("cell", "mobile"),
    ("movie", "film"), ("holiday", "vacation"), ("soccer", "football"), ("practice", "practise", "training"),
    ("birthday", "bday"), ("vet", "veterinarian", "vets"), ("kid", "child"), ("collect", "fetch"),
)  # fmt: skip
_GROUPS = {key(word): group for group in _SYNONYMS for word in group}
_CANONICAL = {key(word): key(group[0]) for group in _SYNONYMS for word in group}


def _stems(listed: str) -> frozenset[str]:
    return frozenset(map(key, listed.split()))


_CHANGE_KEYS = _stems(
    "moved move moves moving changed change changes changing rescheduled reschedule postponed postpone pushed push "
    "delayed delay shifted shift switched switch instead actually correction brought forward earlier later new longer "
    "anymore any more again already rather than still cancelled canceled"
)
"""Words that say that something changed, not what it is; they do not count when two texts are compared."""
_LIGHT_KEYS = _stems("visit coming comes scheduled set confirmed confirm session okay ok please so")
_POLAR = (("on", "off"), ("to", "from"), ("in", "out"), ("up", "down"), ("left", "right"), ("before", "after"))
_PERSONS = (("we", "us"), ("i", "me"), ("he", "him"), ("they", "them"), ("she", "her"))
_NOT_NAMES = _stems(
    "i monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march "
    "april may june july august september october november december jan feb mar apr jun jul aug sep oct nov dec ok "
    "okay tv pm am"
)
_OWN = {"my": "speaker", "mine": "speaker", "our": "household", "ours": "household", "your": "listener", "his": "him",
        "her": "her", "hers": "her", "their": "them", "theirs": "them"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parsed:
    """One memory as the rules see it."""

    memory: Memory
    header: str
    """Key of its list; '' where it is none."""
    header_line: str
    items: tuple[Item, ...]
    is_wish: bool
    """A sentence that only names things to buy; joins a shopping list, but is none while it stands alone."""
    sentence: str
    """Its first line without the resolved time."""
    said: str
    """The resolved time as written after the dash; '' = none."""
    extra: tuple[str, ...]
    """Further lines: quoted talk, remarks."""
    times: Times
    content: frozenset[str]
    """What it is about: stems without grammar, time, numbers and words of change."""
    terms: tuple[tuple[str, ...], ...]
    """The same words as written, each with its synonyms: what to look for in the store."""
    numbers: frozenset[str]
    names: tuple[str, ...]
    """In order; capitalised inside the sentence, or known as names from other memories."""
    owners: frozenset[str]
    negations: int
    may_change: bool
    """It or its transcript speaks of some change; what it made of that before, as a merge, does not count."""

    @property
    def at(self) -> tuple[datetime, str]:
        """Order of speech."""
        return self.memory.spoken_at, self.memory.id

    @property
    def is_list(self) -> bool:
        return bool(self.header)

    def turns_round(self, other: Parsed) -> bool:
        """Whether who does it to whom differs: 'Olga gave us the bowl', 'we gave Olga the bowl'."""
        mine, theirs = _small_words(self.sentence), _small_words(other.sentence)
        return any(
            (does in mine and done in theirs and does not in theirs)
            or (does in theirs and done in mine and does not in mine)
            for does, done in _PERSONS
        )

    def polarity(self, other: Parsed) -> bool:
        """Whether the two say opposite things by a small word: on and off, to and from."""
        mine, theirs = _small_words(self.sentence), _small_words(other.sentence)
        return any(
            (a in mine and b not in mine and b in theirs and a not in theirs)
            or (b in mine and a not in mine and a in theirs and b not in theirs)
            for a, b in _POLAR
        )


def is_done(memory: Memory) -> bool:
    """Struck through: it blocks nothing and is never revived."""
    lines = [line for line in memory.memory.splitlines() if line.strip()]
    return memory.source == "done" or (bool(lines) and all(_STRUCK.match(line) for line in lines))


def parse(memory: Memory, known_names: frozenset[str] = frozenset()) -> Parsed:
    """Read a memory.

    Args:
        known_names: stems of words that are names elsewhere, so that one at the head of a sentence is recognised.
    """
    lines = [line.rstrip() for line in memory.memory.splitlines() if line.strip()] or [""]
    head, *rest = lines
    listed = [line for line in rest if not line.startswith(">")]
    quotes = tuple(line for line in rest if line.startswith(">"))
    texts = lists.bullets(listed)
    if texts is not None and lists.header_key(head):
        return _parsed(memory, head, quotes, known_names, lists.header_key(head), lists.read_items(texts))
    wish = _WISH.match(head) if not rest and memory.expires_at is None else None
    if wish and len(head.split()) <= _WISH_WORDS and find_times(head).is_empty and not _names(head, known_names):
        return _parsed(memory, head, (), known_names, lists.SHOPPING, lists.read_items([wish["items"]]), is_wish=True)
    return _parsed(memory, head, tuple(rest), known_names, "", ())


def name_keys(text: str) -> frozenset[str]:
    """Stems of the words that are surely names in a text: capitalised where no sentence begins."""
    return frozenset(map(stem, _capitalised(text)))


@lru_cache(maxsize=256)
def tokens(text: str) -> tuple[Word, ...]:
    """`extract.words.words`, remembered while one text is looked at from several sides."""
    return tuple(words(text))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """`extract.words.key`, remembered: the same words come again and again."""
    return key(word)


@lru_cache(maxsize=8192)
def canonical(word: str) -> str:
    """Stem of a word, the same for words that mean the same."""
    return _CANONICAL.get(stem(word), stem(word))


def _parsed(
    memory: Memory,
    head: str,
    extra: tuple[str, ...],
    known_names: frozenset[str],
    header: str,
    items: tuple[Item, ...],
    *,
    is_wish: bool = False,
) -> Parsed:
    sentence, dash, said = head.rpartition(_DASH)
    if not dash or find_times(said).is_empty:
        sentence, said = head, ""
    sentence_times = find_times(sentence)
    carrying = _carrying(sentence_times.rest)
    return Parsed(
        memory=memory,
        header=header,
        header_line=head if header and not is_wish else "",
        items=items,
        is_wish=is_wish,
        sentence=sentence.strip(),
        said=said.strip(),
        extra=extra,
        times=find_times(f"{sentence} ; {said}") if said else sentence_times,
        content=frozenset(canonical(word) for word in carrying),
        terms=tuple(dict.fromkeys(_synonyms(word) for word in carrying)),
        numbers=_numbers(sentence_times.rest),
        names=_names(sentence, known_names),
        owners=frozenset(_OWN[low] for word in tokens(sentence) if (low := word.text.lower()) in _OWN),
        negations=negations(sentence),
        may_change=memory.source != "merge" and speaks_of_change(sentence, memory.transcript),
    )


def _carrying(rest: str) -> list[str]:
    """The words of a sentence, time words gone, that say what it is about."""
    found = [word.text for word in tokens(rest) if _tells(word.text)]
    return [word for word in found if stem(word) not in _LIGHT_KEYS] or found


@lru_cache(maxsize=8192)
def _tells(word: str) -> bool:
    """A word that says what a sentence is about: no grammar, no number, no word of change."""
    root = stem(word)
    if word.lower() in STOP_WORDS or root in STOP_WORDS or root in _CHANGE_KEYS:
        return False
    return len(root) > 1 and not root[0].isdigit() and not negations(word)


def _numbers(rest: str) -> frozenset[str]:
    """Numbers in digits; 'thirty-four' is one."""
    found: list[str] = []
    for number in (stem(word.text) for word in tokens(rest) if stem(word.text)[:1].isdigit()):
        tens = found and found[-1] in _ROUND and number in _SINGLE
        found.append(str(int(found.pop()) + int(number)) if tens else number)
    return frozenset(found)


_ROUND = ("20", "30", "40", "50", "60", "70", "80", "90")
_SINGLE = tuple("123456789")


def _synonyms(word: str) -> tuple[str, ...]:
    plain = word.replace("’", "'").split("'")[0].lower()
    return tuple(dict.fromkeys((plain, *_GROUPS.get(stem(plain), ()))))


def _names(sentence: str, known: frozenset[str]) -> tuple[str, ...]:
    found = [stem(word) for word in _capitalised(sentence)]
    first = next(iter(tokens(sentence)), None)
    if (
        first is not None
        and (stem(first.text) in known or re.search(r"['’]s$", first.text))
        and first.text[:1].isupper()
    ):
        found.insert(0, stem(first.text))
    return tuple(dict.fromkeys(_CANONICAL.get(name, name) for name in found))


def _capitalised(text: str) -> list[str]:
    found = []
    for word in tokens(text):
        before = text[: word.start].rstrip(" \"'(“‘[")
        opens = not before or before[-1] in ".!?:;>\n—–…-"
        low = word.text.lower().replace("’", "'").split("'")[0]
        if word.text[:1].isupper() and not opens and stem(word.text) not in _NOT_NAMES and low not in STOP_WORDS:
            found.append(word.text)
    return found


def _small_words(sentence: str) -> frozenset[str]:
    return frozenset(word.text.lower() for word in tokens(sentence))
