"""A microphone that is never given up: opened by name, resampled, watched, reopened."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from junod.audio.bounded import BoundedCaller
from junod.audio.capture import (
    CaptureBackend,
    CaptureDevice,
    CaptureStream,
    FormatRefusedError,
    formats_to_try,
    pick_device,
)
from junod.audio.framing import FrameBuilder
from junod.audio.resample import MonoResampler
from junod.audio.ring import AudioRing
from junod.clock import Clock
from junod.errors import AudioError
from junod.records import SAMPLE_RATE_HZ, AudioFrame
from junod.sections import AudioSettings

log = logging.getLogger(__name__)

BLOCK_MS = 90
"""What the driver delivers at once: most of the cost of a silent room is its wake-ups."""
CALL_DEADLINE_S = 3.0
"""A driver call (open, start, close) that takes longer is abandoned."""
REOPEN_CEILING_S = 30.0
SUSPICIOUS_ZEROS_S = 60.0
"""A live microphone always has some noise: only a dead one delivers exact zeros for so long."""
_POLL_S = 0.1
_LOG_AGAIN_S = 600.0


class MicrophoneState(StrEnum):
    OPENING = "opening"
    LISTENING = "listening"
    LOST = "lost"


@dataclass(frozen=True, slots=True, eq=False)
class CapturedBlock:
    """What the callback hands over: the device's own rate and channels."""

    samples: NDArray[np.float32]
    """Shape (n, channels); a copy."""
    start_monotonic_s: float
    wall_time_s: float
    """Unix time of the first sample."""
    driver_lost: bool = False
    """The driver reported lost audio before this block; how much, only the clock can tell."""
    lost_samples: int = 0


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
        call_deadline_s: float = CALL_DEADLINE_S,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._backend = backend or default_backend()
        self._caller = BoundedCaller(call_deadline_s)
        self._closed = threading.Event()
        self._wipe_asked = threading.Event()
        self._session: _Session | None = None
        self._builder = FrameBuilder(settings.frame_ms)
        self._resampler = MonoResampler(SAMPLE_RATE_HZ)
        self._end_monotonic_s: float | None = None
        self._end_wall_s = 0.0
        self._pause_s = settings.reopen_s
        self._next_try_s = 0.0
        self._zeros_s = 0.0
        self._earlier_overflows = 0
        self._last_heard_s = clock.monotonic_s()
        self._complaints = _Complaints(clock)
        self.state = MicrophoneState.OPENING
        self.problem = ""
        """Why it does not listen; '' while it does."""
        self.reopens = 0
        """How often it was lost and opened again."""
        self.lost_samples = 0
        """16 kHz samples lost since the start, for whatever reason."""

    @property
    def name(self) -> str:
        session = self._session
        return session.device.name if session else self._settings.device or "default microphone"

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
        block = session.ring.get(timeout_s)
        if block is not None:
            return self._deliver(session, block)
        if self.last_frame_age_s >= self._settings.stall_s:
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

    def _open_when_due(self) -> _Session | None:
        if self._clock.monotonic_s() < self._next_try_s:
            return None
        self.state = MicrophoneState.OPENING
        try:
            session = self._caller.call("opening the microphone", self._open, late=_Session.close)
        except AudioError as error:
            self._lost(str(error))
            return None
        if self._closed.is_set():
            self._close_session(session)
            return None
        log.info("Listening to '%s' (%d Hz).", session.device.name, session.rate_hz)
        self._last_heard_s = self._clock.monotonic_s()
        self._session = session
        self.state = MicrophoneState.LISTENING
        return session

    def _open(self) -> _Session:
        self._backend.refresh()
        device = pick_device(self._backend.devices(), self._settings.device)
        refused: FormatRefusedError | None = None
        for rate_hz, channels in formats_to_try(device):
            session = _Session(device, rate_hz, self._settings, self._clock)
            try:
                session.stream = self._backend.open(device, rate_hz, channels, BLOCK_MS, session.on_block)
            except FormatRefusedError as error:
                refused = error
            else:
                return session
        raise refused or AudioError(f"'{device.name}' offers no format.", permanent=False)

    def _deliver(self, session: _Session, block: CapturedBlock) -> list[AudioFrame]:
        self._recovered()
        lost = self._lost_before(session, block)
        frames = self._end_stretch(session, lost) if lost or session.is_fresh else []
        session.is_fresh = False
        block_s = len(block.samples) / session.rate_hz
        self._end_monotonic_s = block.start_monotonic_s + block_s
        self._end_wall_s = block.wall_time_s + block_s
        self._watch_zeros(block, block_s)
        wall_time_s = block.wall_time_s - self._resampler.delay_s
        return frames + self._builder.push(self._resampler.push(block.samples), wall_time_s)

    def _end_stretch(self, session: _Session, lost: int) -> list[AudioFrame]:
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

    def _lost_before(self, session: _Session, block: CapturedBlock) -> int:
        """16 kHz samples that are missing before this block."""
        if (session.is_fresh or block.driver_lost) and self._end_monotonic_s is not None:
            return max(0, round((block.start_monotonic_s - self._end_monotonic_s) * SAMPLE_RATE_HZ))
        return round(block.lost_samples * SAMPLE_RATE_HZ / session.rate_hz)

    def _watch_zeros(self, block: CapturedBlock, block_s: float) -> None:
        was_suspicious = self.has_suspicious_zeros
        self._zeros_s = 0.0 if block.samples.any() else self._zeros_s + block_s
        if self.has_suspicious_zeros and not was_suspicious:
            log.warning("'%s' delivers exact zeros, not a quiet room: is it muted or broken?", self.name)

    def _lose(self, session: _Session, reason: str) -> None:
        self._session = None
        self._last_heard_s = max(self._last_heard_s, session.last_heard_s)
        self._earlier_overflows += session.overflows
        self.reopens += 1
        self._lost(reason)
        self._close_session(session)

    def _lost(self, reason: str) -> None:
        self.state = MicrophoneState.LOST
        self.problem = reason
        self._complaints.say(f"{reason} Trying again.")
        self._next_try_s = self._clock.monotonic_s() + self._pause_s
        self._pause_s = min(REOPEN_CEILING_S, self._pause_s * 2)

    def _recovered(self) -> None:
        if self.problem:
            log.warning("The microphone '%s' is back.", self.name)
            self.problem = ""
            self._complaints.forget()
        self._pause_s = self._settings.reopen_s

    def _close_session(self, session: _Session) -> None:
        try:
            self._caller.call("closing the microphone", session.close)
        except AudioError as error:
            self._complaints.say(str(error))


class _Session:
    """One opened stream with its own ring: a late callback of an abandoned stream reaches nobody."""

    def __init__(self, device: CaptureDevice, rate_hz: int, settings: AudioSettings, clock: Clock) -> None:
        self.device = device
        self.rate_hz = rate_hz
        self.ring: AudioRing[CapturedBlock] = AudioRing(int(settings.ring_s * rate_hz))
        self.stream: CaptureStream | None = None
        self.is_fresh = True
        self.last_heard_s = clock.monotonic_s()
        self._driver_overflows = 0
        self._clock = clock

    @property
    def overflows(self) -> int:
        return self._driver_overflows + self.ring.overflows

    def on_block(self, samples: NDArray[np.float32], driver_lost: bool) -> None:
        """The driver's thread: copy, stamp, enqueue, and nothing else."""
        now_s = self._clock.monotonic_s()
        block_s = len(samples) / self.rate_hz
        wall_s = self._clock.now().timestamp() - block_s
        self.last_heard_s = now_s
        self._driver_overflows += driver_lost
        self.ring.put(CapturedBlock(samples.copy(), now_s - block_s, wall_s, driver_lost))

    def close(self) -> None:
        if self.stream is not None:
            self.stream.close()


class _Complaints:
    """Says each trouble once, and again only after ten minutes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = ""
        self._said_at_s = 0.0

    def say(self, message: str) -> None:
        now_s = self._clock.monotonic_s()
        if message != self._last or now_s - self._said_at_s >= _LOG_AGAIN_S:
            log.warning("%s", message)
            self._last, self._said_at_s = message, now_s

    def forget(self) -> None:
        self._last = ""


def default_backend() -> CaptureBackend:
    """PortAudio, imported only when a microphone is really wanted."""
    from junod.audio.portaudio import PortAudioBackend

    return PortAudioBackend()


def list_devices(backend: CaptureBackend | None = None) -> list[CaptureDevice]:
    """Capture devices that exist now. Call it only while no microphone is open in this process.

    Raises:
        AudioError: the sound system is missing or does not answer.
    """
    chosen = backend or default_backend()

    def look() -> list[CaptureDevice]:
        chosen.refresh()
        return chosen.devices()

    return BoundedCaller(CALL_DEADLINE_S).call("looking for microphones", look)
