"""The daemon while the clock is not set: nothing expires, and what was forgotten goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from clock.clock_fakes import FakeSync
from daemon_rig import Rig, wait_for

from junod.clock import SystemClock
from junod.daemon import Daemon
from junod.memory import verbs
from junod.records import NewMemory
from junod.timekeeper import Timekeeper


class UnsetRig(Rig):
    """A daemon whose clock is not set."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        keeper = Timekeeper(SystemClock(), FakeSync(is_there=False))
        house = replace(self.daemon._house, keeper=keeper)
        self.daemon = Daemon(self.settings, self.daemon._factories, house)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[UnsetRig]:
    made = UnsetRig(tmp_path)
    yield made
    if made.thread.is_alive():
        made.stop()
    made.store.close()


def test_while_the_clock_is_not_set_nothing_expires_but_what_was_forgotten_goes(rig: UnsetRig) -> None:
    """m53: the expiry job waits."""
    now = datetime.now(UTC)
    over = rig.store.add(NewMemory("dentist", "", now - timedelta(days=2), now - timedelta(days=1), "kitchen"))
    forgotten = rig.store.add(NewMemory("zanzibar", "", now, None, "kitchen"))
    verbs.forget(rig.store, forgotten.id, grace_s=0.001)
    rig.start()
    wait_for(lambda: _is_idle(rig))
    assert not any(b"anzibar" in file.read_bytes() for file in rig.folder.glob("junod.db*"))
    assert [memory.id for memory in rig.store.export()] == [over.id]
    assert not rig.daemon.status().clock_set


def _is_idle(rig: UnsetRig) -> bool:
    house = next(stage for stage in rig.daemon.status().stages if stage["name"] == "house")
    return "not set" in str(house["detail"])
