"""`junod dedup`: shows what superseded what and why, in words and in JSON, and scores labelled cases."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest
from dedup.dedup_fakes import new, shopping

from junod.__main__ import main
from junod.clock import SystemClock
from junod.memory.store import MemoryStore

CASES = Path(__file__).parent / "merges.jsonl"


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A household without models."""
    for name in [name for name in os.environ if name.startswith("JUNOD_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("JUNOD_DATA_DIR", str(tmp_path))
    path = tmp_path / "junod.db"
    now = SystemClock().now()
    with MemoryStore.open(path, clock=SystemClock()) as store:
        store.add(new(shopping("milk"), spoken_at=now - timedelta(minutes=5)))
        store.add(new(shopping("eggs"), spoken_at=now))
    return path


def junod(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with patch("sys.argv", ["junod", *arguments]), pytest.raises(SystemExit) as done:
        main()
    said = capsys.readouterr()
    return int(done.value.code or 0), said.out, said.err


def test_a_dry_run_says_what_it_would_do_and_does_not(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = junod(capsys, "dedup", "--dry-run")
    assert code == 0
    assert "Shopping list: milk, eggs" in out
    assert "would be superseded" in out
    assert "only the rules decide" in err
    with MemoryStore.open(database, clock=SystemClock()) as store:
        assert len(store.list()) == 2


def test_json_holds_what_superseded_what_and_why(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = junod(capsys, "dedup", "--json", "--rules-only")
    (merged,) = json.loads(out)["merged"]
    assert code == 0
    assert merged["reason"] == "list-growth"
    assert merged["memory"]["supersedes"] == sorted(source["id"] for source in merged["superseded"])
    again = json.loads(junod(capsys, "dedup", "--json", "--rules-only")[1])
    assert (again["merged"], again["superseded"], again["llm_calls"]) == ([], 0, 0)


def test_the_labelled_cases_are_scored(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = junod(capsys, "dedup", "--eval", str(CASES), "--json")
    score = json.loads(out)
    assert code == 0
    assert score["cases"] >= 150
    assert score["precision"] >= 0.99
    assert score["recall"] >= 0.88
    assert score["good_texts"] == score["texts"]
    assert score["second_run_changes"] == 0
    assert score["llm_calls"] == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [("{}", "line 1"), ('{"id": "x", "now": "2026-03-24", "memories": [], "expect": []}', "now"), ("", "no case")],
)
def test_a_bad_file_of_cases_is_named_with_its_line(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(line, "utf-8")
    code, _, err = junod(capsys, "dedup", "--eval", str(path))
    assert code == 2
    assert said in err
    assert junod(capsys, "dedup", "--eval", str(tmp_path / "gone.jsonl"))[0] == 2
