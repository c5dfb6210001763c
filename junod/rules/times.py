"""Clock times, ranges of hours and lengths of time inside a declared rule (pure). Values are read by `junod.when`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from junod.when.fold import parse
from junod.when.hours import hour_from_words, surroundings, usual_half

_ONES = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_NUMBER = rf"(?:{_ONES}|fifteen|twenty|twenty[- ]five|thirty|forty|forty[- ]five|fifty|sixty|ninety|\d{{1,3}})"
_HOUR = rf"(?:{_ONES}|\d{{1,2}})"
_MINUTES = r"(?:o'?clock|oh five|ten|fifteen|twenty|thirty|forty|forty[- ]five|fifty)"
_PART = r"(?:in the (?:early )?(?:morning|afternoon|evening)|at night|every night|tonight|a\.?m\.?|p\.?m\.?)"
CLOCK = (
    rf"(?:noon|midday|midnight|\d{{1,2}}[:.]\d\d|(?:a )?(?:half|quarter)(?: past| to)? {_HOUR}"
    rf"|{_NUMBER}(?: minutes)? (?:past|to) {_HOUR}|{_HOUR} {_MINUTES}|{_HOUR})(?: ?{_PART})?"
)
"""A clock time as spoken, with the part of the day behind it."""
LENGTH = (
    rf"(?:(?:a )?quarter of an hour|(?:half|quarter) an? hour|an? (?:hour and a half|hour|day|week|minute)"
    rf"|{_NUMBER} and a half hours?|{_NUMBER} (?:minutes?|mins?|hours?|days?|weeks?)|the (?:day|night|evening))"
)
_UNITS = {"min": 1, "minute": 1, "hour": 60, "day": 1440, "week": 7 * 1440}
_WORDS = dict(zip(_ONES.split("|"), range(1, 13), strict=True)) | {
    "fifteen": 15, "twenty": 20, "twenty five": 25, "thirty": 30, "forty": 40, "forty five": 45, "fifty": 50,
    "sixty": 60, "ninety": 90, "a": 1, "an": 1, "the": 1,
}  # fmt: skip
_LENGTH = re.compile(rf"(?P<amount>an?|the|{_NUMBER})(?P<half> and a half)? (?P<unit>min|minute|hour|day|week)s?")
NIGHT_ENDS = "07:00"
"""Where 'after nine in the evening' ends, as nobody says: shown before it is confirmed."""
DAY_BEGINS = "00:00"
"""Where 'before eight in the morning' begins."""


@dataclass(frozen=True, slots=True)
class Range:
    """Hours of the day, 'HH:MM' each; `end` before `start` = over midnight."""

    start: str
    end: str


def clock(words: str, *, around: str = "", evening: bool | None = None) -> str | None:
    """'half past four' -> '16:30'; None where it is no clock time.

    Args:
        around: the sentence, which tells the half of the day where the words do not.
        evening: True / False settles it instead.
    """
    said = words.lower().replace("every night", "at night").strip(" .,")
    found = parse([said if said[:2] == "at" else f"at {said}"])
    if found.clock is None or found.clock.hour > 23:
        return None
    guess = hour_from_words(found.clock, found.part)
    if guess is not None:
        return f"{guess.at:%H:%M}"
    hour, minute = found.clock.hour % 12, found.clock.minute
    if evening is None:
        half, _ = usual_half(found.clock.hour, surroundings(around or said, [said]))
        evening = half == 12
    return f"{hour + 12 * evening:02d}:{minute:02d}"


def after(words: str) -> Range | None:
    """'Nine in the evening' as the beginning of the quiet; an hour alone is one of the evening."""
    start = clock(words, evening=True)
    return Range(start, NIGHT_ENDS) if start else None


def before(words: str) -> Range | None:
    """'Eight in the morning' as the end of the quiet; an hour alone is one of the morning."""
    end = clock(words, evening=False)
    return Range(DAY_BEGINS, end) if end else None


def between(first: str, last: str, *, at_night: bool = False) -> Range | None:
    """'One' and 'three in the afternoon': what one hour settles about the half of the day holds for the other."""
    start, end = _settled(first), _settled(last)
    if start is None and end is None:
        start = clock(first, evening=True) if at_night else None
        end = clock(last, evening=False if at_night else _is_early(last))
    if start is None and end is not None:
        last_at = end
        start = _nearest(first, lambda at: _minutes_from(at, last_at))
    elif end is None and start is not None:
        first_at = start
        end = _nearest(last, lambda at: _minutes_from(first_at, at))
    return Range(start, end) if start and end and start != end else None


def _settled(words: str) -> str | None:
    """The hour where its own words tell the half of the day."""
    morning, evening = clock(words, evening=False), clock(words, evening=True)
    return morning if morning == evening else None


def _is_early(words: str) -> bool:
    """A lone hour at the end of a quiet time is one of the day: 'from one to three'."""
    found = parse([f"at {words}"]).clock
    return found is not None and found.hour <= 6


def _nearest(words: str, distance: Callable[[str], int]) -> str | None:
    choices = [at for half in (False, True) if (at := clock(words, evening=half)) and distance(at)]
    return min(choices, key=distance, default=None)


def _minutes_from(start: str, end: str) -> int:
    first, last = (int(at[:2]) * 60 + int(at[3:]) for at in (start, end))
    return (last - first) % 1440


def length_minutes(words: str) -> int | None:
    """'An hour and a half' -> 90; None where it is no length of time."""
    said = " ".join(words.lower().replace("-", " ").split())
    if said in ("the night", "the evening"):
        return 1440
    if "quarter" in said:
        return 15
    if said in ("half an hour", "half a hour"):
        return 30
    if said == "an hour and a half":
        return 90
    match = _LENGTH.fullmatch(said)
    if match is None:
        return None
    amount = int(match["amount"]) if match["amount"].isdigit() else _WORDS[match["amount"]]
    return amount * _UNITS[match["unit"]] + (_UNITS[match["unit"]] // 2 if match["half"] else 0)


def names_an_hour(words: str) -> bool:
    """Whether the words name a clock time or a part of the day, so that no usual hour is needed."""
    said = parse([words])
    return said.clock is not None or said.part is not None


def names_a_day(words: str) -> bool:
    """Whether the words name a day and no hour."""
    said = parse([words])
    return bool(said.days) and said.clock is None and said.part is None
