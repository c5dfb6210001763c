"""Search: by meaning, by words, both, along time; any text is safe; hidden memories stay hidden."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory.memory_fakes import NOW, HashEmbedder, embedding, new

from junod.clock import SimulatedClock
from junod.errors import UsageError
from junod.memory.candidates import fuse
from junod.memory.search import RECENCY_WEIGHT, SearchMode, SearchRequest, recency_factor, search
from junod.memory.store import MemoryStore
from junod.memory.words import MAX_TERMS, fts_query
from junod.records import Memory

EMBEDDER = HashEmbedder()
TEXTS = (
    "Dentist appointment for Ben on Tuesday",
    "Mia's swimming lessons start on 14 April",
    "Aunt Ruth is allergic to walnuts",
    "The spare key is under the blue flower pot",
    "Shopping list:\n- gluten-free bread",
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryStore]:
    """For tests that only read."""
    with MemoryStore.open(tmp_path_factory.mktemp("db") / "junod.db", clock=SimulatedClock(NOW)) as opened:
        for number, text in enumerate(TEXTS):
            opened.add(new(text, spoken_at=NOW - timedelta(days=number)), embedding(text))
        yield opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as opened:
        yield opened


def texts(store: MemoryStore, query: str = "", *, embedder: HashEmbedder | None = EMBEDDER, **more: Any) -> list[str]:
    request = SearchRequest(query, **more)
    return [hit.memory.memory for hit in search(store, request, embedder=embedder, now=NOW)]


@pytest.mark.parametrize("mode", [SearchMode.SEMANTIC, SearchMode.HYBRID, SearchMode.CHRONOLOGICAL])
def test_each_mode_finds_the_memory_asked_for(shared: MemoryStore, mode: SearchMode) -> None:
    assert TEXTS[3] in texts(shared, "the spare key", mode=mode)


def test_words_are_found_without_a_model_in_other_forms_and_with_accents(shared: MemoryStore) -> None:
    assert texts(shared, "walnut allergies", embedder=None) == [TEXTS[2]]
    assert texts(shared, "Mía's lesson", embedder=None) == [TEXTS[1]]
    assert texts(shared, "gluten-free", embedder=None) == [TEXTS[4]]


def test_words_that_say_nothing_find_nothing_beside_words_that_do(shared: MemoryStore) -> None:
    assert texts(shared, "when is the dentist", embedder=None) == [TEXTS[0]]


def test_meaning_needs_a_model(shared: MemoryStore) -> None:
    with pytest.raises(UsageError, match="embedding model"):
        texts(shared, "key", embedder=None, mode=SearchMode.SEMANTIC)


def test_what_is_too_far_from_the_query_is_not_an_answer(shared: MemoryStore) -> None:
    assert texts(shared, "quantum chromodynamics", mode=SearchMode.SEMANTIC) == []


@pytest.mark.parametrize("query", ["", "  ", "\n\t"])
@pytest.mark.parametrize("mode", [SearchMode.SEMANTIC, SearchMode.HYBRID])
def test_an_empty_query_is_wrong_use(shared: MemoryStore, query: str, mode: SearchMode) -> None:
    with pytest.raises(UsageError, match="empty"):
        texts(shared, query, mode=mode)


@pytest.mark.parametrize("limit", [0, -5, 1_001])
def test_a_limit_without_sense_is_wrong_use(shared: MemoryStore, limit: int) -> None:
    with pytest.raises(UsageError, match="limit"):
        texts(shared, "key", limit=limit)


def test_a_time_range_must_make_sense(shared: MemoryStore) -> None:
    with pytest.raises(UsageError, match="offset"):
        texts(shared, "key", since=datetime(2026, 3, 1))
    with pytest.raises(UsageError, match="range"):
        texts(shared, "key", since=NOW, until=NOW)


def test_along_time_the_oldest_comes_first(shared: MemoryStore) -> None:
    range_: dict[str, Any] = {"since": NOW - timedelta(days=3), "until": NOW}
    assert texts(shared, mode=SearchMode.CHRONOLOGICAL, **range_) == [TEXTS[3], TEXTS[2], TEXTS[1]]
    assert texts(shared, mode=SearchMode.CHRONOLOGICAL, limit=1, **range_) == [TEXTS[3]]
    assert texts(shared, "Aunt Ruth", mode=SearchMode.CHRONOLOGICAL, embedder=None, **range_) == [TEXTS[2]]


@pytest.mark.parametrize(
    "query",
    [
        "Mia's",
        '"unbalanced',
        "NEAR(a b)",
        "a AND NOT",
        "memory: key",
        "key*",
        "^key",
        "(key",
        "-key",
        "key; DROP TABLE memories",
        "'; --",
        "key\x00bread",
        "\ud800",
        "🗝️",
        "a" * 50_000,
        "key " * 10_000,
        " ".join(f"word{n}" for n in range(10_000)),
    ],
)
def test_no_query_breaks_the_search(shared: MemoryStore, query: str) -> None:
    found = texts(shared, query, mode=SearchMode.HYBRID)
    assert set(found) <= set(TEXTS)
    assert len(shared.list()) == len(TEXTS)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet=st.characters(), max_size=60))
def test_no_text_is_an_fts_error(shared: MemoryStore, query: str) -> None:
    assert len(shared.keyword(query, 5)) <= 5


@given(st.text(max_size=300))
def test_an_fts_query_is_quoted_words_and_nothing_else(text: str) -> None:
    words = fts_query(text).split(" OR ") if fts_query(text) else []
    assert len(words) <= MAX_TERMS
    assert all(word[0] == word[-1] == '"' and '"' not in word[1:-1] and " " not in word for word in words)


def test_hidden_memories_are_never_found(store: MemoryStore) -> None:
    old = store.add(new("Buy oat milk"), embedding("Buy oat milk"))
    store.edit(old.id, "Buy rice", embedding("Buy rice"))
    store.archive(store.add(new("Milk jug broken"), embedding("Milk jug broken")).id)
    store.add(new("Milk delivery", expires_at=NOW), embedding("Milk delivery"))
    store.forget(store.add(new("Milk allergy"), embedding("Milk allergy")).id)
    store.add(new("Milk in the bedroom", room="bedroom"), embedding("Milk in the bedroom"))
    for mode in SearchMode:
        assert texts(store, "milk", mode=mode, room="kitchen") in ([], ["Buy rice"])
        assert texts(store, "milk in the bedroom", mode=mode, room="bedroom") == ["Milk in the bedroom"]


def test_a_memory_that_both_ways_find_comes_first(store: MemoryStore) -> None:
    both = store.add(new("choir rehearsal"), embedding("choir rehearsal"))
    store.add(new("choir rehearsal moved"))
    hits = search(store, SearchRequest("choir rehearsal"), embedder=EMBEDDER, now=NOW)
    assert hits[0].memory == both
    assert hits[0].distance == pytest.approx(0, abs=1e-6)
    assert hits[1].distance is None
    assert hits[0].score > hits[1].score


def memory(number: int, age_days: float) -> Memory:
    at = NOW - timedelta(days=age_days)
    return Memory(str(number), f"m{number}", "", "kitchen", "", at, at, None, False, "voice", 1.0)


def test_of_equals_the_more_recent_comes_first(store: MemoryStore) -> None:
    for days in (400, 1, 200):
        store.add(new("choir rehearsal", spoken_at=NOW - timedelta(days=days)), embedding("choir rehearsal"))
    found = search(store, SearchRequest("choir rehearsal"), embedder=EMBEDDER, now=NOW)
    assert [(NOW - hit.memory.spoken_at).days for hit in found] == [1, 200, 400]


def test_rank_fusion_puts_what_both_rankings_have_first() -> None:
    assert fuse([["a", "b", "c"], ["c", "d"]]) == ["c", "a", "b", "d"]
    assert fuse([]) == fuse([[], []]) == []


@given(st.floats(-10, 10_000), st.floats(0, 10_000))
def test_recency_falls_with_age_and_stays_small(age: float, more: float) -> None:
    younger, older = recency_factor(memory(1, age), NOW), recency_factor(memory(2, age + more), NOW)
    assert 1 <= older <= younger <= 1 + RECENCY_WEIGHT
