"""'Why do you know this?': for anything junod knows, what bears it out, since when, which layer, what removes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from junod.assembly.house import House
from junod.errors import NotFoundError, UsageError
from junod.memory.telling import one_line
from junod.records import Memory
from junod.rules.telling import because

_SOURCES = {
    "voice": "Heard in the room and judged to be worth keeping.",
    "manual": "Written or corrected by hand.",
    "merge": "Put together from memories that said the same.",
    "done": "Ticked off.",
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words or an occurrence that bear it out."""

    text: str
    at: datetime
    memory_id: str
    """'' where it stands in no memory."""


@dataclass(frozen=True, slots=True)
class Why:
    layer: str
    """'memory', 'habit', 'impression' or 'rule'."""
    id: str
    says: str
    """What junod would tell; '' where there is nothing to tell yet."""
    because: str
    """How this layer came to know, in a sentence."""
    since: datetime
    evidence: tuple[Evidence, ...]
    removed_by: str
    """The command that removes it; the page has a button for it."""


def why(house: House, known_id: str) -> Why:
    """Explain what has this id, or the end of it, in whichever layer.

    Raises:
        NotFoundError: nothing has.
        UsageError: several things have.
    """
    found: list[Why] = []
    for layer in LAYERS:
        try:
            found.append(layer(house, known_id))
        except NotFoundError:
            continue
    if not found:
        raise NotFoundError(
            f"Nothing that is known has the id '{known_id[:40]}'.", hint="`junod memories list` shows ids."
        )
    if len(found) > 1:
        raise UsageError(
            f"A {' and a '.join(each.layer for each in found)} have an id with '{known_id[:40]}'.",
            hint="Give more of the id.",
        )
    return found[0]


def why_row(known: Why, zone: ZoneInfo) -> dict[str, Any]:
    """For programs; the keys are a contract, readers must ignore those they do not know."""
    return {
        "layer": known.layer,
        "id": known.id,
        "says": known.says,
        "because": known.because,
        "since": known.since.astimezone(zone).isoformat(timespec="minutes"),
        "evidence": [
            {"text": each.text, "at": each.at.astimezone(zone).isoformat(timespec="minutes"), "memory": each.memory_id}
            for each in known.evidence
        ],
        "removed_by": known.removed_by,
    }


def _memory(house: House, known_id: str) -> Why:
    memory = house.store.get(known_id)
    lineage = house.store.history(memory.id)
    return Why(
        layer="memory",
        id=memory.id,
        says=one_line(memory.memory),
        because=_SOURCES[memory.source],
        since=min(each.created_at for each in lineage),
        evidence=tuple(_heard(each) for each in lineage),
        removed_by=f"junod memories forget {memory.id}",
    )


def _heard(memory: Memory) -> Evidence:
    return Evidence(memory.transcript or one_line(memory.memory), memory.spoken_at, memory.id)


def _habit(house: House, known_id: str) -> Why:
    habit, memories = house.habits.show(known_id, house.clock.now())
    often = f"{habit.occurrences} times in {habit.weeks} different weeks"
    return Why(
        layer="habit",
        id=habit.id,
        says=habit.sentence,
        because=f"Seen {often}, by what happened to memories; nobody said so, and it is no fact.",
        since=habit.created_at,
        evidence=tuple(Evidence(one_line(each.memory), each.created_at, each.id) for each in memories),
        removed_by=f"junod habits delete {habit.id}",
    )


def _impression(house: House, known_id: str) -> Why:
    trait = house.persona.show(known_id, house.clock.now())
    by_hand = " A person corrected the wording." if trait.is_corrected else ""
    return Why(
        layer="impression",
        id=trait.id,
        says=trait.statement,
        because=f"Borne out by words on {trait.days} different days; an impression, no fact.{by_hand}",
        since=trait.created_at,
        evidence=tuple(Evidence(each.text, each.memory.spoken_at, each.memory.id) for each in trait.quotes),
        removed_by=f"junod persona delete {trait.id}",
    )


def _rule(house: House, known_id: str) -> Why:
    rule = house.rules.show(known_id)
    stored = rule.stored
    said = (Evidence(stored.said, stored.created_at, ""),) if stored.said else ()
    return Why(
        layer="rule",
        id=rule.id,
        says=rule.told,
        because=because(rule),
        since=stored.created_at,
        evidence=said,
        removed_by=f"junod rules delete {rule.id}",
    )


LAYERS: tuple[Callable[[House, str], Why], ...] = (_memory, _habit, _impression, _rule)
"""One function a layer; each raises NotFoundError for what is not its own."""
