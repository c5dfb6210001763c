"""Words for days, weeks, months and holidays, each with the day it stands for.

Patterns see the tokens of `numbers.tokenize` joined by single blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from junod.when.expressions import (
    Ahead,
    Day,
    Holiday,
    Hop,
    MonthDay,
    NthWeekday,
    Period,
    PeriodUnit,
    Shift,
    Unit,
    Weekday,
    Which,
)
from junod.when.vocabulary import amount_of, month_of, weekday_of

Builder = Callable[[re.Match[str]], Day | Hop | None]

# An ordinal up to the tenth also counts doses, floors and children: what follows must leave it a date.
_ENDS = (
    r"(?= (?:[,.-]|at|of|to|till?|until|through|thru|for|from|is|and|or|in|so|if|but|because|now|then|right|its"
    r"|(?!1(?: |$))\d{1,2}(?::\d\d)?(?! (?:weeks?|days?|months?|hours?|minutes?|times?|of))|between|it|there|please|all"
    r"|morning|afternoon|evening|night|<DAYNAME>|we|he|she|they|i|you|with|around|about|half|quarter|the|not|no|as|this"
    r"|before|after|by|on|when|<MONTH2>)(?: |$)|$)"
).replace("<MONTH2>", "january|february|april|june|july|august|september|october|november|december")

_NO_FRACTION = (
    r"(?! (?:cups?|tea|tablespoons?|teaspoons?|tsp|tbsp|pounds?|lbs?|oz|ounces?|inch|inches|of|a|an|hours?|miles?"
    r"|pints?|quarts?|gallons?|litres?|liters?|kilos?|sticks?)(?!\S))"
)
_OLDEST_SHORT_YEAR = 40
_ORDINAL_LEADS = "the on by till til until from to before day"
_BEFORE_ORDINAL = "(?:" + "|".join(f"(?<={word} )" for word in _ORDINAL_LEADS.split()) + "|(?=the )|^(?![12]th))"

# What 'two weeks after' may be followed by, to be time at all.
_A_DAY = r"(?:<DAYNAME>|<MONTHNAME>|today|tom+or+ow|tmrw|yesterday|easter|christmas|thanksgiving|\d{1,2}(?:th|/\d|-\d))"


def _shift(days: int, *, is_tomorrow: bool = False) -> Builder:
    return lambda match: Shift(days, is_tomorrow)


def _weekday(which: Which = "coming", weeks_later: int = 0) -> Builder:
    return lambda match: Weekday(weekday_of(match), which, weeks_later)


def _weeks_before_weekday(match: re.Match[str]) -> Day:
    return Weekday(weekday_of(match), "coming", int(amount_of(match)))


def _weeks_from_today(match: re.Match[str]) -> Day:
    tomorrow = match["day"] == "tomorrow"
    return Shift(7 * int(amount_of(match)) + tomorrow, is_tomorrow=tomorrow)


def _month_day(match: re.Match[str]) -> Day | None:
    groups = match.groupdict()
    day, year = int(match["day"]), int(groups.get("year") or 0)
    if short := groups.get("short_year"):
        year = int(short) + (2000 if int(short) < _OLDEST_SHORT_YEAR else 1900)
    later = 1 if "next month" in match.group() else 0
    through = int(groups.get("through") or 0)
    return MonthDay(day, month_of(match), year, later, through) if 1 <= day <= 31 and through <= 31 else None


def _numeric_date(*, day_first: bool) -> Builder:
    def build(match: re.Match[str]) -> Day | None:
        text = match.group()
        numbers = [int(part) for part in re.split(r"[./-]", text.rstrip("."))]
        if len(str(numbers[0])) == 4:
            year, month, day = numbers
        else:
            dotted_or_british = day_first or "." in text
            day, month = numbers[:2] if dotted_or_british else (numbers[1], numbers[0])
            if month > 12 >= day:
                day, month = month, day
            year = numbers[2] if len(numbers) > 2 else 0
        year += 2000 if 0 < year < 100 else 0
        return MonthDay(day, month, year) if 1 <= month <= 12 and 1 <= day <= 31 else None

    return build


def _compact_date(match: re.Match[str]) -> Day:
    digits = match.group()
    return MonthDay(int(digits[6:]), int(digits[4:6]), int(digits[:4]))


def _nth_weekday(match: re.Match[str]) -> Day:
    nth = -1 if match["nth"] == "last" else int(match["nth"][:-2])
    return NthWeekday(nth, weekday_of(match), month_of(match), 1 if "next month" in match.group() else 0)


def _ahead(sign: int) -> Builder:
    units: dict[str, Unit] = {"day": "day", "night": "day", "week": "week", "month": "month", "year": "year"}
    halves = {"year": 182, "month": 15, "week": 4, "fortnight": 7, "day": 1, "night": 1}

    def build(match: re.Match[str]) -> Day:
        unit, amount = match["unit"].rstrip("s"), amount_of(match)
        if amount < 1:
            return Ahead(sign * halves[unit], "day")
        if unit == "fortnight":
            unit, amount = "week", 2 * amount
        return Ahead(sign * int(amount), units[unit])

    return build


def _hop(match: re.Match[str]) -> Hop:
    words = match.group().split()
    amount = (2 if "fortnight" in words else 1) * int(amount_of(match))
    units: dict[str, Unit] = {"day": "day", "week": "week", "fortnight": "week", "month": "month", "year": "year"}
    return Hop(-amount if "before" in words else amount, units[match["unit"].rstrip("s")])


def _period(match: re.Match[str]) -> Day:
    words = match.group()
    unit = cast(PeriodUnit, match["unit"] or match.groupdict().get("unit2"))
    which: Which = "next" if "next" in words else "last" if words.startswith("last") and "day" not in words else "this"
    return Period(unit, which, 1 if "after" in words else 0, at_end="end" in words.split() or "last day" in words)


def _named_month(match: re.Match[str]) -> Day:
    words = match.group().split()
    return Period("month", "next" if "next" in words else "coming", month=month_of(match), at_end="end" in words)


def _period_of(match: re.Match[str]) -> Day | None:
    day = int(match["day"])
    unit = cast(PeriodUnit, match["unit"])
    return Period(unit, containing=MonthDay(day, month_of(match))) if 1 <= day <= 31 else None


def _holiday(name: str, offset_days: int = 0) -> Builder:
    def build(match: re.Match[str]) -> Day:
        words = match.group().split()
        year = int(words[-1]) if words[-1].isdecimal() else 0
        return Holiday(
            name, offset_days, year=year, is_past=words[0] in ("last", "previous"), weekend="weekend" in words
        )

    return build


def relative_days() -> list[tuple[str, Builder]]:
    """Tomorrow, a fortnight today, in three weeks, two days ago."""
    unit = r"(?P<unit>days?|nights?|weeks?|fortnights?|months?|years?)"
    longer = r"(?P<unit>days?|weeks?|fortnights?|months?|years?)"
    return [
        (r"(?:the )?day after tomorrow|overmorrow", _shift(2, is_tomorrow=True)),
        (r"(?:the )?day before yesterday", _shift(-2)),
        (r"tom+or+ow|tmrw|2moro", _shift(1, is_tomorrow=True)),
        (r"(?:later )?today(?: of all days)?|this very day", _shift(0)),
        (r"yesterday", _shift(-1)),
        (r"last night", lambda match: Shift(-1, at_night=True)),
        (r"(?:a |1 |this day )?week (?:from )?(?:today|tonight|now)|today week", _shift(7)),
        (r"(?:a |1 )?week (?:from )?tomorrow|tomorrow week", _shift(8, is_tomorrow=True)),
        (r"(?:a )?fortnight (?:from )?(?:today|tonight|now)|today fortnight|2 weeks (?:from )?today", _shift(14)),
        (r"(?:a )?fortnight (?:from )?tomorrow|2 weeks (?:from )?tomorrow", _shift(15, is_tomorrow=True)),
        (r"<N> weeks (?:from )?(?P<day>today|tonight|tomorrow)", _weeks_from_today),
        (rf"(?:in|within) (?:about |around |like |just |under )?<N> {unit}(?: time)?", _ahead(1)),
        (rf"<N> {unit} (?:from now|from today|time|hence)", _ahead(1)),
        (rf"<N> {unit} ago", _ahead(-1)),
        (rf"<N> {longer} (?:from|after|before)(?= (?:the |next |this )*{_A_DAY})", _hop),
        (rf"(?:the )?(?P<n>)(?P<unit>day|week) (?:after|before)(?= (?:the |next |this )*{_A_DAY})", _hop),
        (r"(?:the )?(?P<n>)(?P<unit>day) (?:after|before)(?= [,.]| that| at|$)", _hop),
    ]


def weekdays() -> list[tuple[str, Builder]]:
    """Friday, next Friday, Friday week, a week on Friday, the second Friday of May."""
    after = r"(?:the )?(?:1|week|<WD2>) (?:after|following)(?: that| next)?(?! (?:school|work|lunch|dinner|tea|\d|the))"
    return [
        (r"(?:this |the |on |following )*(?:coming )?<WD>(?: coming)?", _weekday()),
        (r"before <WD> (?:is )?over", _weekday()),
        (r"next <WD>(?: coming)?", _weekday("next")),
        (r"(?:last|this past|the past) <WD>|<WD2> (?:just gone|gone)", _weekday("last")),
        (r"(?:the )?<WD> after next", _weekday("next", 1)),
        (r"(?:this |the |on )*<WD> week", _weekday("coming", 1)),
        (r"(?:a |1 )?week (?:on |from |this |next |come |the )*<WD>(?: coming)?", _weekday("coming", 1)),
        (r"<N> weeks (?:on |from |this )*<WD>", _weeks_before_weekday),
        (r"(?:a )?fortnight (?:on |from |this )*<WD>|<WD2> fortnight", _weekday("coming", 2)),
        (r"<WD>(?: ,)? (?:of )?next week|next week(?: ,)? (?:on |the )*<WD2>", _weekday("next")),
        (r"<WD>(?: ,)? (?:of )?this week|this week(?: ,)? (?:on |the )*<WD2>", _weekday("this")),
        (rf"not (?:this |next |the )*(?:coming )?<WD>(?: coming)?(?: [,.])?(?: but)? {after}", _weekday("coming", 1)),
        (
            rf"<WD>(?: [,.])? not (?:this |the )*(?:1|week)?(?: coming)?(?: [,.])?(?: but)? {after}",
            _weekday("coming", 1),
        ),
        (r"(?:the )?(?P<nth>[1-5]th|last) <WD> (?:of |in )?(?:<MONTH>|(?:the|this|next) month)", _nth_weekday),
    ]


def dates(*, day_first: bool) -> list[tuple[str, Builder]]:
    """The fifteenth, 2 May 2026, May the second, 2/5, 2026-05-02."""
    numeric = rf"\d{{1,2}}[./-]\d{{1,2}}[./-](?:\d{{4}}|\d\d)|(?<!\d )\d{{1,2}}/\d{{1,2}}{_NO_FRACTION}"
    return [
        (r"<MONTH> (?:the )?(?P<day>\d{1,2})(?:th)?(?! (?:am|pm|oclock|years?|\d\d)\b)<YEAR>", _month_day),
        (r"<MONTH> (?:the )?(?P<day>\d{1,2})(?:th)?<YEAR>(?= (?:at )?\d\d?:)", _month_day),
        (r"<MONTH> (?:the )?(?P<day>\d{1,2})th", _month_day),
        (r"<MONTH> (?P<day>\d{1,2})(?:th)? - (?P<through>\d{1,2})(?:th)?<YEAR>", _month_day),
        (r"(?:the )?(?P<day>\d{1,2})(?:th)? - (?P<through>\d{1,2})(?:th)?(?: of)? <MONTH><YEAR>", _month_day),
        (r"(?:the )?(?P<day>\d{1,2})th - (?P<through>\d{1,2})th", _month_day),
        (r"(?P<day>\d{1,2}) - <MONTH>(?: - (?P<year>(?:19|20)\d\d))?", _month_day),
        (r"<MONTH> - (?P<day>\d{1,2})(?: - (?P<year>(?:19|20)\d\d))?", _month_day),
        (r"(?:the )?(?P<day>\d{1,2})(?:th)?(?: of)? <MONTH><YEAR>", _month_day),
        (
            r"(?:the )?(?P<day>1[1-9]|2\d|3[01])th(?! (?:birthday|floor|anniversary|century|minute|time|episode))",
            _month_day,
        ),
        (rf"{_BEFORE_ORDINAL}(?:the )?(?P<day>\d|10)th{_ENDS}", _month_day),
        (r"(?:the )?(?P<day>\d{1,2})th of (?:the|this|next) month", _month_day),
        (r"(?P<year>(?:19|20)\d\d) <MONTH> (?P<day>\d{1,2})", _month_day),
        (r"\d{4}-\d{1,2}-\d{1,2}", _numeric_date(day_first=True)),
        (r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", _compact_date),
        (numeric, _numeric_date(day_first=day_first)),
        (r"\d{1,2}\.\d{1,2}\.", _numeric_date(day_first=True)),
    ]


def periods() -> list[tuple[str, Builder]]:
    """This weekend, next week, the end of the month, in August."""
    unit = r"(?P<unit>weekend|week|month|year)"
    return [
        (r"(?:coming |long )?(?P<unit>weekend)", _period),
        (r"(?:this|the|at the|over the|on the)(?: coming| long| whole)* (?P<unit>weekend)(?: coming)?", _period),
        (r"(?:some ?time |later |any ?time )?(?:this|the coming) (?P<unit>week|month|year)", _period),
        (r"(?:all|the whole|all of) (?:of )?(?:this |the |next )?(?P<unit>week|weekend)", _period),
        (rf"(?:some ?time |early )?next {unit}", _period),
        (rf"last {unit}", _period),
        (r"(?:the )?(?P<unit>weekend|week|month) after next", _period),
        (r"(?:the )?(?P<unit>weekend|week) after(?! (?:that|the|next|\d))", _period),
        (
            rf"(?:the )?(?:very end|end|last day) of (?:the|this|next) {unit}|{unit.replace('unit', 'unit2')} end",
            _period,
        ),
        (
            r"(?:the )?(?P<unit>weekend|week) (?:of|commencing|starting|beginning) (?:the )?(?P<day>\d{1,2})th?"
            r"(?: (?:of )?<MONTH>)?",
            _period_of,
        ),
        (
            r"(?:the )?(?:end of|in|early in|late in|some ?time in|mid|early|late) (?:next )?<MONTH>(?! (?:the )?\d)",
            _named_month,
        ),
    ]


def holidays() -> list[tuple[str, Builder]]:
    """Days with names, with or without a year; see `calendar` for the dates."""
    year = r"(?: (?:long )?weekend)?(?: (?:of )?20\d\d)?"
    return [(f"(?:(?:last|previous) )?(?:{pattern}){year}", build) for pattern, build in _holiday_names()]


def _holiday_names() -> list[tuple[str, Builder]]:
    return [
        (r"christmas eve", _holiday("christmas", -1)),
        (r"(?:christmas|xmas)(?: day)?", _holiday("christmas")),
        (r"boxing day|(?:st )?stephens? day", _holiday("christmas", 1)),
        (r"new years? eve|hogmanay", _holiday("new year", -1)),
        (r"new years?(?: day)?(?! (?:eve|resolution))", _holiday("new year")),
        (r"valentines?(?: day)", _holiday("valentine")),
        (r"(?:st |saint )patricks?(?: day)?|patricks? day|paddys? day", _holiday("patrick")),
        (r"halloween|hallowe en", _holiday("halloween")),
        (r"bonfire night|guy fawkes night", _holiday("bonfire")),
        (r"good friday", _holiday("easter", -2)),
        (r"easter(?: sunday)?", _holiday("easter")),
        (r"easter monday", _holiday("easter", 1)),
        (r"(?:shrove tuesday|pancake day)", _holiday("easter", -47)),
        (r"ash wednesday", _holiday("easter", -46)),
        (r"palm sunday", _holiday("easter", -7)),
        (r"thanksgiving(?: day)?", _holiday("thanksgiving")),
        (r"black friday", _holiday("thanksgiving", 1)),
        (r"mothers? day|mothering sunday", _holiday("mother")),
        (r"fathers? day", _holiday("father")),
        (r"memorial day", _holiday("memorial")),
        (r"presidents? day", _holiday("presidents")),
        (r"columbus day|indigenous peoples? day", _holiday("columbus")),
        (r"veterans? day|remembrance day|armistice day", _holiday("veterans")),
        (r"juneteenth", _holiday("juneteenth")),
        (r"anzac day", _holiday("anzac")),
        (r"australia day", _holiday("australia")),
        (r"kings? day", _holiday("kings day")),
        (r"may day|international workers day", _holiday("may day")),
        (r"martin luther king day|mlk day", _holiday("martin luther king")),
        (r"labou?r day", _holiday("labor")),
        (r"canada day", _holiday("canada")),
        (r"independence day", _holiday("independence")),
    ]


def day_patterns(*, day_first: bool) -> list[tuple[str, Builder]]:
    """All of the above; `day_first` reads 3/4 as the third of April."""
    return [*relative_days(), *weekdays(), *dates(day_first=day_first), *periods(), *holidays()]
