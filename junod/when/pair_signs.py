"""What speaks for or against a day and an hour together, or one of them alone, or a stay (pure)."""

from __future__ import annotations

import math
import re

from junod.when.candidates import Candidate
from junod.when.spot_signs import COMES, NEAR, Signs, View
from junod.when.spots import Spot


def of_pair(day: Spot, hour: Spot, view: View) -> Signs:
    """An hour put to a day: how near they stand, and what stands nearer."""
    kind = view.kind
    if day.context != hour.context:
        later, earlier = (view.talk.here.days, hour) if day.context else (view.talk.here.hours, day)
        return {
            f"pair_day_of_context{kind}": bool(day.context),
            f"pair_hour_of_context{kind}": bool(hour.context),
            f"pair_agrees{kind}": _is_same_day(day, hour, view),
            f"pair_differs{kind}": hour.phrase.has_day and not _is_same_day(day, hour, view),
            "pair_own_other": bool(later),
            "pair_own_other_piece": max((view.piece(spot) for spot in later), default=0.0),
            "pair_own_whole": earlier.phrase.has_day and earlier.phrase.has_hour,
        }
    text = view.talk.source(day)
    between = text[min(day.end, hour.end) : max(day.start, hour.start)]
    days = [spot for spot in view.talk.here.days if not spot.role]
    hours = [spot for spot in view.talk.here.hours if spot.role in ("", "one")]
    said_before = [spot for spot in days if spot.start < hour.start]
    nearest = min(days, key=lambda spot: abs(spot.start - hour.start), default=None)
    nearest_hour = min(hours, key=lambda spot: abs(spot.start - day.start), default=None)
    same = day.phrase.start == hour.phrase.start
    return {
        f"pair_same{kind}": same,
        "pair_context": bool(day.context),
        "pair_whole_elsewhere": not same and ((day.phrase.has_hour) + (hour.phrase.has_day)),
        "pair_day_has_hour": not same and day.phrase.has_hour,
        "pair_hour_has_day": not same and hour.phrase.has_day,
        "pair_distance": math.log1p(len(between) / 20),
        "pair_sentences": min(6, len(re.findall(r"[.?!]+", between))),
        "pair_day_first": day.start < hour.start,
        "pair_current": bool(said_before and said_before[-1].start == day.start),
        "pair_nearest": nearest is not None and nearest.start == day.start,
        "pair_nearest_hour": nearest_hour is not None and nearest_hour.start == hour.start,
        "pair_between": sum(min(day.start, hour.start) < spot.start < max(day.start, hour.start) for spot in days),
    }


def _is_same_day(day: Spot, hour: Spot, view: View) -> bool:
    """Whether the phrase of the hour, in another passage, names this day too."""
    named = [spot for one in (view.talk.here, *view.talk.before) for spot in one.days if spot.phrase is hour.phrase]
    return any(spot.said.days[:1] == day.said.days[:1] for spot in named)


def of_lone_day(day: Spot, view: View) -> Signs:
    """A day without an hour."""
    kind = view.kind
    hours = [spot for spot in view.talk.here.hours if spot.clock]
    return {
        f"lone_day{kind}": 1.0,
        f"lone_day_with_hour{kind}": any(spot.phrase.start == day.phrase.start for spot in hours),
        f"lone_day_of_hours{kind}": max((view.piece(spot) for spot in hours), default=0.0),
        f"lone_day_hours_strong{kind}": any(not spot.phrase.is_weak for spot in hours),
        f"lone_day_span{kind}": bool(day.said.until_days),
    }


def of_lone_hour(hour: Spot, view: View) -> Signs:
    """An hour of the nearest day that has it ahead."""
    kind = view.kind
    days = [spot for spot in view.talk.here.days if not spot.role]
    context = any(one.days for one in view.talk.before)
    return {
        f"lone_hour{kind}": 1.0,
        f"lone_hour_with_day{kind}": any(spot.phrase.start == hour.phrase.start for spot in days),
        f"lone_hour_of_days{kind}": max((view.piece(spot) for spot in days), default=0.0),
        "lone_hour_days": bool(days),
        "lone_hour_context": context and not days,
    }


def of_stay(one: Candidate, view: View) -> Signs:
    """A last day counted from a first."""
    assert one.moment is not None
    assert one.day is not None
    begins = next((c.moment for c in view.made if c.way == "day" and c.day is one.day), None)
    if begins is None or one.until is None:
        return {}
    days = (one.moment - begins).total_seconds() / 86400
    before = view.talk.text[max(0, one.day.start - NEAR) : one.day.start]
    return {
        "stay_days": math.log1p(max(0.0, days)),
        "stay_long": days > 7,
        "stay_comes": bool(COMES.search(before)),
        "stay_next": view.talk.here.days.index(one.until) - view.talk.here.days.index(one.day) == 1,
    }


def of_vague(view: View) -> Signs:
    """No hour, where hours are named."""
    clocks = [spot for spot in view.talk.here.hours if spot.clock]
    sure = [view.piece(spot) for spot in clocks if spot.clock and (spot.clock.meridiem or spot.said.part)]
    return {
        f"vague_of_hours{view.kind}": max((view.piece(spot) for spot in clocks), default=0.0),
        f"vague_of_sure{view.kind}": max(sure, default=0.0),
    }
