"""Numbers and letters said one after the other: "four four seven one", "D E eight nine", "thirty-seven oh four".

A `Run` is a stretch of such tokens with the characters it spells, whatever the spelling: digits, number words, doubles,
tens ("nineteen forty-seven" spells 1947), single letters, "C as in Charlie", the NATO alphabet.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from junod.redact.numbers import (
    DETERMINERS,
    DIGIT_WORDS,
    FILLERS,
    HOMOPHONES,
    LETTER_WORDS,
    MAGNITUDES,
    NATO,
    PLURALS,
    REPEATS,
    TEENS,
    TENS,
    is_number_word,
)
from junod.redact.tokens import Token

_IBAN_START = re.compile(r"[A-Za-z]{2}\d{2}")
_COUNTRY_CODE = re.compile(r"[A-Z]{2}")
_BANK_CODE = re.compile(r"[a-z]{4}")
_ORDINAL_OR_UNIT = re.compile(
    r"\d+(?:st|nd|rd|th|s|am|pm|k|kg|g|mg|ml|cl|l|m|cm|mm|km|mph|p|c|f|oz|lb|lbs|h|hr|hrs|min|in|ft|d|w|v|x|gb|mb|hz)",
    re.IGNORECASE,
)
_MIXED = re.compile(r"[A-Za-z]{0,6}\d[A-Za-z0-9]*")


@dataclass(frozen=True)
class Run:
    """Tokens `first` to `last` (both included) of one stretch of digits and letters."""

    first: int
    last: int
    start: int
    end: int
    """Character offsets."""
    sentence: int
    chars: str
    """What it spells, letters in lower case."""
    singles: int
    """How many characters were said or written one by one."""
    tens: int
    """How many two-digit words it has ("nineteen", "forty-seven")."""
    is_cardinal: bool
    """Whether it says "hundred" or "thousand"."""
    numbers: tuple[int, ...]
    """Its units as numbers, letters left out: "nine, ten, eleven" has 9, 10, 11."""
    breaks: int
    """Commas, hyphens and dots inside it."""
    is_thousands: bool = False
    said_twice: bool = False
    """Whether it said `chars` twice: "twenty-three sixteen, twenty-three sixteen"."""

    @cached_property
    def digits(self) -> str:
        return "".join(char for char in self.chars if char.isdecimal())

    @property
    def letters(self) -> int:
        return len(self.chars) - len(self.digits)

    @property
    def is_spelled(self) -> bool:
        """Said one by one, at least three of them."""
        return self.singles >= 3 and self.tens == 0 and self.singles >= len(self.chars) - 1

    @property
    def is_count(self) -> bool:
        """One, two, three, four (once or again): nearly each a step from the one before."""
        return self.counting >= 0.7

    @property
    def counting(self) -> float:
        """Share of its steps that are the same and such as one counts by."""
        steps = [right - left for left, right in pairwise(self.numbers)]
        if len(steps) < 2 or self.letters:
            return 0.0
        step, times = Counter(steps).most_common(1)[0]
        return times / len(steps) if abs(step) in (1, 2, 5, 10) else 0.0


class _Reader:
    """Reads one run at a time from a token list."""

    def __init__(self, tokens: Sequence[Token], blocked: frozenset[int]) -> None:
        self._tokens = tokens
        self._blocked = blocked

    def unit(self, index: int) -> tuple[str, int, str] | None:
        """(characters, next index, style) of the code unit at `index`; style is single, ten, written or cardinal."""
        if index >= len(self._tokens) or index in self._blocked or self._tokens[index].is_mask:
            return None
        word = self._tokens[index].lower
        if word in REPEATS:
            return self._repeated(index, REPEATS[word])
        return self._number(index, word) or self._letter(index, word)

    def _near(self, index: int) -> Token | None:
        """The token at `index` when it is in the same sentence as the one before and not blocked."""
        if index >= len(self._tokens) or index in self._blocked:
            return None
        token = self._tokens[index]
        return token if token.sentence == self._tokens[index - 1].sentence else None

    def _repeated(self, index: int, times: int) -> tuple[str, int, str] | None:
        following = self._near(index + 1)
        if following is None:
            return None
        char = DIGIT_WORDS.get(following.lower, following.lower)
        if len(char) == 1 and (char.isdigit() or char.isalpha()):
            return char * times, index + 2, "single"
        return None

    def _number(self, index: int, word: str) -> tuple[str, int, str] | None:
        token = self._tokens[index]
        if word.isdecimal() and word.isascii():
            return word, index + 1, "single" if len(word) == 1 else "written"
        if _MIXED.fullmatch(token.text) and not _ORDINAL_OR_UNIT.fullmatch(token.text) and len(word) <= 34:
            return word, index + 1, "written"
        if word in TENS:
            return self._ten(index, TENS[word])
        if word in TEENS:
            return TEENS[word], index + 1, "ten"
        if word in DIGIT_WORDS:
            return self._counted(index, word) or (DIGIT_WORDS[word], index + 1, "single")
        if word in MAGNITUDES:
            return self._magnitude(index, MAGNITUDES[word]), index + 1, "cardinal"
        if _BANK_CODE.fullmatch(word) and index > 0 and _IBAN_START.fullmatch(self._tokens[index - 1].text):
            return word, index + 1, "written"
        return None

    def _magnitude(self, index: int, zeros: int) -> str:
        """The zeros left before what follows a magnitude: "two thousand and nineteen" spells 2019."""
        following = [token.lower for token in self._tokens[index + 1 : index + 3]]
        word = following[-1] if following[:1] == ["and"] else "".join(following[:1])
        width = 2 if word in TENS or word in TEENS else 1 if word in DIGIT_WORDS else 0
        return "0" * (zeros - width)

    def _counted(self, index: int, word: str) -> tuple[str, int, str] | None:
        """ "six zeros" spells 000000; "four fours" 4444, though it may be sums."""
        following = self._near(index + 1)
        if following is None or following.lower not in PLURALS or not following.follows_closely:
            return None
        digit = DIGIT_WORDS[following.lower]
        return digit * int(DIGIT_WORDS[word]), index + 2, "single" if digit == "0" else "ten"

    def _ten(self, index: int, ten: str) -> tuple[str, int, str]:
        following = self._near(index + 1)
        unit = DIGIT_WORDS.get(following.lower, "0") if following is not None else "0"
        if following is not None and unit != "0" and following.follows_closely:
            return ten + unit, index + 2, "ten"
        return ten + "0", index + 1, "ten"

    def _letter(self, index: int, word: str) -> tuple[str, int, str] | None:
        if len(word) == 1 and word.isalpha():
            if word in "ap" and self._tokens[index + 1 : index + 2] and self._tokens[index + 1].lower == "m":
                return None  # p.m.
            if word in LETTER_WORDS and not self._letter_nearby(index) and not self._letter_around(index):
                return None
            return word, self._after_as_in(index, word), "single"
        if _COUNTRY_CODE.fullmatch(self._tokens[index].text) and self._number_follows(index):
            return word, index + 1, "written"
        if word in NATO and self._code_nearby(index):
            return NATO[word], index + 1, "single"
        return None

    def _after_as_in(self, index: int, letter: str) -> int:
        """Index after "C as in Charlie", "C for Charlie", "C like Charlie"."""
        words = [token.lower for token in self._tokens[index + 1 : index + 4]]
        if words[:2] == ["as", "in"] and len(words) == 3 and words[2].startswith(letter):
            return index + 4
        if words[:1] in (["for"], ["like"]) and len(words) >= 2 and words[1].startswith(letter) and len(words[1]) > 2:
            return index + 3
        return index + 1

    def _letter_nearby(self, index: int) -> bool:
        """Whether "a" or "I" stands beside another single letter, and so is one itself."""
        around = [self._tokens[near] for near in (index - 1, index + 1) if 0 <= near < len(self._tokens)]
        is_upper = self._tokens[index].text.isupper()
        return is_upper and any(len(token.lower) == 1 and token.text.isupper() for token in around)

    def _letter_around(self, index: int) -> bool:
        """Whether "a" or "i" stands between single letters or before a number: "e, j, a, w", "g a four one"."""
        if not 0 < index < len(self._tokens) - 1:
            return False
        before, after = self._tokens[index - 1].lower, self._tokens[index + 1].lower
        return len(before) == 1 and before.isalpha() and (len(after) == 1 or is_number_word(after))

    def _number_follows(self, index: int) -> bool:
        following = self._near(index + 1)
        return following is not None and (following.lower[0].isdigit() or is_number_word(following.lower))

    def _code_nearby(self, index: int) -> bool:
        around = [self._tokens[near].lower for near in (index - 1, index + 1) if 0 <= near < len(self._tokens)]
        return any(
            word in NATO or word in DIGIT_WORDS or word.isdecimal() or (len(word) == 1 and word.isalpha())
            for word in around
        )


def find_runs(tokens: Sequence[Token], benign: Sequence[tuple[int, int]]) -> list[Run]:
    """All stretches of digits and letters, within sentences, in order, outside the character spans `benign`."""
    reader = _Reader(tokens, _blocked_tokens(tokens, benign))
    runs: list[Run] = []
    index = 0
    while index < len(tokens):
        units, after = _read_units(reader, tokens, index)
        run = _build(tokens, _trimmed(tokens, units)) if units else None
        if run is not None:
            runs.append(run)
        index = max(after, index + 1)
    return _joined_across_stops(runs)


def _blocked_tokens(tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> frozenset[int]:
    blocked, position = set(), 0
    for index, token in enumerate(tokens):
        while position < len(spans) and spans[position][1] <= token.start:
            position += 1
        if position < len(spans) and spans[position][0] <= token.start:
            blocked.add(index)
    return frozenset(blocked)


_Unit = tuple[int, int, str, str]
"""First token, token after, characters, style."""


def _read_units(reader: _Reader, tokens: Sequence[Token], index: int) -> tuple[list[_Unit], int]:
    units: list[_Unit] = []
    sentence = tokens[index].sentence
    after = index
    while index < len(tokens) and tokens[index].sentence == sentence:
        unit = reader.unit(index)
        if unit is not None:
            units.append((index, unit[1], unit[0], unit[2]))
            index = after = unit[1]
        elif _is_homophone(reader, tokens, units, index):
            units.append((index, index + 1, HOMOPHONES[tokens[index].lower], "single"))
            index = after = index + 1
        elif units and tokens[index].lower in FILLERS and index - after < 3 and _joins(tokens, index):
            index += 1
        else:
            break
    return units, after


def _is_homophone(reader: _Reader, tokens: Sequence[Token], units: list[_Unit], index: int) -> bool:
    """Whether "to", "for" or "ate" stands for a digit: three single digits around it, only blanks between."""
    if tokens[index].lower not in HOMOPHONES or not units or units[-1][1] != index or units[-1][3] != "single":
        return False
    following = reader.unit(index + 1)
    if (
        following is None
        or following[2] != "single"
        or not following[0].isdecimal()
        or any(token.gap != " " for token in tokens[index : index + 2])
        or (len(units) >= 2 and "," in tokens[units[-1][0]].gap)  # "two to four, six to eight": hours
    ):
        return False
    beyond = reader.unit(index + 2)
    return (len(units) >= 2 and units[-2][3] == "single") or (
        beyond is not None and beyond[2] == "single" and beyond[0].isdecimal() and tokens[index + 2].gap == " "
    )


def _joins(tokens: Sequence[Token], index: int) -> bool:
    """Whether a filler may stand inside a run: "and" only after "hundred" and as "and then"."""
    if tokens[index].lower != "and" or tokens[index - 1].lower in MAGNITUDES:
        return True
    return index + 1 < len(tokens) and tokens[index + 1].lower == "then"


def _trimmed(tokens: Sequence[Token], units: list[_Unit]) -> list[_Unit]:
    """Without the "oh" and the "one" at an edge that are ordinary words."""
    if all(tokens[unit[0]].lower == "oh" for unit in units):
        return units
    if 1 < len(units) < 6 and _opens_with_oh(tokens, units[0][0]) and "," in tokens[units[1][0]].gap:
        units = units[1:]
    if 1 < len(units) < 4 and tokens[units[-1][0]].lower == "oh" and "," in tokens[units[-1][0]].gap:
        units = units[:-1]
    first = units[0][0]
    if len(units) > 1 and tokens[first].lower == "one" and first > 0 and tokens[first - 1].lower in DETERMINERS:
        units = units[1:]
    return units


def _opens_with_oh(tokens: Sequence[Token], index: int) -> bool:
    is_opening = index == 0 or tokens[index - 1].sentence != tokens[index].sentence
    return is_opening and tokens[index].lower == "oh" and tokens[index + 1].lower != "oh"


def _build(tokens: Sequence[Token], units: list[_Unit]) -> Run | None:
    chars = "".join(unit[2] for unit in units)
    if not chars:
        return None
    first, last = units[0][0], units[-1][1] - 1
    inner = [tokens[index].gap for index in range(first + 1, last + 1)]
    tens = sum(1 for unit in units if unit[3] == "ten")
    half = chars[: len(chars) // 2]
    said_twice = tens > 0 and len(half) >= 3 and chars == half * 2
    return Run(
        first=first,
        last=last,
        start=tokens[first].start,
        end=tokens[last].end,
        sentence=tokens[first].sentence,
        chars=half if said_twice else chars,
        singles=sum(len(unit[2]) for unit in units if unit[3] == "single"),
        tens=tens,
        is_cardinal=any(unit[3] == "cardinal" for unit in units),
        numbers=tuple(int(unit[2][:9]) for unit in units if unit[2].isdecimal()),
        breaks=sum(1 for gap in inner if gap.strip()),
        said_twice=said_twice,
        is_thousands=len(inner) > 0 and all(gap == "," for gap in inner),
    )


def _joined_across_stops(runs: list[Run]) -> list[Run]:
    """Short spelled runs with nothing but a full stop between them belong together: "eight one. six three." """
    joined: list[Run] = []
    for run in runs:
        before = joined[-1] if joined else None
        if before is not None and run.first == before.last + 1 and _short_spelled(before) and _short_spelled(run):
            joined[-1] = Run(
                before.first,
                run.last,
                before.start,
                run.end,
                before.sentence,
                before.chars + run.chars,
                before.singles + run.singles,
                0,
                False,
                before.numbers + run.numbers,
                before.breaks + run.breaks + 1,
            )
        else:
            joined.append(run)
    return joined


def _short_spelled(run: Run) -> bool:
    return run.letters == 0 and run.tens == 0 and run.singles == len(run.chars) and len(run.chars) <= 3
