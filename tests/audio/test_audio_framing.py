"""Re-blocking and resampling keep every sample, in its place in time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from junod.audio.framing import FrameBuilder
from junod.audio.resample import MonoResampler


def noise(samples: int) -> NDArray[np.float32]:
    return np.random.default_rng(7).uniform(-1, 1, samples).astype(np.float32)


@given(st.lists(st.integers(0, 2000), max_size=30), st.sampled_from([10, 20, 30]), st.integers(0, 2**64))
def test_frames_of_one_length_hold_exactly_what_was_pushed(lengths: list[int], frame_ms: int, first: int) -> None:
    sound = noise(sum(lengths))
    builder = FrameBuilder(frame_ms, first)
    frames = []
    start = 0
    for length in lengths:
        frames += builder.push(sound[start : start + length], start / 16_000)
        start += length
    frames += builder.flush()
    heard = np.concatenate([frame.samples for frame in frames]) if frames else np.zeros(0, np.float32)
    assert {len(frame.samples) for frame in frames} <= {frame_ms * 16}
    assert np.array_equal(heard[: len(sound)], sound)
    assert not heard[len(sound) :].any()
    assert [frame.first_sample for frame in frames] == [first + i * frame_ms * 16 for i in range(len(frames))]
    for index, frame in enumerate(frames):
        assert frame.wall_time_s == pytest.approx(index * frame_ms / 1000, abs=1e-6)


def test_a_gap_gives_up_the_unfinished_frame_and_counts_it() -> None:
    builder = FrameBuilder(30)
    assert builder.push(noise(500), 0.0)[0].first_sample == 0
    builder.mark_lost(1000)
    (after,) = builder.push(noise(480), 1.0)
    assert (after.first_sample, after.lost_samples, after.wall_time_s) == (1500, 1020, 1.0)


def test_frames_do_not_share_memory_with_the_block_they_came_from() -> None:
    """v10: a driver uses one buffer again and again."""
    block = noise(480)
    (frame,) = FrameBuilder(30).push(block, 0.0)
    block[:] = 0
    assert frame.samples.any()


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([8_000, 16_000, 22_050, 44_100, 48_000, 96_000]),
    st.integers(1, 4),
    st.lists(st.integers(1, 3000), min_size=1, max_size=20),
)
def test_resampling_in_blocks_equals_resampling_at_once(rate_hz: int, channels: int, lengths: list[int]) -> None:
    sound = noise(sum(lengths) * channels).reshape(-1, channels)
    at_once = MonoResampler(rate_hz).push(sound, last=True)
    resampler = MonoResampler(rate_hz)
    cuts = np.cumsum(lengths)[:-1]
    parts = np.split(sound, cuts)
    blocks = [resampler.push(part, last=index == len(parts) - 1) for index, part in enumerate(parts)]
    assert np.allclose(np.concatenate(blocks), at_once, atol=1e-4)
    assert abs(len(at_once) - len(sound) * 16_000 / rate_hz) <= 2


def test_channels_are_averaged() -> None:
    stereo = np.column_stack([np.full(100, 0.5), np.full(100, 0.1)]).astype(np.float32)
    assert MonoResampler(16_000).push(stereo) == pytest.approx(np.full(100, 0.3), abs=1e-6)


def test_a_tone_above_the_new_band_is_removed_not_folded_down() -> None:
    """v28: a 48 kHz device is heard at 16 kHz."""
    seconds = np.arange(48_000) / 48_000
    low = MonoResampler(48_000).push(np.sin(2 * np.pi * 1000 * seconds).astype(np.float32), last=True)
    high = MonoResampler(48_000).push(np.sin(2 * np.pi * 12_000 * seconds).astype(np.float32), last=True)
    assert np.sqrt(np.mean(low**2)) == pytest.approx(np.sqrt(0.5), rel=0.02)
    assert np.sqrt(np.mean(high[200:-200] ** 2)) < 0.001
