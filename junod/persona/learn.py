"""Forming impressions from the transcripts of kept memories: a periodic job by rules, no model."""

from __future__ import annotations

from junod.memory.persona import NewEvidence, PersonaStore
from junod.memory.session import Sessions
from junod.persona.lexicon import find
from junod.records import Memory
from junod.sections import PersonaSettings

_BATCH = 200
_HEARD = "voice"
"""Merges and corrections carry the same transcript once more."""
PRIVATE_ROOM = "bedroom"


class PersonaLearner:
    """Looks at each memory once, and only where the household wants that.

    Args:
        sessions: of the household's store; only the tables of impressions are written.
    """

    def __init__(self, sessions: Sessions, settings: PersonaSettings) -> None:
        self._store = PersonaStore(sessions)
        self._settings = settings

    def run(self) -> int:
        """Note what is new; returns how many quotes are. Off, it passes over: turning it on does not look back."""
        if not self._settings.enabled:
            self._store.pass_over()
            return 0
        noted = 0
        while unseen := self._store.unseen(_BATCH):
            noted += self._store.note([(memory, self._evidence(memory)) for memory in unseen])
        return noted

    def _evidence(self, memory: Memory) -> list[NewEvidence]:
        if memory.source != _HEARD or memory.room == PRIVATE_ROOM:
            return []
        found = find(memory.transcript, self._settings.people, for_us=self._settings.household_too)
        return [NewEvidence(each.kind, each.key, each.start, each.end) for each in found]
