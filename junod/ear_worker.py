"""The daemon's ear: a thread that follows the microphone, finds speech in it, and can be shut."""

from __future__ import annotations

import math
import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from junod.clock import Clock
from junod.errors import AudioError
from junod.pipeline import EarItem, Listening, VoiceActivityLike
from junod.records import SAMPLE_RATE_HZ, AudioFrame
from junod.workers import POLL_S, HearWorker, Shared

CLOSE_LIMIT_S = 1.0
"""Longest that one who shuts the ear waits for the microphone to be released."""
QUIETEST_DBFS = -100.0
_METER_FRAMES = 10


class LiveSource(Protocol):
    """A microphone as the ear uses it: never ends, may fall silent, says how it is."""

    @property
    def state(self) -> str: ...

    @property
    def problem(self) -> str: ...

    @property
    def is_wedged(self) -> bool: ...

    def poll(self, timeout_s: float) -> list[AudioFrame]: ...

    def wipe(self) -> None: ...

    def close(self) -> None: ...


OpenSource = Callable[[], LiveSource]


class EarWorker:
    """Follows the microphone, finds speech and puts it in the mailbox."""

    name = "ear"

    def __init__(self, shared: Shared, open_source: OpenSource, activity: VoiceActivityLike) -> None:
        self._shared = shared
        self._open_source = open_source
        self._listening = Listening(activity)
        self._changes: queue.SimpleQueue[tuple[VoiceActivityLike, OpenSource | None]] = queue.SimpleQueue()
        self._source: LiveSource | None = None
        self._last_audio_s: float | None = None
        self._timeline = Timeline(shared.clock)
        self._meter = Meter()
        self._epoch = 0
        self._shut_because = ""
        self._may_listen = threading.Event()
        self._may_listen.set()
        self._is_closed = threading.Event()
        self._is_closed.set()

    @property
    def state(self) -> str:
        """'starting', 'opening', 'listening' or 'lost'."""
        source = self._source
        return str(source.state) if source else "starting"

    @property
    def problem(self) -> str:
        """Why nothing is heard though the ear is open; '' = nothing is wrong."""
        source = self._source
        return source.problem if source else ""

    @property
    def last_audio_age_s(self) -> float | None:
        last = self._last_audio_s
        return None if last is None else round(self._shared.clock.monotonic_s() - last, 2)

    @property
    def level_dbfs(self) -> float | None:
        """Loudness of the last 0.3 s; None where nothing was heard."""
        return self._meter.dbfs

    def reconfigure(self, activity: VoiceActivityLike, open_source: OpenSource | None) -> None:
        """Go on with a new detector, and with another microphone if one is given; called from another thread."""
        self._changes.put((activity, open_source))

    def shut(self, reason: str) -> None:
        """Close the microphone until `open`; from any thread. The mailbox is to be wiped next."""
        self._shut_because = reason
        self._may_listen.clear()

    def wait_closed(self, timeout_s: float) -> bool:
        """True once the microphone is released."""
        return self._is_closed.wait(timeout_s)

    def open(self) -> None:
        """Listen again; from any thread."""
        self._may_listen.set()

    def run(self) -> None:
        while not self._shared.stop.is_set():
            if self._may_listen.is_set():
                self._listen()
            else:
                self._rest()
        self._put_all(self._listening.flush())
        self._shared.mailbox.close()

    def _rest(self) -> None:
        self._shared.board.idle(self.name, self._shut_because)
        self._apply_change()
        self._may_listen.wait(POLL_S)

    def _listen(self) -> None:
        """Until the stop, the shutting, or until another microphone is to be opened."""
        self._is_closed.clear()
        if self._epoch != self._shared.mailbox.epoch:
            self._forget()
        source = self._source = self._open_source()
        self._timeline.begin()
        try:
            self._follow(source)
        finally:
            self._source = None
            source.close()
            self._is_closed.set()
        if not self._may_listen.is_set():
            self._forget()

    def _follow(self, source: LiveSource) -> None:
        while not self._shared.stop.is_set() and self._may_listen.is_set():
            frames = source.poll(POLL_S)
            if self._epoch != self._shared.mailbox.epoch:
                source.wipe()
                self._forget()
                continue
            if not frames:
                self._waiting()
            for frame in frames:
                self._take(self._timeline.place(frame))
            if self._apply_change():
                return

    def _forget(self) -> None:
        """What was heard in an epoch that is over."""
        self._epoch = self._shared.mailbox.epoch
        self._listening.wipe()
        self._meter.clear()

    def _take(self, frame: AudioFrame) -> None:
        self._last_audio_s = self._shared.clock.monotonic_s()
        self._shared.counters["frames"] += 1
        self._meter.take(frame)
        self._put_all(self._listening.take(frame))
        self._shared.board.done(self.name)

    def _waiting(self) -> None:
        """No audio came for a moment: say so, and let an open segment close.

        Raises:
            AudioError: the driver hangs for good; only a new process can help, and systemd starts one.
        """
        if self._source is not None and self._source.is_wedged:
            raise AudioError("The sound driver hangs.", hint="Unplug the microphone and plug it in again.")
        self._shared.board.idle(self.name, f"no audio: {self.state}")
        clock = self._shared.ear_clock or self._shared.clock
        self._put_all(self._listening.no_frames(clock.now().timestamp()))

    def _apply_change(self) -> bool:
        """True when another microphone is to be opened."""
        if self._changes.empty():
            return False
        activity, open_source = self._changes.get()
        self._put_all(self._listening.replace_activity(activity))
        if open_source is None:
            return False
        self._open_source = open_source
        return True

    def _put_all(self, items: list[EarItem]) -> None:
        for item in items:
            self._shared.mailbox.put(item, self._epoch)


class EarDoor:
    """The ear with everything behind it that holds speech, as the household's controls see it."""

    def __init__(self, shared: Shared, ear: EarWorker, hear: HearWorker) -> None:
        self._shared = shared
        self._ear = ear
        self._hear = hear

    @property
    def state(self) -> str:
        return self._ear.state

    @property
    def problem(self) -> str:
        return self._ear.problem

    @property
    def last_audio_age_s(self) -> float | None:
        return self._ear.last_audio_age_s

    @property
    def level_dbfs(self) -> float | None:
        return self._ear.level_dbfs

    def shut(self, reason: str) -> None:
        self._ear.shut(reason)
        self.wipe()
        self._ear.wait_closed(CLOSE_LIMIT_S)

    def open(self) -> None:
        self._ear.open()

    def wipe(self) -> None:
        """The new epoch comes first: the ear sees it at its next frame, and nothing older gets past it."""
        self._shared.mailbox.wipe()
        self._hear.wipe()


class Timeline:
    """One growing count of samples over all microphones that are opened one after the other."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._end_sample = 0
        self._end_s: float | None = None
        self._offset: int | None = None

    def begin(self) -> None:
        """Another source begins, with a count of its own."""
        self._offset = None

    def place(self, frame: AudioFrame) -> AudioFrame:
        """The frame in the common count; the time between two sources is a marked gap."""
        now_s = self._clock.monotonic_s()
        gap = 0
        if self._offset is None:
            if self._end_s is not None:
                gap = max(1, round((now_s - self._end_s) * SAMPLE_RATE_HZ) - len(frame.samples))
            self._offset = self._end_sample + gap - frame.first_sample
        placed = replace(frame, first_sample=frame.first_sample + self._offset, lost_samples=frame.lost_samples + gap)
        self._end_sample, self._end_s = placed.end_sample, now_s
        return placed


class Meter:
    """How loud it was just now."""

    def __init__(self) -> None:
        self._powers: deque[float] = deque(maxlen=_METER_FRAMES)

    def take(self, frame: AudioFrame) -> None:
        self._powers.append(float(frame.samples.dot(frame.samples)) / max(1, len(frame.samples)))

    def clear(self) -> None:
        self._powers.clear()

    @property
    def dbfs(self) -> float | None:
        powers = tuple(self._powers)
        if not powers:
            return None
        loudest = max(powers)
        return round(max(QUIETEST_DBFS, 10 * math.log10(loudest)), 1) if loudest > 0 else QUIETEST_DBFS
