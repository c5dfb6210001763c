"""`junod run`: one thread a stage, bounded queues between them, and a main loop that keeps house.

    ear thread ─► mailbox ─► hear thread ─► spool (database) ─► decide thread ─► store ─► events
                      main thread: signals, watchdog, status, expiry

The ear starts first and never waits for a model: what is said while models load waits in the mailbox. On TERM the
ear closes, what was heard becomes passages in the spool, and what cannot be decided in time waits there for the
next start: nothing heard as a passage is lost.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

import junod
from junod.clock import Clock
from junod.control import ControlParts, EarControl, ForgettingStore
from junod.ear_state import EarFile
from junod.ear_worker import EarDoor, EarWorker, OpenSource
from junod.errors import JunodError, StoreError
from junod.events import Discarded, EventBus, MemoriesExpired, Subscription
from junod.faces_keeper import Faces as Faces
from junod.faces_keeper import FacesKeeper
from junod.faces_keeper import NoFaces as NoFaces
from junod.health import HealthBoard, StageHealth, Status, judge, late, remove_status, stage_rows, write_status
from junod.mailbox import Mailbox
from junod.pipeline import Deciding, Hearing, VoiceActivityLike
from junod.settings import Settings, household_zone
from junod.tally import Tally, TallyRows
from junod.timekeeper import Timekeeper
from junod.workers import POLL_S, DecideWorker, HearWorker, Shared

log = logging.getLogger(__name__)

MAILBOX_S = 300.0
"""Audio that may wait for the recogniser: 19 MB."""
STATUS_EVERY_S = 2.0
WATCHDOG_EVERY_S = 10.0
PRUNE_EVERY_S = 86_400.0
JOURNAL_KEPT = timedelta(days=90)
STOP_LIMITS_S = {"ear": 3.0, "hear": 4.0, "decide": 2.0}
"""In speech order; together under the 10 s in which TERM must end."""
LOADING_LIMIT_S = 180.0
REOPEN_LIMIT_S = 40.0
"""A lost microphone is looked for again within 30 s, so the ear stirs at least this often."""


EVENTS_COUNTED = 4096
TALLY_EVERY_S = 60.0


class HouseStore(ForgettingStore, Protocol):
    """What the daemon itself asks of the store; its stages ask for more."""

    def expire(self, now: datetime) -> tuple[str, ...]: ...

    def erase_forgotten(self) -> tuple[str, ...]: ...

    def prune_journal(self, before: datetime) -> int: ...


class Notifier(Protocol):
    """systemd's notify socket."""

    def notify(self, state: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Factories:
    """How to make each part; models are loaded when these are called, inside the thread that uses them."""

    open_source: Callable[[Settings], OpenSource]
    activity: Callable[[Settings], VoiceActivityLike]
    hearing: Callable[[Settings], Hearing]
    deciding: Callable[[Settings], Deciding]
    read_settings: Callable[[], Settings]
    faces: Callable[[Daemon], Faces] = lambda daemon: NoFaces()


@dataclass(frozen=True, slots=True)
class House:
    """What the main thread keeps."""

    store: HouseStore
    bus: EventBus
    clock: Clock
    notifier: Notifier
    status_folder: Path
    chores: Mapping[Callable[[], None], float] = field(default_factory=dict)
    """What else is to be done now and then: each with its pause in seconds. None may raise."""
    ear_file: Path | None = None
    """Where it is kept over restarts that the ear is muted; None = nowhere."""
    tally: TallyRows | None = None
    keeper: Timekeeper | None = None
    """Knows whether `clock` is set, and stamps what is heard; None = the clock is beyond doubt."""


class Daemon:
    """Runs until told to stop.

    Args:
        settings: as read at the start.
        factories: `junod.assembly` makes the real ones; tests make parts of the same protocols.
        house: an open store, locked for this daemon, and the leaves.
    """

    def __init__(self, settings: Settings, factories: Factories, house: House) -> None:
        self._settings = settings
        self._factories = factories
        self._house = house
        self._reload = threading.Event()
        self._failure: BaseException | None = None
        self._started_at = house.clock.now()
        board = HealthBoard(house.clock, _limits_s(settings))
        ear_clock = house.keeper.steady if house.keeper else None
        self._shared = Shared(board, house.clock, self._make_mailbox(), ear_clock=ear_clock)
        self._ear = EarWorker(self._shared, factories.open_source(settings), factories.activity(settings))
        self._hear = HearWorker(
            self._shared,
            lambda: factories.hearing(self._settings),
            obey=lambda order, spoken_at: self.control.obey(order, spoken_at),
            media=lambda: self.control.media,
        )
        self._decide = DecideWorker(self._shared, lambda: factories.deciding(self._settings), settings.dedup.interval_s)
        self._tally = Tally(house.tally, house.clock, household_zone(settings))
        self.control = self._make_control()
        """Mute and the rest, for every face."""
        self._faces = FacesKeeper(lambda: factories.faces(self))

    def _make_mailbox(self) -> Mailbox:
        publish = self._house.bus.publish
        return Mailbox(MAILBOX_S, lambda lost: publish(Discarded("mailbox", "overload", lost.first_sample)))

    def _make_control(self) -> EarControl:
        house, settings = self._house, self._settings
        door = EarDoor(self._shared, self._ear, self._hear)
        parts = ControlParts(
            door,
            house.store,
            self._tally,
            house.clock,
            household_zone(settings),
            house.bus.publish,
            EarFile(house.ear_file),
        )
        return EarControl(parts, settings.privacy, settings.debounce.cap_s)

    def request_stop(self) -> None:
        """Drain and end; safe in a signal handler."""
        self._shared.stop.set()

    def request_reload(self) -> None:
        """Read the settings again without losing the ear; safe in a signal handler."""
        self._reload.set()

    def run(self) -> bool:
        """Blocks until stopped. True when every thread ended in time.

        Raises:
            JunodError: a stage ended for good; the first error, with its own traceback.
        """
        threads = [self._thread(worker.name, worker.run) for worker in (self._ear, self._hear, self._decide)]
        with self._house.bus.subscribe(EVENTS_COUNTED) as events:
            for thread in threads:
                thread.start()
            self._house.notifier.notify("READY=1")
            log.info("junod %s listens in the %s", junod.__version__, self._settings.device.room)
            self._faces.start()
            try:
                self._keep_house(events)
            finally:
                in_time = self._shut_down(threads)
                self._tally.collect(events.drain())
                self._tally.flush()
        if self._failure is not None:
            raise self._failure
        return in_time

    def status(self) -> Status:
        counters = dict(self._shared.counters)
        counters["dropped_segments"] = self._shared.mailbox.dropped_segments
        ear = self.control.snapshot()
        stages = self._shared.board.stages()
        verdict = judge(stages, ear)
        return Status(
            pid=os.getpid(),
            version=junod.__version__,
            written_at=self._house.clock.now().isoformat(timespec="seconds"),
            started_at=self._started_at.isoformat(timespec="seconds"),
            ear=ear.state,
            last_audio_age_s=ear.last_audio_age_s,
            counters=counters,
            stages=stage_rows(stages),
            alive=verdict.alive,
            problems=list(verdict.problems),
            page=self._faces.home,
            page_problem=self._faces.problem,
            muted=ear.muted,
            off_record_until=ear.off_record_until.isoformat() if ear.off_record_until else None,
            media=ear.media,
            heard_today=ear.heard_today,
            kept_today=ear.kept_today,
            problem=ear.problem,
            clock_set=self._is_clock_set(),
        )

    def stages(self) -> tuple[StageHealth, ...]:
        """How each stage is doing now."""
        return self._shared.board.stages()

    def _thread(self, name: str, work: Callable[[], None]) -> threading.Thread:
        def guarded() -> None:
            try:
                work()
            except BaseException as error:  # the edge of a thread: whatever it was must surface in `run`
                log.error("The %s stage ended: %s", name, type(error).__name__)
                self._shared.board.failed(name, type(error).__name__)
                self._failure = self._failure or error
                self._shared.stop.set()

        return threading.Thread(target=guarded, name=name, daemon=True)

    def _keep_house(self, events: Subscription) -> None:
        jobs: dict[Callable[[], None], float] = {
            self._write_status: STATUS_EVERY_S,
            self._feed_watchdog: WATCHDOG_EVERY_S,
            self._expire: self._settings.memory.expiry_interval_s,
            self._prune: PRUNE_EVERY_S,
            **self._house.chores,
            self._tally.flush: TALLY_EVERY_S,
        }
        due = dict.fromkeys(jobs, 0.0)
        while not self._shared.stop.wait(POLL_S):
            now = self._house.clock.monotonic_s()
            self._tally.collect(events.drain())
            self.control.tick()
            for job, interval_s in jobs.items():
                if now >= due[job]:
                    due[job] = now + interval_s
                    job()
            if self._reload.is_set():
                self._reload.clear()
                self._reload_settings()

    def _feed_watchdog(self) -> None:
        if self._shared.board.is_alive():
            self._house.notifier.notify("WATCHDOG=1")
            return
        names = ", ".join(stage.name for stage in late(self._shared.board.stages()))
        log.error("The watchdog is not fed: no progress in %s", names)

    def _expire(self) -> None:
        try:
            self._house.store.erase_forgotten()
            is_set = self._is_clock_set()
            ids = self._house.store.expire(self._house.clock.now()) if is_set else ()
        except StoreError as error:
            self._shared.board.failed("house", error.code)
            log.warning("Expired memories could not be erased: %s", error.message)
            return
        self._shared.board.idle("house", "nothing more to erase" if is_set else "the clock is not set: nothing ends")
        if ids:
            self._shared.counters["expired"] += len(ids)
            self._house.bus.publish(MemoriesExpired(ids))

    def _is_clock_set(self) -> bool:
        """While it is not, nothing ends."""
        return self._house.keeper is None or self._house.keeper.is_set

    def _prune(self) -> None:
        """Cut what nobody looks at any more: old entries of the journal, counts of past days."""
        if not self._is_clock_set():
            return
        try:
            self._house.store.prune_journal(self._house.clock.now() - JOURNAL_KEPT)
            self._tally.prune()
        except StoreError as error:
            log.warning("The journal or the counts could not be cut: %s", error.message)

    def _write_status(self) -> None:
        try:
            write_status(self.status(), self._house.status_folder)
        except JunodError as error:
            log.warning("%s", error)

    def _reload_settings(self) -> None:
        """A bad file changes nothing; models and the database stay as they are until a restart."""
        try:
            settings = self._factories.read_settings()
            activity = self._factories.activity(settings)
        except JunodError as error:
            log.error("Settings were not reloaded: %s", error)
            return
        changed_source = settings.audio != self._settings.audio
        self._hear.reconfigure(settings.debounce)
        self._ear.reconfigure(activity, self._factories.open_source(settings) if changed_source else None)
        self._settings = settings
        log.info("Settings were reloaded; a change of model, room or database waits for a restart")

    def _shut_down(self, threads: list[threading.Thread]) -> bool:
        """In speech order, every step attempted."""
        self._house.notifier.notify("STOPPING=1")
        self._shared.stop.set()
        if not self._faces.stop():
            log.warning("The page did not end in time.")
        for thread in threads:
            if thread.name == DecideWorker.name:
                self._decide.stop()
            thread.join(STOP_LIMITS_S[thread.name])
        late = [thread.name for thread in threads if thread.is_alive()]
        if late:
            log.warning("Not ended in time: %s. What was heard as a passage waits in the spool.", ", ".join(late))
        remove_status(self._house.status_folder)
        return not late


def _limits_s(settings: Settings) -> dict[str, float]:
    """How long each stage may go without a sign before the watchdog starves."""
    return {
        "ear": settings.audio.stall_s + REOPEN_LIMIT_S,
        "hear": LOADING_LIMIT_S,
        "decide": max(LOADING_LIMIT_S, 2 * settings.extract.deadline_s),
        "house": 2 * settings.memory.expiry_interval_s + 30,
    }
