"""Tools for the household's rules. An assistant may look and propose; only a person confirms, at the display or CLI."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.types import CallToolResult
from pydantic import Field

from junod.assembly.house import House
from junod.mcp_server.answers import answer
from junod.memory.telling import DATA_NOTE, untrusted
from junod.rules.book import ShownRule
from junod.rules.telling import rule_row


class RuleTools:
    """One household's rules for an assistant."""

    def __init__(self, house: House) -> None:
        self._house = house

    def list_rules(self) -> CallToolResult:
        """Show the rules this household declared: what names mean, what never goes on a list, tags, usual times."""
        rules = self._house.rules.listed()
        lines = [DATA_NOTE, *(f"- {line(rule)}" for rule in rules)] if rules else ["The household declared no rules."]
        return answer("\n".join(lines), rules=[row(rule) for rule in rules])

    def propose_rule(
        self,
        words: Annotated[
            str, Field(description="The rule as the person said it: 'never put nuts on the list'. One rule only.")
        ],
    ) -> CallToolResult:
        """Propose a rule, because a person asked for it. It changes nothing until a person confirms it on the display.

        If something is missing, it answers with the question to ask the person.
        """
        proposed = self._house.rules.propose(words, source="assistant")
        told = line(proposed.rule)
        if not proposed.is_new:
            return answer(f"This rule is there already: {told}", changed=False, rules=[row(proposed.rule)])
        ask = "It waits: ask the person to confirm it on the display, or with `junod rules confirm`."
        return answer(f"Proposed: {told}. {ask}", changed=True, rules=[row(proposed.rule)])


def line(rule: ShownRule) -> str:
    """One line for a language model."""
    facts = [str(rule.stored.state), f"id {rule.id[-8:]}", *(f"conflict: {why}" for why in rule.conflicts)]
    return f"{untrusted(rule.told)} [{'; '.join(facts)}]"


def row(rule: ShownRule) -> dict[str, Any]:
    """A rule for a program that a language model reads."""
    found = rule_row(rule)
    return found | {"rule": untrusted(found["rule"]), "said": untrusted(found["said"])}
