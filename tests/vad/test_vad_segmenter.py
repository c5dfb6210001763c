"""Probabilities to segments, with made-up probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from junod.records import SAMPLE_RATE_HZ, AudioFrame, Segment, SegmentEnd
from junod.sections import VadSettings
from junod.vad.segmenter import Segmenter

FRAME = 480
SETTINGS = VadSettings()
SPEECH, SILENCE = 0.9, 0.05
START_WALL_S = 1_700_000_000.0


class Stream:
    """Feeds a segmenter; each frame's samples hold its own index, so that audio can be told apart."""

    def __init__(self, settings: VadSettings = SETTINGS, first_sample: int = 0) -> None:
        self.segmenter = Segmenter(settings)
        self.origin = self.next_sample = first_sample
        self.frames: list[AudioFrame] = []
        self.segments: list[Segment] = []
        self.lost = 0

    def hear(self, probabilities: Iterable[float | None], level: float = 0.1) -> Stream:
        for probability in probabilities:
            frame = AudioFrame(
                self.next_sample,
                np.full(FRAME, level, np.float32),
                START_WALL_S + (self.next_sample - self.origin) / SAMPLE_RATE_HZ,
                self.lost,
            )
            self.next_sample, self.lost = frame.end_sample, 0
            self.frames.append(frame)
            self.segments += self.segmenter.push(frame, probability)
        return self

    def lose(self, samples: int) -> Stream:
        self.next_sample += samples
        self.lost += samples
        return self

    def end(self) -> list[Segment]:
        self.segments += self.segmenter.flush()
        return self.segments


def lasting(seconds: float, probability: float | None) -> list[float | None]:
    return [probability] * round(seconds * SAMPLE_RATE_HZ / FRAME)


def test_speech_becomes_a_segment_with_pre_roll_and_hangover() -> None:
    """m8: after a long silence the soft first syllable is still in the segment."""
    stream = Stream().hear(lasting(8.01, SILENCE)).hear(lasting(1.5, SPEECH)).hear(lasting(2.01, SILENCE))
    (segment,) = stream.segments
    assert segment.closed_by is SegmentEnd.HANGOVER
    assert segment.speech_first_sample == round(8.01 * SAMPLE_RATE_HZ)
    assert segment.speech_end_sample == round(9.51 * SAMPLE_RATE_HZ)
    assert 0.4 <= (segment.speech_first_sample - segment.first_sample) / SAMPLE_RATE_HZ < 0.43
    assert (segment.end_sample - segment.speech_end_sample) / SAMPLE_RATE_HZ == pytest.approx(0.6)
    assert segment.wall_time_s == pytest.approx(START_WALL_S + segment.first_sample / SAMPLE_RATE_HZ)


def test_a_knock_shorter_than_the_minimum_is_dropped_and_is_not_speech() -> None:
    stream = Stream().hear(lasting(1, SILENCE)).hear(lasting(0.09, SPEECH)).hear(lasting(2, SILENCE))
    assert stream.end() == []
    assert stream.segmenter.last_speech_sample is None


def test_the_release_threshold_carries_speech_over_a_weak_syllable() -> None:
    probabilities = [*lasting(0.3, SPEECH), *lasting(0.9, 0.4), *lasting(0.3, SPEECH), *lasting(1, SILENCE)]
    (segment,) = Stream().hear(probabilities).end()
    assert segment.speech_end_sample - segment.speech_first_sample == 24_000


def test_the_middle_ground_alone_opens_nothing() -> None:
    assert Stream().hear(lasting(3, 0.45)).end() == []


def test_speech_goes_on_right_after_a_segment_without_losing_its_onset() -> None:
    stream = Stream().hear(lasting(0.6, SPEECH)).hear(lasting(0.6, SILENCE)).hear(lasting(0.6, SPEECH))
    first, second = stream.end()
    assert second.speech_first_sample - second.first_sample == pytest.approx(0.4 * SAMPLE_RATE_HZ, abs=FRAME)
    assert second.first_sample >= first.speech_end_sample


def test_frames_that_stop_inside_speech_close_the_segment() -> None:
    """v37: muted in mid-speech; closed after a second without frames, not before."""
    stream = Stream().hear(lasting(0.6, SPEECH))
    end_s = START_WALL_S + stream.next_sample / SAMPLE_RATE_HZ
    assert stream.segmenter.check_stalled(end_s + 0.9) == []
    (segment,) = stream.segmenter.check_stalled(end_s + 1.0)
    assert segment.closed_by is SegmentEnd.NO_FRAMES
    assert not stream.segmenter.is_open
    assert stream.segmenter.check_stalled(end_s + 99) == []


def test_unknown_probabilities_change_nothing_and_a_short_word_is_still_found() -> None:
    """v38: a detector says -1 or NaN for 760 ms, then comes a word of 0.4 s."""
    for unknown in (None, -1.0, math.nan):
        stream = Stream().hear(lasting(0.6, SILENCE)).hear(lasting(0.76, unknown))
        assert not stream.segmenter.is_open
        stream.hear(lasting(0.4, SPEECH)).hear(lasting(1, SILENCE))
        (segment,) = stream.segments
        assert segment.closed_by is SegmentEnd.HANGOVER


def test_unknown_frames_within_speech_neither_end_nor_lengthen_it() -> None:
    """v38: the end is found by the silence that is known."""
    stream = Stream().hear(lasting(0.3, SPEECH)).hear(lasting(0.9, None)).hear(lasting(0.3, SILENCE))
    assert stream.segments == []
    assert stream.segmenter.last_speech_sample == round(0.3 * SAMPLE_RATE_HZ)
    stream.hear(lasting(0.3, SILENCE))
    (segment,) = stream.segments
    assert segment.speech_end_sample == round(0.3 * SAMPLE_RATE_HZ)


def test_an_end_that_is_only_a_time_limit_is_labelled_so() -> None:
    """v38: a detector that goes blind inside speech; v40: nothing is held for ever."""
    stream = Stream().hear(lasting(1, SPEECH)).hear(lasting(120, None))
    (segment,) = stream.segments
    assert segment.closed_by is SegmentEnd.MAX_LENGTH
    assert stream.end() == [segment]


def test_half_an_hour_of_music_is_cut_at_the_cap_and_memory_stays_flat() -> None:
    """v40: recording mode that never ends."""
    stream = Stream()
    for _ in range(60):
        stream.hear(lasting(30, SPEECH))
        stream.frames.clear()
    assert len(stream.segments) == 64
    assert max(segment.duration_s for segment in stream.segments) <= 28
    assert {segment.closed_by for segment in stream.segments} == {SegmentEnd.MAX_LENGTH}
    stream.end()
    assert sum(len(segment.samples) for segment in stream.segments) == 1800 * SAMPLE_RATE_HZ


def test_a_long_monologue_is_split_at_its_quietest_moment_without_overlap() -> None:
    """v43: five minutes; a breath at 25 s is a better place than the cap."""
    stream = Stream()
    for _ in range(12):
        stream.hear(lasting(24.75, SPEECH)).hear(lasting(0.24, SPEECH), level=0.001)
    segments = stream.end()
    assert 24.75 < segments[0].end_sample / SAMPLE_RATE_HZ < 24.99
    assert all(after.first_sample == before.end_sample for before, after in pairwise(segments))
    assert max(segment.duration_s for segment in segments) <= 28


def test_a_short_word_left_over_by_a_split_is_not_lost() -> None:
    """v43: weak endings are cut off elsewhere."""
    settings = VadSettings(max_segment_s=5)
    stream = Stream(settings).hear(lasting(4.86, SPEECH)).hear(lasting(0.12, SPEECH), level=0.0)
    stream.hear(lasting(0.06, SPEECH)).hear(lasting(1, SILENCE))
    head, tail = stream.segments
    assert tail.first_sample == head.end_sample
    assert tail.speech_end_sample == round((4.86 + 0.12 + 0.06) * SAMPLE_RATE_HZ)


@pytest.mark.parametrize("first_sample", [2**31 - 16_000, 2**32 - 16_000, 2**63 - 16_000])
def test_sample_counts_never_wrap(first_sample: int) -> None:
    """v31: an int32 counter overflows after 37 h 17 min."""
    stream = Stream(first_sample=first_sample)
    stream.hear(lasting(0.6, SILENCE)).hear(lasting(1.2, SPEECH)).hear(lasting(1.2, SILENCE))
    (segment,) = stream.segments
    assert type(segment.first_sample) is int
    assert segment.speech_first_sample == first_sample + 9600
    assert segment.speech_end_sample == first_sample + 9600 + 19_200
    assert segment.wall_time_s == pytest.approx(START_WALL_S + (segment.first_sample - first_sample) / SAMPLE_RATE_HZ)
    assert stream.segmenter.last_speech_sample == segment.speech_end_sample


def test_a_gap_closes_the_segment_before_it() -> None:
    stream = Stream().hear(lasting(0.6, SPEECH)).lose(8000).hear(lasting(0.6, SPEECH))
    first, second = stream.end()
    assert first.closed_by is SegmentEnd.GAP
    assert second.first_sample == second.speech_first_sample == round(1.1 * SAMPLE_RATE_HZ)


def test_no_pre_roll_reaches_over_a_gap() -> None:
    stream = Stream().hear(lasting(1, SILENCE)).lose(8000).hear(lasting(0.09, SILENCE)).hear(lasting(0.6, SPEECH))
    (segment,) = stream.end()
    assert segment.speech_first_sample - segment.first_sample == 0.09 * SAMPLE_RATE_HZ


def test_wiping_leaves_nothing_of_what_was_said() -> None:
    stream = Stream().hear(lasting(2, SPEECH))
    stream.segmenter.wipe()
    assert stream.end() == []
    stream.hear(lasting(0.6, SPEECH))
    (segment,) = stream.end()
    assert segment.first_sample == round(2 * SAMPLE_RATE_HZ / FRAME) * FRAME


PROBABILITIES = st.lists(
    st.tuples(
        st.sampled_from([SPEECH, SILENCE, 0.4, None, -1.0, math.nan]),
        st.integers(1, 120),
        st.sampled_from([0, 0, 0, 0, 1, 5000]),
        st.floats(0.0, 1.0, width=32),
    ),
    max_size=25,
)


@hypothesis_settings(max_examples=80, deadline=None)
@given(PROBABILITIES, st.sampled_from([0, 2**31 - 16_000, 2**63]))
def test_segments_hold_exactly_the_audio_they_claim_in_order_and_within_the_cap(
    script: list[tuple[float | None, int, int, float]], first_sample: int
) -> None:
    stream = Stream(VadSettings(max_segment_s=5), first_sample)
    for probability, count, lost, level in script:
        stream.lose(lost).hear([probability] * count, level)
    heard = {frame.first_sample: frame for frame in stream.frames}
    previous_end = -1
    for segment in stream.end():
        assert len(segment.samples) <= 5 * SAMPLE_RATE_HZ
        assert segment.first_sample <= segment.speech_first_sample < segment.speech_end_sample <= segment.end_sample
        assert segment.speech_first_sample >= previous_end
        previous_end = segment.speech_end_sample
        for offset in range(0, len(segment.samples), FRAME):
            frame = heard[segment.first_sample + offset]
            assert np.array_equal(segment.samples[offset : offset + FRAME], frame.samples)
        assert segment.wall_time_s == heard[segment.first_sample].wall_time_s


@hypothesis_settings(max_examples=80, deadline=None)
@given(PROBABILITIES)
def test_no_speech_of_the_minimum_length_is_ever_lost(script: list[tuple[float | None, int, int, float]]) -> None:
    stream = Stream(VadSettings(max_segment_s=5))
    runs = []
    for probability, count, lost, level in script:
        first = stream.next_sample + lost
        stream.lose(lost).hear([probability] * count, level)
        if probability == SPEECH and count * FRAME >= 0.2 * SAMPLE_RATE_HZ:
            runs.append(range(first, stream.next_sample, FRAME))
    covered: set[int] = set()
    for segment in stream.end():
        covered.update(range(segment.first_sample, segment.end_sample, FRAME))
    assert all(sample in covered for run in runs for sample in run)
