"""Speech probabilities to segments: pre-roll, hangover, minimum and maximum length (pure; time counts in samples)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from junod.records import SAMPLE_RATE_HZ, AudioFrame, Segment, SegmentEnd
from junod.sections import VadSettings
from junod.vad.draft import Draft

_SEAMLESS = (SegmentEnd.HANGOVER, SegmentEnd.MAX_LENGTH)


class Segmenter:
    """Feed it frames in order; it owns no clock and no model.

    A probability of None, NaN or outside 0 to 1 is unknown: the frame is kept where a segment is open, and changes
    nothing else. Speech ranges of two segments never overlap; a pre-roll may repeat the silence that closed the one
    before.
    """

    def __init__(self, settings: VadSettings) -> None:
        self._settings = settings
        self._pre_roll: deque[AudioFrame] = deque()
        self._draft: Draft | None = None
        self._next_sample: int | None = None
        self._heard_until_s = 0.0
        self.last_speech_sample: int | None = None
        """One past the last sample of speech; counts only what reached the minimum length."""

    @property
    def is_open(self) -> bool:
        return self._draft is not None

    @property
    def next_sample(self) -> int | None:
        """One past the last sample heard."""
        return self._next_sample

    def push(self, frame: AudioFrame, probability: float | None) -> list[Segment]:
        """At most two segments: one closed by a gap before the frame, one by the frame."""
        closed = self._close(SegmentEnd.GAP) if self._follows_gap(frame) else []
        self._next_sample = frame.end_sample
        self._heard_until_s = frame.wall_time_s + len(frame.samples) / SAMPLE_RATE_HZ
        known = probability if probability is not None and 0.0 <= probability <= 1.0 else None
        if self._draft is None:
            self._listen(frame, known)
        else:
            closed += self._continue(self._draft, frame, known)
        self._confirm()
        return closed

    def check_stalled(self, now_wall_s: float) -> list[Segment]:
        """Close the open segment where no frame has come for `no_frames_s`."""
        if self._draft is None or now_wall_s - self._heard_until_s < self._settings.no_frames_s:
            return []
        return self._close(SegmentEnd.NO_FRAMES)

    def flush(self) -> list[Segment]:
        """The stream has ended."""
        return self._close(SegmentEnd.END_OF_STREAM)

    def wipe(self) -> None:
        """Forget all audio, an open segment included (mute)."""
        self._draft = None
        self._pre_roll.clear()

    def _follows_gap(self, frame: AudioFrame) -> bool:
        return bool(frame.lost_samples) or (self._next_sample is not None and frame.first_sample != self._next_sample)

    def _listen(self, frame: AudioFrame, probability: float | None) -> None:
        if probability is not None and probability >= self._settings.threshold:
            self._draft = Draft(self._pre_roll)
            self._draft.add(frame, is_speech=True)
            self._pre_roll.clear()
        else:
            self._keep_pre_roll([frame])

    def _continue(self, draft: Draft, frame: AudioFrame, probability: float | None) -> list[Segment]:
        closed = []
        if draft.samples + len(frame.samples) > self._settings.max_segment_s * SAMPLE_RATE_HZ:
            head, draft = draft.split_at_quietest()
            self._draft = draft
            closed = self._finish(head, SegmentEnd.MAX_LENGTH)
        draft.add(frame, None if probability is None else probability >= self._settings.release)
        if draft.silence_samples >= self._settings.hangover_ms * SAMPLE_RATE_HZ // 1000:
            closed += self._close(SegmentEnd.HANGOVER)
        return closed

    def _close(self, reason: SegmentEnd) -> list[Segment]:
        draft, self._draft = self._draft, None
        if reason not in _SEAMLESS:
            self._pre_roll.clear()
        if draft is None:
            return []
        if reason in _SEAMLESS:
            self._keep_pre_roll(draft.frames_after_speech())
        return self._finish(draft, reason)

    def _finish(self, draft: Draft, reason: SegmentEnd) -> list[Segment]:
        return [draft.segment(reason)] if self._is_enough(draft) else []

    def _is_enough(self, draft: Draft) -> bool:
        # What follows a split has proved to be speech already: its last short word must not be lost.
        least = 1 if draft.is_continuation else max(1, self._settings.min_speech_ms * SAMPLE_RATE_HZ // 1000)
        return draft.speech_samples >= least

    def _confirm(self) -> None:
        if self._draft is not None and self._is_enough(self._draft):
            self.last_speech_sample = self._draft.speech_end_sample

    def _keep_pre_roll(self, frames: Iterable[AudioFrame]) -> None:
        self._pre_roll.extend(frames)
        wanted = self._settings.pre_roll_ms * SAMPLE_RATE_HZ // 1000
        held = sum(len(frame.samples) for frame in self._pre_roll)
        while self._pre_roll and held - len(self._pre_roll[0].samples) >= wanted:
            held -= len(self._pre_roll.popleft().samples)
