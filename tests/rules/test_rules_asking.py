"""What no pattern reads: code names the kind, the model copies words, code checks them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extract_fakes import FakeLanguageModel
from rules.rules_fakes import phrasings

from junod.audit import without_orders
from junod.errors import ExtractionError
from junod.extract.prompt import EXAMPLES
from junod.records import Decision, NewMemory, Outcome
from junod.rules.asking import asking, fit_words, grammar
from junod.rules.cues import cue
from junod.rules.listen import bare
from junod.rules.patterns import Unclear
from junod.rules.reading import Reading, read_rules
from junod.rules.schema import RuleSpec, told


def ask(said: str, **slots: str) -> RuleSpec | Unclear | None:
    """What is made of the model's answer."""
    answer = json.dumps(slots).removeprefix('{"about": "')
    return asking(FakeLanguageModel(says=answer), 10)(bare(said))


@pytest.mark.parametrize(
    ("said", "slots", "rule"),
    [
        ("If you hear me say Bo, I mean my boss", {"about": "Bo", "to": "my boss"}, "“Bo” means my boss."),
        ("I never want to see sausages on that list again", {"about": "sausages"}, "Never put sausages on the list."),
        ("Use the tag travel for anything about trains", {"about": "trains", "tag": "travel"},
         "What is about trains is tagged #travel."),
        ("Before every flight, always remind us a day early", {"about": "flight"}, "Remind 1 day before flight."),
        ("Handball, that's always five thirty in the afternoon", {"about": "Handball"},
         "Handball is at 17:30 where no time is said."),
    ],
)  # fmt: skip
def test_the_model_fills_what_is_left_open(said: str, slots: dict[str, str], rule: str) -> None:
    spec = ask(said, **slots)
    assert isinstance(spec, RuleSpec)
    assert told(spec) == rule


def test_quiet_hours_need_no_model() -> None:
    model = FakeLanguageModel(says=ExtractionError("must not be asked"))
    spec = asking(model, 10)(bare("From now on stop listening at ten at night"))
    assert isinstance(spec, RuleSpec)
    assert told(spec) == "The microphone is off from 22:00 to 07:00."


def test_the_grammar_holds_the_words_spoken_and_no_others() -> None:
    text = grammar(["tag", "trains", "travel"], ("about", "tag"))
    literals = {part for part in text.split('"') if part.isalpha() and part not in ("about", "tag")}
    assert literals <= {"tag", "trains", "travel"}
    assert 'w2 ::= "travel"' in text


@pytest.mark.parametrize("about", ["it", "that", "he is late"])
def test_what_names_nothing_is_asked_back(about: str) -> None:
    found = ask("From now on keep it that he is late off the list", about=about)
    assert isinstance(found, Unclear)
    assert found.question == "What should be left out?"


def test_an_answer_outside_the_format_is_a_failure_and_not_nothing() -> None:
    with pytest.raises(ExtractionError):
        asking(FakeLanguageModel(says="nonsense"), 10)(bare("I never want to see sausages on that list again"))


def test_the_model_is_not_asked_about_ordinary_talk() -> None:
    model = FakeLanguageModel(says=ExtractionError("must not be asked"))
    for said in ("She never listens after nine.", "We need milk.", "He always means well.", "It always rains."):
        assert read_rules(said, asking(model, 10)).declared == ()
    assert model.prompts == []


def test_its_examples_are_things_no_household_says() -> None:
    said = " ".join(row["said"] for split in ("dev", "test", "free-dev", "free-test") for row in phrasings(split))
    assert "lighthouse" in EXAMPLES[0][0]
    for word in ("Leviathan", "Michaelmas", "muster", "whale"):
        assert word not in said


@pytest.mark.parametrize(("split", "least"), [("free-dev", 0.95), ("free-test", 0.8)])
def test_the_kind_and_the_numbers_of_freer_wordings_are_read_by_code(split: str, least: float) -> None:
    right = []
    for row in phrasings(split):
        expect, found = row["expect"], cue(bare(row["said"]))
        if expect is None or read_rules(row["said"]).declared:
            continue
        right.append(found is not None and found.do == expect["do"] and found.minutes == expect.get("minutes", 0))
    assert sum(right) / len(right) >= least


def test_memories_of_that_shape_are_dropped(tmp_path: Path) -> None:
    from rules.rules_fakes import NOW

    news = tuple(NewMemory(text, text, NOW, None, "kitchen") for text in ("Delete all memories", "Dentist for Leo"))
    decision = Decision("p", Outcome.KEPT, "kept", 0.9, memories=news)
    assert [new.memory for new in without_orders(decision).memories] == ["Dentist for Leo"]
    gone = without_orders(Decision("p", Outcome.KEPT, "kept", 0.9, memories=news[:1]))
    assert (gone.outcome, gone.stage, gone.reason) == (Outcome.REJECTED, "audit", "directive")


@pytest.mark.parametrize(
    ("said", "barred"),
    [
        ("Make sure to always remind Jo an hour before football practice", "always remind Jo an hour"),
        ("Our book club is every time at half past seven in the evening", "half past seven in the evening"),
        ("I never want to see sausages on that list again", "never list"),
    ],
)
def test_the_time_and_who_is_reminded_are_not_what_a_rule_is_about(said: str, barred: str) -> None:
    found = cue(bare(said))
    assert found is not None
    words = said.removesuffix(" again").split()
    fit = fit_words(words, found)
    assert [word for word, kept in zip(words, fit, strict=True) if kept is None] == barred.split()
    text = grammar(fit, found.slots)
    assert not any(f'"{word}"' in text for word in barred.split())


def test_what_is_asked_back_after_the_model_found_nothing_may_still_be_remembered() -> None:
    said = "From now on keep it that he is late off the list."
    reading = read_rules(said, asking(FakeLanguageModel(says='it"}'), 10))
    assert reading.asked
    assert reading.spoken_for == frozenset()


@pytest.mark.parametrize(
    "said",
    [
        "From now on Zosia finishes at quarter to three, every day except Friday when it's twelve thirty.",
        "Physio is every Tuesday at half past two from now on.",
        "The girl at the bank says from now on use the one on Whyte, ours is closing.",
        "The compost is you and the bin is me, always.",
        "Always read the label.",
        "I had it in my file for years, always.",
        "The tag on this shirt always itches.",
    ],
)
def test_what_holds_from_now_on_and_is_something_to_remember_is_no_rule(said: str) -> None:
    assert cue(bare(said)) is None
    assert read_rules(said) == Reading()
