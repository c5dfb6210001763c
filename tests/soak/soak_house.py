"""A household that lives on a simulated clock: talk comes in as segments, and the daemon's chores come when due.

Debounce, guards, mask, spool, extractor, store, dedup, expiry, backups, journal, tally, habits are the real ones.
"""

from __future__ import annotations

import gc
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
from memory.memory_fakes import HashEmbedder
from soak.soak_models import ScriptedGate, ScriptedLanguageModel, ScriptedTranscriber
from soak.soak_talk import Talk

from junod.assembly.habits import habit_chore
from junod.assembly.parts import Judge, build_extractor, mask_passage, new_passage_id, rule_book, under_rules
from junod.clock import SimulatedClock
from junod.daemon import JOURNAL_KEPT, PRUNE_EVERY_S, TALLY_EVERY_S
from junod.debounce import Debouncer, Place
from junod.dedup.loop import Deduper
from junod.events import EventBus, MemoriesExpired, MemorySaved, StageFailed
from junod.memory import entity_index
from junod.memory.backups import Backups
from junod.memory.day_counts import DayCountStore
from junod.memory.rows import Filter
from junod.memory.store import MemoryStore
from junod.nightly import LOOK_EVERY_S, NightlyBackup
from junod.pipeline import Contexts, Deciding, Hearing, HearingParts
from junod.records import SAMPLE_RATE_HZ, AudioMark, Memory, Segment, SegmentEnd
from junod.settings import Settings
from junod.stt.guards import guard
from junod.tally import Tally
from junod.workers import CATCH_UP_EVERY_S

ZONE = ZoneInfo("Europe/Berlin")
UTTERANCE_S = 2.0
STEP_S = 60.0
"""So often the daemon's chores are looked at while nobody talks; the real one looks twice a second."""
_SOUND = np.zeros(round(UTTERANCE_S * SAMPLE_RATE_HZ), np.float32)


@dataclass(frozen=True, slots=True)
class Day:
    """What a day's end looked like."""

    rss_kb: int
    descriptors: int
    database_kb: int
    log_lines: int
    active: int


@dataclass(slots=True)
class Diary:
    """What happened in all."""

    days: list[Day] = field(default_factory=list)
    utterances: int = 0
    memories: int = 0
    expired: int = 0
    failures: int = 0
    backups: int = 0
    expiry_late_s: float = 0.0
    dedup_late_s: float = 0.0
    longest_dedup_s: float = 0.0
    """Of this machine's time, not the simulated."""
    journal_rows: int = 0
    last_sample: int = 0


class Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1


class SoakHouse:
    """Everything of one household over an open store."""

    def __init__(self, store: MemoryStore, clock: SimulatedClock, settings: Settings) -> None:
        self.diary, self._lines = Diary(), Lines()
        self._store, self._clock, self._settings = store, clock, settings
        self._bus, contexts = EventBus(), Contexts()
        self._begin = clock.now()
        self._transcriber = ScriptedTranscriber()
        self._hearing = Hearing(self._hearing_parts(contexts), self._bus)
        self._deciding = self._build_deciding(contexts)
        self._tally = Tally(DayCountStore(store.sessions), clock, ZONE)
        self._ends: dict[str, datetime] = {}
        self._backups = Backups(store.path)
        self._jobs = self._chores()
        self._due = dict.fromkeys(self._jobs, clock.monotonic_s())

    def _hearing_parts(self, contexts: Contexts) -> HearingParts:
        debouncer = Debouncer(self._settings.debounce, Place("kitchen"), new_passage_id)
        return HearingParts(self._transcriber, guard, debouncer, mask_passage, self._store, contexts, ZONE)

    def _build_deciding(self, contexts: Contexts) -> Deciding:
        llm, embedder, store = ScriptedLanguageModel(), HashEmbedder(), self._store
        book = rule_book(store)
        judge = Judge(ScriptedGate(), None, llm)  # type: ignore[arg-type]  # no piece judge: it is a model
        extractor = build_extractor(self._settings, judge, ZONE, book.active)
        ruled = under_rules(self._settings, extractor, book, self._bus)
        deduper = Deduper(store, self._settings.dedup, llm, embedder)
        chores = (lambda: entity_index.fill(store.sessions),)
        return Deciding(ruled, embedder, store, contexts, self._bus, deduper, chores=chores)

    def _chores(self) -> dict[Callable[[], None], float]:
        learn, learn_every_s = habit_chore(self._settings, self._store, self._clock)
        return {
            self._expire: self._settings.memory.expiry_interval_s,
            self._prune_journal: PRUNE_EVERY_S,
            NightlyBackup(self._backups, self._settings.backup, self._clock, ZONE).tick: LOOK_EVERY_S,
            learn: learn_every_s,
            self._tally.flush: TALLY_EVERY_S,
            self._catch_up: CATCH_UP_EVERY_S,
            self._tidy: self._settings.dedup.interval_s,
        }

    def live(self, talks: list[Talk], until: datetime) -> Day:
        """One day: its talks, its chores, and in the evening somebody crosses off what was bought."""
        logger, self._lines.count = logging.getLogger("junod"), 0
        logger.addHandler(self._lines)
        level = logger.level
        logger.setLevel(logging.INFO)
        try:
            with self._bus.subscribe(4096) as self._inbox:
                for talk in talks:
                    self._pass_time(talk.at)
                    self._speak(talk)
                self._pass_time(until)
        finally:
            logger.setLevel(level)
            logger.removeHandler(self._lines)
        if len(self.diary.days) % 3 == 0:
            self._cross_off()
        self._note_day()
        return self.diary.days[-1]

    def _pass_time(self, until: datetime) -> None:
        while self._clock.now() < until:
            self._clock.advance(min(STEP_S, (until - self._clock.now()).total_seconds()))
            self._hearing.take(AudioMark(self._sample(), self.diary.last_sample))
            self._settle()
            self._do_chores()

    def _do_chores(self) -> None:
        now_s = self._clock.monotonic_s()
        for job, interval_s in self._jobs.items():
            if now_s >= self._due[job]:
                if job == self._tidy and self._clock.now() > self._begin + timedelta(hours=1):
                    self.diary.dedup_late_s = max(self.diary.dedup_late_s, now_s - self._due[job])
                self._due[job] = now_s + interval_s
                job()

    def _speak(self, talk: Talk) -> None:
        self._transcriber.put(talk.said)
        for _ in talk.said:
            first = self._sample()
            self._clock.advance(UTTERANCE_S)
            end = first + len(_SOUND)
            wall_s = self._clock.now().timestamp() - UTTERANCE_S
            self._hearing.take(Segment(first, _SOUND, wall_s, first, end, SegmentEnd.HANGOVER))
            self.diary.last_sample = end
            self.diary.utterances += 1

    def _sample(self) -> int:
        return round((self._clock.now() - self._begin).total_seconds() * SAMPLE_RATE_HZ)

    def _settle(self) -> None:
        while self._deciding.decide_next() is not None:
            pass
        told = list(self._inbox.drain())
        self._tally.collect(told)
        for event in told:
            if isinstance(event, MemorySaved):
                self._saved(event.memory)
            if isinstance(event, StageFailed):
                self.diary.failures += 1

    def _saved(self, memory: Memory) -> None:
        self.diary.memories += 1
        if memory.expires_at:
            self._ends[memory.id] = memory.expires_at

    def _expire(self) -> None:
        self._store.erase_forgotten()
        now = self._clock.now()
        ids = self._store.expire(now)
        for memory_id in ids:
            if memory_id in self._ends:
                late_s = (now - self._ends.pop(memory_id)).total_seconds()
                self.diary.expiry_late_s = max(self.diary.expiry_late_s, late_s)
        self.diary.expired += len(ids)
        if ids:
            self._bus.publish(MemoriesExpired(ids))

    def _prune_journal(self) -> None:
        self._store.prune_journal(self._clock.now() - JOURNAL_KEPT)

    def _catch_up(self) -> None:
        self._deciding.catch_up()

    def _tidy(self) -> None:
        begun_s = time.perf_counter()
        self._deciding.tidy(self._clock.now(), lambda: True)
        self.diary.longest_dedup_s = max(self.diary.longest_dedup_s, time.perf_counter() - begun_s)

    def _cross_off(self) -> None:
        for memory in self._store.list(Filter()):
            if memory.memory.startswith("Shopping") and "~~" not in memory.memory:
                self._store.forget(self._store.done(memory.id).id)

    def _note_day(self) -> None:
        gc.collect()
        files = [self._store.path, *self._store.path.parent.glob("junod.db-*")]
        self.diary.days.append(
            Day(
                _resident_kb(),
                len(os.listdir("/proc/self/fd")),
                sum(file.stat().st_size for file in files) // 1024,
                self._lines.count,
                self._store.counts().active,
            )
        )
        with self._store.sessions.read() as session:
            row = session.connection.execute("SELECT count(*), max(seq) FROM journal").fetchone()
        self.diary.journal_rows = row[0]


def _resident_kb() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024
