"""`junod dedup`: put memories together that say the same, now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for

if TYPE_CHECKING:
    from junod.dedup.evaluate import Score
    from junod.dedup.loop import Merged, Report


def dedup(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing; show what would be done.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Walk the whole history in chunks; slow, misses nothing.")
    ] = False,
    rules_only: Annotated[bool, typer.Option("--rules-only", help="Do not ask the language model.")] = False,
    evaluate: Annotated[
        Path | None, typer.Option("--eval", help="Score these labelled cases instead.", show_default=False)
    ] = None,
    ask_model: Annotated[bool, typer.Option("--ask-model", help="With --eval: ask the language model too.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Put recent memories together with what they repeat, continue or change, and print what superseded what and why.

    The running daemon does this by itself every 20 minutes. Nothing is lost: what is superseded stays as history.
    """
    from junod.assembly.upkeep import dedup_model, dedup_now, evaluate_dedup

    settings = settings_for(config, db)
    if evaluate is not None:
        _print_score(evaluate_dedup(settings, evaluate, dedup_model(settings) if ask_model else None), as_json=json)
        return
    model = None if rules_only else dedup_model(settings)
    if model is None and not rules_only:
        typer.echo("The language model is not installed: only the rules decide. `junod models pull` gets it.", err=True)
    report = dedup_now(settings, model, dry_run=dry_run, thorough=full)
    if json:
        print_json(_report_row(report, dry_run))
    else:
        _print_report(report, dry_run)


def _report_row(report: Report, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "merged": [_merged_row(one) for one in report.merged],
        "superseded": report.superseded,
        "recent": report.recent,
        "pairs": report.pairs,
        "kept_apart": report.vetoed,
        "ambiguous": report.ambiguous,
        "llm_calls": report.llm_calls,
        "llm_failures": report.llm_failures,
        "skipped_groups": report.invented,
        "conflicts": report.conflicts,
        "capped": report.is_capped,
    }


def _merged_row(one: Merged) -> dict[str, Any]:
    from junod.cli.output import memory_row

    return {
        "reason": one.merge.reason,
        "kind": one.merge.relation.value,
        "memory": memory_row(one.memory),
        "superseded": [memory_row(source) for source in one.merge.sources],
    }


def _print_report(report: Report, dry_run: bool) -> None:
    from junod.cli.output import moment, one_line

    for one in report.merged:
        ends = f"  until {moment(one.memory.expires_at)}" if one.memory.expires_at else ""
        print(f"{one_line(one.memory.memory)} ({one.memory.id[-8:]}){ends}")
        for source in one.merge.sources:
            print(f"    instead of {one_line(source.memory)} ({source.id[-8:]}, {moment(source.spoken_at)})")
        print(f"    because: {one.merge.reason}")
    verb = "would be superseded" if dry_run else "superseded"
    print(
        f"{report.superseded} of {report.recent} recent and older memories {verb} by {len(report.merged)}; "
        f"{report.pairs} pairs looked at, {report.llm_calls} questions to the language model."
    )
    for number, what in (
        (report.llm_failures, "questions went unanswered; the next run asks again"),
        (report.invented, "groups the model named against the rules were skipped"),
        (report.ambiguous, "changes fit several memories and were left alone"),
        (report.conflicts, "merges were given up because a memory changed meanwhile"),
        (int(report.is_capped), "limit was reached; run again for the rest"),
    ):
        if number:
            print(f"{number} {what}.")


def _print_score(score: Score, *, as_json: bool) -> None:
    from junod.dedup.evaluate import as_json as to_json

    if as_json:
        print(to_json(score))
        return
    print(f"{score.cases} cases, {score.right + score.missed} pairs that belong together")
    print(f"precision {score.precision:.3f}  recall {score.recall:.3f}")
    print(f"texts as they should be: {score.good_texts} of {score.texts}")
    print(f"second run changed something: {score.second_run_changes}  questions to the model: {score.llm_calls}")
    for tag, counts in sorted(score.by_tag.items()):
        print(f"  {tag:<16} right {counts['right']:>3}  wrong {counts['wrong']:>3}  missed {counts['missed']:>3}")
    for line in score.problems:
        print(f"  {line}")
