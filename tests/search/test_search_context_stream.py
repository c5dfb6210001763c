"""Context that is looked up while a person speaks: the same as if it were asked for afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from memory.memory_fakes import NOW, HashEmbedder, embedding, new
from numpy.typing import NDArray

from junod.clock import SimulatedClock
from junod.errors import ModelError
from junod.memory.context import context
from junod.memory.context_stream import ContextStream, StreamParts
from junod.memory.store import MemoryStore

CLOCK, ZONE = SimulatedClock(NOW), ZoneInfo("Europe/Berlin")
WAIT_S = 90.0
TEXTS = ("Dentist for Ben on Tuesday", "The spare key is under the blue pot", "Aunt Ruth is allergic to walnuts")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=CLOCK) as opened:
        for text in TEXTS:
            opened.add(new(text), embedding(text))
        yield opened


@pytest.fixture
def stream(store: MemoryStore) -> Iterator[ContextStream]:
    opened = ContextStream(StreamParts(store, HashEmbedder, CLOCK, ZONE))
    yield opened
    opened.stop()


def told(stream: ContextStream, text: str) -> list[str]:
    return [memory.memory for memory in stream.close(text).memories]


def test_it_answers_as_if_it_had_been_asked_afterwards(stream: ContextStream, store: MemoryStore) -> None:
    stream.hear("where is")
    stream.hear("where is the spare")
    assert stream.wait_ready(WAIT_S)
    later = context(store, "where is the spare key", embedder=HashEmbedder(), now=NOW, zone=ZONE)
    assert stream.close("where is the spare key") == later
    assert told(stream, "walnuts for aunt Ruth") == [TEXTS[2]]


def test_without_a_word_heard_before_it_is_looked_up_at_the_end(stream: ContextStream) -> None:
    assert told(stream, "the dentist for Ben") == [TEXTS[0]]


def test_words_that_come_last_are_found_though_nobody_prepared_for_them(stream: ContextStream) -> None:
    stream.hear("the dentist for Ben")
    assert stream.wait_ready(WAIT_S)
    assert TEXTS[1] in told(stream, "no, the spare key")


def test_what_was_forgotten_or_said_meanwhile_counts(stream: ContextStream, store: MemoryStore) -> None:
    stream.hear("where is the spare key")
    assert stream.wait_ready(WAIT_S)
    old = next(memory for memory in store.list() if memory.memory == TEXTS[1])
    store.edit(old.id, "The spare key is with Noor", embedding("The spare key is with Noor"))
    assert told(stream, "where is the spare key") == ["The spare key is with Noor"]


def test_what_is_being_forgotten_is_not_told_though_it_was_prepared(stream: ContextStream, store: MemoryStore) -> None:
    stream.hear("where is the spare key")
    assert stream.wait_ready(WAIT_S)
    store.forget(next(memory.id for memory in store.list() if memory.memory == TEXTS[1]))
    assert TEXTS[1] not in told(stream, "where is the spare key")


def test_the_same_words_twice_are_prepared_twice(stream: ContextStream) -> None:
    for _ in range(2):
        stream.hear("spare key")
        assert stream.wait_ready(WAIT_S)
        assert told(stream, "spare key") == [TEXTS[1]]


class Broken(HashEmbedder):
    def embed(self, texts: object) -> NDArray[np.float32]:
        raise ModelError("The embedding model failed.", permanent=False)


def test_a_model_that_fails_while_somebody_speaks_says_so_at_the_end(store: MemoryStore) -> None:
    stream = ContextStream(StreamParts(store, Broken, CLOCK, ZONE))
    stream.hear("spare key")
    assert not stream.wait_ready(0.05)
    with pytest.raises(ModelError):
        stream.close("spare key")
    stream.stop()
