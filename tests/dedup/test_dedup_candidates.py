"""The quick look into the word index finds every pair that walking the whole history in chunks finds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from dedup.dedup_fakes import NOW, new, parsed, shopping
from hypothesis import given
from hypothesis import strategies as st
from memory.memory_fakes import HashEmbedder, embedding

from junod.clock import SimulatedClock
from junod.dedup.candidates import Pair, belongs, chunks, lookups, pairs_among, reference_pairs
from junod.dedup.evaluate import read_cases
from junod.dedup.parsed import Parsed, parse
from junod.memory.store import MemoryStore
from junod.records import NewMemory

THRESHOLD = 0.6
CASES = Path(__file__).parent / "merges.jsonl"
_WORDS = """
    dentist plumber piano swimming library parcel garden drill ladder sofa router towel rabbit kettle pantry cellar
    attic bicycle scooter choir guitar recital costume passport suitcase tent torch lantern compass barbecue clean
    paint borrow lend mend fold wash iron measure hang oil sharpen polish label count weigh wrap stack rinse
    Ana Ben Mia Leo Ines Tariq Olga Noor Karl Ruth blanket candle hammer pillow bucket ribbon basket mirror curtain
    bottle ticket helmet whistle magnet marble puzzle
"""
WORDS = _WORDS.split()


def no_likeness(a: Parsed, b: Parsed) -> float | None:
    return None


def ids(pairs: list[Pair]) -> set[tuple[str, str]]:
    return {(pair.older.memory.id, pair.newer.memory.id) for pair in pairs}


def history(seed: int, size: int) -> list[NewMemory]:
    """Sentences of a few household words, lists among them, spread over four weeks; half take up an earlier one."""
    dice = random.Random(seed)
    said: list[list[str]] = []
    made = []
    for number in range(size):
        chosen = dice.sample(WORDS, dice.randint(2, 4))
        if said and dice.random() < 0.5:
            chosen = dice.sample(dice.choice(said), 2) + dice.sample(WORDS, dice.randint(0, 1))
        said.append(chosen)
        text = f"The {' and '.join(chosen)}{dice.choice(['', '', ' now', ' moved'])}"
        made.append(
            new(shopping(*chosen, title=f"{chosen[0]} list:") if number % 9 == 0 else text, dice.uniform(0, 672))
        )
    return made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as opened:
        yield opened


def both_ways(store: MemoryStore) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """(quick, reference)"""
    everything = [parse(one) for one in store.list()]
    recent = [one for one in everything if (NOW - one.memory.spoken_at).total_seconds() < 24 * 3600]
    found = {memory.id: parse(memory) for one in recent for memory in store.mentioning(lookups(one))}

    def likeness(a: Parsed, b: Parsed) -> float | None:
        return store.likeness(a.memory.id, [b.memory.id]).get(b.memory.id)

    quick = pairs_among(recent, list(found.values()), likeness, THRESHOLD)
    return ids(quick), ids(reference_pairs(recent, everything, likeness, THRESHOLD, 100, 10))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_word_index_misses_nothing_in_a_long_history(store: MemoryStore, seed: int) -> None:
    embedder = HashEmbedder()
    for one in history(seed, 250):
        store.add(one, embedding(one.memory, embedder))
    quick, reference = both_ways(store)
    assert [(store.get(a).memory, store.get(b).memory) for a, b in reference - quick] == []
    assert quick <= reference
    assert len(reference) > 20


def test_the_word_index_misses_nothing_of_the_labelled_cases(store: MemoryStore) -> None:
    """All in one store but the shopping lists, of which a household has one or a few and these cases have ninety."""
    for case in read_cases(CASES):
        for one in case.memories:
            made = new(one.memory, transcript=one.transcript, spoken_at=one.spoken_at, expires_at=one.expires_at)
            if not parsed(one.memory).is_list:
                store.add(made)
    quick, reference = both_ways(store)
    assert [(store.get(a).memory, store.get(b).memory) for a, b in reference - quick] == []
    assert len(reference) > 100


@given(st.integers(0, 400), st.integers(10, 120), st.integers(0, 20))
def test_chunks_cover_the_history_and_overlap(size: int, chunk: int, overlap: int) -> None:
    ordered = [parsed(f"thing {n}", 1000 - n) for n in range(size)]
    cut = list(chunks(ordered, chunk, min(overlap, chunk - 1)))
    assert [one for part in cut for one in part if part is cut[0] or one not in cut[0]] or not size
    assert {one.memory.id for part in cut for one in part} == {one.memory.id for one in ordered}
    for before, after in pairwise(cut):
        assert len(before) == chunk
        assert list(before[len(before) - min(overlap, chunk - 1) :]) == list(after[: min(overlap, chunk - 1)])


def test_one_common_word_of_several_needs_a_change_and_likeness() -> None:
    a, b = parsed("The piano stands upstairs now"), parsed("Cover the piano with a sheet", 2)
    assert not belongs(a, b, no_likeness, THRESHOLD)
    assert not belongs(a, b, lambda x, y: 0.5, THRESHOLD)
    assert belongs(a, b, lambda x, y: 0.7, THRESHOLD)
    assert not belongs(parsed("The piano stands upstairs"), b, lambda x, y: 0.7, THRESHOLD)


def test_a_lone_wish_of_long_ago_is_left_alone() -> None:
    """A wish is met among recent memories alone, in the quick look and in the walk."""
    old, fresh = parsed("Buy milk", 100), parsed(shopping("eggs"), 1)
    assert reference_pairs([fresh], [old, fresh], no_likeness, THRESHOLD, 100, 10) == []
    assert len(pairs_among([fresh, old], [], no_likeness, THRESHOLD)) == 1
