"""A merge that a person took back is not made again, whatever the memories become."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dedup.dedup_fakes import NOW, ScriptedModel, new, shopping

from junod.clock import SimulatedClock
from junod.dedup.loop import Deduper, Report
from junod.memory import verbs
from junod.memory.store import MemoryStore
from junod.sections import DedupSettings


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as opened:
        yield opened


def run(store: MemoryStore, model: ScriptedModel | None = None, *, dry_run: bool = False) -> Report:
    return Deduper(store, DedupSettings(), model, None).run(NOW, dry_run=dry_run)


def texts(store: MemoryStore) -> list[str]:
    return sorted(memory.memory for memory in store.list())


def test_a_merge_taken_back_is_not_made_again(store: MemoryStore) -> None:
    for text, hours in ((shopping("milk"), 3), (shopping("eggs"), 2)):
        store.add(new(text, hours))
    (merged,) = run(store).merged
    verbs.undo(store, merged.memory.id)
    assert not run(store).merged
    assert texts(store) == [shopping("eggs"), shopping("milk")]


def test_what_is_said_later_joins_the_latest_and_leaves_the_rest_apart(store: MemoryStore) -> None:
    for text, hours in ((shopping("milk"), 3), (shopping("eggs"), 2)):
        store.add(new(text, hours))
    verbs.undo(store, run(store).merged[0].memory.id)
    store.add(new(shopping("jam"), 1))
    assert len(run(store, dry_run=True).merged) == 1
    assert len(run(store).merged) == 1
    assert texts(store) == [shopping("eggs", "jam"), shopping("milk")]
    assert not run(store).merged


def test_the_model_cannot_put_together_what_a_person_took_apart(store: MemoryStore) -> None:
    a = store.add(new("Bring the blue folder to Ines", 3))
    b = store.add(new("Bring the blue folder to Ines with the plan", 2))
    one = store.add(new("Bring the blue folder", 1, source="merge", supersedes=(a.id, b.id), reason="model-same"))
    verbs.undo(store, one.id)
    run(store, ScriptedModel(['{"n":[1,2],"as":"same"}]}']))
    assert texts(store) == ["Bring the blue folder to Ines", "Bring the blue folder to Ines with the plan"]


def test_a_forgotten_source_takes_its_refusals_along(store: MemoryStore) -> None:
    milk, eggs = store.add(new(shopping("milk"), 3)), store.add(new(shopping("eggs"), 2))
    verbs.undo(store, run(store).merged[0].memory.id)
    store.forget(milk.id)
    assert store.kept_apart() == frozenset()
    assert store.list() == ()
    assert eggs.id not in {memory.id for memory in store.export()}
