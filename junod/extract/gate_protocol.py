"""Where the gate meets the extractor: may this passage hold something to keep?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from junod.extract.language_model import Reading
from junod.records import Passage


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What the gate thinks of one passage."""

    probability: float
    """Calibrated, 0 to 1: the passage holds something to keep."""
    keep: bool
    """True = worth generating for."""
    stage: str = "gate"
    """The part of the gate that decided, for the journal."""


class Gate(Protocol):
    def assess(self, passage: Passage, read: Callable[[], Reading]) -> GateVerdict:
        """Judge a masked passage.

        Args:
            passage: transcript and context already masked.
            read: the LLM's forward pass over this passage, made when first called and then remembered; a gate that
                can decide without it does not call it. It raises ExtractionError where the LLM fails.

        Raises:
            CalibrationError: the configured LLM has no calibration.
        """
        ...
