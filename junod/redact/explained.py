"""What tells that a number is harmless: a time, a price, a telephone, a house, a score, a vote."""

from __future__ import annotations

import re
from collections.abc import Sequence

from junod.redact.cues import any_between, phone_sentences, sentences_with
from junod.redact.spoken import Run
from junod.redact.tokens import Token, word_set

TIME_BEFORE = word_set("at till until til by before after from around about between past @ since for")
_TIME_AFTER = re.compile(
    r"\s*,?\s*(?:a\.?m\b|p\.?m\b|o'?clock|in the (?:morning|afternoon|evening)|tonight|tomorrow|sharp|"
    r"precisely|on the dot|-?ish\b|hours\b)"
)
_UNITS = (
    "minutes? mins? seconds? secs? hours? hrs? degrees? percent % pounds? dollars? quid bucks euros? cents? pence p "
    "grand grams? g kilos? kg ml lit(?:re|er)s? cups? tins? cans? packs? miles? km k met(?:re|er)s? feet foot ft "
    "inch(?:es)? cc years? days? weeks? months? people times calories watts? volts? points? runs? goals? yards? "
    "doses? rupees shillings naira rand stone oz ounces? million billion thousand crore lakh steps eggs? megahertz "
    "each square cubic"
)
UNIT_AFTER = re.compile(
    r"[\s-]*(?:and a half |or so |more )?(?:"
    + "|".join(_UNITS.split())
    + r"|per cent|of (?:them|the)|a (?:month|week|year|day)|to (?:one|two|three|nil))(?!\w)"
)
_NUMBERED_THINGS = word_set(
    "flight bus buses route highway interstate freeway motorway channel room flat apartment apt unit page chapter",
    "platform size model score scored song songs hymn psalm verse terminal row seat seats aisle lot bay volume",
    "episode season formula sms vote votes voting extension budget point reading suite price asking cost costs",
    "paid pay worth odds fee bill rent deposit population video videoke item order reference ticket booking",
    "tracking part serial meter karaoke fm frequency radio address house zip postcode postal plus minus times",
    "equals",
)
_STREET_AFTER = re.compile(r" (?:street|st|road|rd|lane|avenue|ave|drive|close|court|way|north|south|east|west)\b")
_HOUSE_BEFORE = re.compile(r"\b(?:street|road|lane|avenue|house|hall|next door),? (?:at |number |no )+$")
_PLACE_AFTER = re.compile(r" [A-Z][a-z]+")
_YEAR_BEFORE = word_set("in since of about circa from by until born")
_MONEY_BEFORE = re.compile(r"(?:[$£€¥]|\b(?:rs|usd|eur|rupees|costs?|for only|only|only for))\s*$")
_VOTE_AROUND = re.compile(
    r"\b(?:vote|voting|lines open|donate|shout ?out|sms your|text (?:the word|us on)|star \d|terms apply|"
    r"meter reading|mileage|odometer)\b"
)
_CALL_IN_AFTER = re.compile(r"\W*(?:so |and |now )?(?:give us a (?:call|ring|bell|buzz|text|shout)|lines are open)\b")
"""A programme that wants to be called: "one three double one, give us a call"."""
_CALL_IN_BEFORE = re.compile(
    r"(?:^|[.?!,]\s+|\band )(?:just )?(?:text|call|ring|phone) us(?: now| today)?(?: on)?[\s,:]*$"
    r"|\btext (?:[a-z]+ )?to\s+$|\b(?:can anyone|anybody|listeners)\b[^.?!]*\?\s*text us[\s,:]*$"
)
_BOUGHT_BEFORE = re.compile(
    r"\b(?:some|any|more|of|buy|get|grab|need|out of|low on|vitamin|another|pack|can|tin|tube|bottle)"
    r"\s+(?:the |that )?$"
)
_BOUGHT_AFTER = re.compile(
    r"\s*(?:on the (?:shopping |grocery )?list|tablets?|vitamins?|batter(?:y|ies)|paper|spray|bulbs?|game|from the)\b"
)
_METER = re.compile(r"\bmeter readings?\b|\bread(?:ing|s)? (?:of |from |for |off )?(?:the|our|my) meter\b")
_NO_METER = re.compile(r"\b(?:alarms?|doors?|gate|garage|lock(?:ed|s)?|safe|pins?|codes?|cards?|account|shed)(?:'s)?\b")
_METER_REACH = 8
"""So many sentences after a meter was spoken of its reading may come, typed into the supplier's telephone."""
_REFERENCE = re.compile(
    r"\b(?:(?:booking|order|case|job|claim|confirmation|collection|tracking|delivery|parcel) (?:number|ref)|"
    r"(?:the|a|my|your|our|any) (?:reference|ref)\b|need (?:a|the) (?:reference|number)|"
    r"(?:reference|ref|confirmation|booking)(?:'s| is)\b|a number, go on)\b"
)
_REFERENCE_REACH = 4
_EXTENSION = re.compile(r"\d{7,13}x\d{2,5}")
_ABROAD_BEFORE = ("+", "+ ", "plus ", "(", "00")


class Explanations:
    """Weighs what speaks against a run being a credential, in negative points."""

    def __init__(self, text: str, lowered: str, tokens: Sequence[Token]) -> None:
        self._text = text
        self._lowered = lowered
        self._tokens = tokens
        self._phones = phone_sentences(lowered, tokens)
        self._references = sentences_with(_REFERENCE, lowered, tokens)
        self._meters = sentences_with(_METER, lowered, tokens)
        self._votes = sentences_with(_VOTE_AROUND, lowered, tokens)

    def points(self, run: Run, *, direct: bool) -> float:
        """0 or less; with `direct` (a strong cue right before it) only what cannot be a code counts."""
        after = self._lowered[run.end : run.end + 40]
        points = self.telephone(run) + self._time(run, after)
        if len(run.digits) <= 5 and not run.letters and UNIT_AFTER.match(after):
            points -= 4
        if _MONEY_BEFORE.search(self._lowered[max(run.start - 12, 0) : run.start]):
            points -= 3
        if run.is_cardinal and not direct:
            points -= 0.5 if len(run.digits) >= 6 else 1.5
        if any_between(self._votes, run.sentence - 1, run.sentence + 1):
            points -= 4
        if direct:
            return points
        points += self._reading(run) + self._called_in(run, after)
        return points + self.named_thing(run) - (0.5 if is_year(run) else 0)

    def _called_in(self, run: Run, after: str) -> float:
        """A programme's number; "give us a call" is also said to a guest who gets a code, and weighs less."""
        if _CALL_IN_BEFORE.search(self._lowered[max(run.start - 60, 0) : run.start]):
            return -4.0
        return -2.0 if _CALL_IN_AFTER.match(after) else 0.0

    def _reading(self, run: Run) -> float:
        """What a meter says."""
        is_read = run.letters == 0 and 4 <= len(run.digits) <= 6
        if not is_read or not any_between(self._meters, run.sentence - _METER_REACH, run.sentence):
            return 0.0
        return 0.0 if _NO_METER.search(self._lowered, max(run.start - 120, 0), run.start) else -4.5

    def reference(self, run: Run) -> bool:
        """Whether a booking's, a parcel's or a case's number was asked for shortly before."""
        is_near = any_between(self._references, run.sentence - _REFERENCE_REACH, run.sentence)
        return len(run.chars) <= 10 and is_near

    def product(self, run: Run) -> bool:
        """Whether it names a thing to buy: "a can of WD forty", "B twelve tablets"."""
        if not (1 <= run.letters <= 2 and run.chars[0].isalpha() and len(run.digits) <= 2):
            return False
        bought = _BOUGHT_BEFORE.search(self._lowered[max(run.start - 30, 0) : run.start])
        return bool(bought or _BOUGHT_AFTER.match(self._lowered[run.end : run.end + 40]))

    def _before(self, run: Run) -> list[str]:
        near = self._tokens[max(run.first - 3, 0) : run.first]
        return [token.lower.removesuffix("'s") for token in near if token.sentence == run.sentence]

    def tells_time(self, run: Run) -> bool:
        return self._time(run, self._lowered[run.end : run.end + 40]) <= -3

    def _time(self, run: Run, after: str) -> float:
        previous = self._before(run)[-1:]
        points = 0.0
        is_short = len(run.digits) <= 2 or is_clock(run, hours=24) or _is_clock_twice(run)
        if is_short and ((previous and previous[0] in TIME_BEFORE) or _TIME_AFTER.match(after)):
            points -= 3
        if is_year(run) and previous and previous[0] in _YEAR_BEFORE:
            points -= 2.5
        return points

    def named_thing(self, run: Run) -> float:
        """Numbers of houses, buses, channels, songs."""
        before = self._before(run)
        points = 0.0
        is_house = _HOUSE_BEFORE.search(self._lowered[max(run.start - 30, 0) : run.start])
        if is_house or any(word in _NUMBERED_THINGS for word in before) or before[-1:] == ["pk"]:
            points -= 3
        place = _STREET_AFTER.match(self._lowered, run.end) or _PLACE_AFTER.match(self._text, run.end)
        if len(run.digits) <= 5 and place and not run.letters:
            points -= 3
        return points

    def telephone(self, run: Run) -> float:
        """Points of a telephone number's shape, and of talk of telephoning around it."""
        digits = run.digits
        if _EXTENSION.fullmatch(run.chars):
            return -4.0
        if run.letters or not 7 <= len(digits) <= 13:
            return 0.0
        points = -4.0 if any_between(self._phones, run.sentence - 2, run.sentence + 1) else 0.0
        if self._lowered[max(run.start - 6, 0) : run.start].endswith(_ABROAD_BEFORE):
            return points - 4
        if len(digits) in (10, 11):
            points -= 2.5
        elif len(digits) == 7 and run.breaks + run.singles > 0:
            points -= 1
        if len(digits) >= 9 and digits.startswith(("08", "18", "03")):
            points -= 1
        return points


def is_year(run: Run) -> bool:
    """Whether it can be read as a year from 1700 to 2099, and was not said digit by digit."""
    return len(run.chars) == 4 and run.chars[:2] in ("17", "18", "19", "20") and not run.is_spelled


def _is_clock_twice(run: Run) -> bool:
    """Whether it is "nine oh six, nine oh six": a time said twice over."""
    half = run.chars[:3]
    return run.digits == half * 2 and half[0] >= "1" and half[1] < "6"


def is_clock(run: Run, hours: int = 12) -> bool:
    """Whether it can be read as a time: "two forty-five", "eleven fifteen"; four digits said one by one cannot."""
    if len(run.digits) != len(run.chars) or not 3 <= len(run.digits) <= 4 or (run.is_spelled and len(run.digits) == 4):
        return False
    return (hours == 24 or int(run.digits[:-2]) >= 1) and int(run.digits[:-2]) <= hours and int(run.digits[-2:]) <= 59
