"""Whether what happened could be chance (pure; nothing but moments).

A habit is shown only where its regularity would hardly come about by chance. Two kinds of regularity are looked for.

*Every so many days.* If things happened at random (a Poisson process), the gaps between them, as shares of their sum,
would be spread evenly over a simplex. Gaps as equal as those seen, or more so, lie in a ball around its centre, whose
share of the simplex is the chance. The volume of the n-ball and of the regular simplex are those of any handbook; the
ball is not clipped at the simplex's faces, so the chance is stated too high rather than too low.

*The same hour of the week.* The binomial tail that so many of n random waking hours fall around one of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import fmean
from zoneinfo import ZoneInfo

WAKING_MIN = 7 * 15 * 60
"""Minutes of a week in which people are up, about 7:00 to 22:00."""
_WEEK_MIN = 7 * 24 * 60
_MAX_GAPS = 10
"""Older gaps say little about now."""
_SPARED = 0.25
"""Share of the gaps that may be left out as holidays and illness, the longest first."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Every so many days."""

    period_days: float
    chance: float
    """Probability that random moments would be at least as regular, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Slot:
    """An hour of the week."""

    weekday: int
    """Monday is 0."""
    minute: int
    """Of the day, household time."""
    chance: float


def iso_weeks(moments: Sequence[datetime], zone: ZoneInfo) -> int:
    """How many different ISO weeks the moments fall into."""
    return len({tuple(at.astimezone(zone).isocalendar())[:2] for at in moments})


def rhythm(moments: Sequence[datetime]) -> Rhythm | None:
    """The period of moments in order; None for fewer than three gaps.

    The longest gaps, at most a quarter, may be left out; the chance is raised by the number of ways to do so.
    """
    gaps = [(later - earlier) / timedelta(days=1) for earlier, later in pairwise(moments)][-_MAX_GAPS:]
    found: list[Rhythm] = []
    for spared in range(int(len(gaps) * _SPARED) + 1):
        kept = sorted(gaps)[: len(gaps) - spared]
        if len(kept) >= 3 and kept[0] > 0:
            chance = math.comb(len(gaps), spared) * chance_of_gaps(kept)
            found.append(Rhythm(fmean(kept), min(1.0, chance)))
    return min(found, key=lambda each: each.chance, default=None)


def chance_of_gaps(gaps: Sequence[float]) -> float:
    """Probability that as many random gaps would be as equal as these, 0 to 1."""
    count, total = len(gaps), sum(gaps)
    radius = math.sqrt(sum((gap / total - 1 / count) ** 2 for gap in gaps))
    side = count - 1
    ball = math.pi ** (side / 2) / math.gamma(side / 2 + 1) * radius**side
    simplex = math.sqrt(count) / math.factorial(side)
    return float(min(1.0, ball / simplex))


def slot(moments: Sequence[datetime], zone: ZoneInfo, tolerance_min: int) -> Slot | None:
    """The hour of the week around which most moments lie; None where there are none."""
    minutes = [_minute_of_week(at, zone) for at in moments]
    near = {centre: [each for each in minutes if abs(_apart(each, centre)) <= tolerance_min] for centre in minutes}
    if not near:
        return None
    centre = max(near, key=lambda each: (len(near[each]), -sum(abs(_apart(one, each)) for one in near[each])))
    inside = near[centre]
    middle = round(centre + fmean(_apart(each, centre) for each in inside)) % _WEEK_MIN
    share = min(1.0, (2 * tolerance_min + 1) / WAKING_MIN)
    tail = sum(
        math.comb(len(minutes) - 1, hits) * share**hits * (1 - share) ** (len(minutes) - 1 - hits)
        for hits in range(len(inside) - 1, len(minutes))
    )
    return Slot(middle // 1440, middle % 1440, min(1.0, len(minutes) * tail))


def in_slot(moments: Sequence[datetime], where: Slot, zone: ZoneInfo, tolerance_min: int) -> tuple[datetime, ...]:
    """The moments around that hour of the week."""
    centre = where.weekday * 1440 + where.minute
    return tuple(at for at in moments if abs(_apart(_minute_of_week(at, zone), centre)) <= 2 * tolerance_min)


def _minute_of_week(at: datetime, zone: ZoneInfo) -> int:
    local = at.astimezone(zone)
    return local.weekday() * 1440 + local.hour * 60 + local.minute


def _apart(one: int, other: int) -> int:
    """Minutes from `other` to `one` the short way round the week."""
    return (one - other + _WEEK_MIN // 2) % _WEEK_MIN - _WEEK_MIN // 2
