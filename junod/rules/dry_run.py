"""What would this rule have changed? Looked up in what is stored; nothing is changed (pure)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from junod.agenda.entries import entry_of
from junod.records import Memory
from junod.rules.apply import expand, is_muted_at, mentions, tags_of, without_excluded
from junod.rules.reminders import reminders
from junod.rules.schema import MAX_MINUTES, DefaultTime, MuteHours, RemindEarlier, RuleSpec
from junod.rules.times import names_an_hour
from junod.sections import RemindersSettings


@dataclass(frozen=True, slots=True)
class Change:
    """What would have been otherwise with one memory; `memory_id` is '' where it is about passages heard."""

    memory_id: str
    before: str
    after: str


def dry_run(
    spec: RuleSpec,
    memories: Iterable[Memory],
    decided_at: Iterable[datetime],
    zone: ZoneInfo,
    settings: RemindersSettings | None = None,
) -> tuple[Change, ...]:
    """The difference the rule alone would have made, the memories in the order given.

    Args:
        memories: those of the time in question.
        decided_at: when passages were decided in that time, from the journal.
        settings: of reminders.
    """
    settings = settings or RemindersSettings()
    found = [change for memory in memories if (change := _changed(spec, memory, zone, settings))]
    if isinstance(spec.action, MuteHours) and spec.action.what == "listening":
        unheard = sum(is_muted_at(moment.astimezone(zone), [spec], "listening") for moment in decided_at)
        if unheard:
            found.append(Change("", f"{unheard} passages heard", "not heard"))
    return tuple(found)


def _changed(spec: RuleSpec, memory: Memory, zone: ZoneInfo, settings: RemindersSettings) -> Change | None:
    before = memory.memory
    if isinstance(spec.action, MuteHours | RemindEarlier):
        listens = isinstance(spec.action, MuteHours) and spec.action.what == "listening"
        return None if listens else _reminded(spec, memory, zone, settings)
    if isinstance(spec.action, DefaultTime):
        lacks = mentions(before, spec.about) and not names_an_hour(before)
        return Change(memory.id, before, f"at {spec.action.at}") if lacks else None
    if tags := tags_of(before, [spec]):
        return Change(memory.id, before, f"{before.splitlines()[0]} #{tags[0]}")
    after = without_excluded(expand(before, [spec]), [spec])
    return Change(memory.id, before, after or "(not kept)") if after != before else None


def _reminded(spec: RuleSpec, memory: Memory, zone: ZoneInfo, settings: RemindersSettings) -> Change | None:
    """The first reminder of a memory with the rule, where it is another than without."""
    with_rule, without = (_first(memory, rules, zone, settings) for rules in ((spec,), ()))
    if with_rule == without:
        return None
    told = f"reminded {with_rule.astimezone(zone):%a %-d %b %Y, %H:%M}" if with_rule else "no reminder"
    return Change(memory.id, memory.memory, told)


def _first(memory: Memory, rules: tuple[RuleSpec, ...], zone: ZoneInfo, settings: RemindersSettings) -> datetime | None:
    said = memory.spoken_at
    until = max(said, memory.expires_at or said) + timedelta(minutes=MAX_MINUTES)
    found = reminders([entry_of(memory, zone)], rules, settings, zone, now=said, until=until)
    return found[0].at if found else None
