"""How strong something is that repetition makes stronger and time weaker (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta


def weight(
    moments: Sequence[datetime], *, now: datetime, half_life_days: float, gain: float, punished: Sequence[datetime] = ()
) -> float:
    """Strength from 0 to 1: each moment adds `gain` of what is missing to 1, each refusal halves it, time decays it."""
    marks = sorted([(at, True) for at in moments if at <= now] + [(at, False) for at in punished if at <= now])
    value, last = 0.0, now
    for at, is_repeat in marks:
        value *= _decay(at - last, half_life_days) if value else 1.0
        value = value + gain * (1 - value) if is_repeat else value / 2
        last = at
    return float(value * _decay(now - last, half_life_days))


def _decay(passed: timedelta, half_life_days: float) -> float:
    return float(0.5 ** (passed / timedelta(days=half_life_days)))
