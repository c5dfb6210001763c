"""What speaks for or against a candidate: numbers with names, which learned weights turn into a score (pure)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from junod.records import Kind
from junod.when.candidates import Candidate, Talk
from junod.when.expressions import Period
from junod.when.half_signs import of_half
from junod.when.pair_signs import of_lone_day, of_lone_hour, of_pair, of_stay, of_vague
from junod.when.spot_signs import Signs, View, Weight, of_spot
from junod.when.spots import Spot, dial_of

_KINDS = {Kind.APPOINTMENT: "A", Kind.EVENT: "E", Kind.REMINDER: "R"}
_FAR_DAYS = 60


def signs(talk: Talk, made: Sequence[Candidate], weight: Weight) -> list[Signs]:
    """The signs of each candidate, in order."""
    view = View(talk, weight, _KINDS.get(talk.kind, "A"), made)
    beside = {(name, id(spot)): of_spot(spot, name, view) for name, spot in _spots(made)}
    shares = _Shares.of(made, view)
    return [_of(one, view, beside, shares) for one in made]


def signs_of_none(talk: Talk, made: Sequence[Candidate], weight: Weight) -> Signs:
    """That a reminder has no time: the likelier the talk around its times, the less so."""
    view = View(talk, weight, _KINDS.get(talk.kind, "A"), made)
    days = [view.piece(one.day) for one in made if one.day]
    hours = [view.piece(one.hour) for one in made if one.hour]
    return {
        "none": 1.0,
        "none_day": max(days, default=0.0),
        "none_hour": max(hours, default=0.0),
        "none_own": float(any(not one.day.context for one in made if one.day)),
    }


def _spots(made: Sequence[Candidate]) -> list[tuple[str, Spot]]:
    found = [("d", one.day) for one in made] + [("h", one.hour) for one in made] + [("u", one.until) for one in made]
    return [(name, spot) for name, spot in found if spot is not None]


def _of(one: Candidate, view: View, beside: dict[tuple[str, int], Signs], shares: _Shares) -> Signs:
    kind = view.kind
    found: Signs = {f"way_{one.way}{kind}": 1.0, f"role_{one.way}": 1.0}
    for name, spot in _spots([one]):
        found |= beside[name, id(spot)]
    found |= _of_moment(one, view)
    found |= _of_shares(one, view, shares)
    if one.day and one.hour:
        found |= of_pair(one.day, one.hour, view)
    elif one.day:
        found |= of_lone_day(one.day, view)
    elif one.hour:
        found |= of_lone_hour(one.hour, view)
    if one.half:
        found |= of_half(one, view)
    if one.until:
        found |= of_stay(one, view)
    if one.way in ("day", "pair", "hour") and not (one.hour and one.hour.clock):
        found |= of_vague(view)
    return {name: float(value) for name, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class _Shares:
    """How much of the talk speaks of each moment, day and hour."""

    moments: dict[datetime, float]
    dates: dict[object, float]
    clocks: dict[object, float]

    @staticmethod
    def of(made: Sequence[Candidate], view: View) -> _Shares:
        moments: dict[datetime, float] = {}
        dates: dict[object, dict[int, float]] = {}
        clocks: dict[object, dict[int, float]] = {}
        for one in made:
            assert one.moment is not None
            worth = min([view.piece(spot) for spot in (one.day, one.hour) if spot] or [0.5])
            moments[one.moment] = max(moments.get(one.moment, 0.0), worth)
            if one.way == "day" and one.day:
                dates.setdefault(one.moment.date(), {})[one.day.phrase.start] = view.piece(one.day)
            if one.hour and one.hour.clock:
                clocks.setdefault(dial_of(one.hour), {})[one.hour.start] = view.piece(one.hour)
        return _Shares(moments, _shares(dates), _shares(clocks))


def _shares(found: dict[object, dict[int, float]]) -> dict[object, float]:
    sums = {key: sum(values.values()) for key, values in found.items()}
    total = sum(sums.values()) or 1.0
    return {key: value / total for key, value in sums.items()}


def _of_shares(one: Candidate, view: View, shares: _Shares) -> Signs:
    found: Signs = {}
    if one.day and one.moment and not one.until:
        day_end = next((c.moment for c in view.made if c.way == "day" and c.day is one.day), None)
        if day_end is not None:
            found[f"date_share{view.kind}"] = shares.dates.get(day_end.date(), 0.0)
            found |= _of_narrower(one.day, day_end, view)
    if one.hour and one.hour.clock:
        found[f"clock_share{view.kind}"] = shares.clocks.get(dial_of(one.hour), 0.0)
        clocks = [spot for spot in view.talk.here.hours if spot.clock and spot.role in ("", "minutes")]
        found["clock_last"] = bool(clocks) and dial_of(clocks[-1]) == dial_of(one.hour)
        found["clock_minutes_follow"] = (
            any(spot.clock and spot.clock.minute and spot.clock.hour == one.hour.clock.hour for spot in clocks)
            and not one.hour.clock.minute
        )
    return found


def _of_narrower(day: Spot, ends: datetime, view: View) -> Signs:
    """A week, a weekend or a month of which a day is named too."""
    first = day.said.days[0] if day.said.days else None
    if not isinstance(first, Period):
        return {}
    length = timedelta(days={"weekend": 2, "week": 7, "month": 31, "year": 366}[first.unit])
    within = [
        other
        for other in view.made
        if other.way == "day"
        and other.day
        and other.moment
        and ends - length < other.moment <= ends
        and not any(isinstance(named, Period) for named in other.day.said.days)
    ]
    return {f"narrowed{view.kind}": bool(within)}


def _of_moment(one: Candidate, view: View) -> Signs:
    assert one.moment is not None
    hours = max(0.0, (one.moment - view.talk.spoken_at).total_seconds() / 3600)
    moments = [other.moment for other in view.made if other.moment is not None]
    kind = view.kind
    return {
        f"ahead{kind}": math.log1p(hours / 24),
        f"today{kind}": one.moment.date() == view.talk.spoken_at.date(),
        "far": hours > 24 * _FAR_DAYS,
        f"soon{kind}": hours < 1,
        f"latest{kind}": one.moment == max(moments),
        f"earliest{kind}": one.moment == min(moments),
        "approximate": one.resolution.approximate,
    }
