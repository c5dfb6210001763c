"""Time words as people type and say them, made moments in the household's zone; and what else they may ask for."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from junod.errors import UsageError
from junod.records import Kind

RANGE_HINT = 'Write "today", "last week", "Monday", "2026-03-24" or "2026-03-24T17:30:00+01:00".'
END_HINT = 'Write "tomorrow at 17:00", "Friday", "2026-03-24" or "2026-03-24T17:30:00+01:00".'


def checked_source(name: str) -> str | None:
    """A source of memories, None for any.

    Raises:
        UsageError: there is no such source, so that finding nothing of it would mislead.
    """
    from junod.memory.codec import SOURCES

    if name and name not in SOURCES:
        raise UsageError(f"'{name[:40]}' is no source of memories.", hint=f"Use one of: {', '.join(SOURCES)}.")
    return name or None


def spoken_range(
    since: str, until: str, *, now: datetime, zone: ZoneInfo, day_first: bool = True
) -> tuple[datetime | None, datetime | None]:
    """From the beginning of `since` up to the end of `until`, each ISO 8601 or words that look back; '' = open.

    Raises:
        UsageError: words that are not understood, or a range that ends before it begins.
    """
    from junod.when.past import past_range

    ends: list[datetime | None] = []
    for name, words in (("since", since), ("until", until)):
        found = past_range(words, now=now, zone=zone, day_first=day_first) if words.strip() else None
        if words.strip() and found is None:
            raise UsageError(f"{name} '{words[:60]}' is not understood as a time.", hint=RANGE_HINT)
        ends.append(None if found is None else found.start if name == "since" else found.end)
    if ends[0] is not None and ends[1] is not None and ends[0] >= ends[1]:
        raise UsageError(f"The time range from '{since[:60]}' until '{until[:60]}' is empty.", hint=RANGE_HINT)
    return ends[0], ends[1]


def end_moment(words: str, *, now: datetime, zone: ZoneInfo, day_first: bool = True) -> datetime:
    """When a memory written by hand ends: an ISO 8601 moment, the end of a day, or time words that look ahead.

    Raises:
        UsageError: not understood, or over.
    """
    from junod.when.resolve import resolve

    try:
        said = datetime.fromisoformat(words.strip())
        found = said if said.tzinfo else None
    except ValueError:
        found = None
    if found is None:
        found = resolve(words, spoken_at=now, zone=zone, kind=Kind.REMINDER, day_first=day_first).expires_at
    if found is None:
        raise UsageError(f"'{words[:60]}' is not understood as a time to come.", hint=END_HINT)
    if found <= now:
        raise UsageError(f"'{words[:60]}' is over.", hint="Give a time to come, or none for a memory that stays.")
    return found
