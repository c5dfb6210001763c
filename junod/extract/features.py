"""What the gate looks at: a passage as the encoder reads it, and the numbers that are weighed.

Only what is known at run time goes in: room, hour, context and transcript.
"""

from __future__ import annotations

from dataclasses import dataclass

from junod.records import Passage

CONTEXT_WORDS = 40
"""Words of context the encoder reads, counted from the end: the nearest talk matters most."""

_PARTS_OF_DAY = ((5, "night"), (12, "morning"), (18, "afternoon"), (24, "evening"))


def encoder_text(passage: Passage) -> str:
    """The passage as the encoder reads it: context, room, part of the day, speech.

    Speech comes last: a text too long for the encoder is cut at its head, so context goes before speech does.
    """
    context = " ".join(" ".join(passage.context).split()[-CONTEXT_WORDS:])
    place = f"{passage.room.replace('_', ' ')} | {part_of_day(passage.spoken_at.hour)} | said: {passage.transcript}"
    return f"before: {context} | {place}" if context else place


def part_of_day(hour: int) -> str:
    """'night' (0 to 4), 'morning' (5 to 11), 'afternoon' (12 to 17) or 'evening' (18 to 23)."""
    return next(name for end, name in _PARTS_OF_DAY if hour < end)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the small judges say of one passage, in logits."""

    encoder: float
    words: float
    """Of the word model on the whole passage."""
    peak: float
    """Of the word model on the few sentences it likes best: a need may be buried in chatter."""
    states: float
    """Of the probe of a language model's lower layers."""

    def fast(self) -> tuple[float, ...]:
        """What the first stage weighs."""
        return self.encoder, self.words, self.peak

    def deep(self) -> tuple[float, ...]:
        """What the second stage weighs."""
        return *self.fast(), self.states

    def full(self, log_odds: float, probe: float) -> tuple[float, ...]:
        """What the third stage weighs: the language model's log-odds and the probe of its state besides."""
        return *self.deep(), log_odds, probe
