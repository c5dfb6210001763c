"""How the server answers: short text for a language model, the same as data for a program."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, ParamSpec
from zoneinfo import ZoneInfo

from mcp.types import CallToolResult, TextContent

from junod.errors import JunodError
from junod.memory.grace import Forgetting
from junod.memory.telling import DATA_NOTE, heard, short_id, told, untrusted
from junod.memory.undoing import Undone
from junod.memory.verbs import Choices
from junod.records import Memory
from junod.rules.apply import tags_of
from junod.rules.schema import RuleSpec

P = ParamSpec("P")


class Teller:
    """Tells memories as seen from one moment in one zone."""

    def __init__(self, now: datetime, zone: ZoneInfo, rules: Sequence[RuleSpec] = ()) -> None:
        self._now = now
        self._zone = zone
        self._rules = rules

    def line(self, memory: Memory) -> str:
        tags = "".join(f" #{tag}" for tag in tags_of(memory.memory, self._rules))
        return told(memory, now=self._now, zone=self._zone) + tags

    def listing(self, memories: Sequence[Memory]) -> str:
        """Numbered lines under the note that they are data."""
        lines = [f"{number}. {self.line(memory)}" for number, memory in enumerate(memories, start=1)]
        return "\n".join([DATA_NOTE, *lines])

    def lineage(self, memories: Sequence[Memory]) -> str:
        """What superseded what, the oldest first, with the words each came from."""
        lines = [DATA_NOTE]
        for number, memory in enumerate(memories, start=1):
            lines.append(f"{number}. {self.line(memory)}")
            if heard(memory):
                lines.append(f"   heard: {heard(memory)}")
            if memory.supersedes:
                lines.append(f"   replaces: {', '.join(old[-8:] for old in memory.supersedes)}")
        return "\n".join(lines)

    def row(self, memory: Memory) -> dict[str, Any]:
        """A memory for a program; times in the household's zone."""
        expires = memory.expires_at
        return {
            "id": memory.id,
            "memory": untrusted(memory.memory),
            "room": memory.room,
            "spoken_at": memory.spoken_at.astimezone(self._zone).isoformat(),
            "expires_at": expires.astimezone(self._zone).isoformat() if expires else None,
            "done": memory.source == "done",
            "tags": list(tags_of(memory.memory, self._rules)),
            "supersedes": list(memory.supersedes),
            "superseded_by": list(memory.superseded_by),
        }

    def found(self, memories: Sequence[Memory], *, none: str, note: str = "") -> CallToolResult:
        text = self.listing(memories) if memories else none
        return answer(f"{text}\n{note}".strip(), memories=[self.row(memory) for memory in memories])

    def choices(self, choices: Choices, verb: str) -> CallToolResult:
        """Nothing was done: which one?"""
        ask = f"Nothing was {verb}. Ask the person which one is meant, then call again with its id."
        text = f"{choices.why} {ask}\n{self.listing(choices.memories)}"
        return answer(text, changed=False, choices=[self.row(memory) for memory in choices.memories])

    def changed(self, verb: str, memory: Memory) -> CallToolResult:
        return answer(f"{verb}: {self.line(memory)}", changed=True, memories=[self.row(memory)])

    def forgotten(self, memory: Memory, forgetting: Forgetting) -> CallToolResult:
        """Says what went without repeating a word of it."""
        until = forgetting.until.astimezone(self._zone) if forgetting.until else None
        left = f"Until {until:%H:%M:%S} undo_change brings it back; then it is erased for good." if until else ""
        named = f"the memory with id {short_id(memory)} and its history ({len(forgetting.ids)} in all)."
        text = f"{'Forgotten' if until else 'Forgotten for good'}: {named} {left}".strip()
        until_text = until.isoformat() if until else None
        return answer(text, changed=True, forgotten=len(forgetting.ids), until=until_text)

    def taken_back(self, undone: Undone) -> CallToolResult:
        lines = [f"Taken back: {undone.change}. Active again:", self.listing(undone.memories)]
        return answer(
            "\n".join(lines),
            changed=True,
            change=undone.change,
            memories=[self.row(memory) for memory in undone.memories],
        )


def answer(text: str, **data: Any) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data or None)


def explained(tool: Callable[P, CallToolResult]) -> Callable[P, CallToolResult]:
    """Errors of junod become answers that say what to do next; the SDK would log them, and they may quote speech."""

    @functools.wraps(tool)
    def call(*args: P.args, **kwargs: P.kwargs) -> CallToolResult:
        try:
            return tool(*args, **kwargs)
        except JunodError as error:
            content = [TextContent(type="text", text=f"{error.message} {error.hint}".strip())]
            return CallToolResult(content=content, structured_content={"error": error.code}, is_error=True)

    return call
