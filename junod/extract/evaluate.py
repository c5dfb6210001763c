"""Labelled passages in, predictions out, and how well the two agree.

The format is one JSON object a line. A passage record never holds an answer: who spoke, what is expected and what is
forbidden stay in `Labelled`, beside it, for the score alone.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from junod.errors import UsageError
from junod.extract.scoring import Answers, Expectation, Score, Stored, score
from junod.records import ROOMS, NewMemory, Passage
from junod.sections import check_zone

T = TypeVar("T")
_FORMAT_HINT = "Each line is one JSON object; docs/extraction.md describes its fields."


@dataclass(frozen=True, slots=True)
class Labelled:
    """A passage and what should come of it."""

    passage: Passage
    origin: str
    """Who really spoke; for the breakdown alone."""
    expect: tuple[Expectation, ...] = ()
    optional: tuple[Expectation, ...] = ()
    forbid: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    author: str = ""
    """Who wrote it: the field `author`, else the file's name. Folds never split an author."""

    @property
    def holds_memory(self) -> bool | None:
        """What a gate should say; None where either answer is right."""
        if self.expect:
            return True
        return None if self.optional else False


def load_labelled(path: Path) -> list[Labelled]:
    """Passages with their labels.

    Raises:
        UsageError: the file, the line and what is wrong with it.
    """
    author = path.name.split(".")[0]
    return _checked(path, lambda row: _labelled(row, author))


def load_passages(path: Path) -> list[Passage]:
    """Passages alone; labels, where there are any, are not read.

    Raises:
        UsageError: the file, the line and what is wrong with it.
    """
    return _checked(path, _passage)


def load_predictions(path: Path) -> dict[str, tuple[Stored, ...]]:
    """What was stored for each passage id.

    Raises:
        UsageError: the file, the line and what is wrong with it.
    """
    return dict(_checked(path, _prediction))


def write_predictions(path: Path, stored: Iterable[tuple[str, Sequence[NewMemory]]]) -> None:
    """Write one line a passage, in the order given.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        with path.open("w", encoding="utf-8") as out:
            for passage_id, memories in stored:
                row = {"id": passage_id, "memories": [_memory_row(memory) for memory in memories]}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.", hint="Give --out another path.") from error


def _memory_row(memory: NewMemory) -> dict[str, str | None]:
    expires = memory.expires_at.isoformat() if memory.expires_at else None
    return {"memory": memory.memory, "transcript": memory.transcript, "expires_at": expires}


def as_stored(memories: Iterable[NewMemory]) -> tuple[Stored, ...]:
    """New memories as the score reads them."""
    return tuple(Stored(m.memory, m.transcript, m.expires_at) for m in memories)


def answers(labelled: Labelled) -> Answers:
    """What the score needs of a labelled passage."""
    keys = [f"origin:{labelled.origin}", f"room:{labelled.passage.room}", *(f"tag:{tag}" for tag in labelled.tags)]
    return Answers(labelled.expect, labelled.optional, labelled.forbid, tuple(keys))


def score_predictions(labelled: Sequence[Labelled], predictions: Mapping[str, Sequence[Stored]]) -> Score:
    """Score predictions by passage id.

    Raises:
        UsageError: a passage has no prediction.
    """
    missing = [one.passage.id for one in labelled if one.passage.id not in predictions]
    if missing:
        raise UsageError(
            f"There is no prediction for {len(missing)} passages, the first is {missing[0]}.",
            hint="Predict every passage; one that leaves nothing has an empty list.",
        )
    return score([(answers(one), predictions[one.passage.id]) for one in labelled])


def _checked(path: Path, parse: Callable[[dict[str, Any]], T]) -> list[T]:
    parsed = []
    for number, row in _rows(path):
        try:
            parsed.append(parse(row))
        except _BadRow as error:
            raise UsageError(f"{path}, line {number}: {error}.", hint=_FORMAT_HINT) from error
    return parsed


class _BadRow(ValueError):
    """What is wrong with a line."""


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode("utf-8")
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise UsageError(f"{path} cannot be read: {error}.", hint=_FORMAT_HINT) from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists in lists without end
            raise UsageError(f"{path}, line {number}: not valid JSON ({error}).", hint=_FORMAT_HINT) from error
        if not isinstance(row, dict):
            raise UsageError(f"{path}, line {number}: not a JSON object.", hint=_FORMAT_HINT)
        yield number, row


def _labelled(row: dict[str, Any], author: str) -> Labelled:
    return Labelled(
        passage=_passage(row),
        origin=_text(row, "origin"),
        expect=_expectations(row, "expect", required=True),
        optional=_expectations(row, "optional"),
        forbid=_texts(row, "forbid"),
        tags=_texts(row, "tags"),
        author=_text(row, "author") if "author" in row else author,
    )


def _passage(row: dict[str, Any]) -> Passage:
    room = _text(row, "room")
    if room not in ROOMS:
        raise _BadRow(f"room '{room}' is none of {', '.join(ROOMS)}")
    return Passage(
        id=_text(row, "id"),
        transcript=_text(row, "transcript"),
        spoken_at=_in_zone(_instant(_text(row, "spoken_at"), "spoken_at"), _text(row, "tz")),
        room=room,
        context=_texts(row, "context"),
    )


def _in_zone(moment: datetime, name: str) -> datetime:
    try:
        return moment.astimezone(check_zone(name))
    except (ValueError, OverflowError) as error:
        raise _BadRow(str(error)) from error


def _expectations(row: dict[str, Any], key: str, *, required: bool = False) -> tuple[Expectation, ...]:
    if required and key not in row:
        raise _BadRow(f"'{key}' is missing (an empty list where nothing may be stored)")
    entries = row.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise _BadRow(f"'{key}' is not a list of objects")
    return tuple(_expectation(entry) for entry in entries)


def _expectation(entry: dict[str, Any]) -> Expectation:
    wanted, kind, times = _texts(entry, "all"), _text(entry, "kind"), entry.get("expires_at")
    if not wanted:
        raise _BadRow("'all' of an expectation is missing or empty")
    if times == "any":
        return Expectation(wanted, kind, time_judged=False)
    if times is None:
        return Expectation(wanted, kind)
    if not isinstance(times, list):
        raise _BadRow("'expires_at' of an expectation is neither null, 'any' nor a list")
    return Expectation(wanted, kind, tuple(_instant(time, "expires_at") for time in times))


def _prediction(row: dict[str, Any]) -> tuple[str, tuple[Stored, ...]]:
    memories = row.get("memories")
    if not isinstance(memories, list) or not all(isinstance(one, dict) for one in memories):
        raise _BadRow("'memories' is not a list of objects")
    return _text(row, "id"), tuple(_stored(one) for one in memories)


def _stored(row: dict[str, Any]) -> Stored:
    expires = row.get("expires_at")
    moment = None if expires is None else _instant(expires, "expires_at")
    return Stored(_text(row, "memory"), str(row.get("transcript") or ""), moment)


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise _BadRow(f"'{key}' is missing" if value is None else f"'{key}' is not a string")
    return value


def _texts(row: dict[str, Any], key: str) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _BadRow(f"'{key}' is not a list of strings")
    return tuple(value)


def _instant(value: object, key: str) -> datetime:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise _BadRow(f"'{key}' {value!r} is not an ISO 8601 time") from error
    if moment.tzinfo is None:
        raise _BadRow(f"'{key}' {value!r} has no offset from UTC")
    return moment
