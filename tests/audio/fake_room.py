"""A microphone, its sound system and its clock, held still."""

from __future__ import annotations

from datetime import UTC, datetime

from audio.fake_backend import FakeBackend

from junod.audio.microphone import Microphone, MicrophoneState
from junod.clock import SimulatedClock
from junod.records import AudioFrame
from junod.sections import AudioSettings

SETTINGS = AudioSettings(stall_s=2.0, reopen_s=1.0)
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Room:
    """A microphone, its sound system and its clock."""

    def __init__(
        self,
        settings: AudioSettings = SETTINGS,
        backend: FakeBackend | None = None,
        call_deadline_s: float = 30.0,
    ) -> None:
        """See the class.

        Args:
            call_deadline_s: of real time; a test whose driver hangs gives a short one.
        """
        self.clock = SimulatedClock(START)
        self.backend = backend or FakeBackend()
        self.microphone = Microphone(settings, self.clock, self.backend, call_deadline_s=call_deadline_s)
        self.heard: list[AudioFrame] = []

    def poll(self) -> list[AudioFrame]:
        frames = self.microphone.poll(0.0)
        self.heard += frames
        return frames

    def wait(self, seconds: float, step_s: float = 0.25) -> None:
        """Let time pass while the listener keeps listening."""
        for _ in range(round(seconds / step_s)):
            self.clock.advance(step_s)
            self.poll()

    def wait_for(self, state: MicrophoneState, limit_s: float) -> bool:
        """Let time pass until it has come to this."""
        for _ in range(round(limit_s / 0.25)):
            self.wait(0.25)
            if self.is_(state):
                return True
        return False

    def say(self, seconds: float, level: float = 0.1, step_s: float = 0.03) -> None:
        """Sound from the newest stream, heard at once."""
        for _ in range(round(seconds / step_s)):
            self.clock.advance(step_s)
            self.backend.streams[-1].feed(step_s, level)
            self.poll()

    def is_(self, state: MicrophoneState) -> bool:
        return self.microphone.state is state
