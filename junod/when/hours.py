"""Which half of the day a spoken hour means: 'dinner at seven' 19:00, 'the plumber at eight' 08:00.

In order: what the phrase says (a.m., 'in the evening', 17:30), then what is still ahead today, then what the thing is
usually done at. The word lists are the whole of the household's common sense; nothing here is learnt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import time

from junod.when.expressions import Clock, Part, PartOfDay

# What is done at night even as late as ten or eleven.
_NIGHT_THINGS = re.compile(
    r"\b(?:tonight|this evening|in the evening|evening|part(?:y|ies)|film|movies?|cinema|concert|gig|drinks?|pub"
    r"|fireworks|disco|prom|karaoke|midnight|new year'?s eve|bed|curfew|club|late show|p\.?m)\b"
)
_EVENING_THINGS = re.compile(
    r"\b(?:dinner|supper|tea ?time|part(?:y|ies)|film|movies?|cinema|concert|gig|drinks?|pub|quiz|theatre|theater"
    r"|(?:the|a|school) play|opera|choir|rehearsal|book club|poker|date night|reservation|table|booked a table"
    r"|sitter|babysit\w*|bbq|barbecue|parents?'? (?:evening|meeting|council|night)|open evening|fireworks|bingo|darts"
    r"|board games?|game|match|(?:first )?pitch|kick[- ]?off|tickets|disco|prom|gala|ballet|comedy|karaoke|practice"
    r"|training|band|scouts|brownies|cubs|guides|bath|bedtime|(?:the|a|his|her) show|show(?:'?s)? at|doors (?:at|open)"
    r"|curry|takeaway|pizza"
    r"|zoom|facetime|video call|skype|homework|iftar|birthday|fortieth|fiftieth|wine|beers?|our place|(?:at|to) ours"
    r"|(?:at|to) theirs|come over|come round|meeting|pudding|reception|after work|after you'?re home|home from work"
    r"|row [a-z]|musical|prize ?giving|recital|bowling|trivia|potluck|housewarming|leaving do|cocktails?|bonfire"
    r"|carols?|nativity|panto\w*|premiere|screening|stand-?up|open mic|anniversary|sleepover|pta|agm|council"
    r"|residents'?|neighbou?rhood watch|orchestra|futsal|five-a-side|badminton|squash|netball|volleyball|basketball"
    r"|hockey|karate|judo|taekwondo|beavers|youth club|salsa|zumba|pilates|campfire|barbie|braai|fika)\b"
)
_LATE_WORDS = re.compile(r"\b(?:tonight|evening|p\.?m)\b")
_MORNING_THINGS = re.compile(
    r"\b(?:school run|school bus|bus|breakfast|brunch|plumber|electrician|boiler|engineer|chimney|sweep|deliver\w*"
    r"|drop[- ]?off|assembly|mass|church|service|blood|fasting|surgery|operation|airport|taxi|cab|flight|train|ferry"
    r"|alarm|wake|get(?:ting)? up|up at|bins?|trash|garbage|garage|mot|movers?|roofer|builders?|inspector|inspection"
    r"|meter|morning|interview|exam|test|clinic|hospital|dentist|doctor|vet|scan|x[- ]?ray|meet|tournament|race"
    r"|marathon|before (?:work|school)|first thing|fitter|fitting|carpet|cleaner|technician|installer|install\w*"
    r"|painter|scaffold\w*|skip|van|leave|leaving|hike|market|results|early|kindy|nursery|kindergarten|gp|x-?ray|mri|ultrasound|"
    r"optician|hygienist|orthodontist|p(?:a?)ediatrician|jabs?|shots|vaccin\w*|survey(?:or)?|appraiser|valuer"
    r"|removal(?:s| men)?|recycling|parcel|courier|tuner|gas man|broadband|internet|locksmith|pest|exterminator"
    r"|gardener|tree surgeon|gutters?|glazing|tiler|plasterer|decorator|carpenter|handyman|induction|sports day"
    r"|(?:school|field) trip|bake sale|park ?run|5k|10k|golf|tee time|fishing|check ?(?:out|in)|court|jury"
    r"|christening|baptism|funeral|cut\w* the (?:water|power)"
    r"|guy|bloke|fellow|man)\b"
)
_EARLY_THINGS = re.compile(
    r"\b(?:alarm|wake|get(?:ting)? up|up at|be up|airport|taxi|cab|dawn|sunrise|suhoor|sehri|in the car at)\b"
)
_BEFORE_WORK_THINGS = re.compile(
    r"\b(?:alarm|wake|get(?:ting)? up|up at|be up|airport|taxi|cab|dawn|sunrise|suhoor|sehri"
    r"|in the car at|flight|breakfast|blood|fasting|morning|a\.?m|before (?:work|school)|early|leave|leaving)\b"
)
_SENTENCE = re.compile(r"[^.?!]+[.?!]*")
_DOTTED_HALF = re.compile(r"\b([ap])\.\s?m\b\.?", re.IGNORECASE)
_MORNING_MARK = re.compile(r"\bA\.?M\b")


@dataclass(frozen=True, slots=True)
class HourGuess:
    """The wall-clock time, and whether it belongs to the night after the day named."""

    at: time
    next_day: bool = False
    is_guess: bool = False
    """Six, seven or eight with no word that tells morning from evening."""


def hour_from_words(clock: Clock, part: PartOfDay | None) -> HourGuess | None:
    """The time where the phrase itself settles it, else None."""
    hour, minute = clock.hour, clock.minute
    if clock.meridiem == "24h":
        return HourGuess(time(hour, minute), next_day=hour == 0)
    if clock.meridiem:
        return HourGuess(time(hour % 12 + (12 if clock.meridiem == "pm" else 0), minute))
    return _in_part(hour, minute, part) if part else None


def _in_part(hour: int, minute: int, part: PartOfDay) -> HourGuess | None:
    if part.part is Part.MORNING:
        return HourGuess(time(hour, minute)) if hour != 12 else None
    if part.part is Part.NOON:
        return HourGuess(time(hour if hour >= 10 else hour + 12, minute))
    if part.part is Part.AFTERNOON:
        return HourGuess(time(hour if hour in (11, 12) else hour + 12, minute))
    if hour == 12:
        return HourGuess(time(0, minute), next_day=True)
    if part.part is Part.NIGHT and hour < 5:
        return HourGuess(time(hour, minute), next_day=not part.of_hour)
    return HourGuess(time(hour + 12, minute))


def surroundings(hint: str, phrases: Iterable[str]) -> tuple[str, str, str]:
    """Ever wider talk around the phrases: their own sentences, one sentence more on either side, all of it."""
    said = [phrase.lower().strip(" .,") for phrase in phrases if phrase.strip(" .,")]
    sentences = _SENTENCE.findall(_DOTTED_HALF.sub(lambda half: f"{half[1].upper()}M", hint))
    own = [place for place, text in enumerate(sentences) if any(phrase in text.lower() for phrase in said)]
    wider = sorted({near for place in own for near in (place - 1, place, place + 1) if 0 <= near < len(sentences)})
    phrased = " ".join(phrases)
    near = " ".join(sentences[place] for place in own) if own else hint
    return f"{phrased} {near}", " ".join(sentences[place] for place in wider), f"{phrased} {hint}"


def speaks_of_morning(text: str) -> bool:
    """Whether the talk names more of what is done in the morning than of what is done at night."""
    morning = _count(_MORNING_THINGS, text) + 2 * len(_MORNING_MARK.findall(text))
    return morning > _count(_EVENING_THINGS, text) + _count(_LATE_WORDS, text)


def usual_half(hour: int, around: tuple[str, str, str]) -> tuple[int, bool]:
    """0 = before noon, 12 = after, for an hour of 1 to 12 about which nothing is known but the talk around it; and
    whether that is a mere guess.

    The surer an hour is by itself (nine to eleven: morning; one to six: afternoon), the closer and the plainer the
    words must be that turn it round. Seven has no usual half.
    """
    own, near, wide = around
    if hour == 12:
        return 12, False
    if hour <= 5:
        early = hour >= 3 and _EARLY_THINGS.search(own.lower()) and not _count(_EVENING_THINGS, own)
        return (0 if early or _MORNING_MARK.search(own) else 12), False
    if hour == 6:
        before_work, evening = _count(_BEFORE_WORK_THINGS, own), _count(_EVENING_THINGS, own)
        morning = before_work > evening or _MORNING_MARK.search(near)
        return (0 if morning else 12), not morning and not evening
    if hour >= 9:
        return (12 if _count(_NIGHT_THINGS, own) > _count(_MORNING_THINGS, own) else 0), False
    return _by_evidence((own, near) if hour == 8 else (own, near, wide), own)


def _by_evidence(texts: tuple[str, ...], own: str) -> tuple[int, bool]:
    for text in texts:
        evening = _count(_EVENING_THINGS, text) + (_count(_LATE_WORDS, text) if text == own else 0)
        morning = _count(_MORNING_THINGS, text) + 2 * len(_MORNING_MARK.findall(text))
        if evening != morning:
            return (12 if evening > morning else 0), False
    return 0, True


def evening_count(text: str) -> int:
    """How many things of the evening a talk names."""
    return _count(_EVENING_THINGS, text)


def morning_count(text: str) -> int:
    """How many things of the morning a talk names."""
    return _count(_MORNING_THINGS, text)


def _count(things: re.Pattern[str], text: str) -> int:
    return len(things.findall(text.lower()))
