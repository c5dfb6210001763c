"""Log lines about a trouble that lasts: each is said once in a while, and all together not often."""

from __future__ import annotations

import logging
from collections import deque

from junod.clock import Clock

log = logging.getLogger(__name__)

SAY_AGAIN_S = 600.0
MOST_LINES = 8
"""In `SAY_AGAIN_S`, however many troubles there are."""


class Complaints:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._said: dict[str, float] = {}
        self._lines: deque[float] = deque(maxlen=MOST_LINES)

    def say(self, message: str, level: int = logging.WARNING) -> None:
        now_s = self._clock.monotonic_s()
        self._said = {text: at_s for text, at_s in self._said.items() if now_s - at_s < SAY_AGAIN_S}
        is_full = len(self._lines) == MOST_LINES and now_s - self._lines[0] < SAY_AGAIN_S
        if message in self._said or is_full:
            return
        log.log(level, "%s", message)
        self._said[message] = now_s
        self._lines.append(now_s)
