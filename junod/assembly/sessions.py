"""Whole sessions: a replay over files, and the daemon."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from junod.assembly.embedders import Embedders, configured_name
from junod.assembly.habits import habit_chore
from junod.assembly.house import House, house_of
from junod.assembly.parts import (
    active_rules,
    build_deciding,
    build_hearing,
    build_redater,
    build_timekeeper,
    needed_models,
    open_store,
)
from junod.assembly.reminders import reminder_chore
from junod.assembly.talk import build_talk
from junod.clock import Clock, SimulatedClock
from junod.errors import StoreError
from junod.events import Event, EventBus
from junod.settings import Settings, database_path, household_zone, runtime_dir

if TYPE_CHECKING:
    from junod.audio.microphone import Microphone
    from junod.control import EarControl
    from junod.daemon import Daemon, Faces
    from junod.health import StageHealth
    from junod.memory.store import MemoryStore
    from junod.timekeeper import Timekeeper

log = logging.getLogger(__name__)

DROP_VECTORS_EVERY_S = 3600.0


@contextmanager
def replay_session(settings: Settings, begin: datetime) -> Iterator[ReplaySession]:
    """Everything a replay needs, on a clock that starts at `begin`. Locks the database.

    Raises:
        ModelError, CalibrationError, StoreError, SettingsError: before anything is heard.
    """
    from junod.memory.lock import DaemonLock
    from junod.pipeline import MAX_ATTEMPTS

    clock, bus = SimulatedClock(begin), EventBus()
    with DaemonLock(database_path(settings)), open_store(settings, clock=clock) as store:
        needed_models(settings)
        store.recover_spool(max_attempts=MAX_ATTEMPTS)
        yield ReplaySession(settings, clock, bus, store)


class ReplaySession:
    """Plays files one after the other on one clock."""

    def __init__(self, settings: Settings, clock: SimulatedClock, bus: EventBus, store: MemoryStore) -> None:
        from junod.pipeline import Contexts, Listening
        from junod.replay import ReplayReport, ReplayStages
        from junod.vad.cascade import voice_activity

        self._clock = clock
        contexts = Contexts()
        self._stages = ReplayStages(
            Listening(voice_activity(settings.vad)),
            build_hearing(settings, store, contexts, bus),
            build_deciding(settings, store, contexts, bus),
            clock,
            bus,
        )
        self.report = ReplayReport()

    def play(self, path: Path, follow: Callable[[Event], None], heard_s: Callable[[float], None]) -> str:
        """Returns what was wrong with the file, '' for nothing.

        Raises:
            AudioError: nothing of it can be heard.
        """

        from junod.audio.file import FileSource
        from junod.replay import replay_frames

        source = FileSource(path, self._clock.now().timestamp())
        replay_frames(source.frames(threading.Event()), self._stages, self.report, follow, heard_s)
        return source.problem


@dataclass(frozen=True, slots=True)
class FaceParts:
    """What the faces of a running daemon get."""

    settings: Settings
    house: House
    bus: EventBus
    stages: Callable[[], tuple[StageHealth, ...]]
    reload: Callable[[], None]
    """Read the settings again."""
    ear: EarControl


@contextmanager
def daemon_session(
    read_settings: Callable[[], Settings], faces: Callable[[FaceParts], Faces] | None = None
) -> Iterator[Daemon]:
    """A daemon of real parts, its database locked and open, its models known to be there.

    Args:
        faces: makes what shows the daemon; None = nothing does.

    Raises:
        ModelError, CalibrationError, StoreError, SettingsError, AudioError: before anything is heard.
    """
    from junod.assembly.safekeeping import open_or_restore
    from junod.daemon import Daemon, Factories
    from junod.daemon import House as DaemonHouse
    from junod.ear_state import EAR_FILE
    from junod.memory.day_counts import DayCountStore
    from junod.memory.lock import DaemonLock
    from junod.pipeline import MAX_ATTEMPTS, Contexts
    from junod.rules.quiet import QUIET_EVERY_S, QuietHours
    from junod.vad.cascade import voice_activity

    settings = read_settings()
    set_up_logging(settings)
    household_zone(settings)
    clock, bus, contexts = build_timekeeper(settings), EventBus(), Contexts()
    with DaemonLock(database_path(settings)), open_or_restore(settings, clock) as store:
        needed_models(settings)
        store.recover_spool(max_attempts=MAX_ATTEMPTS)
        embedders = Embedders(settings, store)
        talk = build_talk(settings, store, clock, embedders)
        house = replace(house_of(settings, store, clock, embedders), talk=talk)
        factories = Factories(
            open_source=microphone_opener(clock.steady),
            activity=lambda now: voice_activity(now.vad),
            hearing=lambda now: build_hearing(now, store, contexts, bus, clock, talk),
            deciding=lambda now: build_deciding(now, store, contexts, bus, embedders.configured(), clock),
            read_settings=read_settings,
            faces=_shown_by(faces, settings, house, bus),
        )
        quiet = QuietHours(lambda: active_rules(store), clock, household_zone(settings))
        daemon = Daemon(
            settings,
            factories,
            DaemonHouse(
                store,
                bus,
                clock,
                SystemdNotifier(),
                runtime_dir(),
                ear_file=database_path(settings).with_name(EAR_FILE),
                chores=_chores(settings, store, clock, bus) | {quiet.tick: QUIET_EVERY_S},
                keeper=clock,
                tally=DayCountStore(store.sessions),
            ),
        )
        quiet.obeyed_by(daemon.control)
        try:
            yield daemon
        finally:
            talk.stop()


def _shown_by(
    faces: Callable[[FaceParts], Faces] | None, settings: Settings, house: House, bus: EventBus
) -> Callable[[Daemon], Faces]:
    from junod.daemon import NoFaces

    if faces is None:
        return lambda daemon: NoFaces()
    return lambda daemon: faces(FaceParts(settings, house, bus, daemon.stages, daemon.request_reload, daemon.control))


def _chores(
    settings: Settings, store: MemoryStore, clock: Timekeeper, bus: EventBus
) -> dict[Callable[[], None], float]:
    """What the daemon does besides, each with its pause in seconds."""
    from junod.assembly.safekeeping import nightly_backup
    from junod.nightly import LOOK_EVERY_S
    from junod.redating import REDATE_EVERY_S

    learn, learn_every_s = habit_chore(settings, store, clock)
    remind, remind_every_s = reminder_chore(settings, store, clock, bus, lambda: clock.is_set)
    return {
        nightly_backup(settings, clock).tick: LOOK_EVERY_S,
        build_redater(settings, store, clock, bus).tick: REDATE_EVERY_S,
        lambda: _drop_old_vectors(settings, store, clock): DROP_VECTORS_EVERY_S,
        learn: learn_every_s,
        remind: remind_every_s,
    }


def _drop_old_vectors(settings: Settings, store: MemoryStore, clock: Timekeeper) -> None:
    from junod.memory.old_vectors import drop_old_vectors

    if not clock.is_set:
        return
    try:
        kept = timedelta(days=settings.memory.old_vectors_days)
        for model in drop_old_vectors(store.sessions, configured_name(settings), kept):
            log.info("Vectors of %s, which is not used any more, were dropped", model)
    except StoreError as error:
        log.warning("Old vectors were not dropped: %s", error.message)


def microphone_opener(clock: Clock) -> Callable[[Settings], Callable[[], Microphone]]:
    from junod.audio.microphone import Microphone

    return lambda settings: lambda: Microphone(settings.audio, clock)


class SystemdNotifier:
    """systemd's notify protocol; silent where nobody listens."""

    def __init__(self) -> None:
        from sdnotify import SystemdNotifier as Socket  # type: ignore[import-untyped]

        self._socket = Socket()

    def notify(self, state: str) -> None:
        self._socket.notify(state)


def set_up_logging(settings: Settings) -> None:
    """To standard error, where journald reads it. No log line ever holds speech."""
    logging.basicConfig(level=settings.log.level.upper(), format="%(levelname)s %(name)s: %(message)s")
