"""`junod export` and `junod forget`: everything that is held, in your hands or gone."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for
from junod.errors import StoreError, UsageError

if TYPE_CHECKING:
    from junod.memory.wipe import Wiped

CONFIRMATION = "forget everything"

SinceOption = Annotated[
    str, typer.Option(help="Spoken from then on: ISO 8601, or 'yesterday', 'last week', 'Monday'.", show_default=False)
]
UntilOption = Annotated[str, typer.Option(help="Spoken up to the end of that.", show_default=False)]


def export(
    folder: Annotated[
        Path | None, typer.Option(help="Write a folder of markdown instead of JSON.", show_default=False)
    ] = None,
    db: DbOption = None,
    config: ConfigOption = None,
) -> None:
    """Hand over everything that is held: memories with their history, passages not decided yet, the journal.

    Prints JSON. With --folder it writes markdown files, which only you may read, into a new or empty folder.
    """
    from junod.assembly.parts import open_store

    with open_store(settings_for(config, db), read_only=True) as store:
        if folder is None:
            from junod.memory.handover import contents

            print_json(contents(store, datetime.now(UTC)))
            return
        from junod.cli.export_folder import write_folder

        written = write_folder(store, folder)
    print(f"Exported {written} memories to {folder}.")


def forget(
    everything: Annotated[bool, typer.Option("--all", help="Everything there is.")] = False,
    since: SinceOption = "",
    until: UntilOption = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Erase for good what was spoken in a time range, or everything. `memories forget ID` erases a single memory.

    A memory goes with its whole history, also where a part of that was spoken outside the range.
    """
    from junod.assembly.house import open_house

    if everything == bool(since or until):
        raise UsageError("Say what to forget.", hint="Give --since, --until or both; or --all for everything.")
    with open_house(settings_for(config, db)) as house:
        begin, end = house.spoken_range(since, until)
        if not yes:
            _confirm(house.store.would_forget(begin, end), begin, end)
        erased = house.store.forget_spoken(begin, end)
        is_gone = house.store.finish_erasing()
    _report(erased, as_json=json)
    if not is_gone:
        raise StoreError(
            "Another program is reading the database: until it is done, the log still holds what was forgotten.",
            hint="Run the same command again in a moment.",
            permanent=False,
        )


def _confirm(doomed: Wiped, begin: datetime | None, end: datetime | None) -> None:
    """Asks on a terminal; a program has to say --yes."""
    from junod.cli.output import moment

    if begin is None and end is None:
        typed = typer.prompt(f"This erases {_amount(doomed)} for good. Type '{CONFIRMATION}' to go on", err=True)
        if typed.strip() != CONFIRMATION:
            raise typer.Abort
        return
    spoken = f"from {moment(begin) or 'the beginning'} until {moment(end) or 'now'}"
    typer.confirm(f"Forget what was spoken {spoken}: {_amount(doomed)}, for good?", abort=True, err=True)


def _report(erased: Wiped, *, as_json: bool) -> None:
    if as_json:
        print_json({"memories": list(erased.memories), "passages": list(erased.passages)})
    else:
        print(f"Forgotten for good: {_amount(erased)}.")


def _amount(wiped: Wiped) -> str:
    memories, passages = len(wiped.memories), len(wiped.passages)
    return (
        f"{memories} {'memory' if memories == 1 else 'memories'} (older versions counted) and "
        f"{passages} undecided {'passage' if passages == 1 else 'passages'}"
    )
