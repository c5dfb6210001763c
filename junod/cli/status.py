"""`junod status`: what each stage did last, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for

if TYPE_CHECKING:
    from junod.health import Status, Verdict
    from junod.settings import Settings


_QUIET = {"listening": "listening", "reminders": "reminder"}


def status(db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Show whether the daemon lives and what its stages do. Exit code 1 when it does not run or is stuck."""
    from junod.health import judge_status, read_status
    from junod.settings import runtime_dir

    settings = settings_for(config, db)
    found = read_status(runtime_dir())
    age_s = _age_s(found) if found else None
    verdict = judge_status(found, datetime.now(UTC))
    store = _store_rows(settings)
    if json:
        shown = {"running": verdict.alive, "problems": verdict.problems, "age_s": age_s}
        print_json({**shown, "daemon": _dict(found), "store": store})
    else:
        _print(found, age_s, verdict, store)
    if not verdict.alive:
        raise typer.Exit(1)


def _age_s(found: Status) -> float:
    return round((datetime.now(UTC) - datetime.fromisoformat(found.written_at)).total_seconds(), 1)


def _dict(found: Status | None) -> dict[str, Any] | None:
    from dataclasses import asdict

    return asdict(found) if found else None


def _store_rows(settings: Settings) -> dict[str, Any]:
    """What waits and what is kept; {} before the first start."""
    from junod.assembly.embedders import reading_again
    from junod.assembly.parts import open_store
    from junod.assembly.rules import quiet_now
    from junod.assembly.safekeeping import safety_of
    from junod.settings import database_path, household_zone

    if not database_path(settings).exists():
        return {}
    with open_store(settings, read_only=True) as store:
        counts = store.counts()
        parked = [{"id": each.passage.id, "error": each.last_error} for each in store.parked()]
        safety = safety_of(settings, store, datetime.now(UTC))
        reading = reading_again(settings, store)
        quiet = quiet_now(store, datetime.now(UTC), household_zone(settings))
    return {
        "memories": counts.active,
        "superseded": counts.superseded,
        "waiting": counts.waiting + counts.working,
        "parked": parked,
        "quiet_until": quiet,
        "backups": len(safety.backups),
        "last_backup_at": safety.backups[0].made_at.isoformat() if safety.backups else None,
        "reading_again": {"done": reading.done, "total": reading.total} if reading else None,
        "went_back_at": safety.went_back_at.isoformat() if safety.went_back_at else None,
    }


def _print(found: Status | None, age_s: float | None, verdict: Verdict, store: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    if found is None:
        console.print("The daemon does not run. Start it with `junod run`, or `systemctl start junod`.")
    else:
        word = "runs" if verdict.alive else "[red]is stuck or gone[/red]"
        console.print(f"The daemon {word} (pid {found.pid}, junod {found.version}, seen {age_s:.0f} s ago).")
        heard = "never" if found.last_audio_age_s is None else f"{found.last_audio_age_s:.1f} s ago"
        until = f" until {found.off_record_until}" if found.off_record_until else ""
        console.print(f"Ear: {found.ear}{until}, last audio {heard}.")
        console.print(f"Today: heard {found.heard_today}, kept {found.kept_today}.")
        for problem in verdict.problems:
            console.print(f"Problem: {problem}", style="red", markup=False)
        if found.page or found.page_problem:
            console.print(f"Page: {found.page or 'not served'}. {found.page_problem}".strip(), markup=False)
        if not found.clock_set:
            console.print("The clock is not set: dates are put right once it is, and until then nothing expires.")
        table = Table("stage", "state", "since", "done", "detail", box=None, pad_edge=False)
        for row in found.stages:
            table.add_row(row["name"], row["state"], f"{row['age_s']:.1f} s", str(row["done"]), row["detail"])
        console.print(table)
    if store:
        console.print(
            f"{store['memories']} memories, {store['waiting']} passages waiting, {len(store['parked'])} parked."
        )
        if again := store["reading_again"]:
            console.print(
                f"The embedding model has read {again['done']} of {again['total']} memories;"
                " `junod memories reembed` reads the rest at once."
            )
        for what, end in store["quiet_until"].items():
            if end:
                console.print(f"By a rule there is no {_QUIET[what]} until {end[11:16]}.", markup=False)
        console.print(f"Backups: {store['backups']}, the last of {store['last_backup_at'] or 'never'}.", markup=False)
        if store["went_back_at"]:
            console.print(
                f"[red]The database was damaged: a backup took its place on {store['went_back_at'][:10]}.[/red]"
                " What was kept after the backup was made is lost. `junod doctor` says more."
            )
    for parked in store.get("parked", []):
        console.print(f"  parked {parked['id']}: {parked['error']}", markup=False)
