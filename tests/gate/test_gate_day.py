"""The composed day: what it is drawn from, and what is counted. No model."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from junod.extract.evaluate import Labelled
from junod.extract.gate_protocol import GateVerdict
from junod.extract.scoring import Expectation
from junod.records import Passage
from scripts.eval_day import UTTERANCES, WORTH_KEEPING, Said, drawn, figures, in_order, judged, pools

NOON = datetime(2026, 3, 24, 12, tzinfo=UTC)
MILK = Expectation(("milk",), "shopping")


def _said(name: str, *, keep: bool = False, tags: tuple[str, ...] = (), context: tuple[str, ...] = ()) -> Labelled:
    passage = Passage(name, f"words of {name}", NOON + timedelta(minutes=1), "kitchen", context)
    return Labelled(passage, "household", expect=(MILK,) if keep else (), tags=tags, author="a")


CORPUS = [_said(f"keep{i}", keep=True) for i in range(20)] + [_said(f"hard{i}") for i in range(90)]
TALK = [_said(f"talk{i}", tags=("sitcom",)) for i in range(1000)]


def _keeps(said: Said) -> GateVerdict:
    name = said.labelled.passage.id
    is_kept = name.startswith("keep") or name == "talk7"
    return GateVerdict(0.9 if is_kept else 0.1, is_kept)


def test_a_day_has_800_utterances_with_those_worth_keeping_first_and_the_asked_share_of_hard_ones() -> None:
    day = drawn(pools(CORPUS, CORPUS, [TALK]), 0.1, seed=3)
    assert len(day) == UTTERANCES
    assert [bool(said.labelled.expect) for said in day].count(True) == WORTH_KEEPING
    assert all(said.labelled.expect for said in day[:WORTH_KEEPING])
    assert sum(said.labelled.passage.id.startswith("hard") for said in day) == 79
    assert len({said.labelled.passage.id for said in day}) == UTTERANCES


def test_a_seed_is_a_day() -> None:
    found = pools(CORPUS, CORPUS, [TALK])
    assert drawn(found, 0.1, seed=3) == drawn(found, 0.1, seed=3) != drawn(found, 0.1, seed=4)


def test_only_the_corpus_is_judged_by_judges_that_never_saw_its_author() -> None:
    day = drawn(pools(CORPUS, CORPUS, [TALK]), 0.1, seed=3)
    assert all(said.is_corpus != said.labelled.passage.id.startswith("talk") for said in day)


def test_kept_and_ghosts_are_counted_by_where_they_come_from() -> None:
    day = drawn(pools(CORPUS, CORPUS, [TALK[:709]]), 0.1, seed=3)
    counted = judged(day, _keeps)
    assert (counted.kept, counted.ghosts, counted.ghost_sources) == (12, 1, {"sitcom": 1})
    found = figures([counted])
    assert found["days_with_both"] == 1.0
    assert found["other_thresholds"][0]["kept"] == 0, "the ghost is as sure as they are"
    assert found["other_thresholds"][-1]["kept"] == 12


def test_a_day_lived_in_order_puts_talk_of_the_last_minutes_before_a_passage_without_context() -> None:
    found = pools(CORPUS, CORPUS, [[_said("own", context=("before",)), *TALK[:708]]])
    day = drawn(found, 0.1, seed=3)
    lived = in_order(day, seed=3)
    assert [said.labelled.passage.transcript for said in lived] == [said.labelled.passage.transcript for said in day]
    contexts = [said.labelled.passage.context for said in lived]
    assert sum(bool(context) for context in contexts) > UTTERANCES / 2
    assert max(map(len, contexts)) <= 3
    assert ("before",) in contexts, "what a passage brings along stays"
