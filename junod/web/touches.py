"""Adapter: has anybody touched the screen? The kernel's input devices, of which only that they stir is looked at."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path

DEVICES = Path("/dev/input")
LOOK_AGAIN_S = 30.0
_READ_BYTES = 4096


class Touches:
    """Every input device that may be read; new ones are found now and then."""

    def __init__(self, folder: Path = DEVICES) -> None:
        self._folder = folder
        self._open: dict[Path, int] = {}
        self._looked_s = float("-inf")

    def wait(self, timeout_s: float, now_s: float) -> bool:
        """Whether one was touched within this time. What was pressed is thrown away unread.

        Args:
            now_s: monotonic time, to know when to look for new devices.
        """
        if now_s - self._looked_s >= LOOK_AGAIN_S:
            self._look(now_s)
        ready, _, _ = select.select(list(self._open.values()), [], [], timeout_s)
        for device in ready:
            self._drain(device)
        return bool(ready)

    def close(self) -> None:
        for device in self._open.values():
            os.close(device)
        self._open.clear()

    def _look(self, now_s: float) -> None:
        self._looked_s = now_s
        for path in sorted(set(self._folder.glob("event*")) - set(self._open)):
            with suppress(OSError):  # not ours to read, or just unplugged
                self._open[path] = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def _drain(self, device: int) -> None:
        try:
            if not os.read(device, _READ_BYTES):
                self._forget(device)
        except BlockingIOError:
            return
        except OSError:
            self._forget(device)

    def _forget(self, device: int) -> None:
        """It was unplugged."""
        os.close(device)
        self._open = {path: handle for path, handle in self._open.items() if handle != device}
