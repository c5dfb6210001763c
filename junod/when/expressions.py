"""What a time phrase says, before anybody asks which day today is. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Which = Literal["coming", "this", "next", "last"]
Meridiem = Literal["", "am", "pm", "24h"]
Unit = Literal["day", "week", "month", "year"]
PeriodUnit = Literal["weekend", "week", "month", "year"]


class Part(StrEnum):
    """A part of a day that stands for an hour or narrows one."""

    MORNING = "morning"
    NOON = "lunchtime"
    AFTERNOON = "afternoon"
    AFTER_SCHOOL = "after school"
    EVENING = "evening"
    NIGHT = "night"


@dataclass(frozen=True, slots=True)
class Shift:
    """Today (0), tomorrow (1), a fortnight today (14): days counted from the day of speech."""

    days: int
    is_tomorrow: bool = False
    """Spoken as 'tomorrow', which after midnight means the current calendar day."""
    at_night: bool = False
    """'Last night': an hour beside it is an evening one."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """In three weeks, two months from now; a negative amount is 'ago'."""

    amount: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week, Monday = 0."""

    weekday: int
    which: Which = "coming"
    weeks_later: int = 0


@dataclass(frozen=True, slots=True)
class MonthDay:
    """A day of a month; month 0 = the next month that has it; year 0 = the next year."""

    day: int
    month: int = 0
    year: int = 0
    months_later: int = 0
    """'The fifth of next month': 1. Only where `month` is 0."""
    through: int = 0
    """'12-15 February': the last day, of this month or the next."""


@dataclass(frozen=True, slots=True)
class NthWeekday:
    """The second Tuesday of a month; nth -1 = the last; month 0 = this one or the next."""

    nth: int
    weekday: int
    month: int = 0
    months_later: int = 0


@dataclass(frozen=True, slots=True)
class Period:
    """A weekend, week, month or year as a whole, or its end."""

    unit: PeriodUnit
    which: Which = "coming"
    later: int = 0
    month: int = 0
    at_end: bool = False
    containing: MonthDay | None = None
    """'The weekend of the thirteenth of June'."""


@dataclass(frozen=True, slots=True)
class Holiday:
    """A day with a name; `offset_days` for its eve or the day after."""

    name: str
    offset_days: int = 0
    weekend: bool = False
    """'Easter weekend': with the Saturday and Sunday next to it, Easter from Friday to Monday."""
    year: int = 0
    is_past: bool = False
    """'Last Easter'."""


@dataclass(frozen=True, slots=True)
class Hopped:
    """A day counted from another: two weeks after Friday, the day before the twenty-third."""

    base: Shift | Ahead | Weekday | MonthDay | NthWeekday | Period | Holiday | Hopped
    amount: int
    unit: Unit


Day = Shift | Ahead | Weekday | MonthDay | NthWeekday | Period | Holiday | Hopped


@dataclass(frozen=True, slots=True)
class Hop:
    """'Two weeks after', 'the day before': to be counted from the day said next or last; negative = before."""

    amount: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class Clock:
    """An hour as said. Without a meridiem, hours up to 12 may mean either half of the day."""

    hour: int
    minute: int = 0
    meridiem: Meridiem = ""
    approximate: bool = False
    bare: bool = False
    """A lone number, an hour only beside a day or a preposition."""


@dataclass(frozen=True, slots=True)
class PartOfDay:
    """'In the morning', 'tonight' (which also names the day), 'after lunch' (approximate)."""

    part: Part
    today: bool = False
    approximate: bool = False
    of_hour: bool = False
    """'At night' says which half of the day an hour lies in; 'Friday night' says which evening."""


@dataclass(frozen=True, slots=True)
class Offset:
    """An hour and a half from the moment of speech; negative = ago."""

    minutes: float
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class Length:
    """'For three weeks': how many days lie between the first and the last (21; 'two nights' 2, 'three days' 2)."""

    days: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """'Every Tuesday', 'weekly', 'Mondays'; `weekday` where one was named."""

    words: str
    weekday: int | None = None
    is_plural: bool = False
    """Said as 'Saturdays', which may describe somebody's habit rather than a plan."""


Item = Day | Hop | Clock | PartOfDay | Offset | Length | Repeat


@dataclass(frozen=True, slots=True)
class Atom:
    """One item of a phrase, where it stands, and the words since the atom before."""

    item: Item
    start: int
    end: int
    glue: str = ""
    """Normalised words between the previous atom and this one, its own prepositions included."""
    negated: bool = False
    """'Not Thursday': said only to be excluded."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A whole phrase, folded: the last word on each of day, hour and part wins."""

    days: tuple[Day, ...] = ()
    """Several that describe one day: 'Saturday' and 'the eleventh'."""
    until_days: tuple[Day, ...] = ()
    """The last day of a span."""
    clock: Clock | None = None
    until_clock: Clock | None = None
    part: PartOfDay | None = None
    until_part: PartOfDay | None = None
    offset: Offset | None = None
    length: Length | None = None
    repeat: Repeat | None = None
    bound: Literal["", "by", "before", "until"] = ""
    approximate: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.days or self.clock or self.part or self.offset or self.length or self.repeat)
