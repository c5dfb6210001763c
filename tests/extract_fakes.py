"""Fakes of what the extractor leans on, and passages at the reference clock of the fault cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from junod.errors import AnswerTooLongError, ExtractionError
from junod.extract.focus import Piece, judged
from junod.extract.gate_protocol import GateVerdict
from junod.extract.language_model import Prompt, Reading
from junod.extract.pieces import spans
from junod.records import Kind, Passage, Resolution

BERLIN = ZoneInfo("Europe/Berlin")
TUESDAY = datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)


def passage(transcript: str, *context: str, room: str = "kitchen", at: datetime = TUESDAY) -> Passage:
    return Passage("p1", transcript, at, room, context)


def entry(kind: str, quote: str, memory: str = "", when: str = "", items: Sequence[str] = ()) -> dict[str, object]:
    """One entry as the model writes it."""
    if kind == "shopping":
        return {"kind": kind, "items": list(items)}
    return {"kind": kind, "quote": quote, "when": when, "memory": memory}


def answer(*entries: dict[str, object]) -> str:
    """What follows the opening of the list."""
    return ", ".join(json.dumps(one) for one in entries) + "]}"


@dataclass
class FakeLanguageModel:
    """Says what it is told to; an exception is raised instead."""

    says: str | Exception = "]}"
    log_odds: float = 3.0
    prompts: list[Prompt] = field(default_factory=list)
    reads: int = 0
    grammars: list[str | None] = field(default_factory=list)
    is_closed: bool = False

    def read(self, prompt: Prompt) -> Reading:
        self.reads += 1
        return Reading(self.log_odds, np.zeros(4, np.float32), len(prompt.own.split()))

    def complete(self, prompt: Prompt, grammar: str | None, max_tokens: int, deadline_s: float) -> str:
        self.prompts.append(prompt)
        self.grammars.append(grammar)
        if isinstance(self.says, Exception):
            raise self.says
        if len(self.says) > 4 * max_tokens:
            raise AnswerTooLongError(f"The language model's answer passed {max_tokens} tokens.", permanent=False)
        return self.says

    def close(self) -> None:
        self.is_closed = True


@dataclass
class FakeGate:
    """Keeps everything, or nothing; reads the model when told to."""

    keep: bool = True
    reads: bool = True
    seen: list[Passage] = field(default_factory=list)

    def assess(self, passage: Passage, read: Callable[[], Reading]) -> GateVerdict:
        self.seen.append(passage)
        if self.reads:
            read()
        return GateVerdict(0.97 if self.keep else 0.02, self.keep)


@dataclass(frozen=True)
class FakeMasked:
    text: str


def fake_mask(text: str, context: Sequence[str] = ()) -> FakeMasked:
    """Knows one secret."""
    return FakeMasked(text.replace("4711", "[code]"))


def fake_mask_passage(heard: Passage) -> Passage:
    context = tuple(fake_mask(text).text for text in heard.context)
    return replace(heard, transcript=fake_mask(heard.transcript).text, context=context)


def fake_resolve(
    phrase: str, *, spoken_at: datetime, zone: ZoneInfo, kind: Kind, day_first: bool, hint: str
) -> Resolution:
    """Knows 'tomorrow at three', 'yesterday' and 'every Tuesday'."""
    low = phrase.lower()
    if kind is Kind.FACT or "every tuesday" in low:
        return Resolution(None, "Every Tuesday", recurring=True) if "every tuesday" in low else Resolution(None)
    if "yesterday" in low:
        return Resolution(spoken_at - timedelta(days=1), "Mon 23 Mar 2026", is_past=True)
    if "tomorrow" in low:
        return Resolution(datetime(2026, 3, 25, 15, 0, tzinfo=zone), "Wed 25 Mar 2026, 15:00")
    return Resolution(None)


def failing() -> ExtractionError:
    return ExtractionError("The language model failed.", permanent=False)


class WordPieces:
    """Implements `focus.PieceJudge`: a piece counts where it has one of the words, and is of that word's kind."""

    def __init__(self, kinds: dict[str, Kind]) -> None:
        self._kinds = kinds

    def pieces(self, passage: Passage) -> tuple[Piece, ...]:
        texts = [passage.transcript[start:end].lower() for start, end in spans(passage.transcript)]
        return judged(passage.transcript, [self._row(text) for text in texts])

    def _row(self, text: str) -> tuple[float, list[float]]:
        kind = next((kind for word, kind in self._kinds.items() if word in text), None)
        return -3.0 if kind is None else 3.0, [0.9 if one is kind else 0.025 if kind else 0.2 for one in Kind]
