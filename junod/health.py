"""What each stage did last and when: one truth for the watchdog, `junod status` and every face.

A stage marks each piece of work it begins and ends, and each time it looked and found nothing to do. Nobody marks
for it: a stage that hangs falls silent, and then the watchdog is not fed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from junod.clock import Clock
from junod.errors import JunodError
from junod.records import EarSnapshot
from junod.whole_file import replace_file

STATUS_FILE = "status.json"
DEAF_S = 10.0
"""Longer than any microphone is silent before it is given up."""
STALE_S = 15.0
"""A status older than this was left by a daemon that is gone or stuck."""


@dataclass(frozen=True, slots=True)
class StageHealth:
    name: str
    state: str
    """'working', 'idle' or 'failed'."""
    detail: str
    """Why it is idle or failed; never speech."""
    age_s: float
    """Seconds since it last moved."""
    limit_s: float
    """Longest it may take without a sign."""
    done: int
    """Pieces of work done since the start."""

    @property
    def is_alive(self) -> bool:
        return self.age_s <= self.limit_s


@dataclass(slots=True)
class _Stage:
    limit_s: float
    state: str = "working"
    detail: str = "starting"
    moved_at_s: float = 0.0
    done: int = 0
    limit_now_s: float | None = None


class HealthBoard:
    """Progress marks of all stages. Thread-safe.

    Args:
        clock: monotonic time is taken from it.
        limits_s: for each stage the longest it may take without a sign of progress.
    """

    def __init__(self, clock: Clock, limits_s: Mapping[str, float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        now = clock.monotonic_s()
        self._stages = {name: _Stage(limit, moved_at_s=now) for name, limit in limits_s.items()}

    def working(self, stage: str, detail: str = "", *, limit_s: float | None = None) -> None:
        """The stage begins a piece of work.

        Args:
            limit_s: longest this piece may take; None = as long as the stage may be without a sign at all.
        """
        self._move(stage, "working", detail, limit_s=limit_s)

    def done(self, stage: str) -> None:
        """The stage finished a piece of work."""
        self._move(stage, "idle", "", done=1)

    def idle(self, stage: str, reason: str) -> None:
        """The stage looked for work and found none, for a stated reason."""
        self._move(stage, "idle", reason)

    def failed(self, stage: str, detail: str) -> None:
        """The stage could not do its work; it is alive and will try again."""
        self._move(stage, "failed", detail)

    def stages(self) -> tuple[StageHealth, ...]:
        now = self._clock.monotonic_s()
        with self._lock:
            return tuple(
                StageHealth(name, s.state, s.detail, round(now - s.moved_at_s, 2), s.limit_now_s or s.limit_s, s.done)
                for name, s in self._stages.items()
            )

    def is_alive(self) -> bool:
        """Every stage moved within its limit. This alone feeds the watchdog."""
        return not late(self.stages())

    def _move(self, stage: str, state: str, detail: str, done: int = 0, limit_s: float | None = None) -> None:
        with self._lock:
            entry = self._stages[stage]
            entry.state, entry.detail = state, detail
            entry.moved_at_s = self._clock.monotonic_s()
            entry.limit_now_s = limit_s
            entry.done += done


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the daemon is, for every face alike."""

    alive: bool
    """It runs, and every stage makes progress or is idle for a stated reason."""
    problems: tuple[str, ...]
    """For a person; also what does not keep it from running, for example a lost microphone."""


def late(stages: Iterable[StageHealth]) -> tuple[StageHealth, ...]:
    """Stages that have gone too long without a sign."""
    return tuple(stage for stage in stages if not stage.is_alive)


def judge(stages: Sequence[StageHealth], ear: EarSnapshot) -> Verdict:
    """The one judgement that watchdog, `junod status`, `junod doctor`, /health and the page tell."""
    stuck = late(stages)
    problems = [f"{stage.name} has shown no progress for {stage.age_s:.0f} s" for stage in stuck]
    problems += [f"{stage.name} failed: {stage.detail}" for stage in stages if stage.state == "failed"]
    if ear.problem:
        problems.append(ear.problem)
    elif ear.state == "lost":
        problems.append("the microphone is lost")
    age_s = ear.last_audio_age_s
    if ear.state == "listening" and age_s is not None and age_s > DEAF_S:
        problems.append(f"the ear says it listens, but has heard nothing for {age_s:.0f} s")
    return Verdict(not stuck, tuple(problems))


def judge_status(status: Status | None, now: datetime) -> Verdict:
    """The same for those outside the daemon, from what it last wrote."""
    if status is None:
        return Verdict(False, ("the daemon does not run",))
    age_s = (now - datetime.fromisoformat(status.written_at)).total_seconds()
    if abs(age_s) > STALE_S:
        return Verdict(False, (f"the daemon gave its last sign {age_s:.0f} seconds ago: it is stuck or gone",))
    return Verdict(status.alive, tuple(status.problems))


@dataclass(frozen=True, slots=True)
class Status:
    """What the daemon says of itself; written beside its lock, read by `junod status`. Holds no speech."""

    pid: int
    version: str
    written_at: str
    """ISO 8601, UTC."""
    started_at: str
    ear: str
    """'listening', 'opening', 'lost', 'file', 'starting', 'muted' or 'off-record'."""
    last_audio_age_s: float | None
    counters: dict[str, int]
    stages: list[dict[str, Any]]
    alive: bool
    page: str = ""
    """Address of the page on this machine; '' where it is not served."""
    page_problem: str = ""
    """Why it is not served as set."""
    muted: bool = False
    off_record_until: str | None = None
    """ISO 8601."""
    media: str = "auto"
    heard_today: int = 0
    kept_today: int = 0
    problem: str = ""
    """What is wrong with the ear, for a person."""
    clock_set: bool = True
    """False: dates heard now are wrong until the clock is set, and nothing expires."""
    problems: list[str] = field(default_factory=list)
    """Everything that is wrong: see `judge`."""


def stage_rows(stages: Iterable[StageHealth]) -> list[dict[str, Any]]:
    return [{**asdict(stage), "alive": stage.is_alive} for stage in stages]


def write_status(status: Status, folder: Path) -> None:
    """Replace the status file in one step, readable by its owner alone.

    Raises:
        JunodError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_file(folder / STATUS_FILE, json.dumps(asdict(status)))
    except OSError as error:
        raise JunodError(
            f"The status cannot be written to {folder}: {error.strerror}.",
            hint="Set JUNOD_RUNTIME_DIR to a folder this user may write.",
            permanent=False,
        ) from error


def read_status(folder: Path) -> Status | None:
    """The last status written, or None when no daemon ever ran here (or it stopped in good order)."""
    path = folder / STATUS_FILE
    try:
        return Status(**json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise JunodError(f"{path} cannot be read.", hint="Is the daemon run by another user?") from error


def remove_status(folder: Path) -> None:
    (folder / STATUS_FILE).unlink(missing_ok=True)
