"""What tells that a number is harmless: a time, a price, a telephone, a house, a score, a vote."""

from __future__ import annotations

import re
from collections.abc import Sequence

from junod.redact.cues import any_between, phone_sentences, sentences_with
from junod.redact.spoken import Run
from junod.redact.tokens import Token, word_set

TIME_BEFORE = word_set("at till until til by before after from around about between past @ since for")
_TIME_AFTER = re.compile(
    r"\s*,?\s*(?:a\.?m\b|p\.?m\b|o'?clock|in the (?:morning|afternoon|evening)|tonight|tomorrow|sharp|-?ish\b|hours\b)"
)
_UNITS = (
    "minutes? mins? seconds? secs? hours? hrs? degrees? percent % pounds? dollars? quid bucks euros? cents? pence p "
    "grand grams? g kilos? kg ml lit(?:re|er)s? cups? tins? cans? packs? miles? km k met(?:re|er)s? feet foot ft "
    "inch(?:es)? cc years? days? weeks? months? people times calories watts? volts? points? runs? goals? yards? "
    "doses? rupees shillings naira rand stone oz ounces? million billion thousand crore lakh steps eggs? megahertz "
    "each square cubic"
)
_UNIT_AFTER = re.compile(
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
_EXTENSION = re.compile(r"\d{7,13}x\d{2,5}")
_ABROAD_BEFORE = ("+", "+ ", "plus ", "(", "00")


class Explanations:
    """Weighs what speaks against a run being a credential, in negative points."""

    def __init__(self, text: str, lowered: str, tokens: Sequence[Token]) -> None:
        self._text = text
        self._lowered = lowered
        self._tokens = tokens
        self._phones = phone_sentences(lowered, tokens)
        self._votes = sentences_with(_VOTE_AROUND, lowered, tokens)

    def points(self, run: Run, *, direct: bool) -> float:
        """0 or less; with `direct` (a strong cue right before it) only what cannot be a code counts."""
        after = self._lowered[run.end : run.end + 40]
        points = self._telephone(run) + self._time(run, after)
        if len(run.digits) <= 5 and not run.letters and _UNIT_AFTER.match(after):
            points -= 4
        if _MONEY_BEFORE.search(self._lowered[max(run.start - 12, 0) : run.start]):
            points -= 3
        if run.is_cardinal and not direct:
            points -= 0.5 if len(run.digits) >= 6 else 1.5
        if any_between(self._votes, run.sentence - 1, run.sentence + 1):
            points -= 4
        if direct:
            return points
        return points + self.named_thing(run) - (0.5 if is_year(run) else 0)

    def _before(self, run: Run) -> list[str]:
        near = self._tokens[max(run.first - 3, 0) : run.first]
        return [token.lower.removesuffix("'s") for token in near if token.sentence == run.sentence]

    def _time(self, run: Run, after: str) -> float:
        previous = self._before(run)[-1:]
        points = 0.0
        is_short = len(run.digits) <= 2 or is_clock(run, hours=24)
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

    def _telephone(self, run: Run) -> float:
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


def is_clock(run: Run, hours: int = 12) -> bool:
    """Whether it can be read as a time: "two forty-five", "eleven fifteen"; four digits said one by one cannot."""
    if len(run.digits) != len(run.chars) or not 3 <= len(run.digits) <= 4 or (run.is_spelled and len(run.digits) == 4):
        return False
    return (hours == 24 or int(run.digits[:-2]) >= 1) and int(run.digits[:-2]) <= hours and int(run.digits[-2:]) <= 59
