"""Text -> atoms: every word of time with the item it stands for and the small words before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from junod.when.clock_patterns import clock_patterns
from junod.when.day_patterns import day_patterns
from junod.when.expressions import Atom, Item, PartOfDay
from junod.when.numbers import Token, tokenize
from junod.when.vocabulary import compile_pattern

_Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Item | None]]
_NEGATED = re.compile(r"(?:^| )(?:not|isnt|wasnt|instead of|rather than|arent|nor)(?: (?:on|at|the|this|for|a))*$")
_DIGIT_RUN = 4
_HEADS = frozenset({"by", "before", "until", "till", "til", "through", "from", "to", "between", "or"})


@lru_cache(maxsize=2)
def _patterns(day_first: bool) -> tuple[_Rule, ...]:
    rules: list[tuple[str, Callable[[re.Match[str]], Item | None]]] = [
        *day_patterns(day_first=day_first),
        *clock_patterns(),
    ]
    return tuple((compile_pattern(pattern), build) for pattern, build in rules)


def _matches(norm: str, day_first: bool) -> list[tuple[int, int, Item]]:
    """Non-overlapping matches of all patterns, left to right; where several overlap the longest wins."""
    found: list[tuple[int, int, int, Item]] = []
    for rank, (pattern, build) in enumerate(_patterns(day_first)):
        for match in pattern.finditer(norm):
            item = build(match)
            if item is not None and match.end() > match.start():
                found.append((match.start() - match.end(), rank, match.start(), item))
    found.sort(key=lambda entry: entry[:3])
    kept: list[tuple[int, int, Item]] = []
    for minus_length, _rank, start, item in found:
        end = start - minus_length
        if all(end <= other_start or other_end <= start for other_start, other_end, _ in kept):
            kept.append((start, end, item))
    return sorted(kept, key=lambda entry: entry[0])


def find_atoms(text: str, *, day_first: bool = True) -> list[Atom]:
    """Every time word of `text` in order; offsets are those of `text`. Bare numbers are marked, not judged."""
    tokens = _without_digit_runs(tokenize(text))
    norm = " ".join(token.norm for token in tokens)
    starts = _token_starts(tokens)
    atoms: list[Atom] = []
    last_end = 0
    for start, end, item in _matches(norm, day_first):
        first, last = starts[start], starts[_start_of_last(norm, end)]
        glue = norm[last_end:start].strip()
        words = norm[start:end]
        negated = bool(_NEGATED.search(glue))
        own = f"{glue} {words.split(' ')[0]}".strip() if _is_bounded(words, item) else glue
        atoms.append(Atom(item, tokens[first].start, tokens[last].end, own, negated))
        last_end = end
    return atoms


def _without_digit_runs(tokens: list[Token]) -> list[Token]:
    """Four numbers and more in a row spell out a code or a telephone number, never a time."""
    masked = list(tokens)
    start = 0
    for place in range(len(tokens) + 1):
        if place < len(tokens) and tokens[place].norm.isdigit():
            continue
        if place - start >= _DIGIT_RUN:
            masked[start:place] = [replace(token, norm="#") for token in tokens[start:place]]
        start = place + 1
    return masked


def _is_bounded(words: str, item: Item) -> bool:
    """Whether a match's own first word bounds it: 'by 6', but not 'before school' nor 'before Friday is over'."""
    return words.split(" ")[0] in _HEADS and not isinstance(item, PartOfDay) and not words.endswith(" over")


def _token_starts(tokens: Sequence[Token]) -> dict[int, int]:
    """Offset in the joined norm -> index of the token that begins there."""
    starts: dict[int, int] = {}
    place = 0
    for index, token in enumerate(tokens):
        starts[place] = index
        place += len(token.norm) + 1
    return starts


def _start_of_last(norm: str, end: int) -> int:
    return norm.rfind(" ", 0, end) + 1
