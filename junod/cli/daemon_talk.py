"""What the running daemon hears being said, for an assistant's server in another process."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from junod.cli.talk import NoDaemonError, RefusedError, ask_daemon
from junod.clock import Clock
from junod.errors import NotFoundError
from junod.memory.context import DEFAULT_TOKENS, arranged
from junod.memory.store import MemoryStore
from junod.memory.talk import NoTalk, TalkContext
from junod.records import Memory


class DaemonTalk(NoTalk):
    """Asks the daemon of the same database; hears nothing itself."""

    def __init__(self, store: MemoryStore, clock: Clock, zone: ZoneInfo) -> None:
        self._store, self._clock, self._zone = store, clock, zone

    def context(self, budget_tokens: int = DEFAULT_TOKENS) -> TalkContext | None:
        """See Talk; None also where no daemon runs or it is another user's."""
        try:
            answer = ask_daemon("GET", f"/api/context?tokens={budget_tokens}")
        except (NoDaemonError, RefusedError):
            return None
        if not answer.get("heard"):
            return None
        found = [memory for row in answer["memories"] if (memory := self._get(row["id"]))]
        shown = arranged(found, now=self._clock.now(), zone=self._zone, budget_tokens=budget_tokens)
        return TalkContext(shown, "")

    def _get(self, memory_id: str) -> Memory | None:
        """None where it was forgotten since."""
        try:
            return self._store.get(memory_id)
        except NotFoundError:
            return None
