"""The stages joined: what is heard becomes passages, what is decided becomes memories, and nothing is lost between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from fakes import (
    FakeActivity,
    FakeEmbedder,
    FakeExtractor,
    FakeGuarded,
    FakeTranscriber,
    at,
    frames,
    mask_word,
    pass_guard,
    segment,
)

from junod.clock import SimulatedClock
from junod.debounce import Debouncer, Place
from junod.errors import ExtractionError, TranscriptionError
from junod.events import Discarded, EventBus, Heard, MemorySaved, PassageClosed, PassageDecided, StageFailed
from junod.memory.store import MemoryStore
from junod.pipeline import Contexts, Deciding, Hearing, HearingParts, Listening
from junod.records import AudioMark, Decision, Outcome, Passage, Transcription
from junod.replay import ReplayReport, ReplayStages, replay_frames
from junod.sections import DebounceSettings

START = datetime(2026, 3, 24, 17, 0, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(START)) as opened:
        yield opened


def hearing(store: MemoryStore, script: list[str | TranscriptionError], bus: EventBus | None = None) -> Hearing:
    numbers = count(1)
    debouncer = Debouncer(DebounceSettings(), Place("kitchen"), lambda: f"p{next(numbers)}")
    parts = HearingParts(FakeTranscriber(script), pass_guard, debouncer, mask_word("4711"), store, Contexts(), ZONE)
    return Hearing(parts, bus or EventBus())


def passage(text: str, number: int = 1) -> Passage:
    return Passage(f"p{number}", text, START, "kitchen")


def test_a_mark_comes_with_every_segment_and_four_times_a_second() -> None:
    listening = Listening(FakeActivity())
    items = [item for frame in frames(1.0, 0.5) + frames(1.0, first_sample=at(1)) for item in listening.take(frame)]
    marks = [item for item in items if isinstance(item, AudioMark)]
    assert len(items) - len(marks) == 1
    assert 7 <= len(marks) <= 10
    assert marks[0].is_speaking
    assert marks[-1].last_speech_sample == at(0.99)


def test_the_time_of_an_utterance_is_when_speech_began_not_when_it_was_processed(store: MemoryStore) -> None:
    bus = EventBus()
    with bus.subscribe() as events:
        late = replace(segment(2, 5, wall_s=START.timestamp()), speech_first_sample=at(2.5))
        hearing(store, ["We need milk."], bus).take(late)
        (heard,) = [e for e in events.drain() if isinstance(e, Heard)]
    assert heard.utterance.spoken_at.isoformat() == "2026-03-24T18:00:02.500000+01:00"


def test_what_a_face_may_show_is_masked_too(store: MemoryStore) -> None:
    bus = EventBus()
    with bus.subscribe() as events:
        hearing(store, ["The code is 4711."], bus).take(segment(0, 2))
        (heard,) = [e for e in events.drain() if isinstance(e, Heard)]
    assert heard.utterance.text == "The code is [masked]."


def test_what_reaches_the_spool_is_masked(store: MemoryStore) -> None:
    stage = hearing(store, ["The code is 4711."])
    stage.take(segment(0, 2))
    assert stage.flush() == 1
    taken = store.next_passage()
    assert taken is not None
    assert taken.passage.transcript == "The code is [masked]."


def test_context_reaches_the_extractor_and_never_the_database(store: MemoryStore) -> None:
    contexts, extractor = Contexts(), FakeExtractor()
    debouncer = Debouncer(DebounceSettings(), Place("kitchen"), iter(["first", "second"]).__next__)
    script: list[str | TranscriptionError] = ["the gherkin code is 4711", "remember the milk"]
    parts = HearingParts(FakeTranscriber(script), pass_guard, debouncer, mask_word("4711"), store, contexts, ZONE)
    stage = Hearing(parts, EventBus())
    stage.take(segment(0, 2))
    stage.take(segment(8, 10))
    stage.flush()
    deciding = Deciding(extractor, FakeEmbedder(), store, contexts, EventBus())
    deciding.decide_next()
    content = b"".join(file.read_bytes() for file in store.path.parent.glob("junod.db*"))
    assert b"gherkin" not in content
    deciding.decide_next()
    assert extractor.seen[1].context == ("the gherkin code is [masked]",)


def test_a_guarded_text_and_a_failed_recogniser_are_reported_and_do_not_stop_the_ear(store: MemoryStore) -> None:
    bus = EventBus()
    stage = hearing(store, ["", TranscriptionError("engine failed"), "We need milk."], bus)
    with bus.subscribe() as events:
        for start_s in range(3):
            stage.take(segment(start_s, start_s + 0.9))
        kinds = [type(event) for event in events.drain()]
    assert kinds == [Discarded, StageFailed, Heard]
    assert stage.flush() == 1


def test_the_reason_of_the_guards_travels_with_the_event(store: MemoryStore) -> None:
    def drop(transcription: Transcription, speech_s: float) -> FakeGuarded:
        return FakeGuarded("", "no-speech")

    bus = EventBus()
    parts = HearingParts(
        FakeTranscriber(["you"]),
        drop,
        Debouncer(DebounceSettings(), Place("kitchen"), lambda: "p"),
        mask_word("x"),
        store,
        Contexts(),
        ZONE,
    )
    with bus.subscribe() as events:
        Hearing(parts, bus).take(segment(0, 1))
        assert list(events.drain()) == [Discarded("guards", "no-speech", 0)]


def test_a_kept_passage_leaves_a_memory_and_a_thrown_away_one_leaves_nothing(store: MemoryStore) -> None:
    bus = EventBus()
    store.spool_passage(passage("remember the milk", 1))
    store.spool_passage(passage("what a match", 2))
    stage = Deciding(FakeExtractor(), FakeEmbedder(), store, Contexts(), bus)
    with bus.subscribe() as events:
        kept, rejected = stage.decide_next(), stage.decide_next()
        assert [type(e) for e in events.drain()] == [MemorySaved, PassageDecided, PassageDecided]
    assert kept is not None
    assert rejected is not None
    assert (kept.outcome, rejected.outcome) == (Outcome.KEPT, Outcome.REJECTED)
    assert stage.decide_next() is None
    assert [m.memory for m in store.list()] == ["remember the milk"]
    assert store.spool_count() == 0


def test_a_failed_call_is_tried_once_more_and_then_parked_in_sight(store: MemoryStore) -> None:
    """Case v67 and m94: a failure is never taken for 'nothing found'."""
    store.spool_passage(passage("remember the milk"))
    failures = [ExtractionError("too slow", permanent=False) for _ in range(2)]
    stage = Deciding(FakeExtractor(failures), FakeEmbedder(), store, Contexts(), EventBus())
    first, second = stage.decide_next(), stage.decide_next()
    assert first is not None
    assert second is not None
    assert (first.reason, second.outcome) == ("will-retry", Outcome.PARKED)
    assert stage.decide_next() is None
    (parked,) = store.parked()
    assert parked.passage.transcript == "remember the milk"
    store.release("p1")
    assert stage.decide_next() is not None
    assert len(store.list()) == 1


def test_a_passage_forgotten_while_the_model_is_at_work_stays_forgotten(store: MemoryStore) -> None:
    class Forgetful(FakeExtractor):
        def decide(self, passage: Passage) -> Decision:
            store.forget_spoken(None, None)
            raise ExtractionError("hiccup", permanent=False)

    store.spool_passage(passage("remember the milk"))
    stage = Deciding(Forgetful(), FakeEmbedder(), store, Contexts(), EventBus())
    decision = stage.decide_next()
    assert decision is not None
    assert decision.reason == "forgotten"
    assert store.spool_count() == 0


def test_one_failure_costs_nothing(store: MemoryStore) -> None:
    store.spool_passage(passage("remember the milk"))
    failing = FakeExtractor([ExtractionError("hiccup", permanent=False)])
    stage = Deciding(failing, FakeEmbedder(), store, Contexts(), EventBus())
    stage.decide_next()
    stage.decide_next()
    assert [m.memory for m in store.list()] == ["remember the milk"]


def test_what_is_known_already_makes_no_second_row(store: MemoryStore) -> None:
    """Cases m11 and m32: one talk heard by two paths, a toast read aloud or a split passage's tail is a repeat."""
    store.spool_passage(passage("remember the milk", 1))
    store.spool_passage(passage("Remember the milk!", 2))
    stage = Deciding(FakeExtractor(), FakeEmbedder(), store, Contexts(), EventBus())
    stage.decide_next()
    store.spool_passage(passage("remember the milk", 3))
    stage.decide_next()
    repeat = stage.decide_next()
    assert repeat is not None
    assert (repeat.outcome, repeat.reason) == (Outcome.REJECTED, "already-known")
    assert len(store.list()) == 1


def test_a_replay_runs_all_stages_and_keeps_the_clock_of_the_recording(store: MemoryStore) -> None:
    clock, bus = SimulatedClock(START), EventBus()
    stages = ReplayStages(
        Listening(FakeActivity()),
        hearing(store, ["remember the milk", "what a match"], bus),
        Deciding(FakeExtractor(), FakeEmbedder(), store, Contexts(), bus),
        clock,
        bus,
    )
    sound = frames(2, 0.5) + frames(6, first_sample=at(2)) + frames(2, 0.5, first_sample=at(8))
    told: list[object] = []
    report = ReplayReport()
    replay_frames(iter(sound), stages, report, told.append, lambda seconds: None)
    assert report.passages == 2
    assert [d.outcome for d in report.decisions] == [Outcome.KEPT, Outcome.REJECTED]
    assert [type(e).__name__ for e in told].count("PassageClosed") == 2
    assert clock.monotonic_s() == pytest.approx(report.audio_s, abs=0.01)
    assert isinstance(told[1], PassageClosed)
