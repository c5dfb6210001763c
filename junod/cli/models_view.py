"""What `junod models` prints: a table, progress bars, or JSON. Imported when such a command runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn
from rich.table import Column, Table

from junod.cli.as_json import print_json
from junod.weights.manifest import Model, load_manifest
from junod.weights.pull import pull
from junod.weights.verify import ModelState, installed_source, verify_model


def show_list(folder: Path, *, as_json: bool) -> None:
    """Every model of the manifest and whether it lies in `folder`."""
    rows = [_row(model, folder) for model in load_manifest().models]
    if as_json:
        print_json({"folder": str(folder), "models": rows})
        return
    table = Table(*(Column(title, no_wrap=True) for title in ("model", "role", "size", "installed")))
    for row in rows:
        name = f"{row['name']} *" if row["default"] else row["name"]
        size = f"{row['bytes'] / 1e6:.0f} MB"
        table.add_row(name, row["role"], size, "yes" if row["installed"] else "no")
    console = Console()
    console.print(table)
    console.print(f"* default set of `junod models pull`; folder: {folder}", highlight=False, soft_wrap=True)


def pull_shown(names: tuple[str, ...], folder: Path, hub: str) -> None:
    """Pull with one progress bar a model, on stderr."""
    with _bars() as bars:
        pull(names, folder, _Bars(bars), hub=hub)
    _stderr().print(f"Whole and verified in {folder}: {', '.join(names)}", highlight=False, soft_wrap=True)


def verify_shown(names: tuple[str, ...], folder: Path, *, full: bool, as_json: bool) -> bool:
    """Verify with progress bars; True when every model is right."""
    manifest = load_manifest()
    with _bars() as bars:
        states = [_verify_one(manifest.find(name), folder, bars, full=full) for name in names]
    if as_json:
        print_json([asdict(state) for state in states])
    else:
        _print_states(states)
    return all(state.state == "ok" for state in states)


class _Bars:
    """Shows a pull as one bar a model."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def model(self, name: str, done: int, total: int) -> None:
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total)
        self._bars.update(self._tasks[name], completed=done, total=total)

    def note(self, line: str) -> None:
        self._bars.console.print(line, highlight=False, soft_wrap=True)


def _bars() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), DownloadColumn(), TransferSpeedColumn())
    return Progress(*columns, console=_stderr())


def _stderr() -> Console:
    return Console(stderr=True)


def _row(model: Model, folder: Path) -> dict[str, Any]:
    source = installed_source(folder / model.name, model)
    return {
        "name": model.name,
        "role": model.role,
        "bytes": (source or model.sources[-1]).size,
        "licence": model.licence,
        "default": model.default,
        "installed": source is not None,
        "about": model.about,
    }


def _verify_one(model: Model, folder: Path, bars: Progress, *, full: bool) -> ModelState:
    task = bars.add_task(model.name, total=(installed_source(folder / model.name, model) or model.sources[-1]).size)
    state = verify_model(model, folder, full=full, advance=_advance(bars, task))
    if state.state == "ok":
        bars.update(task, total=state.bytes, completed=state.bytes)
    return state


def _advance(bars: Progress, task: TaskID) -> Callable[[int], None]:
    return lambda size: bars.advance(task, size)


def _print_states(states: list[ModelState]) -> None:
    console = Console()
    for state in states:
        console.print(f"{state.name}: {state.state}", highlight=False)
        for file in state.problems:
            console.print(f"  {file.path}: {file.problem}", highlight=False)
        if state.state != "ok":
            console.print(f"  Run `junod models pull {state.name}`.", highlight=False)
