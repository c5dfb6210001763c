"""One item of a list, ticked and opened again, and the shopping list as faces show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory.memory_fakes import NOW, embedding, new

from junod.clock import SimulatedClock
from junod.dedup.loop import Deduper
from junod.errors import ConflictError, NotFoundError, UsageError
from junod.memory import verbs
from junod.memory.markdown import list_items, struck, ticked
from junod.memory.store import MemoryStore
from junod.records import Memory
from junod.sections import DedupSettings


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as opened:
        yield opened


def shopping(*items: str) -> str:
    return "\n".join(["Shopping list:", *(f"- {item}" for item in items)])


def said(store: MemoryStore, text: str, minutes: float = 0, source: str = "voice") -> Memory:
    return store.add(new(text, spoken_at=NOW + timedelta(minutes=minutes), source=source, transcript=text))


def dedup(store: MemoryStore) -> None:
    Deduper(store, DedupSettings(), None, None).run(NOW + timedelta(hours=1))


def test_one_item_is_struck_in_a_memory_that_supersedes_the_list(store: MemoryStore) -> None:
    old = store.add(new(shopping("milk", "eggs")), embedding("milk eggs"))
    now = verbs.tick(store, old.id, "milk")
    assert now.memory == shopping("~~milk~~", "eggs")
    assert (now.source, now.transcript, now.supersedes) == (old.source, old.transcript, (old.id,))
    assert store.list() == (now,)
    assert store.nearest(embedding("milk eggs"), 1)[0].memory == now


def test_the_last_item_makes_the_list_done_and_opening_one_makes_it_a_list_again(store: MemoryStore) -> None:
    half = verbs.tick(store, said(store, shopping("milk", "eggs")).id, "- milk")
    finished = verbs.tick(store, half.id, "EGGS")
    assert (finished.source, finished.memory) == ("done", struck(shopping("milk", "eggs")))
    again = verbs.tick(store, finished.id, "~~milk~~", done=False)
    assert (again.source, again.memory) == ("voice", shopping("milk", "~~eggs~~"))
    assert verbs.undo(store, again.id).memories[0].id == finished.id
    assert verbs.undo(store, finished.id).memories[0].id == half.id


def test_ticking_twice_writes_nothing(store: MemoryStore) -> None:
    once = verbs.tick(store, said(store, shopping("milk", "eggs")).id, "milk")
    assert verbs.tick(store, once.id, "milk") == once


def test_a_list_that_grew_meanwhile_is_followed(store: MemoryStore) -> None:
    """Two fingers on one screen, or a merge under the finger."""
    old = said(store, shopping("milk", "eggs"))
    verbs.tick(store, old.id, "milk")
    assert verbs.tick(store, old.id, "eggs").source == "done"
    other = said(store, shopping("jam"))
    both = store.add(new(shopping("jam", "tea"), source="merge", supersedes=(other.id,), reason="list-growth"))
    assert verbs.tick(store, other.id, "jam").supersedes == (both.id,)


def test_what_is_no_list_no_item_or_not_active_is_named(store: MemoryStore) -> None:
    milk = said(store, shopping("milk"))
    for item in ("eggs", "", "Shopping list:", "mil"):
        with pytest.raises(NotFoundError, match="no such item"):
            verbs.tick(store, milk.id, item)
    with pytest.raises(UsageError, match="no list"):
        verbs.tick(store, said(store, "Call the plumber").id, "plumber")
    with pytest.raises(NotFoundError):
        verbs.tick(store, "ffffffff", "milk")
    store.archive(milk.id)
    with pytest.raises(ConflictError):
        verbs.tick(store, milk.id, "milk")


def test_needed_again_it_is_open_again_once(store: MemoryStore) -> None:
    """m77: ticked milk, and later milk is needed again: through dedup, and through what is known already."""
    half = verbs.tick(store, said(store, shopping("milk", "eggs")).id, "milk")
    again, is_new = verbs.remember(store, new(shopping("milk"), spoken_at=NOW + timedelta(minutes=30)))
    assert is_new
    assert verbs.remember(store, new(shopping("eggs")))[0] == half
    dedup(store)
    (one,) = store.list()
    assert one.memory == shopping("eggs", "milk")
    assert set(one.supersedes) == {half.id, again.id}


def test_a_list_that_is_done_blocks_nothing(store: MemoryStore) -> None:
    """m77: also where the only item was ticked."""
    verbs.tick(store, said(store, shopping("milk")).id, "milk")
    _, is_new = verbs.remember(store, new(shopping("milk"), spoken_at=NOW + timedelta(minutes=30)))
    assert is_new
    dedup(store)
    assert [(item.text, item.is_done) for item in verbs.shopping_list(store)] == [("milk", False)]


def test_a_tick_on_the_later_list_counts_for_the_earlier_one(store: MemoryStore) -> None:
    said(store, shopping("milk", "jam"))
    verbs.tick(store, said(store, shopping("milk", "eggs"), 5).id, "milk")
    dedup(store)
    assert [memory.memory for memory in store.list()] == [shopping("~~milk~~", "jam", "eggs")]


def test_what_two_devices_heard_stays_ticked(store: MemoryStore) -> None:
    first = store.add(new(shopping("milk", "tea"), transcript="we need milk and tea"))
    verbs.tick(store, first.id, "milk")
    again = new(shopping("milk", "tea"), transcript="we need milk and tea", spoken_at=NOW + timedelta(seconds=2))
    store.add(replace(again, device_id="bedroom"))
    dedup(store)
    assert [memory.memory for memory in store.list()] == [shopping("~~milk~~", "tea")]


def test_the_shopping_list_names_for_each_thing_its_list_and_whether_it_is_done(store: MemoryStore) -> None:
    first = verbs.tick(store, said(store, shopping("milk", "eggs")).id, "milk")
    second = said(store, shopping("Eggs", "Milk", "~~tea~~"), 5)
    store.done(said(store, shopping("candles"), 6).id)
    said(store, "Dad went shopping for a car", 7)
    found = [(item.text, item.memory_id, item.is_done) for item in verbs.shopping_list(store)]
    assert found == [("Milk", second.id, False), ("eggs", first.id, False), ("tea", second.id, True)]


ITEMS = st.lists(st.sampled_from(["milk", "Milk ", "oat milk", "salt and vinegar", "[x] tea", "~~eggs~~", "jam, red"]))


@given(ITEMS, st.data())
def test_ticking_and_opening_touch_one_item_and_lose_no_letter(items: list[str], data: st.DataObject) -> None:
    text = shopping(*items)
    for item in list_items(text):
        done = data.draw(st.booleans())
        changed = ticked(text, item.text, done=done)
        assert changed is not None
        before, after = list_items(text), list_items(changed)
        assert [one.text for one in before] == [one.text for one in after]
        assert sum(a.is_struck != b.is_struck for a, b in zip(before, after, strict=True)) <= 1
        text = changed
