"""Time words inside a memory's text, told apart from its other words (pure).

Not a calendar: `junod.when` has made times absolute long before. Here it only matters whether two texts name the same
day and hour, and what is left of them without.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from junod.extract.words import key

_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_DAY_NAMES = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_MONTH_STARTS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBER = rf"(?:{_HOURS}|\d{{1,2}})"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|ember|tember|ober)?"
_TENS = r"(?:twenty|thirty)[- ]?"
_ORDINAL_WORDS = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|"
    "sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth"
)
_ORDINAL = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|(?:{_TENS})?(?:{_ORDINAL_WORDS}))"
_BEFORE_CLOCK = r"at|by|from|until|till|around|about|before|after|for|to|now"

_CLOCK = re.compile(
    r"\b(?P<digital>\d{1,2}[:.]\d\d)(?:\s*(?:[ap]\.?m\b\.?))?"
    rf"|\b(?P<past>half|quarter|five|ten|twenty|twenty[- ]five)\s+(?P<side>past|to)\s+(?P<past_hour>{_NUMBER})\b"
    rf"|\b(?P<marked>{_NUMBER})\s*(?:[ap]\.?m\b\.?|o['’]?\s?clock\b)"
    r"|\b(?P<named>noon|midday|midnight)\b"
    rf"|\b(?P<lead>{_BEFORE_CLOCK})\s+(?P<bare>{_NUMBER})(?:\s+(?P<minutes>fifteen|thirty|forty[- ]five))?\b"
    r"(?!\s*(?:%|[a-z]|(?-i:[A-Z]))|[:.]\d)",
    re.IGNORECASE,
)
"""The last form, a bare number after 'at' or 'to', counts where no word follows it ('at 4 Mill Lane' is an address)."""
_BARE_BEFORE_TIME = re.compile(
    rf"\b(?P<lead>{_BEFORE_CLOCK})\s+(?P<bare>{_NUMBER})(?=\s+(?:on|in the|this|next|tomorrow|today|tonight|sharp|not|"
    rf"to|until|till|and|instead|now|{_DAY_NAMES})\b)"
    rf"|(?<=day )(?P<lead2>at) (?P<bare2>{_NUMBER})\b(?![:.]\d)",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(?P<iso>\d{4}-\d\d-\d\d)\b"
    rf"|\b(?:the\s+)?(?P<day>\d{{1,2}}|{_ORDINAL})(?:\s+of)?\s+(?P<month>{_MONTH})\b(?:,?\s+(?P<year>\d{{4}}))?"
    rf"|\b(?P<month2>{_MONTH})\s+(?:the\s+)?(?P<day2>{_ORDINAL}|\d{{1,2}})\b(?:,?\s+(?P<year2>\d{{4}}))?"
    rf"|\bthe\s+(?P<ordinal>{_ORDINAL})\b(?!\s+(?:time|one|floor|grade|class|year|door|drawer|shelf|row|birthday|{_DAY_NAMES})\b)"
    r"|\b(?P<digits>\d{1,2}(?:st|nd|rd|th))\b(?!\s+(?:time|one|floor|grade|class|year|street|avenue|birthday))",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    rf"\b(?P<full>{_DAY_NAMES})(?P<plural>s)?\b|(?-i:\b(?P<short>Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b(?=\s+\d))",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:the day after tomorrow|tomorrow|today|tonight|yesterday|(?:this|next|last) (?:week(?:end)?|month|year|"
    r"morning|afternoon|evening)|(?:the )?weekend|in (?:a|\d+|two|three|four|five|six) (?:days?|weeks?|months?))\b",
    re.IGNORECASE,
)
_PART = re.compile(
    r"(?:\bin the |(?<=day )|(?<=, ))(?:morning|afternoon|evening|night)\b|\bat (?:night|lunch ?time)\b", re.IGNORECASE
)
_RECURRING = re.compile(
    r"\b(?:(?:every|each)(?: other| second)?(?: (?:day|week|month|year|morning|evening|night|weekday))?|daily|weekly|"
    r"fortnightly|monthly|yearly|annually)\b",
    re.IGNORECASE,
)
_FROM = re.compile(r"\b(?:from|instead of|not|rather than)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Times:
    """The time words of a text."""

    days: frozenset[str]
    """'tue', '03-31', '2026-03-31', 'd15' (the 15th of some month), 'part:morning'."""
    clocks: frozenset[int]
    """Minutes after noon or midnight, 0 to 719: 'three' and '15:00' are the same."""
    relative: frozenset[str]
    """'tomorrow', 'next week': what they mean depends on when they were said."""
    is_recurring: bool
    was_days: frozenset[str]
    """Days named as what it was before: 'from Friday to Monday', 'Monday, not Friday'."""
    was_clocks: frozenset[int]
    rest: str
    """The text without any of them."""

    @property
    def names_day(self) -> bool:
        return bool(self.days or self.relative)

    @property
    def is_empty(self) -> bool:
        return not (self.days or self.clocks or self.relative or self.is_recurring)


def find_times(text: str) -> Times:
    """All time words of a text."""
    found = _Found(text)
    for match in _RECURRING.finditer(text):
        found.take(match, "recurring", "")
    for match in _RELATIVE.finditer(text):
        found.take(match, "relative", " ".join(match.group().lower().split()))
    for match in _DATE.finditer(text):
        found.take(match, "day", _date_key(match))
    for match in _WEEKDAY.finditer(text):
        found.take(match, "day", (match["full"] or match["short"])[:3].lower())
        if match["plural"]:
            found.recurring = True
    for pattern in (_CLOCK, _BARE_BEFORE_TIME):
        for match in pattern.finditer(text):
            found.take(match, "clock", _clock_minutes(match))
    for match in _PART.finditer(text):
        found.take(match, "day", f"part:{match.group().split()[-1].lower()}")
    return found.times()


class _Found:
    """Collects time words; what one pattern has taken no other takes again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._rest = list(text)
        self._kept: dict[str, set[str | int]] = {"day": set(), "clock": set(), "relative": set()}
        self._was: dict[str, set[str | int]] = {"day": set(), "clock": set(), "relative": set()}
        self.recurring = False

    def take(self, match: re.Match[str], kind: str, value: str | int) -> None:
        start, end = match.span()
        if self._rest[start:end] != list(self._text[start:end]):
            return
        self._rest[start:end] = " " * (end - start)
        if kind == "recurring":
            self.recurring = True
            return
        lead = match.groupdict().get("lead") or ""
        is_past = lead.lower() == "from" or _FROM.search(self._text[:start]) is not None
        (self._was if is_past else self._kept)[kind].add(value)

    def times(self) -> Times:
        days, clocks = self._kept["day"], self._kept["clock"]
        if not days and not clocks:  # 'closed from Monday': the only time named is the time itself
            days, clocks = self._was["day"], self._was["clock"]
        return Times(
            days=frozenset(str(day) for day in days),
            clocks=frozenset(int(clock) for clock in clocks),
            relative=frozenset(str(word) for word in self._kept["relative"]),
            is_recurring=self.recurring,
            was_days=frozenset(str(day) for day in self._was["day"]),
            was_clocks=frozenset(int(clock) for clock in self._was["clock"]),
            rest=" ".join("".join(self._rest).split()),
        )


def _date_key(match: re.Match[str]) -> str:
    if match["iso"]:
        return str(match["iso"][5:])
    month = match["month"] or match["month2"]
    day = _day_number(match["day"] or match["day2"] or match["ordinal"] or match["digits"])
    if not month:
        return f"d{day}"
    number = 1 + _MONTH_STARTS.index(month[:3].lower())
    return f"{number:02}-{day:02}"


def _day_number(text: str) -> int:
    digits = re.sub(r"\D", "", text)
    if digits:
        return int(digits)
    return sum(int(found) for part in re.split(r"[- ]", text) if (found := key(part)).isdecimal())


def _clock_minutes(match: re.Match[str]) -> int:
    groups = match.groupdict()
    if groups.get("digital"):
        hour, minute = (int(part) for part in re.split(r"[:.]", match["digital"]))
        return (hour * 60 + minute) % 720
    if groups.get("named"):
        return 0
    if groups.get("past"):
        offset = {"half": 30, "quarter": 15}.get(match["past"].lower()) or _words_number(match["past"])
        return (_words_number(match["past_hour"]) * 60 + (offset if match["side"].lower() == "past" else -offset)) % 720
    extra = _words_number(groups["minutes"]) if groups.get("minutes") else 0
    spoken = str(groups.get("marked") or groups.get("bare") or match["bare2"])
    return (_words_number(spoken) * 60 + extra) % 720


def _words_number(text: str) -> int:
    return sum(int(found) for part in re.split(r"[- ]", text) if (found := key(part)).isdecimal())
