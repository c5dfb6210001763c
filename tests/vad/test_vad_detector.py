"""The cascade wakes the judge only near sound, and never late."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from junod.records import AudioFrame
from junod.sections import VadSettings
from junod.vad.detector import SpeechDetector
from junod.vad.energy import SILENCE_DBFS, level_dbfs

FRAME = 480


@dataclass
class FakeGate:
    resets: int = 0

    def may_be_speech(self, samples: NDArray[np.float32]) -> bool:
        return True

    def reset(self) -> None:
        self.resets += 1


@dataclass
class FakeJudge:
    heard: list[float] = field(default_factory=list)
    resets: int = 0

    def push(self, samples: NDArray[np.float32]) -> list[float]:
        self.heard.append(float(np.abs(samples).max()))
        return [0.9]

    def reset(self) -> None:
        self.resets += 1


class Ear:
    def __init__(self) -> None:
        self.gate, self.judge = FakeGate(), FakeJudge()
        self.detector = SpeechDetector(VadSettings(), self.gate, self.judge)
        self._next = 0

    def hear(self, seconds: float, amplitude: float, lost: int = 0) -> list[float | None]:
        said = []
        for _ in range(round(seconds / 0.03)):
            wave = amplitude * np.sin(np.arange(FRAME) * 0.1)
            said.append(self.detector.probability(AudioFrame(self._next, wave.astype(np.float32), 0.0, lost)))
            self._next, lost = self._next + FRAME, 0
        return said


def test_silence_never_wakes_the_judge() -> None:
    ear = Ear()
    assert set(ear.hear(10, 0.0001)) == {0.0}
    assert ear.judge.heard == []


def test_the_judge_hears_half_a_second_from_before_it_was_woken() -> None:
    ear = Ear()
    ear.hear(2, 0.0001)
    ear.hear(0.03, 0.5)
    assert len(ear.judge.heard) == 16 + 1
    assert ear.judge.heard[-1] > ear.judge.heard[0]


def test_the_judge_goes_on_for_a_second_over_soft_syllables_then_sleeps() -> None:
    ear = Ear()
    ear.hear(0.03, 0.5)
    after = ear.hear(2, 0.0001)
    assert after[:30] == [0.9] * 30
    assert after[40:] == [0.0] * len(after[40:])


def test_the_judge_starts_afresh_after_each_segment_and_after_half_a_minute() -> None:
    """v32: its state collapses in a long stream."""
    ear = Ear()
    ear.hear(95, 0.5)
    assert ear.judge.resets == 4
    ear.detector.refresh()
    ear.hear(0.03, 0.5)
    assert ear.judge.resets == 5


def test_a_frame_of_no_numbers_is_unknown() -> None:
    """v38: NaN is not a probability of 0."""
    ear = Ear()
    assert set(ear.hear(0.3, math.nan)) == {None}
    assert ear.judge.heard == []


def test_nothing_from_before_a_gap_or_a_reset_reaches_the_judge() -> None:
    ear = Ear()
    ear.hear(1, 0.5)
    ear.judge.heard.clear()
    ear.hear(0.03, 0.5, lost=100)
    assert len(ear.judge.heard) == 1
    ear.detector.reset()
    ear.judge.heard.clear()
    ear.hear(0.03, 0.5)
    assert len(ear.judge.heard) == 1
    assert ear.gate.resets == 1


@given(st.floats(-80, -3), st.floats(-0.4, 0.4))
def test_the_level_of_a_tone_is_its_level_whatever_the_offset(dbfs: float, offset: float) -> None:
    amplitude = math.sqrt(2) * 10 ** (dbfs / 20)
    tone = amplitude * np.sin(2 * np.pi * np.arange(16_000) / 160) + offset
    assert level_dbfs(tone.astype(np.float32)) == pytest.approx(dbfs, abs=1.0)


def test_digital_silence_has_a_level_too() -> None:
    assert level_dbfs(np.zeros(480, np.float32)) == SILENCE_DBFS
    assert level_dbfs(np.full(480, 0.25, np.float32)) <= -100
    assert math.isnan(level_dbfs(np.full(480, math.inf, np.float32)))
