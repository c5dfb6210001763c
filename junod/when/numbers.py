"""Spoken and written English numbers as tokens: 'twenty-third' -> '23th', 'seven thirty' -> '7', '30'.

Speech-to-text writes the same hour as '7:30', '7.30', 'seven thirty' or '7 30'; every later rule sees one spelling.
Each token keeps its place in the original text, so that a phrase can be quoted as it was spoken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)

CARDINALS: dict[str, int] = {word: value for value, word in enumerate(_SMALL.split())}
CARDINALS.update({word: 10 * (place + 2) for place, word in enumerate(_TENS.split())})
CARDINALS["fourty"] = 40
ORDINALS: dict[str, int] = {word: value for value, word in enumerate(_ORDINALS.split(), start=1)}
ORDINALS.update({"thirtieth": 30, "nineth": 9, "twelth": 12})

_TOKEN = re.compile(
    r"""
    [$€£#=]\s?\d[\d.,]*(?<![.,]) | \d{1,3}(?:,\d{3})+\b | \d+\s?%
  | \d{4}-\d{1,2}-\d{1,2}
  | \d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?!\d)
  | \d{1,2}\.(?:0?[1-9]|1[0-2])(?=\.?\s+(?:at\s|around\s)?\d{1,2}[:.]\d\d)
  | \d{1,2}\.(?:0?[1-9]|1[0-2])\.(?=\s+[a-z\d])
  | \d{1,2}[:.]\d{2}(?:(?::\d{2})|(?![\d]))
  | \d{1,2}[/.]\d{1,2}(?!\d)
  | \d{1,2}h\d{2}(?!\d)
  | \d+(?:st|nd|rd|th)\b
  | \d+
  | \b[ap]\s?\.?\s?m\b(?:\s?\.)? | (?<=\d)[ap]m?\b
  | o'?\s?clock\b
  | [^\W\d_]+(?:'[^\W\d_]+)*
  | [^\w\s]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_AMOUNT = re.compile(r"[$€£#=].*|.*,\d{3}|.*%")
_ENDLESS = re.compile(r"\d{10}")
_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_MONTH = re.compile(r"(?:jan|feb|march|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*")
_SENTENCE_END = frozenset(".?!…♪")
_PAUSES = frozenset(',;:()"“”')


@dataclass(frozen=True, slots=True)
class Token:
    """One normalised word; `start` and `end` are offsets into the text it came from."""

    norm: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Split `text` into normalised tokens: lower case, numbers as digits, ordinals as '23th', hours as 'h:mm'.

    Punctuation becomes '.', ',' or '-'; what carries no meaning (a hyphen inside a word) is left out.
    """
    straight = text.replace("’", "'").replace("‘", "'")
    raw = [token for match in _TOKEN.finditer(straight) for token in _split(match, straight)]
    return _join_numbers(raw)


def _split(match: re.Match[str], text: str) -> list[Token]:
    word, start, end = match.group().lower(), match.start(), match.end()
    if _AMOUNT.fullmatch(word):
        return [Token("#", start, end)]
    if word[0].isdigit():
        return [Token(_digits(word, text, end), start, end)]
    if re.fullmatch(r"[ap]\s?\.?\s?m\s?\.?", word) or (word in ("a", "p") and text[start - 1 : start].isdigit()):
        return [Token(word[0] + "m", start, end), *_closing_stop(word, text, end)]
    if re.fullmatch(r"o'?\s?clock", word):
        return [Token("oclock", start, end)]
    if word[0].isalpha():
        return _word(word, start, end)
    if word == "." and re.match(r"[ap]m\b", text[end:], re.IGNORECASE):
        return []
    if word in _SENTENCE_END:
        return [Token(".", start, end)]
    if word in _PAUSES:
        return [Token(",", start, end)]
    return _dash(word, start, end, text)


def _closing_stop(word: str, text: str, end: int) -> list[Token]:
    """The stop of 'p.m.' also ends a sentence when a capital follows; 'a' in 'p.m. a' does not."""
    after = text[end:].lstrip()
    ends = word.endswith(".") and after[:1].isupper()
    return [Token(".", end - 1, end)] if ends else []


def _digits(word: str, text: str, end: int) -> str:
    if _ENDLESS.search(word):
        return "#"  # no number that speaks of time, and too long for some to be one at all
    if _is_dotted_date(word, text, end):
        return word.rstrip(".") + "."
    clock = re.fullmatch(r"(\d{1,2})[:.h](\d{2})(?::\d{2})?", word)
    if clock and int(clock[1]) < 25 and int(clock[2]) < 60:
        return f"{clock[1]}:{clock[2]}"
    ordinal = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word)
    return f"{int(ordinal[1])}th" if ordinal else word


def _is_dotted_date(word: str, text: str, end: int) -> bool:
    """'24.8. Monday', '9.10 23:00': day and month as they are written on the Continent."""
    if not re.fullmatch(r"\d{1,2}\.\d{1,2}\.?", word):
        return False
    return word.endswith(".") or re.match(r"\.?\s+(?:at\s|around\s)?\d{1,2}[:.]\d\d", text[end:]) is not None


def _word(word: str, start: int, end: int) -> list[Token]:
    if word.endswith("'s"):
        word = word[:-2]
    if word.endswith("ish") and word[:-3] in {*CARDINALS, "noon", ""}:
        base = [Token(word[:-3], start, end - 3)] if word[:-3] else []
        return [*base, Token("ish", end - 3, end)]
    return [Token(word if word == "we'd" else word.replace("'", ""), start, end)]


def _dash(word: str, start: int, end: int, text: str) -> list[Token]:
    if word not in "-–—~":
        return []
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isalpha() and after.isalpha():
        return []
    joins = before.isalnum() and after.isalnum()
    return [Token("-" if joins or word == "–" or (before == " " == after) else ",", start, end)]


def _join_numbers(tokens: list[Token]) -> list[Token]:
    joined: list[Token] = []
    place = 0
    while place < len(tokens):
        before = [token.norm for token in joined[-2:]]
        token, used = _year_after_month(tokens, place, before) or _number_at(
            tokens, place, before[-1] if before else ""
        )
        joined.append(token)
        place += used
    return joined


def _year_after_month(tokens: list[Token], place: int, before: list[str]) -> tuple[Token, int] | None:
    """'May the second, nineteen eighty six', 'April twenty twenty six': elsewhere these are hours."""
    norms = [token.norm for token in tokens[place : place + 3]]
    century = {"nineteen": 1900, "twenty": 2000}.get(norms[0])
    tens = CARDINALS.get(norms[1], 0) if len(norms) > 1 else 0
    if century is None or tens < 10 or (century == 2000 and tens != 20) or not any(map(_MONTH.fullmatch, before)):
        return None
    unit = CARDINALS.get(norms[2], 0) if len(norms) > 2 and tens >= 20 else 0
    used = 3 if 0 < unit < 10 else 2
    value = century + tens + (unit if used == 3 else 0)
    return Token(str(value), tokens[place].start, tokens[place + used - 1].end), used


def _number_at(tokens: list[Token], place: int, before: str) -> tuple[Token, int]:
    """The number that starts at `place` and how many tokens it takes; any other token stands for itself."""
    token = tokens[place]
    word = token.norm
    following = tokens[place + 1].norm if place + 1 < len(tokens) else ""
    if year := _spoken_year(tokens, place):
        return year
    if word in ("oh", "o") and before.isdigit() and CARDINALS.get(following, 99) in range(1, 10):
        return Token(f"0{CARDINALS[following]}", token.start, tokens[place + 1].end), 2
    if word in CARDINALS:
        value = CARDINALS[word]
        if value >= 20 and CARDINALS.get(following, 0) in range(1, 10):
            return Token(str(value + CARDINALS[following]), token.start, tokens[place + 1].end), 2
        if value >= 20 and ORDINALS.get(following, 99) < 10:
            return Token(f"{value + ORDINALS[following]}th", token.start, tokens[place + 1].end), 2
        return replace(token, norm=str(value)), 1
    if word in ORDINALS and (word != "second" or _is_second_day(before, following)):
        return replace(token, norm=f"{ORDINALS[word]}th"), 1
    return token, 1


def _is_second_day(before: str, following: str) -> bool:
    """'The second of May', not 'wait a second'."""
    dated = following == "of" or _WEEKDAY.fullmatch(following) or _MONTH.fullmatch(following)
    return bool(dated) or before not in ("a", "1", "this", "", ",", ".", "any", "every", "each", "per", "in")


def _spoken_year(tokens: list[Token], place: int) -> tuple[Token, int] | None:
    """'two thousand (and) twenty six' -> 2026."""
    norms = [token.norm for token in tokens[place : place + 5]]
    if norms[:2] != ["two", "thousand"]:
        return None
    used = 3 if norms[2:3] == ["and"] else 2
    rest = [CARDINALS.get(norm) for norm in norms[used : used + 2]]
    value = 2000
    if rest and rest[0] is not None:
        value, used = value + rest[0], used + 1
        if rest[0] >= 20 and len(rest) > 1 and rest[1] is not None and 0 < rest[1] < 10:
            value, used = value + rest[1], used + 1
    else:
        used = 2
    return Token(str(value), tokens[place].start, tokens[place + used - 1].end), used
