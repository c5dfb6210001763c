"""Words for hours, parts of the day, lengths and repeats, each with what it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from junod.when.expressions import Clock, Item, Length, Meridiem, Offset, Part, PartOfDay, Repeat
from junod.when.vocabulary import amount_of, part_of, weekday_of

Builder = Callable[[re.Match[str]], Item | None]

# A number is no hour when it counts something.
_COUNTED = (
    r"(?! (?:minutes?|mins?|hours?|hrs?|seconds?|secs?|days?|nights?|weeks?|months?|years?|percent|degrees?|euros?"
    r"|pounds?|dollars?|bucks|cents|quid|rand|kroner|kronor|rupees|francs|grams?|kilos?|litres?|liters?|times?|people|persons|guests|adults|kids|children|more|of|thousand|hundred"
    r"|million|point|(?:o|oh) \d|each|million|miles?|pages?|things?|bottles?|eggs|packs?|boxes|bags?|cans?|tins?|th|/"
    r"|half|and a half|all|nil|love|down|up|star|stars|or (?:2|3|4|5|6|7|8|9|10|12) (?:days|minutes|of))(?!\S))"
)

# 'This one', 'number nine', 'all four' name things.
_NAMERS = "this that the which other last next number page all any every first only platform"
_NOT_THIS = "".join(f"(?<!{word} )" for word in _NAMERS.split())

# Four digits behind a day are an hour: 'Friday 1430', '12 Nov 1115'.
_DAY_ENDINGS = "day row jan feb mar apr may jun jul aug sep oct nov dec ber ary rch ril une uly ust"
_AFTER_DAY = "(?:" + "|".join(f"(?<={ending} )" for ending in _DAY_ENDINGS.split()) + ")"
_UNFINISHED = r"(?! (?:[0-5]\d|am|pm|oclock)(?: |$))"
_FUZZY = frozenset({"around", "about", "ish", "roughly", "maybe", "like"})


def _clock(hour: int, minute: int, ampm: str | None = None, *, bare: bool = False) -> Clock | None:
    if hour > 24 or minute > 59 or (hour == 24 and minute):
        return None
    meridiem: Meridiem = "am" if ampm == "am" else "pm" if ampm == "pm" else ""
    if hour > 12 or hour == 0:
        meridiem = "24h"
    return Clock(hour % 24, minute, meridiem, bare=bare)


def _hour_minute(match: re.Match[str]) -> Item | None:
    groups = match.groupdict()
    fuzzy = not _FUZZY.isdisjoint(match.group().split())
    hour, minute = match["h"] or groups["h2"], int(groups.get("m") or 0)
    clock = _clock(int(hour), minute, "am" if hour.startswith("0") else groups.get("ampm"))
    return replace(clock, approximate=fuzzy) if clock else None


def _bare_hour(match: re.Match[str]) -> Item | None:
    return _clock(int(match["h"]), 0, bare=True)


def _compact(match: re.Match[str]) -> Item | None:
    digits = match["hm"]
    return _clock(int(digits[:-2]), int(digits[-2:]), "am" if digits[0] == "0" else match.groupdict().get("ampm"))


def _past(match: re.Match[str]) -> Item | None:
    words = match["minutes"]
    minute = 30 if words == "half" else 15 if words == "quarter" else int(words)
    return _clock(int(match["h"]), minute, match["ampm"])


def _to(match: re.Match[str]) -> Item | None:
    minute = 15 if match["minutes"] == "quarter" else int(match["minutes"])
    hour, ampm = int(match["h"]), match["ampm"]
    if not 0 < minute < 60 or not 1 <= hour <= 24:
        return None
    if hour == 12 and ampm:
        ampm = {"am": "pm", "pm": "am"}[ampm]
    return _clock((hour - 1) or 12, 60 - minute, ampm)


def _to_noon(match: re.Match[str]) -> Item | None:
    minute = 15 if match["minutes"] == "quarter" else int(match["minutes"])
    if not 0 < minute < 60:
        return None
    if match["at"] == "midnight":
        return Clock(23, 60 - minute, "24h")
    return Clock(11, 60 - minute, "am")


def _past_noon(match: re.Match[str]) -> Item | None:
    words = match["minutes"]
    minute = 30 if words == "half" else 15 if words == "quarter" else int(words)
    return Clock(0 if match["at"] == "midnight" else 12, minute, "24h") if minute < 60 else None


def _fixed_clock(hour: int) -> Builder:
    return lambda match: Clock(hour, 0, "24h")


def _fixed_part(part: Part, *, today: bool = False, approximate: bool = False) -> Builder:
    return lambda match: PartOfDay(part, today, approximate)


def _part_of_day(match: re.Match[str]) -> Item:
    return PartOfDay(part_of(match), today="this" in match.group().split())


def _offset(sign: int) -> Builder:
    def build(match: re.Match[str]) -> Item:
        words, groups = match.group(), match.groupdict()
        minutes_per = {"h": 60.0, "m": 1.0, "s": 1 / 60}[match["unit"][0]]
        amount = amount_of(match)
        amount += 0.5 if "and a half" in words else 0.25 if "and a quarter" in words else 0.0
        amount = 0.75 if "3 quarters of" in words else amount
        minutes = amount * minutes_per + float(groups.get("extra") or 0)
        return Offset(sign * minutes, approximate="few" in words or "couple" in words or "several" in words)

    return build


def _bare_minutes(match: re.Match[str]) -> Item:
    """'Back in ten': minutes are meant."""
    return Offset(amount_of(match))


def _length(match: re.Match[str]) -> Item:
    unit = match["unit"].rstrip("s")
    days = round(amount_of(match) * {"day": 1, "night": 1, "week": 7, "fortnight": 14, "month": 30}[unit])
    return Length(max(0, days - 1) if unit == "day" else days)


def _repeat(match: re.Match[str]) -> Item:
    groups = match.groupdict()
    named = groups.get("wd") or groups.get("wd2")
    return Repeat(match.group(), weekday_of(match) if named else None)


def clocks() -> list[tuple[str, Builder]]:
    """7:30, half seven, quarter to six, seven thirty p.m., noon, seventeen thirty, 'at 5'."""
    minutes = r"(?P<minutes>\d{1,2})(?: minutes| mins)?"
    in_part = r"(?:in the (?:early )?(?:morning|afternoon|evening)|at night|tonight|this (?:morning|afternoon|evening))"
    before_hour = r"(?:at|by|around|about|before|till?|until|from|after|past|for|its|say|to|between|since)(?: at)?"
    return [
        (r"(?P<h>\d{1,2}):(?P<m>\d\d)<AMPM>(?: hours| h| uhr)?", _hour_minute),
        (r"(?P<h>\d{1,2})[: ](?P<m>[0-5]\d) for \d{1,2}(?::\d\d)?", _hour_minute),
        (r"(?P<h>\d{1,2}) (?P<ampm>am|pm)", _hour_minute),
        (
            r"(?P<h>\d{1,2}) (?P<m>[0-5]\d)<AMPM>(?! (?:minutes?|mins?|seconds?|percent|euros?|dollars?|\d))",
            _hour_minute,
        ),
        (r"at (?P<h>\d{1,2}) (?P<m>[0-5]\d) minutes", _hour_minute),
        (r"(?P<h>\d{1,2}) oclock<AMPM>(?: sharp)?", _hour_minute),
        (r"(?P<h>\d{1,2}) (?:sharp|on the dot|hundred hours|ish)|(?P<h2>1[3-9]|2[0-3]) hundred", _hour_minute),
        (r"(?P<h>\d{1,2}) (?P<m>[0-5]\d) ish", _hour_minute),
        (r"at (?P<hm>\d{3,4})<AMPM>(?: hours)?", _compact),
        (r"(?P<hm>\d{3,4}) (?P<ampm>am|pm)", _compact),
        (r"(?:around|about|by|until|till?|from|-) (?P<hm>[01]\d[0-5]\d|2[0-3][0-5]\d)", _compact),
        (r"(?P<hm>[01]\d[0-5]\d|2[0-3][0-5]\d) hours", _compact),
        (rf"{_AFTER_DAY}(?!19|20)(?P<hm>[01]\d[0-5]\d|2[0-3][0-5]\d)", _compact),
        (
            r"(?:a )?(?P<minutes>half|quarter)(?: past| after)? (?P<h>\d{1,2})<AMPM>(?: oclock| sharp)?(?! minutes)",
            _past,
        ),
        (rf"{minutes} (?:past|after) (?P<h>\d{{1,2}})<AMPM>", _past),
        (r"(?:a )?(?P<minutes>quarter) (?:to|before|of|till?) (?P<h>\d{1,2})<AMPM>(?: sharp)?", _to),
        (
            r"(?P<minutes>5|10|20|25)(?: minutes| mins)? (?:to|before|till|of) (?P<h>\d{1,2})<AMPM>(?: sharp)?"
            + _COUNTED,
            _to,
        ),
        (r"(?P<minutes>\d{1,2}) (?:minutes|mins) (?:to|before|till) (?P<h>\d{1,2})<AMPM>", _to),
        (r"(?:a )?(?P<minutes>quarter|5|20|25) (?:to|before) (?P<at>noon|midday|midnight)", _to_noon),
        (r"(?:a )?(?P<minutes>quarter|half|5|10|20|25) (?:past|after) (?P<at>noon|midday|midnight)", _past_noon),
        (r"(?:12 )?(?:noon|midday)(?: ish)?", _fixed_clock(12)),
        (r"(?:12 )?midnight", _fixed_clock(0)),
        (rf"(?P<h>\d{{1,2}})(?= {in_part})", _hour_minute),
        (
            rf"{before_hour} (?:about |around |like |maybe |roughly )?(?P<h>\d{{1,2}}){_UNFINISHED}{_COUNTED}",
            _hour_minute,
        ),
        (rf"at (?P<h>\d{{1,2}}){_UNFINISHED}{_COUNTED}", _hour_minute),
        (rf"{_NOT_THIS}(?P<h>1?\d|2[0-4]){_COUNTED}", _bare_hour),
    ]


def parts() -> list[tuple[str, Builder]]:
    """In the morning, tonight, this evening, first thing, after lunch, before bed."""
    return [
        (r"(?:in |during )?(?:the |this |that |all )?(?:early |late |mid |later )?(?:in the )?<PART>", _part_of_day),
        (r"at night", lambda match: PartOfDay(Part.NIGHT, of_hour=True)),
        (r"at bed ?time|before bed|by bed ?time|last thing|over ?night", _fixed_part(Part.NIGHT)),
        (r"(?:later )?(?:tonight|tonite|2night)", _fixed_part(Part.NIGHT, today=True)),
        (r"this lunch ?time", _fixed_part(Part.NOON, today=True)),
        (r"first thing(?: in the morning)?", _fixed_part(Part.MORNING)),
        (r"1th thing(?: in the morning)?", _fixed_part(Part.MORNING)),
        (r"before (?:breakfast|school|work|the school run)|at breakfast", _fixed_part(Part.MORNING, approximate=True)),
        (r"before lunch", _fixed_part(Part.MORNING, approximate=True)),
        (r"(?:at|for|by|over) lunch|lunch(?= (?:[,.]|$))", _fixed_part(Part.NOON, approximate=True)),
        (r"after lunch|before (?:dinner|supper|tea)", _fixed_part(Part.AFTERNOON, approximate=True)),
        (r"after (?:school|nursery|kindergarten|daycare)", _fixed_part(Part.AFTER_SCHOOL, approximate=True)),
        (r"after (?:dinner|supper|tea|work|we eat|we ve eaten)", _fixed_part(Part.EVENING, approximate=True)),
        (r"(?:dinner|supper|tea) ?time", _fixed_part(Part.EVENING, approximate=True)),
        (r"(?:the )?end of (?:the )?day|close of (?:play|business)|eod", _fixed_part(Part.NIGHT)),
    ]


def spans_and_repeats() -> list[tuple[str, Builder]]:
    """In an hour and a half, ten minutes ago, for three weeks, every Tuesday, weekly."""
    hours = r"(?P<unit>hours?|hrs?|h|minutes?|mins?|seconds?|secs?)"
    many = r"(?P<unit>days?|nights?|weeks?|fortnights?|months?)"
    extra = r"(?: and (?P<extra>\d{1,2}) (?:minutes|mins))"
    every = r"(?:every|each)(?: (?:other|single|2th|\d))?"
    plural = r"(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)"
    about = r"(?:about |around |like |just |maybe |another |exactly )*"
    return [
        (rf"(?:in|within) {about}<N> {hours}(?: and a (?:half|quarter)| time|{extra})?", _offset(1)),
        (r"(?:within|in) the (?:next )?(?P<n>)(?P<unit>hour)", _offset(1)),
        (r"(?:back )?in (?P<n>5|10|15|20|25|30|40|45)(?= [,.]|$)", _bare_minutes),
        (rf"(?:in|within) {about}(?P<n>\d+) and a half {hours}", _offset(1)),
        (rf"(?:in|within) {about}(?P<n>3) quarters of an (?P<unit>hour)", _offset(1)),
        (rf"<N> {hours}(?: and a (?:half|quarter)|{extra})? from now", _offset(1)),
        (r"<N> (?P<unit>hours?|minutes?) time", _offset(1)),
        (rf"(?:give it |like |another |for another ){about}<N> {hours}", _offset(1)),
        (rf"<N> {hours}(?: and a half|{extra})? ago", _offset(-1)),
        (rf"for (?:about |around |like |just )?(?:<N>|the(?: whole)?) {many}", _length),
        (r"(?P<n>\d{1,2}|a few|a couple of) (?P<unit>nights)(?! ago)", _length),
        (rf"{every} (?:<WD>|day|week|month|year|weekday|weekend|morning|afternoon|evening|night|hour)s?", _repeat),
        (r"(?:the )?(?:[1-5]th|last) <WD> (?:of|in) (?:every|each) month", _repeat),
        (rf"{every} \d+ (?:days|weeks|months|hours)", _repeat),
        (rf"(?:on )?{plural}(?: and {plural})?", _plural_repeat),
        (r"(?:weekly|daily|monthly|yearly|annually|nightly|fortnightly)", _repeat),
        (r"(?:once|twice|\d times) (?:a|per|every) (?:day|week|month|year)", _repeat),
        (r"(?:weekdays|weekends|weeknights)", _repeat),
    ]


def _plural_repeat(match: re.Match[str]) -> Item:
    first = match.group().removeprefix("on ")
    names = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    return Repeat(match.group(), None if " and " in first else names.index(first[:3]), is_plural=True)


def clock_patterns() -> list[tuple[str, Builder]]:
    """All of the above."""
    return [*clocks(), *parts(), *spans_and_repeats()]
