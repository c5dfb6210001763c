"""Scoring dedup on labelled cases: which memories must become one, and which must stay apart.

A case is one JSON object a line:

| field | meaning |
| --- | --- |
| `id`, `tags` | unique; free words for the breakdown |
| `now` | ISO 8601 with offset: end of the window |
| `memories` | list of `{"key", "memory", "transcript", "spoken_at", "expires_at"}`, also `source`, `room` |
| `expect` | list of `{"from": [keys], "all": [needles], "none": [needles], "expires_at": ISO or null}`: these are \
one memory whose text has all of `all` and nothing of `none` (case ignored), and it ends then; `[]` = all stay |
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

from junod.dedup.loop import Deduper
from junod.errors import ConflictError, UsageError
from junod.extract.language_model import LanguageModel
from junod.memory.embedder import Embedding
from junod.memory.kin import Lookup
from junod.memory.rows import Filter
from junod.records import Memory, NewMemory
from junod.sections import DedupSettings

Likeness = Callable[[str, str], float | None]
"""Cosine similarity of two texts."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CaseMemory(_Model):
    key: str
    memory: str = Field(min_length=1)
    transcript: str = ""
    spoken_at: AwareDatetime
    expires_at: AwareDatetime | None = None
    source: str = "voice"
    room: str = "kitchen"


class Expected(_Model):
    sources: list[str] = Field(alias="from", min_length=2)
    all: list[str] = []
    none: list[str] = []
    expires_at: AwareDatetime | None = None


class Case(_Model):
    id: str
    tags: list[str] = []
    now: AwareDatetime
    memories: list[CaseMemory] = Field(min_length=1)
    expect: list[Expected]

    @model_validator(mode="after")
    def _known_keys(self) -> Case:
        keys = [one.key for one in self.memories]
        named = [key for group in self.expect for key in group.sources]
        if len(set(keys)) < len(keys) or len(set(named)) < len(named) or not set(named) <= set(keys):
            raise ValueError("keys must be unique, and 'expect' may name each once")
        return self


@dataclass(slots=True)
class Score:
    """Pairs of memories that were put together, against those that belong together."""

    cases: int = 0
    right: int = 0
    """Pairs rightly put together."""
    wrong: int = 0
    missed: int = 0
    texts: int = 0
    """Expected merges found whole."""
    good_texts: int = 0
    """Of those, merges whose text and end are as expected."""
    second_run_changes: int = 0
    """Cases in which a second run found something more to do."""
    llm_calls: int = 0
    by_tag: dict[str, Counter[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    """One line for each wrong or missed merge and each bad text."""

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


def read_cases(path: Path) -> list[Case]:
    """Labelled cases.

    Raises:
        UsageError: the file cannot be read, or a line is not a case; names the line.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read.", hint="Give a file of labelled cases, JSON lines.") from error
    cases = [_case(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not cases:
        raise UsageError(f"{path} holds no case.", hint="One JSON object a line; see junod/dedup/evaluate.py.")
    return cases


def _case(path: Path, number: int, line: str) -> Case:
    try:
        return Case.model_validate_json(line)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise UsageError(
            f"{path}, line {number}: {place} {problem['msg']}.", hint="See junod/dedup/evaluate.py."
        ) from error


def evaluate(
    cases: Sequence[Case], settings: DedupSettings, llm: LanguageModel | None, likeness: Likeness = lambda a, b: None
) -> Score:
    """Run dedup on each case by itself, in memory."""
    score = Score()
    for case in cases:
        _score_case(case, settings, llm, likeness, score)
    return score


def _score_case(
    case: Case, settings: DedupSettings, llm: LanguageModel | None, likeness: Likeness, score: Score
) -> None:
    shelf = Shelf(case, likeness)
    deduper = Deduper(shelf, settings, llm, None)
    report = deduper.run(case.now)
    score.cases += 1
    score.llm_calls += report.llm_calls
    score.second_run_changes += bool(deduper.run(case.now).merged)
    made = {frozenset(shelf.origins(memory.id)): memory for memory in shelf.active() if shelf.origins(memory.id)}
    wanted = {frozenset(group.sources): group for group in case.expect}
    found_pairs = {pair for keys in made for pair in combinations(sorted(keys), 2)}
    wanted_pairs = {pair for keys in wanted for pair in combinations(sorted(keys), 2)}
    counts = Counter(
        right=len(found_pairs & wanted_pairs), wrong=len(found_pairs - wanted_pairs),
        missed=len(wanted_pairs - found_pairs),
    )  # fmt: skip
    score.right, score.wrong = score.right + counts["right"], score.wrong + counts["wrong"]
    score.missed += counts["missed"]
    for tag in case.tags:
        score.by_tag.setdefault(tag, Counter()).update(counts)
    if counts["wrong"] or counts["missed"]:
        score.problems.append(f"{case.id}: {counts['wrong']} wrong, {counts['missed']} missed")
    for keys, group in wanted.items():
        if keys in made:
            _score_text(case, group, made[keys], score)


def _score_text(case: Case, group: Expected, memory: Memory, score: Score) -> None:
    low = memory.memory.casefold()
    lost = [needle for needle in group.all if needle.casefold() not in low]
    extra = [needle for needle in group.none if needle.casefold() in low]
    score.texts += 1
    if not lost and not extra and memory.expires_at == group.expires_at:
        score.good_texts += 1
        return
    end = "" if memory.expires_at == group.expires_at else f" ends {memory.expires_at}, not {group.expires_at}"
    score.problems.append(f"{case.id}: {memory.memory!r} lacks {lost}, has {extra}{end}")


class Shelf:
    """`DedupStore` in memory, for one case: everything is near everything."""

    def __init__(self, case: Case, likeness: Likeness) -> None:
        self._likeness = likeness
        self._memories = {one.key: _stored(one) for one in case.memories}
        self._sources: dict[str, tuple[str, ...]] = {}

    def active(self) -> tuple[Memory, ...]:
        gone = {old for olds in self._sources.values() for old in olds}
        return tuple(memory for key, memory in self._memories.items() if key not in gone)

    def origins(self, memory_id: str) -> tuple[str, ...]:
        """Keys of the case's memories that a merged one came from; () for one of them itself."""
        olds = self._sources.get(memory_id, ())
        return tuple(key for old in olds for key in (self.origins(old) or (old,)))

    def list(self, wanted: Filter) -> tuple[Memory, ...]:
        return tuple(one for one in self.active() if wanted.since is None or one.spoken_at >= wanted.since)

    def mentioning(self, lookups: Sequence[Lookup]) -> tuple[Memory, ...]:
        return self.active()

    def likeness(self, memory_id: str, other_ids: Sequence[str]) -> dict[str, float]:
        own = self._memories[memory_id].memory
        found = {each: self._likeness(own, self._memories[each].memory) for each in other_ids}
        return {each: alike for each, alike in found.items() if alike is not None}

    def kept_apart(self) -> frozenset[frozenset[str]]:
        return frozenset()

    def add(self, new: NewMemory, embedding: Embedding | None = None) -> Memory:
        if not set(new.supersedes) <= {one.id for one in self.active()}:
            raise ConflictError("A source is not active any more.")
        memory = _stored(
            CaseMemory(
                key=f"merged-{len(self._sources) + 1}",
                memory=new.memory,
                transcript=new.transcript,
                spoken_at=new.spoken_at,
                expires_at=new.expires_at,
                source=new.source,
                room=new.room,
            )
        )
        self._memories[memory.id] = memory
        self._sources[memory.id] = new.supersedes
        return memory


def _stored(one: CaseMemory) -> Memory:
    return Memory(
        id=one.key,
        memory=one.memory,
        transcript=one.transcript,
        room=one.room,
        device_id="",
        spoken_at=one.spoken_at,
        created_at=one.spoken_at,
        expires_at=one.expires_at,
        archived=False,
        source=one.source,
        confidence=1.0,
    )


def score_row(score: Score) -> dict[str, Any]:
    """The score for programs."""
    return {
        "cases": score.cases,
        "precision": score.precision,
        "recall": score.recall,
        "right": score.right,
        "wrong": score.wrong,
        "missed": score.missed,
        "texts": score.texts,
        "good_texts": score.good_texts,
        "second_run_changes": score.second_run_changes,
        "llm_calls": score.llm_calls,
        "by_tag": {tag: dict(counts) for tag, counts in sorted(score.by_tag.items())},
        "problems": score.problems,
    }


def as_json(score: Score) -> str:
    return json.dumps(score_row(score), indent=2, ensure_ascii=False)
