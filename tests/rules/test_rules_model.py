"""Freely worded rules with the real language model: docs/rules.md has the figures for all of them."""

from __future__ import annotations

import pytest
from rules.rules_fakes import is_as_labelled, phrasings

from junod.assembly.parts import llm_path
from junod.extract.local_llm import LocalLanguageModel
from junod.rules.asking import asking
from junod.rules.cues import cue
from junod.rules.listen import bare
from junod.rules.reading import read_rules
from junod.settings import Settings

pytestmark = pytest.mark.models


def test_free_wordings_are_read_right_and_near_misses_that_reach_the_model_are_no_rules() -> None:
    """Every fourth of those written last, and of all near-misses those that code takes for declarations."""
    settings = Settings()
    llm = LocalLanguageModel(llm_path(settings), settings.extract)
    ask = asking(llm, settings.extract.deadline_s)
    rules = [row for row in phrasings("last") if row["expect"]][::4]
    readings = [(read_rules(row["said"], ask), row["expect"]) for row in rules]
    right = [
        len(reading.declared) == 1 and is_as_labelled(reading.declared[0].spec, expect) for reading, expect in readings
    ]
    assert sum(right) >= 9
    near = [row["said"] for split in ("dev", "test", "last") for row in phrasings(split) if row["expect"] is None]
    reaching = [said for said in near if cue(bare(said))]
    assert reaching
    assert [said for said in reaching if read_rules(said, ask).declared] == []
