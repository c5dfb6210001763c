"""Habits as rows for programs; the keys are a contract, readers must ignore those they do not know (pure)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from junod.habits.verbs import Habit, Suggestion, TalkCount

HABITS_NOTE = "These are habits: what often happens in the household, not what is so. They may be wrong or over."
"""Stands before habits wherever a language model reads them."""


def habit_row(habit: Habit, zone: ZoneInfo) -> dict[str, Any]:
    return {
        "id": habit.id,
        "kind": habit.kind.value,
        "thing": habit.thing,
        "sentence": habit.sentence,
        "weight": round(habit.weight, 3),
        "shown": habit.is_shown,
        "archived": habit.is_archived,
        "occurrences": habit.occurrences,
        "weeks": habit.weeks,
        "chance": float(f"{habit.chance:.2g}"),
        "every_days": round(habit.rhythm.period_days, 1) if habit.rhythm else None,
        "weekday": habit.slot.weekday if habit.slot else None,
        "minute": habit.slot.minute if habit.slot else None,
        "last_at": _moment(habit.last_at, zone),
    }


def suggestion_row(suggestion: Suggestion) -> dict[str, Any]:
    return {"habit": suggestion.habit.id, "text": suggestion.text, "proposal": suggestion.proposal}


def talk_row(count: TalkCount) -> dict[str, Any]:
    return {
        "room": count.room,
        "weekday": count.weekday,
        "hour": count.hour,
        "passages": count.passages,
        "weeks": count.weeks,
    }


def _moment(at: datetime | None, zone: ZoneInfo) -> str | None:
    return at.astimezone(zone).isoformat(timespec="minutes") if at else None
