"""What a memory means for the days to come, read from its wording and its end (pure).

The store keeps no kinds of memory: 'Dentist for Leo — Tue 31 Mar 2026, 15:00' says itself that it is an appointment.
The wording is that of `junod.extract.wording` and `junod.when.speak`; where a memory was written otherwise, its end
tells: at midnight it was the day before, else that very moment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from junod.agenda.repeats import Repeat, repeat_of
from junod.memory.markdown import plain
from junod.memory.telling import one_line
from junod.records import Memory

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = (
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) "
    r"(?P<day{n}>\d{{1,2}})(?: (?P<month{n}>[A-Z][a-z]{{2}}))?(?: (?P<year{n}>\d{{4}}))?"
)
_SAID = re.compile(
    rf"(?P<lead>(?:by|before) )?{_DAY.format(n=1)}(?: – {_DAY.format(n=2)})?"
    r"(?:, (?:(?P<clock>(?:[01]\d|2[0-3]):[0-5]\d)|(?P<part>morning|afternoon|evening|night)))?"
)
_DASH = " — "
_YEARS = range(1900, 9000)
"""Beyond them a day before or after, or another time zone, may be no date any more."""
_TODO = re.compile(
    r"(?:please |someone |(?:we|i|you|they|\w+) (?:need|needs|have|has|must|should|ought|want|wants)\b|remember to|"
    r"remind|don['’]t forget|must|need to|have to|to )|(?:add|answer|apply|arrange|ask|bake|book|bring|buy|call|cancel|"
    r"change|charge|check|clean|collect|cook|cut|defrost|descale|drop|email|empty|feed|fetch|fill|find|finish|fix|get|"
    r"give|go|hang|let|look|mail|make|mend|message|move|mow|order|pack|pay|phone|pick|plan|post|prepare|print|"
    r"put|reach|refill|renew|repair|replace|reply|report|return|ring|schedule|sell|send|set|sign|sort|start|"
    r"take|talk|tell|text|thaw|throw|tidy|top|turn|unblock|update|visit|wash|water|wrap|write) (?!is\b|are\b|was\b)",
    re.IGNORECASE,
)
"""How a task begins: with a verb that asks for it, or with who has to."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of an agenda."""

    memory: Memory
    text: str
    """Without its time."""
    first: date | None
    """None = no day of its own: a lasting fact, or a task without a date."""
    last: date | None
    at: datetime | None
    """Where a clock time was named, in the household's zone."""
    is_task: bool
    repeat: Repeat | None

    @property
    def is_timed(self) -> bool:
        return self.at is not None

    def falls_on(self, day: date) -> bool:
        if self.repeat is not None:
            return self.repeat.falls_on(day)
        return self.first is not None and self.last is not None and self.first <= day <= self.last

    def clock_on(self, day: date) -> str | None:
        """'16:00' where it has a clock time on that day."""
        if self.repeat is not None:
            return f"{self.repeat.at:%H:%M}" if self.repeat.at else None
        return f"{self.at:%H:%M}" if self.at and self.at.date() == day else None


def entry_of(memory: Memory, zone: ZoneInfo, *, day_first: bool = True) -> Entry:
    """Read one active memory."""
    sentence, said = _parted(memory.memory)
    is_task = _TODO.match(sentence) is not None
    ends = memory.expires_at.astimezone(zone) if memory.expires_at else None
    days = _days(said, ends) if said else None
    if said is None or days is None:
        return _unsaid(memory, _bare(_head(memory.memory)), ends, zone, is_task=is_task, day_first=day_first)
    first, last = days
    at = ends if said["clock"] and ends else _moment(first, said["clock"], zone)
    text = f"{sentence}, {said['part']}" if said["part"] else sentence
    is_due = bool(said["lead"])
    if said["lead"] == "before ":
        last = last - timedelta(days=1)
    return Entry(memory, text, last if is_due else first, last, at, is_task or is_due, None)


def title(memory: Memory) -> str:
    """A memory on one line without its marks."""
    return unmarked(one_line(memory.memory))


def unmarked(line: str) -> str:
    """A line of markdown without its marks."""
    return plain(re.sub(r"~~|\*\*|`|^[-*+] (?:\[[ xX]\] )?|^#+ ", "", line))


def _parted(text: str) -> tuple[str, re.Match[str] | None]:
    """The first line's sentence, and what stands after its dash where that is a time."""
    head = _head(text)
    sentence, dash, said = head.rpartition(_DASH)
    match = _SAID.fullmatch(said.strip()) if dash else None
    return (_bare(sentence), match) if match else (_bare(head), None)


def _head(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _bare(line: str) -> str:
    return plain(re.sub(r"~~|\*\*|`|^[-*+] (?:\[[ xX]\] )?", "", line)).strip()


def _unsaid(
    memory: Memory, sentence: str, ends: datetime | None, zone: ZoneInfo, *, is_task: bool, day_first: bool
) -> Entry:
    if ends is None:
        repeat = repeat_of(sentence, memory.spoken_at.astimezone(zone), zone, day_first=day_first)
        return Entry(memory, sentence, None, None, None, is_task and repeat is None, repeat)
    if ends.time() == time(0):
        day = (ends - timedelta(hours=1)).date()
        return Entry(memory, sentence, day, day, None, is_task, None)
    return Entry(memory, sentence, ends.date(), ends.date(), ends, is_task, None)


def _days(said: re.Match[str], ends: datetime | None) -> tuple[date, date] | None:
    """First and last day; what both ends share is said once, at the second. None = no such day, as 31 February."""
    try:
        last = _date(said, "2" if said["day2"] else "1", said["month1"] or "", said["year1"] or "")
        first = _date(said, "1", f"{last:%b}", str(last.year)) if said["day2"] else last
    except (ValueError, IndexError):
        if ends is None:
            return None
        first = last = (ends - timedelta(seconds=1)).date()
    return first, last


def _date(said: re.Match[str], which: str, month: str, year: str) -> date:
    name = said[f"month{which}"] or month
    day = date(int(said[f"year{which}"] or year), _MONTHS.index(name) + 1, int(said[f"day{which}"]))
    if day.year not in _YEARS:
        raise ValueError(f"{day} is too far away")
    return day


def _moment(day: date, clock: str | None, zone: ZoneInfo) -> datetime | None:
    return datetime.combine(day, time.fromisoformat(clock), zone) if clock else None
