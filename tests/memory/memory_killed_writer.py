"""Runs until it is killed: spools, decides and forgets in an endless loop, printing each passage when it is decided."""

from __future__ import annotations

import sys
from pathlib import Path

from memory.memory_fakes import NOW, embedding, new, passage

from junod.clock import SimulatedClock
from junod.memory.store import MemoryStore
from junod.records import Decision, Outcome


def main(path: Path, start: int) -> None:
    with MemoryStore.open(path, clock=SimulatedClock(NOW)) as store:
        store.recover_spool(max_attempts=1_000)
        print("open", flush=True)
        number = start
        while True:
            store.spool_passage(passage(f"p{number}", f"words of {number}"))
            taken = store.next_passage()
            if taken is not None:
                _decide(store, taken.passage.id)
            number += 1


def _decide(store: MemoryStore, passage_id: str) -> None:
    memories = (new(f"Memory of {passage_id} first"), new(f"Memory of {passage_id} second"))
    decision = Decision(passage_id, Outcome.KEPT, "kept", memories=memories)
    stored = store.decide(passage_id, decision, [embedding(each.memory) for each in memories])
    print(passage_id, flush=True)
    if stored and passage_id.endswith("3"):
        store.forget(stored[0].id)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
