"""What the extractor asks of a language model. Nothing here imports one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question to the model, cut where the cache can be shared."""

    prefix: str
    """The same for every passage: its evaluation is paid for once. Holds control tokens."""
    room: str
    """Begins the part of its own: room and local time. Trusted text."""
    context: tuple[str, ...]
    """Earlier passages, oldest first. Speech: tokenised as plain text, dropped first when space is short."""
    transcript: str
    """Speech: tokenised as plain text, its head is cut when space is short."""
    suffix: str
    """Ends exactly where the answer's list opens. Holds control tokens."""
    context_label: str = ""
    """Trusted text before the context, used only where there is one."""
    transcript_label: str = ""
    """Trusted text before the transcript."""

    @property
    def own(self) -> str:
        """What follows the prefix, as one string (to read and to test; the model gets the parts)."""
        context = self.context_label + "\n".join(self.context) if self.context else ""
        return f"{self.room}{context}{self.transcript_label}{self.transcript}{self.suffix}"


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What one forward pass over a prompt's own tokens says, before anything is generated."""

    log_odds: float
    """ln p(an entry begins) - ln p(the list closes), at the place where the answer's list opens."""
    hidden: NDArray[np.float32]
    """Shape (n_embd,): the last layer's state at that place."""
    own_tokens: int
    """Tokens evaluated for this passage, the shared prefix not counted."""


class LanguageModel(Protocol):
    """A model that reads a prompt and can go on from where it read.

    Not thread-safe: one thread owns it.
    """

    def read(self, prompt: Prompt) -> Reading:
        """Evaluate the prompt's own part.

        Raises:
            ExtractionError: the engine failed (permanent=False).
        """
        ...

    def complete(self, prompt: Prompt, grammar: str | None, max_tokens: int, deadline_s: float) -> str:
        """The answer that follows `prompt`, greedy, constrained by a GBNF grammar where one is given.

        The last prompt that was read is not evaluated again.

        Raises:
            ExtractionError: code 'deadline' or 'too-long' (permanent=False), or the engine failed.
        """
        ...

    def close(self) -> None:
        """Free the weights; harmless when repeated."""
        ...
