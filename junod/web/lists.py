"""Shopping lists line by line, ticked lines too (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from junod.memory.markdown import list_items, plain
from junod.records import Memory

TICKED_FOR = timedelta(hours=12)
"""A list that is wholly ticked stays in sight so long, so that a slip can be taken back."""
_HEAD = re.compile(r"(?:~~)?(?:shopping|grocery|groceries)(?: list)?\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShoppingLine:
    memory: Memory
    item: str
    """Without its marks."""
    is_done: bool


def shopping_lines(memories: Iterable[Memory], now: datetime) -> list[ShoppingLine]:
    """Every line of every active shopping list, in order of speech; the same thing is named once."""
    lines: dict[str, ShoppingLine] = {}
    for memory in sorted(memories, key=lambda memory: (memory.spoken_at, memory.id)):
        for line in _lines(memory):
            known = lines.get(line.item.casefold())
            if known is None or (known.is_done and not line.is_done):
                lines[line.item.casefold()] = line
    open_lists = {line.memory.id for line in lines.values() if not line.is_done}
    return [
        line for line in lines.values() if line.memory.id in open_lists or now - line.memory.created_at < TICKED_FOR
    ]


def _lines(memory: Memory) -> list[ShoppingLine]:
    if not _HEAD.fullmatch(memory.memory.split("\n", 1)[0].strip()):
        return []
    return [ShoppingLine(memory, plain(item.text), item.is_struck) for item in list_items(memory.memory)]
