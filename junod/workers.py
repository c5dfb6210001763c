"""The daemon's three threads: ear, hear, decide. Each owns its stage, marks its progress and ends when told to.

Models are loaded inside the thread that uses them, so the ear listens while they load.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from junod.clock import Clock
from junod.errors import AudioError, StoreError
from junod.health import HealthBoard
from junod.mailbox import Mailbox
from junod.pipeline import Deciding, EarItem, Hearing, Listening, VoiceActivityLike
from junod.records import AudioFrame
from junod.sections import DebounceSettings

log = logging.getLogger(__name__)

POLL_S = 0.5
CATCH_UP_EVERY_S = 60.0
TIDY_AGAIN_S = 20.0
"""Dedup that was interrupted goes on after so long."""


@dataclass(slots=True)
class Shared:
    """What the threads have in common."""

    board: HealthBoard
    clock: Clock
    mailbox: Mailbox
    counters: Counter[str] = field(default_factory=Counter)
    stop: threading.Event = field(default_factory=threading.Event)
    """The ear closes; what was heard is drained."""
    passages: threading.Event = field(default_factory=threading.Event)
    """Something may wait in the spool."""


class LiveSource(Protocol):
    """A microphone as the ear uses it: never ends, may fall silent, says how it is."""

    @property
    def state(self) -> str: ...

    @property
    def is_wedged(self) -> bool: ...

    def poll(self, timeout_s: float) -> list[AudioFrame]: ...

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

    @property
    def state(self) -> str:
        """'starting', 'opening', 'listening' or 'lost'."""
        source = self._source
        return str(source.state) if source else "starting"

    @property
    def last_audio_age_s(self) -> float | None:
        last = self._last_audio_s
        return None if last is None else round(self._shared.clock.monotonic_s() - last, 2)

    def reconfigure(self, activity: VoiceActivityLike, open_source: OpenSource | None) -> None:
        """Go on with a new detector, and with another microphone if one is given; called from another thread."""
        self._changes.put((activity, open_source))

    def run(self) -> None:
        while not self._shared.stop.is_set():
            self._source = self._open_source()
            try:
                self._follow(self._source)
            finally:
                self._source.close()
        self._put_all(self._listening.flush())
        self._shared.mailbox.close()

    def _follow(self, source: LiveSource) -> None:
        """Until the stop, or until another microphone is to be opened."""
        while not self._shared.stop.is_set():
            frames = source.poll(POLL_S)
            if not frames:
                self._waiting()
            for frame in frames:
                self._take(frame)
            if self._apply_change():
                return

    def _take(self, frame: AudioFrame) -> None:
        self._last_audio_s = self._shared.clock.monotonic_s()
        self._shared.counters["frames"] += 1
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
        self._put_all(self._listening.no_frames(self._shared.clock.now().timestamp()))

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
            self._shared.mailbox.put(item)


class HearWorker:
    """Takes speech out of the mailbox, transcribes it and spools passages."""

    name = "hear"

    def __init__(self, shared: Shared, load: Callable[[], Hearing]) -> None:
        self._shared = shared
        self._load = load
        self._changes: queue.SimpleQueue[DebounceSettings] = queue.SimpleQueue()

    def reconfigure(self, settings: DebounceSettings) -> None:
        """Close passages by new settings from now on; called from another thread."""
        self._changes.put(settings)

    def run(self) -> None:
        self._shared.board.working(self.name, "loading speech-to-text")
        hearing = self._load()
        while not self._shared.mailbox.is_drained:
            while not self._changes.empty():
                hearing.reconfigure(self._changes.get())
            item = self._shared.mailbox.get(POLL_S)
            if item is None:
                self._shared.board.idle(self.name, "no speech")
                continue
            self._shared.board.working(self.name)
            self._spooled(hearing.take(item))
            self._shared.board.done(self.name)
        self._spooled(hearing.flush())

    def _spooled(self, passages: int) -> None:
        if passages:
            self._shared.counters["passages"] += passages
            self._shared.passages.set()


class DecideWorker:
    """Settles what waits in the spool, oldest first; when nothing waits it puts memories together now and then.

    Both need the language model, which has one owner: this thread.
    """

    name = "decide"

    def __init__(self, shared: Shared, load: Callable[[], Deciding], tidy_every_s: float) -> None:
        self._shared = shared
        self._load = load
        self._tidy_every_s = tidy_every_s
        self._tidy_at_s = 0.0
        self._stop = threading.Event()

    def stop(self) -> None:
        """End after the passage in hand; the rest waits in the spool for the next start."""
        self._stop.set()
        self._shared.passages.set()

    def run(self) -> None:
        self._shared.board.working(self.name, "loading the language model")
        deciding = self._load()
        caught_up_s = float("-inf")
        self._tidy_at_s = self._shared.clock.monotonic_s() + self._tidy_every_s
        while not self._stop.is_set():
            self._shared.passages.clear()
            if self._decide_one(deciding):
                continue
            if self._shared.clock.monotonic_s() - caught_up_s >= CATCH_UP_EVERY_S:
                deciding.catch_up()
                caught_up_s = self._shared.clock.monotonic_s()
            if self._shared.clock.monotonic_s() >= self._tidy_at_s:
                self._tidy(deciding)
            self._shared.board.idle(self.name, "no passage waits")
            self._shared.passages.wait(POLL_S)

    def _tidy(self, deciding: Deciding) -> None:
        try:
            is_complete = deciding.tidy(self._shared.clock.now(), self._may_go_on)
        except StoreError as error:
            if error.permanent:
                raise
            log.warning("Putting memories together waits for the store: %s", error.message)
            self._shared.board.failed(self.name, error.code)
            is_complete = False
        wait_s = self._tidy_every_s if is_complete else min(self._tidy_every_s, TIDY_AGAIN_S)
        self._tidy_at_s = self._shared.clock.monotonic_s() + wait_s

    def _may_go_on(self) -> bool:
        """Speech comes first: a passage that arrives, or the end, interrupts between two questions to the model."""
        self._shared.board.working(self.name, "putting memories together")
        return not self._stop.is_set() and not self._shared.passages.is_set()

    def _decide_one(self, deciding: Deciding) -> bool:
        """False when there is nothing to do now."""
        self._shared.board.working(self.name)
        try:
            decision = deciding.decide_next()
        except StoreError as error:
            if error.permanent:
                raise
            log.warning("A decision waits for the store: %s", error.message)
            self._shared.board.failed(self.name, error.code)
            return False
        if decision is None:
            return False
        self._shared.counters["decided"] += 1
        self._shared.counters["memories"] += len(decision.memories)
        self._shared.board.done(self.name)
        return True
