"""The heavy models of the soak, each a script of the real protocol."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from junod.extract.gate_protocol import GateVerdict
from junod.extract.language_model import Prompt, Reading
from junod.records import Passage, Transcription

_SHOPPING = re.compile(r"We need ([a-z ]+) and ([a-z ]+)\.")
_OTHERS = (
    ("appointment", re.compile(r"[A-Z]\w+ has (?:the )?[a-z -]+ (on \w+ at \w+)(?=\.)")),
    ("reminder", re.compile(r"Remind me to [a-z -]+ (tomorrow)(?=\.)")),
    ("fact", re.compile(r"The [a-z -]+ is in the [a-z -]+()(?=\.)")),
)


class ScriptedTranscriber:
    """Says what is put in, in turn."""

    def __init__(self) -> None:
        self._next: deque[str] = deque()

    def put(self, said: Iterable[str]) -> None:
        self._next.extend(said)

    def transcribe(self, samples: NDArray[np.float32]) -> Transcription:
        return Transcription(self._next.popleft(), -0.2, 0.05, 1.0)


class ScriptedGate:
    """Knows the sentences that are worth keeping."""

    def assess(self, passage: Passage, read: Callable[[], Reading]) -> GateVerdict:
        keep = bool(entries(passage.transcript))
        return GateVerdict(0.97 if keep else 0.02, keep)


class ScriptedLanguageModel:
    """Writes what a model would for those sentences; two memories are never the same to it."""

    def read(self, prompt: Prompt) -> Reading:
        return Reading(3.0, np.zeros(4, np.float32), len(prompt.own.split()))

    def complete(self, prompt: Prompt, grammar: str | None, max_tokens: int, deadline_s: float) -> str:
        return ", ".join(json.dumps(entry) for entry in entries(prompt.transcript)) + "]}"

    def close(self) -> None:
        pass


def entries(talk: str) -> list[dict[str, object]]:
    items = [item for match in _SHOPPING.finditer(talk) for item in match.groups()]
    found: list[dict[str, object]] = [{"kind": "shopping", "items": items}] if items else []
    for kind, pattern in _OTHERS:
        for match in pattern.finditer(talk):
            memory = match[0].removesuffix(f" {match[1]}") if match[1] else match[0]
            found.append({"kind": kind, "quote": match[0], "when": match[1], "memory": memory})
    return found[:4]
