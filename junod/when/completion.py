"""The other half of a time: the day for 'at nine', the hour for 'Thursday', from the talk around it.

In kitchen talk the thing, the day and the hour often stand in different turns, while a language model quotes one.
"""

from __future__ import annotations

import re

from junod.records import Kind
from junod.when.expressions import Ahead, Expression, Holiday, Period, Shift, Weekday
from junod.when.fold import parse
from junod.when.phrases import TimePhrase, find_time_phrases

_SENTENCE_END = re.compile(r"[.?!]+")
_FARTHEST_SENTENCE = 5


def complete(when: str, text: str, *, kind: Kind, day_first: bool = True) -> list[str]:
    """`when`, with the phrase of `text` that names the day or the hour it lacks; in the order spoken, for `combine`.

    A lone hour gets the nearest day, an appointment's lone day the nearest hour; the whole of `when` stands as it is
    where it is complete, where `text` does not hold it, or where nothing fits within five sentences.
    """
    when = _whole_phrase(when, text, day_first)
    said = parse([when], day_first=day_first)
    place = _place_of(when, said, text, day_first)
    wants_day, wants_hour = _lacks_day(said), _lacks_hour(said, kind)
    if place is None or not (wants_day or wants_hour) or kind not in (Kind.APPOINTMENT, Kind.REMINDER):
        return [when]
    start, end = place
    near = [
        phrase
        for phrase in find_time_phrases(text, day_first=day_first)
        if (phrase.end <= start or phrase.start >= end) and _fits(phrase, wants_day, day_first)
    ]
    if not near:
        return [when]
    distances = {phrase: _distance(phrase, start, text) for phrase in near}
    best = min(near, key=distances.__getitem__)
    if distances[best] > _FARTHEST_SENTENCE:
        return [when]
    return [best.text, when] if best.start < start else [when, best.text]


def _whole_phrase(when: str, text: str, day_first: bool) -> str:
    """The phrase of `text` that `when` is a part of: a model quotes 'today' where 'before five today' was said."""
    part = " ".join(when.lower().split())
    whole = [
        phrase.text
        for phrase in find_time_phrases(text, day_first=day_first)
        if part and f" {part} " in f" {' '.join(phrase.text.lower().split())} "
    ]
    return whole[0] if len(set(whole)) == 1 else when


def _lacks_day(said: Expression) -> bool:
    if said.days or said.offset or said.repeat or said.length:
        return False
    return (said.clock is not None or said.part is not None) and not (said.part and said.part.today)


def _lacks_hour(said: Expression, kind: Kind) -> bool:
    timed = said.clock or said.part or said.offset or said.repeat or said.until_days
    return kind is Kind.APPOINTMENT and bool(said.days) and not timed


def _place_of(when: str, said: Expression, text: str, day_first: bool) -> tuple[int, int] | None:
    """Where `text` says `when`: verbatim, or the same day and hour in another spelling."""
    start = text.lower().find(when.lower().strip())
    if start >= 0 and when.strip():
        return start, start + len(when.strip())
    for phrase in find_time_phrases(text, day_first=day_first):
        other = parse([phrase.text], day_first=day_first)
        if _says(other) == _says(said):
            return phrase.start, phrase.end
    return None


def _says(said: Expression) -> tuple[object, ...]:
    clock = (said.clock.hour, said.clock.minute) if said.clock else None
    return said.days, clock, said.part


def _fits(phrase: TimePhrase, wants_day: bool, day_first: bool) -> bool:
    said = parse([phrase.text], day_first=day_first)
    if said.repeat or said.offset or said.until_days:
        return False
    if not wants_day:
        return phrase.has_hour and not phrase.has_day
    return phrase.has_day and not any(_is_over(day) for day in said.days)


def _is_over(day: object) -> bool:
    """A day in the past is no day of a plan."""
    if isinstance(day, Weekday | Period):
        return day.which == "last"
    if isinstance(day, Holiday):
        return day.is_past
    return (isinstance(day, Shift) and day.days < 0) or (isinstance(day, Ahead) and day.amount < 0)


def _distance(phrase: TimePhrase, start: int, text: str) -> float:
    """Sentences between the two, the nearer of two in one sentence first."""
    between = text[min(phrase.start, start) : max(phrase.start, start)]
    return len(_SENTENCE_END.findall(between)) + len(between) / 10_000
