"""The word classes that every pattern shares, and what their words are worth."""

from __future__ import annotations

import re

from junod.when.expressions import Part

_FULL_DAYS = "monday|tuesday|tuseday|wednesday|wensday|thursday|friday|saturday|sunday"
_SHORT_DAYS = r"mon|tues?|weds?|thu(?:rs?)?|fri|(?:sat|sun)(?= \d{1,2}(?:th|:\d\d| am| pm)| at \d)|(?<=- )(?:sat|sun)"
_WEEKDAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6}
_MONTH_STARTS = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: place for place, name in enumerate(_MONTH_STARTS.split(), start=1)}

_FILLER_WORDS = (
    "at on in the of , around about by for from to till til until - and or no not sorry wait i mean say like um uh so "
    "then it is its this that actually rather just before after between through right coming a maybe probably roughly "
    "er erm ish well she he they we said sharp make"
)
FILLERS = frozenset(_FILLER_WORDS.split())
"""Words that may stand between two time words of one phrase."""

_CLASSES = {
    "<WD>": rf"(?P<wd>{_FULL_DAYS}|{_SHORT_DAYS})",
    "<WD2>": rf"(?P<wd2>{_FULL_DAYS})",
    "<DAYNAME>": rf"(?:{_FULL_DAYS})",
    "<MONTH>": (
        r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december"
        r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
    ),
    "<MONTHNAME>": (
        "(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun"
        "|jul|aug|sept?|oct|nov|dec)"
    ),
    "<PART>": r"(?P<part>morning|lunch ?time|afternoon|arvo|evening|eve|night|teatime)",
    "<N>": r"(?P<n>\d{1,3}|another|a few|few|a couple(?: of)?|couple(?: of)?|half an?|several|an?)",
    "<YEAR>": (r"(?:(?: ,)?(?: of)? (?P<year>(?:19|20)\d\d)(?! (?:oclock|hours))| of (?P<short_year>\d\d))?"),
    "<AMPM>": r"(?: (?P<ampm>am|pm))?",
}
_AMOUNTS = {"half a": 0.5, "half an": 0.5, "several": 4.0, "a few": 3.0, "few": 3.0}
_PARTS = {
    "morning": Part.MORNING,
    "lunchtime": Part.NOON,
    "lunch time": Part.NOON,
    "afternoon": Part.AFTERNOON,
    "arvo": Part.AFTERNOON,
    "teatime": Part.EVENING,
    "evening": Part.EVENING,
    "eve": Part.EVENING,
    "night": Part.NIGHT,
}


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern with its word classes (`<WD>`, `<MONTH>` ...) filled in, bound to whole tokens."""
    for name, words in _CLASSES.items():
        pattern = pattern.replace(name, words)
    return re.compile(rf"(?<!\S)(?:{pattern})(?!\S)")


def weekday_of(match: re.Match[str]) -> int:
    """The weekday a match names, Monday = 0; takes the abbreviations and misspellings of `<WD>`."""
    groups = match.groupdict()
    name = groups.get("wd") or groups["wd2"]
    return _WEEKDAYS["wed" if name.startswith("wen") else "tue" if name.startswith("tus") else name[:3]]


def month_of(match: re.Match[str]) -> int:
    """The month a match names, 0 where it names none."""
    name = match.groupdict().get("month")
    return _MONTHS[name[:3]] if name else 0


def amount_of(match: re.Match[str]) -> float:
    """The count before a unit: '3', 'a', 'half an', 'a couple of'."""
    words: str = match["n"] or "a"
    if words.isdigit():
        return float(words)
    return 2.0 if "couple" in words else _AMOUNTS.get(words, 1.0)


def part_of(match: re.Match[str]) -> Part:
    """The part of the day a match names."""
    return _PARTS[match["part"]]
