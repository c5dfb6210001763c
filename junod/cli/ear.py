"""`junod mute`, `unmute`, `off-record`, `on-record`, `media`: the ear's switches, for keys, buttons and scripts."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer

from junod.cli.as_json import print_json
from junod.cli.options import JsonOption
from junod.cli.talk import ask_daemon
from junod.errors import UsageError

_DURATION = re.compile(r"(?P<number>\d{1,4})\s*(?P<unit>m|min|minutes?|h|hours?)")


def mute(
    toggle: Annotated[bool, typer.Option("--toggle", help="Unmute where it is muted: for a key or a button.")] = False,
    json: JsonOption = False,
) -> None:
    """Close the microphone and wipe what was heard and is not decided. It stays muted over a restart."""
    is_muted = toggle and ask_daemon("GET", "/api/ear")["muted"]
    _switch("/api/ear/unmute" if is_muted else "/api/ear/mute", None, as_json=json)


def unmute(json: JsonOption = False) -> None:
    """Listen again."""
    _switch("/api/ear/unmute", None, as_json=json)


def off_record(
    duration: Annotated[str, typer.Argument(help="'10m', '1h' or 'morning'.")] = "10m",
    json: JsonOption = False,
) -> None:
    """As mute, but it ends by itself."""
    _switch("/api/ear/off-record", off_record_body(duration), as_json=json)


def on_record(json: JsonOption = False) -> None:
    """End 'off the record' before its time."""
    _switch("/api/ear/on-record", None, as_json=json)


def media(
    state: Annotated[str, typer.Argument(help="on: a television or radio plays. off: none does. auto: judge.")],
    json: JsonOption = False,
) -> None:
    """Tell the ear whether a television or radio plays."""
    if state not in ("on", "off", "auto"):
        raise UsageError(f"'{state}' is unknown.", hint="Choose on, off or auto.")
    _switch("/api/ear/media", {"state": state}, as_json=json)


def off_record_body(duration: str) -> dict[str, Any]:
    """'10m' -> {"minutes": 10}.

    Raises:
        UsageError: it is no duration.
    """
    words = duration.strip().lower()
    if words == "morning":
        return {"until": "morning"}
    match = _DURATION.fullmatch(words)
    minutes = int(match["number"]) * (60 if match["unit"].startswith("h") else 1) if match else 0
    if not 1 <= minutes <= 24 * 60:
        raise UsageError(f"'{duration}' is no duration up to a day.", hint="Write 10m, 1h or morning.")
    return {"minutes": minutes}


def _switch(path: str, body: dict[str, Any] | None, *, as_json: bool) -> None:
    ear = ask_daemon("POST", path, body)
    if as_json:
        print_json(ear)
        return
    until = f" until {ear['off_record_until']}" if ear["off_record_until"] else ""
    print(f"The ear is {ear['state']}{until}.")
