"""What is being said, for the faces: followed in the daemon, asked for by other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from junod.settings import Settings, household_zone

if TYPE_CHECKING:
    from junod.assembly.embedders import Embedders
    from junod.clock import Clock
    from junod.memory.store import MemoryStore
    from junod.memory.talk import Talk


def build_talk(settings: Settings, store: MemoryStore, clock: Clock, embedders: Embedders) -> Talk:
    """Follows what is being said, where the settings want it. Its thread ends with `stop`."""
    from junod.memory.context_stream import ContextStream, StreamParts
    from junod.memory.talk import CurrentTalk, NoTalk

    if not settings.memory.follow_talk:
        return NoTalk()
    parts = StreamParts(store, embedders.answering, clock, household_zone(settings))
    return CurrentTalk(ContextStream(parts), clock)
