"""`junod replay`: the whole pipeline over recordings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for
from junod.errors import UsageError

if TYPE_CHECKING:
    from junod.settings import Settings

Files = Annotated[list[Path], typer.Argument(help="Sound files, heard one after the other.", show_default=False)]
RoomOption = Annotated[str, typer.Option(help="kitchen, living_room or bedroom.", show_default="the settings'")]
StartOption = Annotated[str, typer.Option(help="When the first file begins: ISO 8601 with offset.", show_default=False)]
ZoneOption = Annotated[str, typer.Option(help="IANA zone of the household.", show_default="the settings'")]

EXAMPLE = "Write it like 2026-03-24T17:30:00+01:00."


def replay(
    files: Files,
    start: StartOption,
    room: RoomOption = "",
    tz: ZoneOption = "",
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Run recordings through the whole pipeline and show what was heard, kept and thrown away.

    Without --db the memories go into the household's own database.
    """
    from junod.assembly.sessions import replay_session
    from junod.cli.replay_view import JsonView, TextView

    begin = parse_moment("--start", start)
    settings = _settings(config, db, room, tz, begin)
    total_s = _total_s(files)  # every file is looked at before the first is heard
    view = JsonView() if json else TextView()
    with replay_session(settings, begin) as session, view.progress(total_s) as heard_s:
        for path in files:
            view.file(path.name)
            problem = session.play(path, view.follow, heard_s)
            if problem:
                view.problem(problem)
    view.finish(session.report)


def parse_moment(option: str, text: str) -> datetime:
    """An aware moment.

    Raises:
        UsageError: not ISO 8601, impossible, or without offset.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{option} '{text}' is not a moment: {error}.", hint=EXAMPLE) from error
    if moment.tzinfo is None:
        raise UsageError(f"{option} '{text}' lacks its offset from UTC.", hint=EXAMPLE)
    try:
        moment.timestamp()
        moment + timedelta(days=800)  # what was said may be about the year after next
    except (OverflowError, ValueError, OSError) as error:
        raise UsageError(f"{option} '{text}' is too far away.", hint=EXAMPLE) from error
    return moment


def zone_for(begin: datetime, configured: str) -> str:
    """The configured zone where its clock agrees with the offset of --start, else one that fits the offset.

    Raises:
        UsageError: the offset is not of whole hours, so no zone can be told from it.
    """
    from junod.sections import check_zone

    offset = begin.utcoffset() or timedelta()
    if begin.astimezone(check_zone(configured)).utcoffset() == offset:
        return configured
    hours, rest = divmod(offset, timedelta(hours=1))
    if rest or not -12 <= hours <= 14:
        raise UsageError(f"--start is not in the household's zone {configured}.", hint="Add --tz, say Asia/Kolkata.")
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"


def _settings(config: Path | None, db: Path | None, room: str, tz: str, begin: datetime) -> Settings:
    from junod.settings import household_zone

    zone = tz or zone_for(begin, household_zone(settings_for(config)).key)
    return settings_for(config, db, device={"room": room} if room else {}, household={"timezone": zone})


def _total_s(files: Sequence[Path]) -> float | None:
    """Seconds of all files; None where one does not say."""
    from junod.audio.file import FileSource

    lengths = [FileSource(path, 0.0).duration_s for path in files]
    return None if None in lengths else sum(length or 0.0 for length in lengths)
