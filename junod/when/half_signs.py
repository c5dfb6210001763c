"""What speaks for either half of the day, where an hour's words leave it open (pure)."""

from __future__ import annotations

import math
import re

from junod.when.candidates import Candidate
from junod.when.hours import evening_count, hour_from_words, morning_count
from junod.when.spot_signs import WORD, Signs, View
from junod.when.spots import Spot, dial_of

_EVENING = re.compile(r"tonight|evening|p\.?m\b|night\b", re.IGNORECASE)
_MORNING = re.compile(r"morning|breakfast|a\.?m\b|dawn", re.IGNORECASE)


def of_half(one: Candidate, view: View) -> Signs:
    """Which half of the day, where the words leave it open."""
    hour, clock = one.hour, one.hour.clock if one.hour else None
    assert one.moment is not None
    assert hour is not None
    assert clock is not None
    sign = 1.0 if one.half == "pm" else -1.0
    text, kind = view.talk.source(hour), view.kind
    before, after = text[max(0, hour.start - 60) : hour.start], text[hour.end : hour.end + 45]
    tells = _things(view.talk.text)
    dial, spoken = clock.hour % 12, view.talk.spoken_at.hour
    known = [spot for spot in view.talk.here.hours if dial_of(spot) == dial_of(hour) and _half_of(spot)]
    others = [c for c in view.made if c.hour is hour and c.day is one.day and c.moment and c.moment < one.moment]
    group = "low" if 1 <= dial <= 5 else "six" if dial < 9 else "high" if dial else "noon"
    night = spoken >= 20 or spoken < 4
    found = {
        f"at_{one.moment.hour}": 1.0,
        f"at_{one.moment.hour}{kind}": 1.0,
        "half_usual": one.usual,
        f"half_usual_{group}": one.usual,
        f"half_guess_{dial}": 0.0 if one.usual else sign,
        "half_things": sign * math.tanh(tells / 2),
        f"half_things_{group}": sign * math.tanh(tells / 2),
        "half_before": sign * _part_told(before),
        "half_after": sign * _part_told(after),
        "half_all": sign * _part_told(view.talk.text),
        f"half_night_{group}": sign * night,
        "half_known": sum(1.0 if _half_of(spot) == one.half else -1.0 for spot in known[:1]),
        f"half_first{kind}": not others and one.day is None,
        f"half_first_today{kind}": not others
        and one.day is not None
        and one.moment.date() == view.talk.spoken_at.date(),
    }
    beside = text[max(0, hour.start - 80) : hour.end + 80].lower()
    return found | {f"half:{word}": sign for word in set(WORD.findall(beside))}


def _things(text: str) -> int:
    """How many more things of the evening than of the morning a talk names."""
    return evening_count(text) - morning_count(text)


def _half_of(spot: Spot) -> str:
    guess = hour_from_words(spot.clock, spot.said.part) if spot.clock else None
    return "" if guess is None else "pm" if guess.at.hour >= 12 else "am"


def _part_told(text: str) -> float:
    return float(bool(_EVENING.search(text))) - float(bool(_MORNING.search(text)))
