"""Makes a backup every night, and one soon after erasing left none. Runs among the daemon's chores."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from junod.clock import Clock
from junod.errors import StoreError
from junod.sections import BackupSettings

log = logging.getLogger(__name__)

LOOK_EVERY_S = 60.0
REST_S = 600.0
"""Between two tries: erasing comes in bursts, and a memory card wears out; a full disk stays full for a while."""
_AHEAD = timedelta(minutes=5)
"""A backup from further ahead was made under a wrong clock."""


class Made(Protocol):
    @property
    def made_at(self) -> datetime: ...


class BackupPlace(Protocol):
    """What is asked of `junod.memory.backups.Backups`."""

    def list(self) -> Sequence[Made]: ...

    def make(self, now: datetime, *, keep: int) -> Made: ...


class NightlyBackup:
    """Decides when a backup is due, and has it made.

    Args:
        place: where backups are.
        zone: the household's, for the hour of the night.
    """

    def __init__(self, place: BackupPlace, settings: BackupSettings, clock: Clock, zone: ZoneInfo) -> None:
        self._place, self._settings, self._clock, self._zone = place, settings, clock, zone
        self._rest_until_s = 0.0
        self._trouble = ""

    def tick(self) -> None:
        """Look, and make one if it is time. A failure is logged when it begins and when it is over, not every time."""
        now_s = self._clock.monotonic_s()
        if not self._settings.enabled or now_s < self._rest_until_s:
            return
        now = self._clock.now()
        try:
            if not is_due([each.made_at for each in self._place.list()], now, self._settings.hour, self._zone):
                return
            self._rest_until_s = now_s + REST_S
            self._place.make(now, keep=self._settings.keep)
        except StoreError as error:
            if error.code != self._trouble:
                log.error("No backup was made: %s", error)
            self._trouble = error.code
            return
        log.info("A backup was made%s", " again" if self._trouble else "")
        self._trouble = ""


def is_due(made: Sequence[datetime], now: datetime, hour: int, zone: ZoneInfo) -> bool:
    """No backup was made since the last time it was `hour` o'clock in the zone."""
    since = last_time(now, hour, zone)
    return not any(since <= each <= now + _AHEAD for each in made)


def last_time(now: datetime, hour: int, zone: ZoneInfo) -> datetime:
    """When it was `hour` o'clock last. On the night the clocks go forward the hour may be the one after it."""
    local = now.astimezone(zone)
    today = local.replace(hour=hour, minute=0, second=0, microsecond=0, fold=0)
    found = today if today <= local else today - timedelta(days=1)
    return found.astimezone(now.tzinfo)
