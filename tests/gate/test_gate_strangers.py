"""Context by chance: in training alone, the same each time, and never in place of a real one."""

from __future__ import annotations

from datetime import UTC, datetime

from junod.extract.evaluate import Labelled
from junod.extract.strangers import MOST_EARLIER, among_strangers
from junod.records import Passage


def passages(count: int) -> list[Labelled]:
    moment = datetime(2026, 3, 24, 18, 0, tzinfo=UTC)
    return [
        Labelled(Passage(f"p{i}", f"words {i}", moment, "kitchen", ("real",) if i % 10 == 0 else ()), "household")
        for i in range(count)
    ]


def test_a_share_of_those_without_context_follows_others() -> None:
    given = passages(1000)
    taught = among_strangers(given, 0.5, seed=1)
    strange = [one for one, was in zip(taught, given, strict=True) if one.passage.context != was.passage.context]
    assert 380 < len(strange) < 520
    assert all(1 <= len(one.passage.context) <= MOST_EARLIER for one in strange)


def test_a_real_context_stays_and_nothing_else_changes() -> None:
    given = passages(50)
    for one, was in zip(among_strangers(given, 1.0, seed=1), given, strict=True):
        assert (one.passage.id, one.passage.transcript, one.expect) == (
            was.passage.id,
            was.passage.transcript,
            was.expect,
        )
        assert not was.passage.context or one.passage.context == ("real",)


def test_the_same_seed_gives_the_same_strangers() -> None:
    assert among_strangers(passages(50), 0.5, seed=3) == among_strangers(passages(50), 0.5, seed=3)
