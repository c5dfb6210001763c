"""What is being said at the moment, so that an assistant can ask what bears on it without being told.

Words are held in memory alone and given to nobody; they go when the ear is shut or wiped, and by themselves after a
minute. Speech-to-text gives its words at the end of each utterance: that is when the lookup for them begins.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Protocol

from junod.clock import Clock
from junod.memory.context import DEFAULT_TOKENS, MemoryContext
from junod.memory.context_stream import ContextStream

FRESH_S = 60.0
"""So long after its last word a talk is what is being said."""
LAST_WORDS = 60
"""Of a long talk its end counts, in whole utterances."""


@dataclass(frozen=True, slots=True)
class TalkContext:
    found: MemoryContext
    words: str
    """What was said: for following links, never for an answer; '' where another process heard it."""


class Talk(Protocol):
    """What the ear tells and assistants ask."""

    def hear(self, utterance: str) -> None:
        """An utterance, its credentials masked; returns at once."""
        ...

    def pause(self) -> None:
        """The passage is over: what is said next is another talk."""
        ...

    def wipe(self) -> None:
        """Forget it all at once; from any thread."""
        ...

    def context(self, budget_tokens: int = DEFAULT_TOKENS) -> TalkContext | None:
        """What bears on it; None where nothing was said within a minute.

        Raises:
            ModelError, StoreError: from the embedder and the store.
        """
        ...

    def stop(self) -> None: ...


class NoTalk:
    """Where nobody listens along."""

    def hear(self, utterance: str) -> None: ...

    def pause(self) -> None: ...

    def wipe(self) -> None: ...

    def context(self, budget_tokens: int = DEFAULT_TOKENS) -> TalkContext | None:
        return None

    def stop(self) -> None: ...


class CurrentTalk:
    """Implements Talk; thread-safe."""

    def __init__(self, stream: ContextStream, clock: Clock) -> None:
        self._stream, self._clock = stream, clock
        self._lock = threading.Lock()
        self._said: list[str] = []
        self._is_over = False
        self._heard_s = 0.0

    def hear(self, utterance: str) -> None:
        with self._lock:
            if self._is_over or not self._is_fresh():
                self._begin_anew()
            self._said.append(utterance)
            while len(self._said) > 1 and len(" ".join(self._said).split()) > LAST_WORDS:
                del self._said[0]
            self._heard_s = self._clock.monotonic_s()
            self._stream.hear(" ".join(self._said))

    def pause(self) -> None:
        with self._lock:
            self._is_over = True

    def wipe(self) -> None:
        with self._lock:
            self._begin_anew()

    def context(self, budget_tokens: int = DEFAULT_TOKENS) -> TalkContext | None:
        with self._lock:
            if not self._is_fresh():
                self._begin_anew()
            words = " ".join(self._said)
        return TalkContext(self._stream.so_far(words, budget_tokens), words) if words else None

    def stop(self) -> None:
        self.wipe()
        self._stream.stop()

    def _begin_anew(self) -> None:
        self._said, self._is_over = [], False
        self._stream.wipe()

    def _is_fresh(self) -> bool:
        return self._clock.monotonic_s() - self._heard_s <= FRESH_S
