"""What an evaluation shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from junod.cli.as_json import print_json
from junod.cli.output import one_line
from junod.errors import UsageError
from junod.extract.evaluate import Labelled, answers, as_stored, load_labelled, score_predictions
from junod.extract.scoring import Score, Tally, judge
from junod.records import Decision, Passage


class ScoreView:
    """Progress on the error stream; the score, where the passages are labelled, on standard output."""

    def __init__(self, passages: Path, *, as_json: bool) -> None:
        self._path = passages
        self._as_json = as_json

    def progress(self, passages: Sequence[Passage]) -> Iterator[Passage]:
        console = Console(stderr=True)
        yield from track(passages, "deciding", console=console, transient=True, disable=not console.is_terminal)

    def finish(self, decisions: Mapping[str, Decision], *, list_errors: bool) -> None:
        labelled = self._labelled(decisions)
        stored = {key: as_stored(decision.memories) for key, decision in decisions.items()}
        score = score_predictions(labelled, stored) if labelled else None
        stages = Counter(decision.stage for decision in decisions.values())
        if self._as_json:
            print_json({"score": score_row(score), "stages": dict(stages)})
            return
        for stage, count in stages.most_common():
            print(f"{count:6} passages ended at: {stage}")
        if score is None:
            print("These passages have no labels, so there is no score.")
        else:
            print_score(score)
        if list_errors:
            print_errors(labelled, decisions)

    def _labelled(self, decisions: Mapping[str, Decision]) -> list[Labelled]:
        try:
            return [each for each in load_labelled(self._path) if each.passage.id in decisions]
        except UsageError:
            return []  # passages without labels are predicted all the same


def score_row(score: Score | None) -> dict[str, Any] | None:
    """The figures of a score, under the names the evaluation format uses."""
    if score is None:
        return None
    total = score.total
    return {
        "passages": total.passages,
        "stored": total.stored,
        "expected": total.expected,
        "precision": total.precision,
        "recall": total.recall,
        "dates": total.dates,
        "strict_f0.5": total.strict_f05,
        "ghosts_per_1000_passages": total.ghosts_per_1000,
        "leaks": total.leaks,
    }


def print_score(score: Score) -> None:
    for name, value in (score_row(score) or {}).items():
        print(f"{name:26} {'-' if value is None else value}")
    table = Table("group", "passages", "stored", "ghosts", "recall", "leaks", box=None, pad_edge=False)
    for key, tally in sorted(score.groups.items()):
        table.add_row(key, *_cells(tally))
    Console().print(table)


def _cells(tally: Tally) -> tuple[str, ...]:
    return (
        str(tally.passages),
        str(tally.stored),
        str(tally.ghosts),
        f"{tally.matched}/{tally.expected}",
        str(tally.leaks),
    )


def print_errors(labelled: Sequence[Labelled], decisions: Mapping[str, Decision]) -> None:
    """Each ghost, miss and wrong time beside the words it came from."""
    for each in labelled:
        decision = decisions[each.passage.id]
        verdict = judge(answers(each), as_stored(decision.memories))
        where = f"{each.passage.id} [{decision.stage} {decision.reason} {decision.score}]"
        said = each.passage.transcript[:120]
        for ghost in verdict.ghosts:
            print(f"GHOST  {where}: {one_line(decision.memories[ghost].memory)!r} <- {said!r}")
        for missed in verdict.missed:
            stored = "; ".join(one_line(memory.memory) for memory in decision.memories)
            print(f"MISSED {where}: {list(each.expect[missed].wanted)} stored: {stored!r} <- {said!r}")
        for late in verdict.mistimed:
            print(f"TIME   {where}: wanted {each.expect[late].expires_at} <- {said!r}")


def print_decision(decision: Decision, *, as_json: bool) -> None:
    """What became of one passage, and at which stage."""
    row = {
        "id": decision.passage_id,
        "outcome": decision.outcome.value,
        "stage": decision.stage,
        "probability": round(decision.score, 4) if decision.score is not None else None,
        "reason": decision.reason,
        "memories": [
            {"memory": m.memory, "expires_at": m.expires_at.isoformat() if m.expires_at else None}
            for m in decision.memories
        ],
    }
    if as_json:
        print_json(row)
        return
    for name, value in row.items():
        print(f"{name:>12}  {value}")
