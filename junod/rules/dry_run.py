"""What would this rule have changed? Looked up in what is stored; nothing is changed (pure)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from junod.records import Memory
from junod.rules.apply import expand, is_muted_at, mentions, remind_at, tags_of, without_excluded
from junod.rules.schema import DefaultTime, MuteHours, RemindEarlier, RuleSpec
from junod.rules.times import names_an_hour


@dataclass(frozen=True, slots=True)
class Change:
    """What would have been otherwise with one memory; `memory_id` is '' where it is about passages heard."""

    memory_id: str
    before: str
    after: str


def dry_run(
    spec: RuleSpec, memories: Iterable[Memory], decided_at: Iterable[datetime], zone: ZoneInfo
) -> tuple[Change, ...]:
    """The difference the rule alone would have made, the memories in the order given.

    Args:
        memories: those of the time in question.
        decided_at: when passages were decided in that time, from the journal.
    """
    found = [change for memory in memories if (change := _changed(spec, memory, zone))]
    if isinstance(spec.action, MuteHours) and spec.action.what == "listening":
        unheard = sum(is_muted_at(moment.astimezone(zone), [spec], "listening") for moment in decided_at)
        if unheard:
            found.append(Change("", f"{unheard} passages heard", "not heard"))
    return tuple(found)


def _changed(spec: RuleSpec, memory: Memory, zone: ZoneInfo) -> Change | None:
    before = memory.memory
    if isinstance(spec.action, MuteHours):
        return _muted(spec, memory, zone)
    if isinstance(spec.action, RemindEarlier):
        earlier = remind_at(before, memory.expires_at, [spec])
        return _when(memory, earlier, zone) if earlier != memory.expires_at else None
    if isinstance(spec.action, DefaultTime):
        lacks = mentions(before, spec.about) and not names_an_hour(before)
        return Change(memory.id, before, f"at {spec.action.at}") if lacks else None
    if tags := tags_of(before, [spec]):
        return Change(memory.id, before, f"{before.splitlines()[0]} #{tags[0]}")
    after = without_excluded(expand(before, [spec]), [spec])
    return Change(memory.id, before, after or "(not kept)") if after != before else None


def _muted(spec: RuleSpec, memory: Memory, zone: ZoneInfo) -> Change | None:
    if memory.expires_at is None or not isinstance(spec.action, MuteHours) or spec.action.what != "reminders":
        return None
    local = memory.expires_at.astimezone(zone)
    return Change(memory.id, memory.memory, "no reminder") if is_muted_at(local, [spec]) else None


def _when(memory: Memory, moment: datetime | None, zone: ZoneInfo) -> Change | None:
    if moment is None:
        return None
    return Change(memory.id, memory.memory, f"reminded {moment.astimezone(zone):%a %-d %b %Y, %H:%M}")
