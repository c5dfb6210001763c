"""The daemon's threads that hear and decide. Each owns its stage, marks its progress and ends when told to.

Models are loaded inside the thread that uses them, so the ear listens while they load.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from junod.clock import Clock
from junod.errors import StoreError
from junod.health import HealthBoard
from junod.mailbox import Mailbox, Taken
from junod.pipeline import Deciding, Hearing
from junod.sections import DebounceSettings
from junod.spoken_orders import Order
from junod.turn import Turn

log = logging.getLogger(__name__)

POLL_S = 0.5
HEARING_LIMIT_S = 90.0
"""Longest that one segment (28 s at most) may take; loading may take longer."""
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
    ear_clock: Clock | None = None
    """What frames are stamped with; None = `clock`."""
    passages: threading.Event = field(default_factory=threading.Event)
    """Something may wait in the spool."""


class HearWorker:
    """Takes speech out of the mailbox, transcribes it and spools passages."""

    name = "hear"

    def __init__(
        self,
        shared: Shared,
        load: Callable[[], Hearing],
        obey: Callable[[Order, datetime], None],
        media: Callable[[], str],
    ) -> None:
        self._shared = shared
        self._load = load
        self._obey = obey
        self._media = media
        self._hearing: Hearing | None = None
        self._is_stuck = False
        self._changes: queue.SimpleQueue[DebounceSettings] = queue.SimpleQueue()

    def reconfigure(self, settings: DebounceSettings) -> None:
        """Close passages by new settings from now on; called from another thread."""
        self._changes.put(settings)

    def wipe(self) -> None:
        """Forget what is no passage yet, and all context; from any thread, after the mailbox was wiped."""
        if self._hearing is not None:
            self._hearing.wipe()

    def run(self) -> None:
        self._shared.board.working(self.name, "loading speech-to-text")
        hearing = self._hearing = self._load()
        while not self._shared.mailbox.is_drained:
            while not self._changes.empty():
                hearing.reconfigure(self._changes.get())
            taken = self._shared.mailbox.take(POLL_S)
            if taken is None and not self._is_stuck:
                self._shared.board.idle(self.name, "no speech")
                continue
            self._shared.board.working(self.name, limit_s=HEARING_LIMIT_S)
            self._take(hearing, taken)
        self._spooled(hearing.flush(self._turn(self._shared.mailbox.epoch)))

    def _take(self, hearing: Hearing, taken: Taken | None) -> None:
        """What the store cannot take for a while stays with `hearing`, which tries again each time."""
        try:
            written = hearing.take(taken.item, self._turn(taken.epoch)) if taken else hearing.write_waiting()
            self._spooled(written)
        except StoreError as error:
            if error.permanent:
                raise
            if not self._is_stuck:
                log.warning("What was heard waits for the store: %s", error.message)
            self._is_stuck = True
            self._shared.board.failed(self.name, error.code)
            return
        self._is_stuck = False
        self._shared.board.done(self.name)

    def _turn(self, epoch: int) -> Turn:
        return Turn(lambda: self._shared.mailbox.epoch == epoch, self._obey, self._media())

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
                deciding.catch_up(self._may_catch_up)
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

    def _may_catch_up(self) -> bool:
        self._shared.board.working(self.name, "reading memories again")
        return not self._stop.is_set() and not self._shared.passages.is_set()

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
