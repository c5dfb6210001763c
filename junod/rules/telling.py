"""A rule in words and as a row, the same for every face (pure)."""

from __future__ import annotations

from typing import Any

from junod.rules.book import ShownRule


def rule_row(rule: ShownRule) -> dict[str, Any]:
    """For programs; the keys are a contract, readers must ignore those they do not know."""
    stored = rule.stored
    return {
        "id": stored.id,
        "rule": rule.told,
        "kind": rule.spec.do,
        "trigger": rule.spec.trigger.model_dump(),
        "action": rule.spec.action.model_dump(),
        "state": str(stored.state),
        "source": stored.source,
        "said": stored.said,
        "replaces": stored.replaces or None,
        "conflicts": list(rule.conflicts),
        "suspect": rule.is_suspect,
        "created_at": stored.created_at.isoformat(),
        "confirmed_at": stored.confirmed_at.isoformat() if stored.confirmed_at else None,
    }


def because(rule: ShownRule) -> str:
    """How it came to be, in a sentence."""
    confirmed = "confirmed by a person" if rule.stored.confirmed_at else "waiting for a person to confirm it"
    return f"Declared by {rule.stored.source}, {confirmed}; it is {rule.stored.state.value}."
