"""`junod eval`: the extractor over passages, labelled or not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from junod.cli.options import ConfigOption, JsonOption, settings_for
from junod.errors import UsageError


def evaluate(
    passages: Annotated[Path, typer.Argument(help="Passages, one JSON object a line.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="Where predictions are written.", show_default=False)] = None,
    explain: Annotated[str, typer.Option(help="Id of one passage: show what became of it.", show_default=False)] = "",
    errors: Annotated[bool, typer.Option("--errors", help="List each ghost, miss and wrong time.")] = False,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Passages of junod's own corpus: judge each without its author.")
    ] = False,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Mask, gate, generate, verify and date each passage by itself; write predictions and print the score."""
    from junod.assembly.tools import passage_decider
    from junod.cli.eval_view import ScoreView, print_decision
    from junod.extract.evaluate import load_passages, write_predictions

    if out is None and not explain:
        raise UsageError("Nothing says where the predictions go.", hint="Add --out PREDICTIONS.jsonl.")
    rows = load_passages(passages)
    chosen = [passage for passage in rows if not explain or passage.id == explain]
    if not chosen:
        raise UsageError(f"{passages} holds no passage{f' {explain}' if explain else ''}.")
    view = ScoreView(passages, as_json=json)
    decide = passage_decider(settings_for(config), held_out=held_out)
    decisions = {passage.id: decide(passage) for passage in view.progress(chosen)}
    if explain:
        print_decision(decisions[explain], as_json=json)
    if out is not None:
        write_predictions(out, [(key, decision.memories) for key, decision in decisions.items()])
        view.finish(decisions, list_errors=errors)
