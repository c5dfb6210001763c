"""Comparing words of a memory with words that were spoken (pure).

Equality allows inflection, plurals and the two spellings of a number; it is meant to forgive grammar, never content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

_WORD = re.compile(r"\d+(?:[:.]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|\[[a-z ]+\]")
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12, "twentieth": 20,
    "thirtieth": 30, "fortieth": 40, "fiftieth": 50,
}  # fmt: skip
_NUMBERS = {word: n for n, word in enumerate(_ONES)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_NUMBERS |= {word + "th": n for word, n in _NUMBERS.items() if word + "th" not in _ORDINALS} | _ORDINALS
_NUMBERS |= {"oh": 0, "dozen": 12}
_IRREGULAR = {
    "bought": "buy", "brought": "bring", "came": "come", "went": "go", "goes": "go", "gone": "go", "took": "take",
    "taken": "take", "got": "get", "gotten": "get", "gave": "give", "given": "give", "made": "make", "sent": "send",
    "paid": "pay", "kept": "keep", "left": "leave", "met": "meet", "told": "tell", "said": "say", "saw": "see",
    "flew": "fly", "flown": "fly", "drove": "drive", "wrote": "write", "written": "write", "held": "hold",
    "children": "child", "kids": "kid", "men": "man", "women": "woman", "people": "person", "feet": "foot",
    "teeth": "tooth", "knives": "knife", "wives": "wife", "loaves": "loaf", "leaves": "leave", "moved": "move",
    "found": "find", "rang": "ring", "sold": "sell", "lent": "lend", "hung": "hang", "ran": "run", "picked": "pick",
}  # fmt: skip
_STOP = (
    "a an the this that these those and or but so of to for from with without at in on by about into onto over as "
    "i me my mine we us our ours you your yours he him his she her hers it its they them their theirs "
    "is are was were be been being am do does did done has have had having will would shall can could may must "
    "there here now then just also too very please not no need needs needed want wants get gets getting go goes going "
    "remind reminder remember appointment event shopping list memory note due scheduled starts start happens "
    "day date time who what where when which up out off "
    "ll ve re s d m t "
)
STOP_WORDS = frozenset(_STOP.split())
"""Words that carry no claim of their own: grammar, and the names of what a memory is."""
NEGATIONS = frozenset(("not", "no", "never", "none", "nothing", "nobody", "without", "cannot", "neither", "nor"))


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text and where it stands."""

    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        return key(self.text)

    @property
    def is_content(self) -> bool:
        return self.text.lower() not in STOP_WORDS and bool(self.key) and self.key not in STOP_WORDS


def words(text: str) -> list[Word]:
    """Words and numbers of `text`, hyphens and punctuation apart."""
    return [Word(match.group(), match.start(), match.end()) for match in _WORD.finditer(text)]


def key(word: str) -> str:
    """What two spellings of a word have in common: number words as digits, then the stem."""
    low = word.lower().replace("’", "'")
    if re.fullmatch(r"\d+(st|nd|rd|th)?", low):
        return re.sub(r"\D", "", low).lstrip("0") or "0"  # int() refuses thousands of digits
    low = low.split("'")[0] if not low.endswith("n't") else low
    if low in _NUMBERS:
        return str(_NUMBERS[low])
    return _stem(_IRREGULAR.get(low, low))


def keys(text: str) -> set[str]:
    """Keys of all words of `text`, with the numbers that neighbouring number words make ('twenty five' = 25)."""
    spoken = [word.key for word in words(text)]
    found = set(spoken)
    for left, right in pairwise(spoken):
        if left.isdecimal() and right.isdecimal():
            found.add(left + right)
            if len(left) == 2 and left >= "20" and left[1] == "0" and len(right) == 1 and right != "0":
                found.add(str(int(left) + int(right)))
    for clock in [k for k in spoken if ":" in k or "." in k]:
        found |= {part.lstrip("0") or "0" for part in re.split(r"[:.]", clock)}
    return found


def is_grounded(word: Word, spoken: set[str]) -> bool:
    """Whether `word` (or each part of a clock time) is among the keys that were spoken."""
    if word.key in spoken:
        return True
    parts = re.split(r"[:.]", word.text)
    if len(parts) > 1:
        return all((part.lstrip("0") or "0") in spoken or part == "00" for part in parts)
    return any(word.key.isalpha() and _same_stem(word.key, other) for other in spoken)


def ungrounded(text: str, spoken: set[str]) -> list[Word]:
    """Content words of `text` that were not spoken."""
    return [word for word in words(text) if word.is_content and not is_grounded(word, spoken)]


def content(text: str) -> list[str]:
    return [word.key for word in words(text) if word.is_content]


def negations(text: str) -> int:
    return sum(word.text.lower() in NEGATIONS or word.text.lower().replace("’", "'").endswith("n't")
               for word in words(text))  # fmt: skip


def four_grams(text: str) -> set[tuple[str, ...]]:
    plain = [word.text.lower() for word in words(text)]
    return {tuple(plain[i : i + 4]) for i in range(len(plain) - 3)}


def find_sequence(needle: Sequence[str], hay: Sequence[str]) -> int:
    """Index of `needle` in `hay` as a run, or -1."""
    for start in range(len(hay) - len(needle) + 1):
        if list(hay[start : start + len(needle)]) == list(needle):
            return start
    return -1


def overlap(left: Iterable[str], right: Iterable[str]) -> float:
    """Shared keys in the smaller of two sets, 0 to 1."""
    a, b = set(left), set(right)
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _stem(word: str) -> str:
    """A light stemmer: plural and verb endings, final e, doubled consonant."""
    for ending, least in (("ies", 2), ("ied", 2)):
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)] + "y"
    for ending, least in (("ing", 3), ("ed", 3), ("es", 3), ("s", 2)):
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _same_stem(left: str, right: str) -> bool:
    """Stems of one family ('allergi' and 'allergic', 'deliver' and 'delivery'): a long common head, a short tail."""
    short, long = sorted((left, right), key=len)
    return len(short) >= 5 and long.startswith(short[:-1]) and len(long) - len(short) <= 3
