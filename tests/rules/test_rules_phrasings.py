"""What people say: rules read right, near-misses left alone, and a question where something is missing."""

from __future__ import annotations

import pytest
from rules.rules_fakes import is_as_labelled, phrasings

from junod.rules.reading import Reading, read_rules
from junod.rules.schema import RuleSpec


def score(split: str) -> tuple[float, float]:
    """(share of rules read right, share of near-misses of which no rule is made)."""
    right, left_alone = [], []
    for row in phrasings(split):
        reading = read_rules(row["said"])
        expect = row["expect"]
        if expect is None:
            left_alone.append(not reading.declared)
        elif "question" in expect:
            right.append(bool(reading.asked) and not reading.declared)
        else:
            specs = [one.spec for one in reading.declared]
            right.append(len(specs) == 1 and is_as_labelled(specs[0], expect))
    return sum(right) / len(right), sum(left_alone) / len(left_alone)


@pytest.mark.parametrize(("split", "least"), [("dev", 0.98), ("test", 0.95)])
def test_declared_rules_are_read_right_and_near_misses_are_none(split: str, least: float) -> None:
    right, left_alone = score(split)
    assert right >= least
    assert left_alone >= 0.98


@pytest.mark.parametrize("split", ["free-dev", "free-test"])
def test_patterns_make_no_rule_of_freely_worded_near_misses(split: str) -> None:
    assert score(split)[1] >= 0.93


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("From now on remind us earlier about the dentist.", "How long before the dentist?"),
        ("Never put that on the list again.", "What should never be put on the list?"),
        ("No reminders at night.", "From which hour to which should it be quiet?"),
    ],
)
def test_what_is_missing_is_asked_back(said: str, question: str) -> None:
    reading = read_rules(said)
    assert not reading.declared
    assert [one.question for one in reading.asked] == [question]


@pytest.mark.parametrize(
    "said",
    [
        "Do you mean Sylvie when you say my mum?",
        "When they say Sylvie they mean my mum.",
        "He said never put nuts on the list.",
        "When I say no I mean no.",
        "Put nuts on the list.",
    ],
)
def test_questions_reports_and_sayings_are_no_rules(said: str) -> None:
    assert read_rules(said) == Reading()


def test_a_rule_in_the_midst_of_talk_is_found_with_its_sentence() -> None:
    talk = "The soup is nearly done. Never put nuts on the list. We need milk and eggs."
    (one,) = read_rules(talk).declared
    assert one.said == "Never put nuts on the list."
    assert isinstance(one.spec, RuleSpec)


def test_names_and_numbers_of_a_rule_were_all_said() -> None:
    for row in phrasings("dev") + phrasings("test"):
        for one in read_rules(row["said"]).declared:
            for word in (one.spec.about, getattr(one.spec.action, "to", ""), getattr(one.spec.action, "tag", "")):
                assert word.lower() in row["said"].lower()
