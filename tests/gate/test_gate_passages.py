"""Reading passages: labels stay out of the passage, and a bad line is named."""

from __future__ import annotations

import gzip
import json
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from junod.errors import UsageError
from junod.extract.evaluate import as_stored, load_labelled, load_passages, load_predictions, write_predictions
from junod.extract.scoring import Stored
from junod.records import NewMemory

ROW: dict[str, Any] = {
    "id": "one",
    "room": "kitchen",
    "spoken_at": "2026-01-20T17:48:12-06:00",
    "tz": "America/Chicago",
    "transcript": "we are out of oats",
    "origin": "household",
    "expect": [{"all": ["oats"], "kind": "shopping", "expires_at": None}],
    "tags": ["secret-tag"],
    "forbid": ["1234"],
}


def write(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n", "utf-8")
    return path


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in ROW.items() if name != key}


def test_a_passage_holds_what_was_said_and_no_label(tmp_path: Path) -> None:
    (passage,) = load_passages(write(tmp_path / "a.jsonl", ROW))
    assert (passage.id, passage.transcript, passage.room) == ("one", "we are out of oats", "kitchen")
    assert passage.spoken_at.isoformat() == "2026-01-20T17:48:12-06:00"
    everything = " ".join(str(getattr(passage, f.name)) for f in fields(passage))
    assert "secret-tag" not in everything
    assert "household" not in everything


def test_passages_need_no_labels(tmp_path: Path) -> None:
    row = {key: ROW[key] for key in ("id", "room", "spoken_at", "tz", "transcript")}
    assert len(load_passages(write(tmp_path / "a.jsonl", row))) == 1


def test_spoken_at_is_read_in_the_household_zone(tmp_path: Path) -> None:
    (passage,) = load_passages(write(tmp_path / "a.jsonl", {**ROW, "spoken_at": "2026-01-20T23:48:12+00:00"}))
    assert passage.spoken_at.hour == 17


def test_the_author_is_the_file_unless_the_row_names_one(tmp_path: Path) -> None:
    rows = load_labelled(write(tmp_path / "somebody.jsonl", ROW, {**ROW, "author": "else"}))
    assert [row.author for row in rows] == ["somebody", "else"]


def test_a_compressed_corpus_is_read_like_a_plain_one(tmp_path: Path) -> None:
    packed = tmp_path / "corpus.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(ROW).encode()))
    (row,) = load_labelled(packed)
    assert (row.author, row.forbid) == ("corpus", ("1234",))


@pytest.mark.parametrize(
    ("changes", "answer"),
    [({}, True), ({"expect": []}, False), ({"expect": [], "optional": ROW["expect"]}, None)],
)
def test_a_passage_with_only_optional_memories_is_neither_positive_nor_negative(
    tmp_path: Path, changes: dict[str, Any], answer: bool | None
) -> None:
    (row,) = load_labelled(write(tmp_path / "a.jsonl", {**ROW, **changes}))
    assert row.holds_memory is answer


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("{not json", "line 2: not valid JSON"),
        ("[1]", "line 2: not a JSON object"),
        (without("transcript"), "line 2: 'transcript' is missing"),
        (without("expect"), "line 2: 'expect' is missing"),
        (without("tz"), "line 2: 'tz' is missing"),
        ({**ROW, "spoken_at": "2026-01-20T17:48:12"}, "line 2: 'spoken_at' .* has no offset"),
        ({**ROW, "spoken_at": "yesterday"}, "line 2: 'spoken_at' 'yesterday' is not an ISO 8601 time"),
        ({**ROW, "room": "attic"}, "line 2: room 'attic'"),
        ({**ROW, "tz": "Mars/Base"}, "line 2: 'Mars/Base' is not an IANA time zone"),
        ({**ROW, "context": "before"}, "line 2: 'context' is not a list of strings"),
        ({**ROW, "expect": [{"kind": "fact"}]}, "line 2: 'all' of an expectation is missing"),
        ({**ROW, "expect": [{"all": ["a"], "kind": "fact", "expires_at": ["2026-01-20"]}]}, "has no offset"),
        ({**ROW, "expect": [{"all": ["a"], "kind": "fact", "expires_at": 5}]}, "neither null, 'any' nor a list"),
    ],
)
def test_a_bad_line_is_named_with_its_file(tmp_path: Path, bad: object, says: str) -> None:
    path = write(tmp_path / "a.jsonl", ROW, bad)
    with pytest.raises(UsageError, match=says) as caught:
        load_labelled(path)
    assert str(path) in caught.value.message


def test_a_missing_file_is_a_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_passages(tmp_path / "none.jsonl")


def test_predictions_come_back_as_they_were_written(tmp_path: Path) -> None:
    noon = datetime(2026, 3, 24, 12, tzinfo=UTC)
    memory = NewMemory("Zahnarzt für Mira", "said so", noon, noon, "kitchen")
    path = tmp_path / "out.jsonl"
    write_predictions(path, [("one", [memory]), ("two", [])])
    assert load_predictions(path) == {"one": as_stored([memory]), "two": ()}
    assert as_stored([memory]) == (Stored("Zahnarzt für Mira", "said so", noon),)


def test_predictions_that_cannot_be_written_say_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_predictions(tmp_path / "no" / "out.jsonl", [])


def test_a_prediction_with_a_naive_time_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", {"id": "a", "memories": [{"memory": "m", "expires_at": "2026-01-20T10:00:00"}]})
    with pytest.raises(UsageError, match=r"line 1: .expires_at. .* has no offset"):
        load_predictions(path)
