"""webrtcvad and silero themselves, on made noises and on the voices of the recorded kitchen."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from junod.audio.file import FileSource
from junod.records import SAMPLE_RATE_HZ, AudioFrame, Segment, SegmentEnd
from junod.sections import VadSettings
from junod.vad.activity import VoiceActivity
from junod.vad.cascade import voice_activity
from junod.vad.silero import SileroJudge

SCENE = Path(__file__).parents[1] / "scene"
FRAME = 480
RANDOM = np.random.default_rng(11)
Sound = NDArray[np.float32]


@pytest.fixture(scope="module")
def activity() -> VoiceActivity:
    return voice_activity(VadSettings())


@pytest.fixture(scope="module")
def voices() -> list[Sound]:
    """Each line spoken in the recorded kitchen."""
    frames = FileSource(SCENE / "kitchen.flac", 0.0).frames(threading.Event())
    scene = np.concatenate([frame.samples for frame in frames])
    times = json.loads((SCENE / "kitchen.json").read_text("utf-8"))
    return [scene[seconds(line["start_s"]) : seconds(line["end_s"])] for line in times]


def seconds(length_s: float) -> int:
    return round(length_s * SAMPLE_RATE_HZ)


def hear(activity: VoiceActivity, sound: Sound, frame_samples: int = FRAME) -> list[Segment]:
    """All segments of one sound, the end of the stream included."""
    segments = []
    for start in range(0, len(sound) - frame_samples + 1, frame_samples):
        block = sound[start : start + frame_samples]
        segments += activity.push(AudioFrame(start, block, start / SAMPLE_RATE_HZ))
    return segments + activity.flush()


def at_dbfs(sound: NDArray[np.float64], dbfs: float) -> Sound:
    scaled: NDArray[np.float64] = sound * (10 ** (dbfs / 20) / np.sqrt(np.mean(sound**2)))
    return np.asarray(np.clip(scaled, -1, 1), np.float32)


def hum(length_s: float) -> NDArray[np.float64]:
    phase = 2 * np.pi * 50 * np.arange(seconds(length_s)) / SAMPLE_RATE_HZ
    return np.sin(phase) + 0.5 * np.sin(2 * phase) + 0.2 * np.sin(6 * phase)


def white(length_s: float) -> NDArray[np.float64]:
    return RANDOM.normal(0, 1, seconds(length_s))


def road(length_s: float) -> NDArray[np.float64]:
    """Noise that falls with frequency."""
    spectrum = np.fft.rfft(white(length_s))
    return np.fft.irfft(spectrum / np.maximum(1, np.arange(len(spectrum)) / length_s / 50), seconds(length_s))


def hood(length_s: float) -> NDArray[np.float64]:
    """An extractor fan: broad noise and the tone of its blades."""
    blades = np.sin(2 * np.pi * 180 * np.arange(seconds(length_s)) / SAMPLE_RATE_HZ)
    return road(length_s) / np.std(road(1)) + 0.3 * white(length_s) + 0.5 * blades


def cutlery(length_s: float) -> NDArray[np.float64]:
    """Ringing knocks, three a second."""
    sound = 0.003 * white(length_s)
    ring = np.exp(-np.arange(1600) / 200)
    for start in RANDOM.integers(0, seconds(length_s) - 1600, round(3 * length_s)):
        pitch_hz = RANDOM.uniform(2500, 6500)
        sound[start : start + 1600] += ring * np.sin(2 * np.pi * pitch_hz * np.arange(1600) / SAMPLE_RATE_HZ)
    return sound


def blender(length_s: float) -> NDArray[np.float64]:
    moments_s = np.arange(seconds(length_s)) / SAMPLE_RATE_HZ
    turning = np.cumsum(240 + 20 * np.sin(2 * np.pi * 0.5 * moments_s)) / SAMPLE_RATE_HZ
    return np.sign(np.sin(2 * np.pi * turning)) + white(length_s)


def test_digital_silence_and_a_low_hum_give_no_segment(activity: VoiceActivity) -> None:
    """m1: 30 s of each."""
    assert hear(activity, np.zeros(seconds(30), np.float32)) == []
    assert hear(activity, at_dbfs(hum(30), -60)) == []


def test_a_fridge_at_minus_50_dbfs_gives_no_segment(activity: VoiceActivity) -> None:
    """m4: loud enough for the energy gate, and yet no speech."""
    assert hear(activity, at_dbfs(hum(60), -50)) == []


@pytest.mark.parametrize("noise", [hood, white, road, cutlery, blender])
@pytest.mark.parametrize("dbfs", [-45.0, -25.0])
def test_kitchen_noise_gives_less_than_a_segment_a_minute(
    activity: VoiceActivity, noise: Callable[[float], NDArray[np.float64]], dbfs: float
) -> None:
    """m2: 60 s of extractor fan; v35: onsets, white noise and road noise are not speech."""
    assert len(hear(activity, at_dbfs(noise(60), dbfs))) < 1


def test_the_first_words_after_a_long_silence_are_whole(activity: VoiceActivity, voices: list[Sound]) -> None:
    """m8: 8 s of silence, then a sentence."""
    quiet = at_dbfs(white(8), -70)
    for voice in voices[:6]:
        segments = hear(activity, np.concatenate([quiet, voice, at_dbfs(white(2), -70)]))
        onset = seconds(8) + int(np.argmax(np.abs(voice) > 0.1 * np.abs(voice).max()))
        assert segments
        assert segments[0].first_sample <= onset - seconds(0.1)


def test_every_line_of_the_kitchen_lies_within_segments(activity: VoiceActivity, voices: list[Sound]) -> None:
    for voice in voices:
        padded = np.concatenate([np.zeros(seconds(1), np.float32), voice, np.zeros(seconds(1), np.float32)])
        segments = hear(activity, padded)
        heard = sum(min(s.end_sample, len(padded)) - s.first_sample for s in segments)
        assert heard >= 0.8 * len(voice)


def test_ten_minutes_of_speech_without_a_pause_are_heard_to_the_end(
    activity: VoiceActivity, voices: list[Sound]
) -> None:
    """v32: the probability collapses in a long stream; v43: each piece fits the cap."""
    talk = np.concatenate(voices)
    talk = np.tile(talk, 1 + seconds(600) // len(talk))[: seconds(600)]
    segments = hear(activity, talk)
    spoken = np.zeros(len(talk), bool)
    for segment in segments:
        spoken[segment.speech_first_sample : segment.speech_end_sample] = True
        assert segment.duration_s <= 28
    first, last = spoken[: seconds(60)].mean(), spoken[-seconds(60) :].mean()
    assert first > 0.8
    assert last >= first - 0.05
    assert any(segment.closed_by is SegmentEnd.MAX_LENGTH for segment in segments)


def test_the_same_clip_twice_gives_the_same_segments(activity: VoiceActivity, voices: list[Sound]) -> None:
    """v34: no state is carried from clip to clip, and none differs between file and stream."""
    clip = np.concatenate([voices[0], np.zeros(seconds(1.5), np.float32), voices[1]])
    first, second, fresh = hear(activity, clip), hear(activity, clip), hear(voice_activity(VadSettings()), clip)
    assert [edges(segment) for segment in first] == [edges(segment) for segment in second]
    assert [edges(segment) for segment in first] == [edges(segment) for segment in fresh]
    assert len(first) >= 2


@pytest.mark.parametrize("frame_samples", [160, 320, 480])
def test_all_frame_lengths_hear_the_same_speech(voices: list[Sound], frame_samples: int) -> None:
    """v34: silero takes 512 samples and nothing else."""
    clip = np.concatenate([np.zeros(seconds(1), np.float32), voices[0], np.zeros(seconds(1), np.float32)])
    segments = hear(voice_activity(VadSettings()), clip, frame_samples)
    assert segments[0].speech_first_sample == pytest.approx(seconds(1), abs=seconds(0.25))
    assert segments[-1].speech_end_sample == pytest.approx(len(clip) - seconds(1), abs=seconds(0.4))


@hypothesis_settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 1200), min_size=1, max_size=12))
def test_silero_says_the_same_however_the_sound_is_cut(lengths: list[int]) -> None:
    """v34: any chunk but 512 samples raises elsewhere."""
    judge = SileroJudge()
    sound = at_dbfs(road(1), -20)[: sum(lengths)]
    whole = judge.push(sound)
    judge.reset()
    cut = [p for part in np.split(sound, np.cumsum(lengths)[:-1]) for p in judge.push(part)]
    assert len(whole) == len(sound) // 512
    assert cut == whole


def test_silence_time_is_counted_in_audio(activity: VoiceActivity, voices: list[Sound]) -> None:
    hear(activity, voices[0])
    assert activity.last_speech_sample is not None
    assert not activity.is_speaking


def test_muting_in_mid_speech_forgets_the_sentence(voices: list[Sound]) -> None:
    activity = voice_activity(VadSettings())
    for start in range(0, seconds(1.2), FRAME):
        activity.push(AudioFrame(start, voices[0][start : start + FRAME], start / SAMPLE_RATE_HZ))
    assert activity.is_speaking
    activity.wipe()
    assert not activity.is_speaking
    assert activity.flush() == []


def edges(segment: Segment) -> tuple[int, int, int, int]:
    return segment.first_sample, segment.end_sample, segment.speech_first_sample, segment.speech_end_sample
