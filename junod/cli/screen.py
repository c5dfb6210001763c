"""`junod screen`: the touchscreen's panel, dark by night and lit for a toast or a touch."""

from __future__ import annotations

import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

from junod.cli.options import ConfigOption, settings_for
from junod.cli.talk import NoDaemonError, follow_daemon
from junod.errors import JunodError

if TYPE_CHECKING:
    from junod.web.screen import Screen

WAKING = frozenset({"saved", "merged", "due", "ear"})
POLL_S = 1.0
AGAIN_S = 5.0


def screen(config: ConfigOption = None) -> None:
    """Darken the touchscreen at the hours set as screen.off_at and screen.on_at, and light it for a toast or a touch.

    Runs until it is stopped; systemd/junod-screen.service starts it.
    """
    from junod.clock import SystemClock
    from junod.settings import household_zone
    from junod.web.screen import Screen, panel_of
    from junod.web.touches import Touches

    settings = settings_for(config)
    lit = Screen(panel_of(settings.screen), settings.screen, SystemClock(), household_zone(settings))
    happened, stop = threading.Event(), threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    threading.Thread(target=_follow, args=(settings.web.port, happened, stop), daemon=True).start()
    touches = Touches()
    try:
        while not stop.is_set():
            is_touched = touches.wait(POLL_S, time.monotonic())
            _light(lit, is_woken=is_touched or happened.is_set())
            happened.clear()
    finally:
        touches.close()
        lit.close()


def _light(lit: Screen, *, is_woken: bool) -> None:
    try:
        if is_woken:
            lit.wake()
        else:
            lit.tick()
    except JunodError as error:
        if error.permanent:
            raise
        print(f"junod: {error}", file=sys.stderr)


def _follow(port: int, happened: threading.Event, stop: threading.Event) -> None:
    """Until the end of the process: the daemon may come and go."""
    while not stop.is_set():
        try:
            for name in follow_daemon(port):
                if name in WAKING:
                    happened.set()
        except NoDaemonError:
            pass
        stop.wait(AGAIN_S)
