"""Utterances to passages: 5 s without speech close one, and so does a cap in seconds or words.

Pure: owns no clock, no thread and no model. Time is the sample count of the audio itself, so a slow recogniser
never looks like silence. Speech that gave no transcript still counts as speech.

Real families and televisions hardly ever pause for 5 s, so a passage that reaches the cap is split at the longest
pause of its later half, and its end becomes context of the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from junod.records import SAMPLE_RATE_HZ, AudioMark, Passage, PassageEnd, Utterance
from junod.sections import DebounceSettings


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage is heard; fixed for the life of a debouncer."""

    room: str
    device_id: str = ""
    household_id: str = "home"


class Debouncer:
    """Collects utterances in speech order and closes passages.

    Args:
        settings: quiet, caps and context, in seconds, words and utterances.
        place: stamped on every passage.
        new_id: makes the id of a passage.
        clock_synced: tells whether the wall clock can be trusted at this moment.
    """

    def __init__(
        self,
        settings: DebounceSettings,
        place: Place,
        new_id: Callable[[], str],
        clock_synced: Callable[[], bool] = lambda: True,
    ) -> None:
        self._settings = settings
        self._place = place
        self._new_id = new_id
        self._clock_synced = clock_synced
        self._open: list[Utterance] = []
        self._passage_number = 0
        self._remembered: deque[tuple[int, Utterance]] = deque(maxlen=settings.context_utterances)

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    def hear(self, utterance: Utterance) -> list[Passage]:
        """Add an utterance. Returns the passages this closes: none, or one that was over before it or at its cap."""
        closed = self._close_if_quiet(utterance.first_sample, self._last_end())
        self._open.append(utterance)
        if self._is_over_cap(utterance.end_sample):
            closed.append(self._split())
        return closed

    def mark(self, mark: AudioMark) -> list[Passage]:
        """Audio went on to `mark.sample`. Returns the passage that silence or the cap closes, if any."""
        if not self._open:
            return []
        last_speech = mark.sample if mark.is_speaking else max(mark.last_speech_sample, self._last_end())
        closed = self._close_if_quiet(mark.sample, last_speech)
        if self._open and self._is_over_cap(mark.sample):
            closed.append(self._split())
        return closed

    def recent(self) -> tuple[str, ...]:
        """What was said so far, as far back as context reaches, the oldest first: unmasked, for the mask alone."""
        return tuple(heard.text for _, heard in self._remembered) + tuple(heard.text for heard in self._open)

    def flush(self) -> list[Passage]:
        """The stream ended: close what is open."""
        return [self._close(self._open, PassageEnd.END_OF_STREAM)] if self._open else []

    def wipe(self) -> None:
        """Forget everything heard and not yet handed on, context included."""
        self._open = []
        self._remembered.clear()

    def reconfigure(self, settings: DebounceSettings) -> None:
        """Take new settings; what was heard stays."""
        self._settings = settings
        self._remembered = deque(self._remembered, maxlen=settings.context_utterances)

    def _last_end(self) -> int:
        return self._open[-1].end_sample if self._open else 0

    def _close_if_quiet(self, sample: int, last_speech_sample: int) -> list[Passage]:
        if not self._open or sample - last_speech_sample < self._settings.quiet_s * SAMPLE_RATE_HZ:
            return []
        return [self._close(self._open, PassageEnd.QUIET)]

    def _is_over_cap(self, sample: int) -> bool:
        length = sample - self._open[0].first_sample
        words = sum(len(utterance.text.split()) for utterance in self._open)
        return length > self._settings.cap_s * SAMPLE_RATE_HZ or words > self._settings.cap_words

    def _split(self) -> Passage:
        return self._close(self._open[: split_point(self._open)], PassageEnd.CAP)

    def _close(self, utterances: Sequence[Utterance], reason: PassageEnd) -> Passage:
        first = utterances[0]
        passage = Passage(
            id=self._new_id(),
            transcript=" ".join(utterance.text for utterance in utterances),
            spoken_at=first.spoken_at,
            room=self._place.room,
            context=self._context(first.first_sample),
            utterance_starts=tuple(utterance.spoken_at for utterance in utterances),
            device_id=self._place.device_id,
            household_id=self._place.household_id,
            closed_by=reason,
            clock_synced=self._clock_synced(),
        )
        self._passage_number += 1
        self._remembered.extend((self._passage_number, utterance) for utterance in utterances)
        self._open = self._open[len(utterances) :]
        return passage

    def _context(self, first_sample: int) -> tuple[str, ...]:
        """Earlier utterances young enough to matter, one string for each passage they came from."""
        oldest = first_sample - int(self._settings.context_age_s * SAMPLE_RATE_HZ)
        young = [(number, heard) for number, heard in self._remembered if heard.end_sample >= oldest]
        groups = groupby(young, key=lambda pair: pair[0])
        return tuple(" ".join(heard.text for _, heard in pairs) for _, pairs in groups)


def split_point(utterances: Sequence[Utterance]) -> int:
    """Index at which to cut: before the utterance that follows the longest pause of the later half.

    Everything is cut off when there is but one utterance.
    """
    middle = (utterances[0].first_sample + utterances[-1].end_sample) / 2
    later = [i for i in range(1, len(utterances)) if utterances[i].first_sample >= middle]
    if not later:
        return len(utterances)
    return max(later, key=lambda i: utterances[i].first_sample - utterances[i - 1].end_sample)
