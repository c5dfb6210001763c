"""What each stage did last and when: one truth for the watchdog, `junod status` and every face.

A stage marks each piece of work it begins and ends, and each time it looked and found nothing to do. Nobody marks
for it: a stage that hangs falls silent, and then the watchdog is not fed.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from junod.clock import Clock
from junod.errors import JunodError

STATUS_FILE = "status.json"
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

    def working(self, stage: str, detail: str = "") -> None:
        """The stage begins a piece of work."""
        self._move(stage, "working", detail)

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
                StageHealth(name, s.state, s.detail, round(now - s.moved_at_s, 2), s.limit_s, s.done)
                for name, s in self._stages.items()
            )

    def is_alive(self) -> bool:
        """Every stage moved within its limit. This alone feeds the watchdog."""
        return all(stage.is_alive for stage in self.stages())

    def _move(self, stage: str, state: str, detail: str, done: int = 0) -> None:
        with self._lock:
            entry = self._stages[stage]
            entry.state, entry.detail = state, detail
            entry.moved_at_s = self._clock.monotonic_s()
            entry.done += done


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


def stage_rows(board: HealthBoard) -> list[dict[str, Any]]:
    return [{**asdict(stage), "alive": stage.is_alive} for stage in board.stages()]


def write_status(status: Status, folder: Path) -> None:
    """Replace the status file in one step, readable by its owner alone.

    Raises:
        JunodError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=folder, prefix=STATUS_FILE)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(status), file)
        os.replace(name, folder / STATUS_FILE)
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
    except (OSError, ValueError, TypeError) as error:
        raise JunodError(f"{path} cannot be read.", hint="Is the daemon run by another user?") from error


def remove_status(folder: Path) -> None:
    (folder / STATUS_FILE).unlink(missing_ok=True)
