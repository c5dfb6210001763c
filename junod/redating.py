"""Memories heard before the clock was set get their right date once it is: spoken when, ending when.

The time words are resolved again against the corrected moment; a shift of the old result would be wrong, as 'on
Tuesday' is another Tuesday from another week. Each memory is corrected in a transaction of its own, by superseding.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from junod.errors import StoreError
from junod.events import EventBus, MemoryRedated
from junod.memory.unsynced import REASON, Undated
from junod.records import Kind, Memory, NewMemory, Resolution
from junod.timekeeper import Timekeeper

log = logging.getLogger(__name__)

REDATE_EVERY_S = 10.0


class Resolve(Protocol):
    """A spoken time phrase made absolute, as `junod.when.resolve.resolve`."""

    def __call__(
        self, phrase: str, *, spoken_at: datetime, zone: ZoneInfo, kind: Kind, day_first: bool, hint: str
    ) -> Resolution: ...


class UndatedStore(Protocol):
    def waiting(self, boot_id: str) -> Sequence[Undated]: ...

    def correct(self, old: Memory, new: NewMemory) -> Memory | None: ...


class Redater:
    """Corrects what can be corrected, and does nothing while the clock is not set."""

    def __init__(
        self,
        store: UndatedStore,
        keeper: Timekeeper,
        resolve: Resolve,
        bus: EventBus,
        *,
        zone: ZoneInfo,
        day_first: bool = True,
    ) -> None:
        self._store, self._keeper, self._resolve, self._bus = store, keeper, resolve, bus
        self._zone, self._day_first = zone, day_first

    def tick(self) -> None:
        """One of the daemon's chores."""
        try:
            self.run()
        except StoreError as error:
            log.warning("Dates heard before the clock was set wait for the store: %s", error.message)

    def run(self) -> tuple[Memory, ...]:
        """What was corrected, each announced as `MemoryRedated`.

        Raises:
            StoreError: the store cannot be written; what was corrected before that stands.
        """
        if not self._keeper.is_set:
            return ()
        done: list[Memory] = []
        for undated in self._store.waiting(self._keeper.boot_id):
            moment = self._keeper.moment(undated.time.anchor)
            new = self._store.correct(undated.memory, self.redated(undated, moment)) if moment else None
            if new is not None:
                done.append(new)
                self._bus.publish(MemoryRedated(new, (undated.memory.id,)))
        return tuple(done)

    def redated(self, undated: Undated, moment: datetime) -> NewMemory:
        """The memory as it would be had the clock been right: said at `moment`."""
        old, time = undated.memory, undated.time
        spoken_at = moment.astimezone(self._zone)
        text, expires_at = old.memory, old.expires_at
        if time.phrase:
            found = self._resolve(
                time.phrase,
                spoken_at=spoken_at,
                zone=self._zone,
                kind=time.kind,
                day_first=self._day_first,
                hint=time.hint,
            )
            expires_at = found.expires_at
            text = text.replace(time.said, found.said) if time.said and found.said else text
        elif expires_at is not None and expires_at <= moment:
            expires_at += spoken_at - old.spoken_at
        return NewMemory(
            memory=text,
            transcript=old.transcript,
            spoken_at=spoken_at,
            expires_at=expires_at,
            room=old.room,
            device_id=old.device_id,
            household_id=old.household_id,
            source=old.source,
            confidence=old.confidence,
            supersedes=(old.id,),
            reason=REASON,
        )
