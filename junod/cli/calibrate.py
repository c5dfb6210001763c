"""`junod calibrate`: fit the gate for the configured language model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, JsonOption, settings_for


def calibrate(
    passages: Annotated[
        list[Path] | None, typer.Argument(help="Labelled passages.", show_default="the corpus that comes with junod")
    ] = None,
    target_precision: Annotated[
        float | None, typer.Option(min=0.5, max=0.999, help="Share of what is kept that must be right.")
    ] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Fit the gate for the configured language model and write it to the data folder.

    Prints precision and recall on authors held out. Takes one forward pass of the model for each passage.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from junod.assembly.tools import calibrate_gate

    settings = settings_for(config, extract={"target_precision": target_precision} if target_precision else {})
    columns = (TextColumn("reading passages"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        report, path = calibrate_gate(
            settings, passages or [], lambda done, total: bar.update(task, completed=done, total=total)
        )
    if json:
        point = report.point
        row = {"precision": point.precision, "recall": point.recall, "area": report.area, "written": str(path)}
        print_json(row)
        return
    print(f"{report.positives} passages to keep, {report.negatives} to throw away, by {report.authors} authors.")
    print(f"Area under the curve, authors held out: {report.area:.3f}")
    for point in report.curve:
        print(f"  recall {point.recall:.2f}  precision {point.precision:.3f}")
    print(f"Threshold set for precision {report.point.precision:.3f} at recall {report.point.recall:.3f}.")
    print(f"Written to {path}")
