"""Secrets told piece by piece: passwords by capitals and symbols, dial locks by turns, codes by "all sevens"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from junod.redact.cues import Places
from junod.redact.explained import UNIT_AFTER
from junod.redact.numbers import PLURALS
from junod.redact.said_outright import NUMBERS
from junod.redact.spoken import Run
from junod.redact.tokens import Token

_CAPITAL = r"(?:capital|upper ?case|big|lower ?case|small|little) [a-z]\b(?:,? (?:as in|for|like) [a-z]+)?"
_SYMBOL = (
    r"(?:dash|hyphen|dot|under ?score|slash|star|hash|asterisk|ampersand|exclamation(?: mark| point)?|question mark|"
    r"(?:dollar|at|percent|plus) sign|full stop)\b(?! of\b)"
)
_WORD = (
    r"(?!(?:and|then|the|that|that's|it's|its|but|okay|ready|yes|yeah|right|got|now|new|have|this|with|for|from|you|"
    r"was|are|well|first|all|password|temporary)\b)[a-z]{3,}\b"
)
_UNIT = rf"(?:{_CAPITAL}|{_SYMBOL}[\s,]+{_WORD}|{_SYMBOL}|{NUMBERS}\b|[a-z]\b(?:,? as in [a-z]+)?)"
_CHAIN = re.compile(
    # "apple, dash" before the first piece, then pieces and words that end at a comma, at a piece or with the clause
    rf"\b(?:{_WORD}\s*,\s*){{0,3}}(?:{_WORD}\s+)?{_UNIT}(?:[\s,]+(?:and then |and |then )?"
    rf"(?:{_UNIT}|{_WORD}(?=\s*[,.?!;\n]|\s*$|\s+(?:and|but|so|or|then)\b|\s+{_UNIT})))+"
)
_HAS_CAPITAL, _HAS_SYMBOL = re.compile(r"\b(?:capital|upper ?case) [a-z]\b"), re.compile(rf"\b{_SYMBOL}")
_HAS_NUMBER = re.compile(rf"\b{NUMBERS}\b")
_PASSWORD_NEAR = re.compile(
    r"\b(?:pass ?words?|pass ?phrase|pass ?codes?|log-?ins?|temporary|temp one|locked out|wi-?fi|network key)\b"
)
_NOT_A_PASSWORD = re.compile(
    r"\b(?:(?:sur|last |first |middle |double.barrell?ed )?names?|spelled|spelt|post ?code|zip|rego|plate|"
    r"registration|flight|booking|reference|web ?site|address|e-?mail|www|"
    r"(?:dot|\.) ?(?:com|co|org|net|gov|edu|uk|nz|au|ie|fr|de|ca|us|io|tv))\b"
)
_LOOK_BACK_CHARS = 160

_TURN_WORD = r"(?:left|right|(?:anti-?|counter-?)?clockwise)"
_TURN_FILL = (
    r"(?:and|then|now|back|turn|go|to|the|it|um|uh|once|twice|all|way|a|full|round|around|past|on|until|till|at|stop)"
)
_ONE_TURN = re.compile(rf"[\s,.;-]*(?:{_TURN_FILL}[\s,.;-]+)*{_TURN_WORD}[\s,.;-]+(?:{_TURN_FILL}[\s,.;-]+)*")
_ONE_TURN_CHARS = 50
_LOCK_NEAR = re.compile(r"\b(?:lockers?|combos?|combinations?|(?:pad)?locks?|safe|dial|vault|briefcase|codes?)\b")

_PLURAL = rf"(?:{'|'.join(sorted(PLURALS))})"
_TIMES = r"(?:three|four|five|six|eight|[34568])"
_ALL_ALIKE = re.compile(
    rf"(?:^|(?:'s|\bis|\bwas|\bare|\bjust|\bonly|\benter|\bput in|\btype in|\btype|\btry|\bpress|"
    r"\b(?:open|unlock)s? with|\bto|[,:?.])\s+|\n)"
    rf"(?:still |now |just |only )?"
    rf"((?:(?:all|straight|nothing but|just) (?:the )?|{_TIMES} ){_PLURAL}"
    rf"|(?:zero|nought|one|two|three|four|five|six|seven|eight|nine|\d),? {_TIMES} times)\b"
    r"(?! (?:and|on|after|in|a (?:day|week|month|year)|out of|at|of|for)\b)"
)
_LOCKED_NEAR = re.compile(
    r"\b(?:pins?|(?<!zip )(?<!area )(?<!post )codes?|pass ?codes?|pass ?words?|combos?|combinations?|tablet|i ?pad|"
    r"phone|lockers?|(?:pad)?locks?|unlocks?|alarm|safe|key ?pad|gate|suitcase)(?:'s)?(?![\w ]{0,12}\bbill)\b"
)


def dictated_passwords(lowered: str) -> Iterator[tuple[int, int]]:
    """ "Capital M as in Mary, apple, seven, dash, zebra": (start, end) of each."""
    for match in _CHAIN.finditer(lowered):
        said = match.group()
        before = lowered[max(match.start() - _LOOK_BACK_CHARS, 0) : match.start()]
        symbols, has_number = len(_HAS_SYMBOL.findall(said)), bool(_HAS_NUMBER.search(said))
        is_cued, has_capital = bool(_PASSWORD_NEAR.search(before)), bool(_HAS_CAPITAL.search(said))
        if has_capital:
            is_password = symbols > 0 and (has_number or is_cued or symbols > 1)
        else:
            is_password = is_cued and symbols > 0 and (has_number or symbols > 1)
        near = before.rsplit(". ", 1)[-1] + lowered[match.start() : match.end() + 12]
        if is_password and not _NOT_A_PASSWORD.search(near):
            yield match.span()


def turned_combination(lowered: str, runs: Sequence[Run]) -> list[int]:
    """Indices of the runs of a dial lock told as numbers with a turn between each: "21, left, 34, right, 8"."""
    chain: list[int] = []
    found: list[int] = []
    for index in range(len(runs) + 1):
        if chain and index < len(runs) and _is_turn_between(lowered, runs[index - 1], runs[index]):
            chain.append(index)
            continue
        if _opens_a_lock(lowered, [runs[number] for number in chain]):
            found += chain
        chain = [index] if index < len(runs) and _is_on_a_dial(lowered, runs[index]) else []
    return found


def _is_turn_between(lowered: str, left: Run, right: Run) -> bool:
    between = lowered[left.end : right.start]
    is_near = len(between) <= _ONE_TURN_CHARS
    return is_near and _is_on_a_dial(lowered, right) and _ONE_TURN.fullmatch(between) is not None


def _is_on_a_dial(lowered: str, run: Run) -> bool:
    return run.letters == 0 and len(run.chars) <= 2 and not UNIT_AFTER.match(lowered[run.end : run.end + 40])


def _opens_a_lock(lowered: str, runs: Sequence[Run]) -> bool:
    """Three numbers with a turn between each are enough where a lock was spoken of, or where two have two digits."""
    if len(runs) < 2:
        return False
    begin = runs[0].start
    if _LOCK_NEAR.search(lowered, max(begin - _LOOK_BACK_CHARS, 0), begin):
        return True
    return len(runs) >= 3 and sum(len(run.chars) == 2 for run in runs) >= 2


def all_alike(lowered: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """ "It's all sevens", "four zeros", "nine, four times", at most two sentences after what they open."""
    locked = [match.start() for match in _LOCKED_NEAR.finditer(lowered)]
    if not locked:
        return
    places = Places(tokens)
    sentences = sorted({places.sentence(start) for start in locked})
    for match in _ALL_ALIKE.finditer(lowered):
        sentence = places.sentence(match.start(1))
        if any(sentence - 2 <= number <= sentence for number in sentences):
            yield match.span(1)


def card_groups(runs: Sequence[Run], card_tokens: Sequence[int]) -> Iterator[int]:
    """Indices of the runs that make a card number in groups, a word or a full stop between them.

    Args:
        runs: all runs of a text.
        card_tokens: indices of the tokens that speak of a card.
    """
    groups: list[list[int]] = []
    for index, run in enumerate(runs):
        if run.letters or not 2 <= len(run.chars) <= 8 or run.is_cardinal:
            continue
        if groups and index == groups[-1][-1] + 1 and run.first - runs[index - 1].last <= _GROUP_GAP_WORDS:
            groups[-1].append(index)
        else:
            groups.append([index])
    for group in groups:
        digits = sum(len(runs[index].chars) for index in group)
        first, last = runs[group[0]].first, runs[group[-1]].last
        is_cued = any(first - _CARD_BACK_WORDS <= token <= last + _CARD_AHEAD_WORDS for token in card_tokens)
        if is_cued and (len(group) >= 3 or digits in (15, 16)) and 12 <= digits <= 19 and _even(runs, group):
            yield from group


_GROUP_GAP_WORDS = 4
_CARD_BACK_WORDS, _CARD_AHEAD_WORDS = 60, 14


def _even(runs: Sequence[Run], group: Sequence[int]) -> bool:
    """Whether all groups but the last are as long as the one before, as those embossed on a card."""
    sizes = [len(runs[index].chars) for index in group]
    return all(left >= right or right >= 4 for left, right in pairwise(sizes)) and max(sizes) >= 3
