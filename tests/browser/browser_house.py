"""The real app over a real store, served on a port of this machine for a real browser."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import uvicorn
from web.web_fakes import NOW, Site, site

from junod.events import MemoriesExpired, MemoriesMerged, MemorySaved, RuleProposed, RuleUnclear
from junod.memory import entity_index
from junod.records import Memory

LIMIT_S = 60.0
"""Of every wait. Far more than it takes, as the machine may have other things to do."""
PORTS = range(20_000, 32_000)
"""Below those that connections get by themselves: a page that looks for its daemon must not take the daemon's port."""


class Served:
    """A household with its page; `restart` is what a daemon does that ends and comes again."""

    def __init__(self, folder: Path, prepare: Callable[[Site], None] = lambda site: None, **options: Any) -> None:
        self.folder, self._options = folder, options
        self.port = free_port()
        self._open(NOW, prepare)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def keep(self, text: str, heard: str = "", **changes: Any) -> Memory:
        """Remember something as the daemon does: stored, then told."""
        memory = self.site.say(text, transcript=heard or f"well {text}", **changes)
        self.site.bus.publish(MemorySaved(memory))
        return memory

    def time_passes(self) -> None:
        """This household's clock stands still while the page's goes on: catch up with a page that loaded slowly."""
        self.site.clock.advance(2 * LIMIT_S)

    def merged(self, memory: Memory, superseded: tuple[str, ...]) -> None:
        self.site.bus.publish(MemoriesMerged(memory, superseded))

    def expired(self, ids: tuple[str, ...]) -> None:
        self.site.bus.publish(MemoriesExpired(ids))

    def heard_rule(self, rule_id: str) -> None:
        self.site.bus.publish(RuleProposed(rule_id, self.site.house.rules.show(rule_id).told))

    def asked_back(self, question: str) -> None:
        self.site.bus.publish(RuleUnclear(question))

    def active(self) -> list[str]:
        return [memory.memory for memory in self.site.store.list()]

    def stop(self) -> None:
        self.site.app.state.feed.close()
        self._server.should_exit = True
        self._thread.join(LIMIT_S)
        assert not self._thread.is_alive()
        self._stack.close()

    def restart(self) -> None:
        """Come again, on the same port over the same database."""
        self._open(self.site.clock.now() + timedelta(seconds=3), lambda site: None)

    def _open(self, start: datetime, prepare: Callable[[Site], None]) -> None:
        self._stack = ExitStack()
        self.site: Site = self._stack.enter_context(site(self.folder, start=start, **self._options))
        prepare(self.site)
        config = uvicorn.Config(self.site.app, host="127.0.0.1", port=self.port, log_level="warning")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, name="web", daemon=True)
        self._thread.start()
        end = time.monotonic() + LIMIT_S
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            assert time.monotonic() < end, "the server did not start in time"
            time.sleep(0.01)


def eventually(what: Callable[[], object], limit_s: float = LIMIT_S) -> None:
    """Until it holds, for things that no element on the page tells."""
    end = time.monotonic() + limit_s
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def free_port() -> int:
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def ordinary_day(site: Site) -> None:
    """What a family's Tuesday leaves behind."""
    midnight = NOW.replace(hour=0)
    for text, said_ago_h, ends_in_h in (
        ("Shopping list:\n- milk\n- dish soap\n- a dozen eggs\n- bread\n- olive oil", 2, None),
        ("Dentist for Leo — Tue 24 Mar 2026, 19:00", 8, 19),
        ("Plumber comes for the sink — Wed 25 Mar 2026, 08:00", 5, 32),
        ("Choir rehearsal — Wed 25 Mar 2026, 19:30", 24, 43.5),
        ("Hand in Mira’s form for the school trip — by Thu 26 Mar 2026", 3, 72),
        ("Call grandma about Easter", 1, None),
        ("Tomas is allergic to walnuts", 480, None),
        ("The spare key is under the blue pot", 216, None),
    ):
        ends_at = midnight + timedelta(hours=ends_in_h) if ends_in_h else None
        site.say(text, timedelta(hours=said_ago_h), expires_at=ends_at)
    entity_index.fill(site.store.sessions)
