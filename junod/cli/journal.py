"""`junod journal`: which stage decided what, when and with what score; the journal holds no word of what was said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from zoneinfo import ZoneInfo

    from junod.memory.journal import JournalEntry

_OF_PASSAGES = frozenset({"decided", "parked", "retried"})


def journal(
    last: Annotated[int, typer.Option(min=1, help="Entries shown.")] = 30,
    everything: Annotated[bool, typer.Option("--all", help="Show what became of memories too.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show what became of the passages heard: the stage that decided, the gate's probability, and why, newest last.

    'kept' led to memories. 'first-reject' and 'gate' were thrown away for a low probability, 'verify' because what the
    language model wrote was not borne out by the words, 'dates' because the time was over or missing. What was said
    is not in the journal: a passage that was thrown away left nothing else.
    """
    from junod.assembly.parts import open_store
    from junod.settings import household_zone

    settings = settings_for(config, db)
    with open_store(settings, read_only=True) as store:
        entries = [entry for entry in store.journal(limit=None) if everything or entry.event in _OF_PASSAGES]
    shown = list(reversed(entries[:last]))
    if json:
        print_json([_row(entry) for entry in shown])
    else:
        _print(shown, household_zone(settings))


def _row(entry: JournalEntry) -> dict[str, Any]:
    return {
        "at": entry.at.isoformat(),
        "event": entry.event,
        "stage": entry.stage,
        "probability": entry.score,
        "reason": entry.reason,
        "passage_id": entry.passage_id,
        "memory_id": entry.memory_id,
    }


def _print(entries: Sequence[JournalEntry], zone: ZoneInfo) -> None:
    from rich.console import Console
    from rich.table import Table

    from junod.cli.output import moment

    console = Console()
    if not entries:
        console.print("The journal is empty.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("at", "event", "stage", "probability", "reason", "passage", "memory"):
        table.add_column(column, no_wrap=True)
    for entry in entries:
        score = "" if entry.score is None else f"{entry.score:.3f}"
        ids = ((one or "")[-8:] for one in (entry.passage_id, entry.memory_id))
        table.add_row(moment(entry.at.astimezone(zone)), entry.event, entry.stage, score, entry.reason, *ids)
    console.print(table)
