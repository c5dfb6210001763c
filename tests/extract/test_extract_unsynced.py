"""What is heard while the clock is not set takes along what dates it later (m53)."""

from __future__ import annotations

from dataclasses import replace

from extract_fakes import (
    BERLIN,
    FakeGate,
    FakeLanguageModel,
    answer,
    entry,
    fake_mask,
    fake_mask_passage,
    fake_resolve,
    passage,
)

from junod.extract.extractor import Household, PassageExtractor
from junod.records import ClockAnchor, Decision, Kind, Outcome, Passage
from junod.sections import ExtractSettings

ANCHOR = ClockAnchor("boot-1", 42.0)


def decide(heard: Passage, says: str) -> Decision:
    extractor = PassageExtractor(
        FakeGate(),
        FakeLanguageModel(says),
        ExtractSettings(),
        mask=fake_mask,
        mask_passage=fake_mask_passage,
        resolve=fake_resolve,
        home=Household(BERLIN),
    )
    return extractor.decide(heard)


def unset(heard: Passage) -> Passage:
    return replace(heard, clock_synced=False, anchor=ANCHOR)


def test_the_time_words_as_spoken_and_what_became_of_them_go_along_masked() -> None:
    said = "Leo has the dentist tomorrow at three, the door code is 4711."
    says = answer(entry("appointment", "Leo has the dentist tomorrow at three", "Dentist for Leo", "tomorrow at three"))
    (new,) = decide(unset(passage(said)), says).memories
    assert new.unsynced is not None
    assert not new.clock_synced
    assert (new.unsynced.anchor, new.unsynced.kind, new.unsynced.phrase) == (
        ANCHOR, Kind.APPOINTMENT, "tomorrow at three",
    )  # fmt: skip
    assert new.unsynced.said == "Wed 25 Mar 2026, 15:00"
    assert new.unsynced.said in new.memory
    assert "4711" not in new.unsynced.hint
    (synced,) = decide(passage(said), says).memories
    assert synced.unsynced is None
    assert replace(new, unsynced=None, clock_synced=True) == synced


def test_what_looks_past_by_a_clock_that_is_not_set_is_kept() -> None:
    said = "Leo has the dentist, it was set for yesterday at three."
    says = answer(entry("appointment", "Leo has the dentist", "Dentist for Leo", "yesterday at three"))
    assert decide(passage(said), says).outcome is Outcome.REJECTED
    assert decide(unset(passage(said)), says).outcome is Outcome.KEPT
