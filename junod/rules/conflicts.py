"""Rules that do not go together: found, named, and decided by order (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from junod.extract.words import content, keys
from junod.rules.schema import Exclude, ExpandName, RuleSpec


@dataclass(frozen=True, slots=True)
class Conflict:
    first: int
    """Place of the rule that wins, among the rules given."""
    second: int
    why: str


def conflicts(rules: Sequence[RuleSpec]) -> tuple[Conflict, ...]:
    """Pairs of rules of which the second has no effect, or another one than it says, because of the first.

    Args:
        rules: in the order in which they are applied.
    """
    found = []
    for second, later in enumerate(rules):
        for first in range(second):
            why = _why(rules[first], later)
            if why:
                found.append(Conflict(first, second, why))
    return tuple(found)


def _why(first: RuleSpec, second: RuleSpec) -> str:
    same = _thing(first.about) == _thing(second.about)
    if first.do == second.do and same:
        return _of_one_kind(first, second)
    shadows = _shadowed(first, second) or _shadowed(second, first)
    if shadows:
        return shadows
    for one, other in ((first, second), (second, first)):
        if isinstance(one.action, ExpandName) and one.do == other.do and _thing(one.action.to) == _thing(other.about):
            return f"“{one.about}” means {one.action.to}, which has a meaning of its own: names are not expanded twice."
    return ""


def _of_one_kind(first: RuleSpec, second: RuleSpec) -> str:
    if first.action == second.action:
        return "The two say the same."
    if first.do in ("expand-name", "default-time", "remind-earlier"):
        return f"Both are about {second.about}: the first one wins."
    return ""  # several tags, two places to exclude from, two quiet times: both hold


def _shadowed(one: RuleSpec, other: RuleSpec) -> str:
    """Nothing is kept about a thing, so that no other rule about it can come into effect."""
    kept_out = isinstance(one.action, Exclude) and one.action.where == "memory"
    if kept_out and other.about and other.do != "expand-name" and _thing(one.about) <= _thing(other.about):
        return f"Nothing about {one.about} is kept, so the rule about {other.about} has nothing to work on."
    return ""


def _thing(words: str) -> set[str]:
    return set(content(words)) or keys(words)
