"""`junod backup`, `junod restore` and `junod check`: copies of the database, the way back, and whether all is sound."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for

if TYPE_CHECKING:
    from junod.memory.backups import Backup
    from junod.settings import Settings


def backup(
    to: Annotated[
        Path | None,
        typer.Option(
            help="A file elsewhere. Forgetting does not reach it: deleting it is up to you.", show_default=False
        ),
    ] = None,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Copy the database while it is in use, into the folder backups beside it. The daemon does so every night.

    Forgetting and expiring delete these copies; a new one is made soon after.
    """
    from junod.assembly.safekeeping import backups_of
    from junod.clock import SystemClock

    settings = settings_for(config, db)
    backups = backups_of(settings)
    if to is not None:
        backups.save_to(to)
        made = {"path": str(to), "bytes": to.stat().st_size}
    else:
        made = _row(backups.make(SystemClock().now(), keep=settings.backup.keep))
    if json:
        print_json(made)
    else:
        print(f"Made {made['path']} ({made['bytes']} bytes); it is sound.")


def restore(
    backup: Annotated[Path | None, typer.Argument(help="A copy.", show_default="the newest good one")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Go back to a backup. What was kept after it was made is not in it; the database it replaces is set aside.

    The daemon must not run; when it finds its database damaged, it does this by itself.
    """
    from junod.assembly.safekeeping import backups_of, restore_now

    settings = settings_for(config, db)
    if not yes:
        newest = None if backup else backups_of(settings).newest_good()
        typer.confirm(f"Put {backup or (newest.path if newest else 'a backup')} in place?", abort=True, err=True)
    done = restore_now(settings, backup)
    if json:
        aside = str(done.set_aside) if done.set_aside else None
        print_json({"restored": str(done.backup), "set_aside": aside})
        return
    print(f"Restored {done.backup}.")
    if done.set_aside:
        print(f"What was in place is {done.set_aside}; it goes when something is forgotten or expires.")


def check(db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Examine the database and every backup, page by page. Exit code 1 when one is damaged."""
    from junod.assembly.safekeeping import backups_of

    settings = settings_for(config, db)
    backups = backups_of(settings)
    rows = [{"path": str(backups.database), "problems": _database_problems(settings)}]
    rows += [{**_row(each), "problems": list(backups.problems(each.path))} for each in backups.list()]
    if json:
        print_json(rows)
    else:
        for row in rows:
            print(f"{'BAD' if row['problems'] else 'ok '}  {row['path']}")
            for problem in row["problems"]:
                print(f"       {problem}")
    if any(row["problems"] for row in rows):
        raise typer.Exit(1)


def _database_problems(settings: Settings) -> list[str]:
    from junod.assembly.parts import open_store
    from junod.errors import StoreError

    try:
        with open_store(settings, read_only=True) as store:
            return list(store.check())
    except StoreError as error:
        return [error.message]


def _row(made: Backup) -> dict[str, Any]:
    return {"path": str(made.path), "made_at": made.made_at.isoformat(timespec="seconds"), "bytes": made.bytes}
