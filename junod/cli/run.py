"""`junod run`: the daemon."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

from junod.cli.options import ConfigOption, DbOption, settings_for


def run(
    room: Annotated[str, typer.Option(help="kitchen, living_room or bedroom.", show_default="the settings'")] = "",
    device: Annotated[str, typer.Option(help="Part of the microphone's name.", show_default="the settings'")] = "",
    db: DbOption = None,
    config: ConfigOption = None,
) -> None:
    """Listen, and remember what matters. Ends on SIGTERM or Ctrl-C; SIGHUP reads the settings again."""
    from junod.assembly.sessions import daemon_session
    from junod.seclusion import seclude
    from junod.settings import Settings
    from junod.web.faces import build_faces

    seclude()

    def read() -> Settings:
        return settings_for(
            config, db, device={"room": room} if room else {}, audio={"device": device} if device else {}
        )

    with daemon_session(read, lambda parts: build_faces(parts, config)) as daemon:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: daemon.request_stop())
        signal.signal(signal.SIGHUP, lambda *_: daemon.request_reload())
        ended_in_time = daemon.run()
    if not ended_in_time:
        # A native call still runs in a thread; leaving through the interpreter's own end could crash in it.
        # Everything heard is in the database, which is closed.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
