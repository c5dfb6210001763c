"""`junod doctor`: what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for
from junod.errors import JunodError

if TYPE_CHECKING:
    from pathlib import Path

    from junod.settings import Settings


@dataclass(frozen=True, slots=True)
class Finding:
    part: str
    ok: bool
    detail: str
    hint: str = ""


def doctor(db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Look at everything junod needs. Exit code 1 when something is wrong."""
    settings = settings_for(config, db)
    checks: dict[str, Callable[[Settings], str]] = {
        "settings": _settings,
        "models": _models,
        "microphone": _microphone,
        "database": _database,
        "backups": _backups,
        "parked passages": _parked,
        "daemon": _daemon,
        "page": _page,
        "clock": _clock,
        "dates": _dates,
    }
    findings = [_finding(part, check, settings) for part, check in checks.items()]
    if json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            print(f"{'ok ' if finding.ok else 'BAD'}  {finding.part}: {finding.detail}")
            if finding.hint:
                print(f"       {finding.hint}")
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def _finding(part: str, check: Callable[[Settings], str], settings: Settings) -> Finding:
    try:
        return Finding(part, True, check(settings))
    except JunodError as error:
        return Finding(part, False, error.message, error.hint)


def _settings(settings: Settings) -> str:
    from junod.settings import household_zone

    return f"sound; {settings.device.room}, time zone {household_zone(settings).key}"


def _models(settings: Settings) -> str:
    from junod.assembly.parts import needed_models

    return ", ".join(path.name for path in needed_models(settings))


def _microphone(settings: Settings) -> str:
    from junod.assembly.tools import chosen_microphone

    return chosen_microphone(settings)


def _database(settings: Settings) -> str:
    from junod.assembly.parts import open_store
    from junod.errors import StoreError
    from junod.settings import database_path

    path = database_path(settings)
    if not path.exists():
        return f"{path} does not exist yet; the first start makes it"
    with open_store(settings, read_only=True) as store:
        problems = store.check()
    if problems:
        raise StoreError("; ".join(problems[:3]), hint="`junod restore` goes back to the newest good backup.")
    return f"{path} is sound"


def _backups(settings: Settings) -> str:
    from datetime import UTC, datetime

    from junod.assembly.parts import open_store
    from junod.assembly.safekeeping import safety_of
    from junod.errors import StoreError
    from junod.settings import database_path

    if not database_path(settings).exists():
        return "none yet"
    with open_store(settings, read_only=True) as store:
        safety = safety_of(settings, store, datetime.now(UTC))
    if safety.went_back_at:
        raise StoreError(
            f"On {safety.went_back_at:%d %B} a backup took the place of the damaged database.",
            hint="What was kept after the backup was made is lost. Is the memory card failing? "
            + _rest(safety.set_aside),
        )
    if safety.is_overdue:
        raise StoreError("There is no recent backup.", hint="`junod backup` makes one and says what is in the way.")
    if not settings.backup.enabled:
        return "switched off, as set"
    return (
        f"{len(safety.backups)} kept, newest {safety.backups[0].made_at:%Y-%m-%d %H:%M} UTC"
        if safety.backups
        else "none yet"
    )


def _rest(set_aside: tuple[Path, ...]) -> str:
    return f"The damaged file is {set_aside[-1]}; it goes when something is forgotten or expires." if set_aside else ""


def _clock(settings: Settings) -> str:
    from junod.assembly.parts import build_timekeeper

    keeper = build_timekeeper(settings)
    if not keeper.is_set:
        raise JunodError(
            f"The clock is not set (it shows {keeper.now():%Y-%m-%d %H:%M} UTC): until it is, nothing expires.",
            hint='Let the machine reach a time server, or, if it is right, set clock.trust = "always".',
        )
    return f"set, {keeper.now():%Y-%m-%d %H:%M} UTC"


def _dates(settings: Settings) -> str:
    from junod.assembly.parts import open_store
    from junod.memory.unsynced import UnsyncedMemories
    from junod.settings import database_path

    if not database_path(settings).exists():
        return "nothing is remembered yet"
    with open_store(settings, read_only=True) as store:
        left = UnsyncedMemories(store.sessions).left()
    if left:
        ids = ", ".join(memory.id[-8:] for memory in left[:5])
        raise JunodError(
            f"{len(left)} memories were heard while the clock was not set ({ids}): their dates may be wrong.",
            hint="What was heard since the last start is corrected by itself; edit the others, or mark them as done.",
        )
    return "all memories were heard by a clock that was set"


def _parked(settings: Settings) -> str:
    from junod.assembly.parts import open_store
    from junod.errors import ExtractionError
    from junod.settings import database_path

    if not database_path(settings).exists():
        return "none"
    with open_store(settings, read_only=True) as store:
        parked = store.parked()
    if parked:
        reasons = sorted({each.last_error for each in parked})
        raise ExtractionError(
            f"{len(parked)} could not be decided ({', '.join(reasons)})", hint="`junod status` lists them."
        )
    return "none"


def _daemon(settings: Settings) -> str:
    """The daemon's own judgement of itself, as /health and `junod status` tell it."""
    from datetime import UTC, datetime

    from junod.health import judge_status, read_status
    from junod.settings import runtime_dir

    status = read_status(runtime_dir())
    if status is None:
        return "does not run"
    verdict = judge_status(status, datetime.now(UTC))
    if verdict.problems:
        raise JunodError("; ".join(verdict.problems), hint="`junod status` shows each stage.")
    return f"runs; the ear is {status.ear}"


def _page(settings: Settings) -> str:
    from junod.errors import UsageError
    from junod.health import read_status
    from junod.settings import runtime_dir

    if not settings.web.enabled:
        return "not served, as set"
    status = read_status(runtime_dir())
    if status is None:
        return "is served while the daemon runs"
    if status.page_problem:
        raise UsageError(status.page_problem, hint="The ear works all the same; the daemon tries again by itself.")
    return status.page or "starting"
