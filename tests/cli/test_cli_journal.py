"""`junod journal`: a person sees why something was or was not kept, and no word of what was said."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from junod.cli.app import app
from junod.clock import SimulatedClock
from junod.memory.store import MemoryStore
from junod.records import Decision, NewMemory, Outcome, Passage

Junod = Callable[..., Result]
NOW = datetime(2026, 3, 24, 18, 0, tzinfo=UTC)


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Junod:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("JUNOD_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("JUNOD_CONFIG", raising=False)
    db = tmp_path / "junod.db"
    with MemoryStore.open(db, clock=SimulatedClock(NOW)) as store:
        _decide(store, Decision("chatter", Outcome.REJECTED, "gate", 0.031, "below-threshold"))
        kept = NewMemory("Aubergines", "we need aubergines", NOW, None, "kitchen")
        _decide(store, Decision("needs", Outcome.KEPT, "kept", 0.912, "", (kept,)))
    return lambda *options: CliRunner().invoke(app, ["journal", *options, "--db", str(db)])


def _decide(store: MemoryStore, decision: Decision) -> None:
    store.spool_passage(Passage(decision.passage_id, "we need aubergines", NOW, "kitchen"))
    store.decide(decision.passage_id, decision)


def test_it_shows_stage_score_and_reason_newest_last(journal: Junod) -> None:
    rows = json.loads(journal("--json").stdout)
    assert [(row["stage"], row["probability"], row["reason"]) for row in rows] == [
        ("gate", 0.031, "below-threshold"),
        ("kept", 0.912, ""),
    ]
    text = journal().stdout
    assert text.index("below-threshold") < text.index("0.912")


def test_it_shows_no_word_that_was_said(journal: Junod) -> None:
    for options in ((), ("--all",), ("--json", "--all")):
        assert "ubergine" not in journal(*options).stdout


def test_it_shows_so_many_of_the_latest_and_memories_only_when_asked(journal: Junod) -> None:
    assert [row["passage_id"] for row in json.loads(journal("--last", "1", "--json").stdout)] == ["needs"]
    events = {row["event"] for row in json.loads(journal("--all", "--json").stdout)}
    assert {"spooled", "decided", "stored"} <= events
