"""A microphone that is never given up: opened by name, resampled, watched, reopened."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from enum import StrEnum

from junod.audio.bounded import BoundedCaller
from junod.audio.capture import (
    CaptureBackend,
    CaptureDevice,
    FormatRefusedError,
    devices_to_try,
    formats_to_try,
    is_wanted,
)
from junod.audio.complaints import Complaints
from junod.audio.framing import FrameBuilder
from junod.audio.resample import MonoResampler
from junod.audio.stream_session import CapturedBlock, StreamSession
from junod.clock import Clock
from junod.errors import AudioError
from junod.records import SAMPLE_RATE_HZ, AudioFrame
from junod.sections import AudioSettings

log = logging.getLogger(__name__)

BLOCK_MS = 90
"""What the driver delivers at once: most of the cost of a silent room is its wake-ups."""
CALL_DEADLINE_S = 3.0
"""A driver call (open, start, close) that takes longer is abandoned."""
CHILD_DEADLINE_S = 20.0
"""The same where the driver lives in a process of its own, which has shorter deadlines and is killed at them."""
REOPEN_CEILING_S = 30.0
SUSPICIOUS_ZEROS_S = 60.0
"""A live microphone always has some noise: only a dead one delivers exact zeros for so long."""
ZEROS_SHOWN_S = 2.0
"""Exact zeros for so long are shown; a device that has a noise gate may mean them."""
STABLE_S = 10.0
"""A microphone that was heard for so long is tried again at once when it is lost."""
SLEPT_S = 5.0
"""The wall clock got ahead of the monotonic one by more: the machine slept, or its clock was set."""
LOOK_BACK_S, LOOK_BACK_CEILING_S = 60.0, 600.0
"""How often the wanted microphone is looked for while another stands in."""
_POLL_S = 0.1


class MicrophoneState(StrEnum):
    OPENING = "opening"
    LISTENING = "listening"
    LOST = "lost"


class Microphone:
    """Frames of a capture device, for as long as the process lives.

    A missing, busy or silent driver is no error: `state` says so, and it is tried again after `reopen_s`, doubling to
    30 s. Lost time is marked in `lost_samples`, so that sample counts keep up with the clock.

    Raises:
        AudioError: the sound library itself is missing.
    """

    def __init__(
        self,
        settings: AudioSettings,
        clock: Clock,
        backend: CaptureBackend | None = None,
        *,
        call_deadline_s: float | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._backend = backend or default_backend(process=settings.process)
        usual_s = CHILD_DEADLINE_S if settings.process and backend is None else CALL_DEADLINE_S
        self._caller = BoundedCaller(call_deadline_s or usual_s)
        self._closed = threading.Event()
        self._wipe_asked = threading.Event()
        self._session: StreamSession | None = None
        self._builder = FrameBuilder(settings.frame_ms)
        self._resampler = MonoResampler(SAMPLE_RATE_HZ)
        self._end_monotonic_s: float | None = None
        self._end_wall_s = 0.0
        self._look_s, self._look_pause_s = 0.0, LOOK_BACK_S
        self._zeros_reopen_s = SUSPICIOUS_ZEROS_S
        self._trouble = ""
        self._pause_s = settings.reopen_s
        self._next_try_s = 0.0
        self._zeros_s = 0.0
        self._earlier_overflows = 0
        self._last_heard_s = clock.monotonic_s()
        self._complaints = Complaints(clock)
        self.state = MicrophoneState.OPENING
        self.reopens = 0
        """How often it was lost and opened again."""
        self.lost_samples = 0
        """16 kHz samples lost since the start, for whatever reason."""

    @property
    def name(self) -> str:
        session = self._session
        return session.device.name if session else self._settings.device or "default microphone"

    @property
    def problem(self) -> str:
        """Why it does not listen, or not as it should; '' while all is well."""
        if self._trouble:
            return self._trouble
        if self._zeros_s >= ZEROS_SHOWN_S:
            return f"'{self.name}' delivers exact zeros: is it muted by a switch, or broken?"
        session = self._session
        if session is not None and session.is_stand_in:
            return f"'{self._settings.device}' is missing; '{session.device.name}' stands in."
        return ""

    @property
    def last_frame_age_s(self) -> float:
        """Seconds since the driver delivered anything (since the start, where it never did)."""
        session = self._session
        heard_s = max(self._last_heard_s, session.last_heard_s) if session else self._last_heard_s
        return self._clock.monotonic_s() - heard_s

    @property
    def overflows(self) -> int:
        """Blocks lost to a slow listener, and losses the driver reported."""
        session = self._session
        return self._earlier_overflows + (session.overflows if session else 0)

    @property
    def is_wedged(self) -> bool:
        """A driver call hangs for good; only a new process, or a replugged device, can help."""
        return self._caller.is_stuck

    @property
    def has_suspicious_zeros(self) -> bool:
        """Nothing but exact zeros for a minute: muted in hardware, or dead; not a quiet room."""
        return self._zeros_s >= SUSPICIOUS_ZEROS_S

    def frames(self, stop: threading.Event) -> Iterator[AudioFrame]:
        try:
            while not (stop.is_set() or self._closed.is_set()):
                yield from self.poll(_POLL_S)
        finally:
            self.close()

    def poll(self, timeout_s: float) -> list[AudioFrame]:
        """One turn: open when due, take at most one block, notice a loss. Waits up to `timeout_s`, driver calls apart.

        `frames` does nothing else; a listener that must also look at the clock calls this itself.
        """
        if self._wipe_asked.is_set():
            self._wipe_asked.clear()
            self._discard_unfinished()
        session = self._session or self._open_when_due()
        if session is None:
            self._closed.wait(timeout_s)
            return []
        patience_s = self._settings.stall_s - self.last_frame_age_s
        block = session.ring.get(min(timeout_s, max(0.0, patience_s)))
        if block is not None:
            frames = self._deliver(session, block)
            self._reconsider(session)
            return frames
        if session.problem:
            self._lose(session, f"'{session.device.name}' is gone: {session.problem}")
        elif self.last_frame_age_s >= self._settings.stall_s:
            self._lose(session, f"'{session.device.name}' has delivered no sound for {self._settings.stall_s:g} s.")
        return []

    def wipe(self) -> None:
        """Forget what was captured and not yet delivered (mute). The gap is marked."""
        self._wipe_asked.set()
        session = self._session
        if session is not None:
            session.ring.wipe()

    def close(self) -> None:
        """Stop for good. Returns within the deadline even when the driver hangs."""
        self._closed.set()
        session, self._session = self._session, None
        if session is not None:
            self._close_session(session)

    def _open_when_due(self) -> StreamSession | None:
        if self._clock.monotonic_s() < self._next_try_s:
            return None
        self.state = MicrophoneState.OPENING
        try:
            session = self._caller.call("opening the microphone", self._open, late=StreamSession.close)
        except AudioError as error:
            self._lost(str(error))
            return None
        if self._closed.is_set():
            self._close_session(session)
            return None
        self._complaints.say(f"Listening to '{session.device.name}' ({session.rate_hz} Hz).", logging.INFO)
        self._look_s = self._clock.monotonic_s() + self._look_pause_s
        self._last_heard_s = self._clock.monotonic_s()
        self._session = session
        self.state = MicrophoneState.LISTENING
        return session

    def _open(self) -> StreamSession:
        self._backend.refresh()
        first: AudioError | None = None
        for device in devices_to_try(self._backend.devices(), self._settings.device, others=self._settings.failover):
            try:
                return self._open_device(device)
            except AudioError as error:
                first = first or error
        raise first or AudioError("There is no microphone to try.", permanent=False)

    def _open_device(self, device: CaptureDevice) -> StreamSession:
        refused: FormatRefusedError | None = None
        for rate_hz, channels in formats_to_try(device):
            session = StreamSession(device, rate_hz, channels, self._settings.ring_s, self._clock)
            session.is_stand_in = not is_wanted(device, self._settings.device)
            try:
                session.stream = self._backend.open(device, rate_hz, channels, BLOCK_MS, session.on_block)
            except FormatRefusedError as error:
                refused = error
            else:
                return session
        raise refused or AudioError(f"'{device.name}' offers no format.", permanent=False)

    def _reconsider(self, session: StreamSession) -> None:
        """Between two blocks: is there a better stream to be had than this one?"""
        if self._zeros_s >= self._zeros_reopen_s:
            self._zeros_reopen_s *= 2
            self._lose(session, self.problem, at_once=True)
        elif session.is_stand_in and self._clock.monotonic_s() >= self._look_s:
            self._look_for_wanted(session)

    def _look_for_wanted(self, session: StreamSession) -> None:
        self._look_pause_s = min(LOOK_BACK_CEILING_S, self._look_pause_s * 2)
        self._look_s = self._clock.monotonic_s() + self._look_pause_s
        try:
            found = self._caller.call("looking for the microphone", self._backend.look)
        except AudioError as error:
            self._complaints.say(str(error))
            return
        if found is None or any(is_wanted(device, self._settings.device) for device in found):
            self._lose(session, f"'{self._settings.device}' may be there again.", at_once=True)

    def _deliver(self, session: StreamSession, block: CapturedBlock) -> list[AudioFrame]:
        self._recovered(session)
        slept_s = self._slept_s(block)
        lost = self._lost_before(session, block) + round(slept_s * SAMPLE_RATE_HZ)
        frames = self._end_stretch(session, lost) if lost or session.is_fresh else []
        session.is_fresh = False
        block_s = len(block.samples) / session.rate_hz
        self._end_monotonic_s = block.start_monotonic_s + block_s
        self._end_wall_s = block.wall_time_s + block_s
        self._watch_zeros(block, block_s)
        wall_time_s = block.wall_time_s - self._resampler.delay_s
        frames += self._builder.push(self._resampler.push(block.samples), wall_time_s)
        self._check_rate(session, block, lost)
        if slept_s:
            self._lose(session, f"The machine slept, or its clock was set ({slept_s:.0f} s).", at_once=True)
        return frames

    def _slept_s(self, block: CapturedBlock) -> float:
        """By how much the wall clock got ahead since the last block; 0.0 where that is nothing out of the way."""
        if self._end_monotonic_s is None:
            return 0.0
        by_wall_s = block.wall_time_s - self._end_wall_s
        ahead_s = by_wall_s - (block.start_monotonic_s - self._end_monotonic_s)
        return ahead_s if ahead_s > SLEPT_S else 0.0

    def _check_rate(self, session: StreamSession, block: CapturedBlock, lost: int) -> None:
        start_s = block.start_monotonic_s
        end_s = start_s + len(block.samples) / session.rate_hz
        true_hz = session.watch.heard(len(block.samples), start_s, end_s, lost=lost > 0)
        if true_hz is not None:
            self._complaints.say(f"'{self.name}' says {session.rate_hz} Hz and delivers {true_hz} Hz; taken as that.")
            session.take_rate(true_hz)
            session.is_fresh = True

    def _end_stretch(self, session: StreamSession, lost: int) -> list[AudioFrame]:
        """Before a gap: what the resampler still holds comes out, then the gap is marked."""
        wall_time_s = self._end_wall_s - self._resampler.delay_s
        frames = self._builder.push(self._resampler.flush(), wall_time_s)
        self._resampler = MonoResampler(session.rate_hz)
        if lost:
            self.lost_samples += lost + self._builder.pending_samples
            self._builder.mark_lost(lost)
        return frames

    def _discard_unfinished(self) -> None:
        tail = self._resampler.flush()
        self._resampler = MonoResampler(self._session.rate_hz if self._session else SAMPLE_RATE_HZ)
        self.lost_samples += len(tail) + self._builder.pending_samples
        self._builder.mark_lost(len(tail))

    def _lost_before(self, session: StreamSession, block: CapturedBlock) -> int:
        """16 kHz samples that are missing before this block."""
        if (session.is_fresh or block.driver_lost) and self._end_monotonic_s is not None:
            return max(0, round((block.start_monotonic_s - self._end_monotonic_s) * SAMPLE_RATE_HZ))
        return round(block.lost_samples * SAMPLE_RATE_HZ / session.rate_hz)

    def _watch_zeros(self, block: CapturedBlock, block_s: float) -> None:
        if block.samples.any():
            self._zeros_s, self._zeros_reopen_s = 0.0, SUSPICIOUS_ZEROS_S
        else:
            self._zeros_s += block_s

    def _lose(self, session: StreamSession, reason: str, *, at_once: bool = False) -> None:
        """Give the stream up; `at_once` the next is opened without a pause."""
        self._session = None
        self._last_heard_s = max(self._last_heard_s, session.last_heard_s)
        self._earlier_overflows += session.overflows
        self.reopens += 1
        self._lost(reason)
        self._close_session(session)
        if at_once:
            self._next_try_s = self._clock.monotonic_s()

    def _lost(self, reason: str) -> None:
        self.state = MicrophoneState.LOST
        self._trouble = reason
        self._complaints.say(f"{reason} Trying again.")
        self._next_try_s = self._clock.monotonic_s() + self._pause_s
        self._pause_s = min(REOPEN_CEILING_S, self._pause_s * 2)

    def _recovered(self, session: StreamSession) -> None:
        if self._trouble:
            self._complaints.say(f"The microphone '{self.name}' delivers again.")
            self._trouble = ""
        if self._clock.monotonic_s() - session.opened_at_s >= STABLE_S:
            self._pause_s = self._settings.reopen_s
            if not session.is_stand_in:
                self._look_pause_s = LOOK_BACK_S

    def _close_session(self, session: StreamSession) -> None:
        try:
            self._caller.call("closing the microphone", session.close)
        except AudioError as error:
            self._complaints.say(str(error))


def default_backend(*, process: bool = True) -> CaptureBackend:
    """PortAudio, imported only when a microphone is really wanted; in a process of its own unless told otherwise."""
    if process:
        from junod.audio.child import ChildBackend

        return ChildBackend()
    from junod.audio.portaudio import PortAudioBackend

    return PortAudioBackend()


def list_devices(backend: CaptureBackend | None = None) -> list[CaptureDevice]:
    """Capture devices that exist now, also while a microphone is open.

    Raises:
        AudioError: the sound system is missing or does not answer.
    """
    chosen = backend or default_backend()

    def look() -> list[CaptureDevice]:
        found = chosen.look()
        if found is None:
            chosen.refresh()
            found = chosen.devices()
        return found

    return BoundedCaller(CHILD_DEADLINE_S).call("looking for microphones", look)
