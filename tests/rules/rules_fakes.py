"""A household's rule book on a simulated clock, labelled phrasings, and how a rule is compared with its label."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from junod.audit import is_suspect
from junod.clock import SimulatedClock
from junod.memory.store import MemoryStore
from junod.rules.book import RuleBook
from junod.rules.schema import RuleSpec

NOW = datetime(2026, 3, 24, 17, 0, tzinfo=UTC)
"""A Tuesday."""
PHRASINGS = Path(__file__).parent / "phrasings.jsonl"
_ARTICLE = re.compile(r"^(?:the|a|an|any|every|all|our|my) ")


def no_code(text: str) -> str:
    """Masks one secret."""
    return text.replace("4711", "[code]")


@contextmanager
def household(folder: Path) -> Iterator[tuple[MemoryStore, RuleBook, SimulatedClock]]:
    clock = SimulatedClock(NOW)
    with MemoryStore.open(folder / "junod.db", clock=clock) as store:
        yield store, RuleBook(store, mask=no_code, suspects=is_suspect), clock


def declare(book: RuleBook, words: str) -> str:
    """A rule put into force; returns its id."""
    return book.confirm(book.propose(words, source="page").rule.id, by="page").id


def phrasings(split: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in PHRASINGS.read_text("utf-8").splitlines()]
    return [row for row in rows if row["split"] == split]


def is_as_labelled(spec: RuleSpec, expect: dict[str, Any]) -> bool:
    found = {**spec.action.model_dump(), **({"about": spec.about} if spec.about else {})}
    return _plain(found) == _plain(expect)


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Case and a leading article make no difference."""
    return {
        name: _ARTICLE.sub("", value.lower()) if isinstance(value, str) else value for name, value in values.items()
    }
