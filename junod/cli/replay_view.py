"""What a replay shows: lines for people, one JSON object for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from junod.cli.as_json import print_json
from junod.cli.output import memory_row, moment, one_line
from junod.events import Discarded, Event, Heard, MemorySaved, PassageClosed, PassageDecided, StageFailed
from junod.records import Decision, Memory, Outcome, Passage
from junod.replay import ReplayReport

Heard_s = Callable[[float], None]

REASONS = {
    "below-threshold": "nothing in it to keep",
    "first-reject": "nothing in it to keep",
    "already-known": "already known",
    "past": "already over when it was said",
    "not-grounded": "the memory was not in the words spoken",
}
"""Reasons in words; a code that is not here is shown as it is."""


class TextView:
    """Tells the story as it happens."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, soft_wrap=True)
        self._passages: dict[str, Passage] = {}
        self._saved: list[Memory] = []
        self._thrown_away = 0
        self._discarded = 0

    @contextmanager
    def progress(self, total_s: float | None) -> Iterator[Heard_s]:
        """A bar on the error stream, so that the story can be piped."""
        columns = (TextColumn("hearing"), BarColumn(), TextColumn("{task.completed:.0f} s"), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("hearing", total=total_s)
            yield lambda seconds: bar.update(task, completed=seconds)

    def file(self, name: str) -> None:
        self._console.print(f"[bold]{escape(name)}[/bold]")

    def problem(self, text: str) -> None:
        Console(stderr=True).print(f"[yellow]warning:[/yellow] {escape(text)}")

    def follow(self, event: Event) -> None:
        match event:
            case Heard(utterance):
                time = utterance.spoken_at.strftime("%H:%M:%S")
                self._console.print(f"[dim]{time}[/dim]  heard       {escape(utterance.text)}")
            case Discarded(stage, reason):
                self._discarded += 1
                self._console.print(f"          [dim]no words    {stage}: {reason}[/dim]")
            case PassageClosed(passage):
                self._passages[passage.id] = passage
            case MemorySaved(memory):
                self._saved.append(memory)
                self._console.print(f"          [bold green]KEPT        {escape(one_line(memory.memory))}[/bold green]")
                self._console.print(f"          [green]            {_why(memory)}[/green]")
            case PassageDecided(decision) if decision.outcome is Outcome.REJECTED:
                self._thrown_away += 1
                self._console.print(f"          [dim]thrown away {_reason(decision)}[/dim]")
            case StageFailed(stage, code, message):
                self._console.print(f"          [red]failed      {stage}: {code}: {escape(message)}[/red]")
            case _:
                pass

    def finish(self, report: ReplayReport) -> None:
        parked = sum(decision.outcome is Outcome.PARKED for decision in report.decisions)
        self._console.print()
        self._console.print(
            f"[bold]{report.audio_s:.0f} s of sound, {report.passages} passages: {len(self._saved)} memories kept, "
            f"{self._thrown_away} passages thrown away[/bold]" + (f", {parked} parked" if parked else "")
        )
        for memory in self._saved:
            until = f"until {moment(memory.expires_at)}" if memory.expires_at else "for good"
            self._console.print(f"  • {escape(one_line(memory.memory))}  [dim]({until})[/dim]")


class JsonView:
    """Collects everything and prints one object at the end. Nothing else goes to standard output."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._problems: list[str] = []
        self._heard: list[dict[str, Any]] = []
        self._discarded: list[dict[str, Any]] = []
        self._passages: dict[str, dict[str, Any]] = {}
        self._memories: list[dict[str, Any]] = []

    @contextmanager
    def progress(self, total_s: float | None) -> Iterator[Heard_s]:
        yield lambda seconds: None

    def file(self, name: str) -> None:
        self._files.append(name)

    def problem(self, text: str) -> None:
        self._problems.append(text)

    def follow(self, event: Event) -> None:
        match event:
            case Heard(utterance):
                self._heard.append({"text": utterance.text, "spoken_at": utterance.spoken_at.isoformat()})
            case Discarded(stage, reason):
                self._discarded.append({"stage": stage, "reason": reason})
            case PassageClosed(passage):
                self._passages[passage.id] = {
                    "id": passage.id,
                    "transcript": passage.transcript,
                    "spoken_at": passage.spoken_at.isoformat(),
                    "closed_by": passage.closed_by.value,
                }
            case PassageDecided(decision):
                row = self._passages.setdefault(decision.passage_id, {"id": decision.passage_id})
                row.update(
                    outcome=decision.outcome.value, stage=decision.stage, score=decision.score, reason=decision.reason
                )
            case MemorySaved(memory):
                self._memories.append(memory_row(memory))
            case StageFailed(stage, code, message):
                self._problems.append(f"{stage}: {code}: {message}")
            case _:
                pass

    def finish(self, report: ReplayReport) -> None:
        print_json(
            {
                "files": self._files,
                "audio_s": round(report.audio_s, 2),
                "heard": self._heard,
                "discarded": self._discarded,
                "passages": list(self._passages.values()),
                "memories": self._memories,
                "problems": self._problems,
            }
        )


def _reason(decision: Decision) -> str:
    score = "" if decision.score is None else f", probability {decision.score:.2f}"
    return f"{REASONS.get(decision.reason, decision.reason)} ({decision.stage}{score})"


def _why(memory: Memory) -> str:
    until = f"until {moment(memory.expires_at)}" if memory.expires_at else "for good"
    return f"kept {until}, probability {memory.confidence:.2f}"
