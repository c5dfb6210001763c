"""The whole pipeline over audio files, one stage after the other in one thread, on a clock that follows the audio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from junod.clock import SimulatedClock
from junod.events import Event, EventBus, Subscription
from junod.pipeline import Deciding, Hearing, Listening
from junod.records import SAMPLE_RATE_HZ, AudioFrame, Decision

EVENTS_A_STEP = 4096


@dataclass(frozen=True, slots=True)
class ReplayStages:
    listening: Listening
    hearing: Hearing
    deciding: Deciding
    clock: SimulatedClock
    bus: EventBus


@dataclass(slots=True)
class ReplayReport:
    """What a replay did so far, in numbers."""

    audio_s: float = 0.0
    passages: int = 0
    decisions: list[Decision] = field(default_factory=list)


def replay_frames(
    frames: Iterator[AudioFrame],
    stages: ReplayStages,
    report: ReplayReport,
    follow: Callable[[Event], None],
    heard_s: Callable[[float], None],
) -> None:
    """Run all frames through all stages; the end of the frames closes what is open.

    Args:
        frames: of one recording.
        stages: the clock is moved along with the audio.
        report: added to.
        follow: gets every event, in order.
        heard_s: told from time to time how many seconds of audio were heard.
    """
    with stages.bus.subscribe(EVENTS_A_STEP) as events:
        for frame in frames:
            length_s = len(frame.samples) / SAMPLE_RATE_HZ
            stages.clock.advance(length_s)
            report.audio_s += length_s
            for item in stages.listening.take(frame):
                report.passages += stages.hearing.take(item)
                _settle(stages, report, events, follow)
                heard_s(report.audio_s)
        for item in stages.listening.flush():
            report.passages += stages.hearing.take(item)
        report.passages += stages.hearing.flush()
        _settle(stages, report, events, follow)
        heard_s(report.audio_s)


def _settle(stages: ReplayStages, report: ReplayReport, events: Subscription, follow: Callable[[Event], None]) -> None:
    """Decide all that waits in the spool, then hand on what happened."""
    while (decision := stages.deciding.decide_next()) is not None:
        report.decisions.append(decision)
    for event in events.drain():
        follow(event)
