"""What is being said: an assistant asks what bears on it, gets memories and never the words, and it can be wiped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from fakes import FakeTranscriber, at, mask_word, pass_guard, segment
from memory.memory_fakes import NOW, HashEmbedder, embedding, new

from junod.cli import daemon_talk
from junod.cli.daemon_talk import DaemonTalk
from junod.cli.talk import NoDaemonError
from junod.clock import SimulatedClock
from junod.debounce import Debouncer, Place
from junod.errors import TranscriptionError
from junod.events import EventBus
from junod.memory.context_stream import ContextStream, StreamParts
from junod.memory.store import MemoryStore
from junod.memory.talk import FRESH_S, LAST_WORDS, CurrentTalk, NoTalk, TalkContext
from junod.pipeline import Contexts, Hearing, HearingParts
from junod.records import AudioMark
from junod.sections import DebounceSettings
from junod.spoken_orders import Order
from junod.turn import Turn

ZONE = ZoneInfo("Europe/Berlin")
WAIT_S = 90.0
TEXTS = ("Dentist for Ben on Tuesday", "The spare key is under the blue pot", "Aunt Ruth is allergic to walnuts")


@pytest.fixture
def clock() -> SimulatedClock:
    return SimulatedClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: SimulatedClock) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=clock) as opened:
        for text in TEXTS:
            opened.add(new(text), embedding(text))
        yield opened


@pytest.fixture
def stream(store: MemoryStore, clock: SimulatedClock) -> Iterator[ContextStream]:
    opened = ContextStream(StreamParts(store, HashEmbedder, clock, ZONE))
    yield opened
    opened.stop()


@pytest.fixture
def talk(stream: ContextStream, clock: SimulatedClock) -> CurrentTalk:
    return CurrentTalk(stream, clock)


def told(talk: CurrentTalk) -> list[str]:
    found = talk.context()
    assert found is not None
    return [memory.memory for memory in found.found.memories]


def test_each_utterance_of_a_talk_counts_and_it_may_be_asked_again_and_again(
    talk: CurrentTalk, stream: ContextStream
) -> None:
    talk.hear("Where is the spare key?")
    assert stream.wait_ready(WAIT_S)
    assert told(talk) == told(talk) == [TEXTS[1]]
    talk.hear("And aunt Ruth, walnuts?")
    assert set(told(talk)) == {TEXTS[1], TEXTS[2]}


def test_after_five_seconds_of_quiet_it_still_answers_and_the_next_words_are_another_talk(talk: CurrentTalk) -> None:
    talk.hear("Where is the spare key?")
    talk.pause()
    assert told(talk) == [TEXTS[1]]
    talk.hear("walnuts and aunt Ruth")
    assert told(talk) == [TEXTS[2]]


def test_a_minute_later_nothing_is_being_said(talk: CurrentTalk, clock: SimulatedClock) -> None:
    assert talk.context() is None
    talk.hear("the spare key")
    clock.advance(FRESH_S)
    assert talk.context() is not None
    clock.advance(1)
    assert talk.context() is None
    clock.advance(FRESH_S)
    talk.hear("walnuts, aunt Ruth")
    assert told(talk) == [TEXTS[2]]


def test_wiping_leaves_nothing_to_ask_about(talk: CurrentTalk, stream: ContextStream) -> None:
    talk.hear("the spare key")
    assert stream.wait_ready(WAIT_S)
    talk.wipe()
    assert talk.context() is None
    assert not stream.wait_ready(0.05)


def test_what_is_forgotten_meanwhile_is_not_told(talk: CurrentTalk, stream: ContextStream, store: MemoryStore) -> None:
    talk.hear("the spare key")
    assert stream.wait_ready(WAIT_S)
    store.forget(next(memory.id for memory in store.list() if memory.memory == TEXTS[1]))
    assert told(talk) == []


def test_of_a_long_talk_the_end_counts(talk: CurrentTalk) -> None:
    talk.hear("the spare key")
    for _ in range(10):
        talk.hear("well " * (LAST_WORDS // 5))
    found = talk.context()
    assert found is not None
    assert len(found.words.split()) <= LAST_WORDS
    assert TEXTS[1] not in told(talk)


class Noted(NoTalk):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def hear(self, utterance: str) -> None:
        self.calls.append(utterance)

    def pause(self) -> None:
        self.calls.append("(pause)")

    def wipe(self) -> None:
        self.calls.append("(wipe)")


def test_the_ear_tells_masked_utterances_pauses_and_wipes_but_no_orders(store: MemoryStore) -> None:
    noted, numbers = Noted(), count(1)
    debouncer = Debouncer(DebounceSettings(), Place("kitchen"), lambda: f"p{next(numbers)}")
    script: list[str | TranscriptionError] = ["The code is 4711.", "Junod, forget that.", "Milk is out.", "Too late."]
    parts = HearingParts(
        FakeTranscriber(script), pass_guard, debouncer, mask_word("4711"), store, Contexts(), ZONE, talk=noted
    )
    hearing = Hearing(parts, EventBus())
    orders: list[Order] = []
    turn = Turn(obey=lambda order, spoken_at: orders.append(order))
    hearing.take(segment(0, 2), turn)
    hearing.take(segment(3, 4), turn)
    hearing.take(AudioMark(at(11), at(2), False), turn)
    hearing.take(segment(20, 22), turn)
    hearing.take(segment(23, 24), Turn(is_wanted=lambda: False))
    hearing.wipe()
    assert len(orders) == 1
    assert len(noted.calls) == 4
    assert "4711" not in noted.calls[0]
    assert noted.calls[1:] == ["(pause)", "Milk is out.", "(wipe)"]


def test_another_process_asks_the_daemon(
    store: MemoryStore, clock: SimulatedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    gone = {"id": "0199aaaa-0000-7000-8000-000000000000"}
    answer: dict[str, object] = {"heard": True, "text": "", "memories": [*store_rows(store, TEXTS[1]), gone]}

    def ask(method: str, path: str) -> dict[str, object]:
        asked.append(path)
        return answer

    monkeypatch.setattr(daemon_talk, "ask_daemon", ask)
    found = DaemonTalk(store, clock, ZONE).context(300)
    assert isinstance(found, TalkContext)
    assert [memory.memory for memory in found.found.memories] == [TEXTS[1]]
    assert (found.words, asked) == ("", ["/api/context?tokens=300"])
    answer["heard"] = False
    assert DaemonTalk(store, clock, ZONE).context() is None


def test_without_a_daemon_nothing_is_being_said(
    store: MemoryStore, clock: SimulatedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(method: str, path: str) -> dict[str, object]:
        raise NoDaemonError("None runs.")

    monkeypatch.setattr(daemon_talk, "ask_daemon", ask)
    assert DaemonTalk(store, clock, ZONE).context() is None


def store_rows(store: MemoryStore, text: str) -> list[dict[str, str]]:
    return [{"id": memory.id} for memory in store.list() if memory.memory == text]
