"""Who may come in: a pairing code shown at the device itself, and tokens of paired devices."""

from __future__ import annotations

import hmac
import secrets
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta

from junod.clock import Clock
from junod.errors import JunodError

CODE_DIGITS = 8
CODE_LIFE = timedelta(minutes=5)
MAX_TRIES = 5
"""Wrong codes before the right one counts no more: a guess succeeds once in 20 million."""


class AccessError(JunodError):
    """Not let in, or not for this."""

    code = "not-allowed"


class UnknownError(AccessError):
    """Nobody knows who this is."""

    code = "not-paired"


class TooManyError(AccessError):
    """Too often or too much at once."""

    code = "too-many"


@dataclass(frozen=True, slots=True)
class Offer:
    """A code that lets one device in."""

    code: str
    expires_at: datetime


class Pairing:
    """One code at a time: short-lived, good for one device, void after a few wrong tries. Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._code = ""
        self._ends_s = 0.0
        self._tries = 0

    def offer(self) -> Offer:
        """A new code; the one before it is void."""
        with self._lock:
            self._code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
            self._ends_s = self._clock.monotonic_s() + CODE_LIFE.total_seconds()
            self._tries = MAX_TRIES
            return Offer(self._code, self._clock.now() + CODE_LIFE)

    def withdraw(self) -> None:
        with self._lock:
            self._code = ""

    def redeem(self, given: str) -> None:
        """Use up the code.

        Raises:
            TooManyError: the tries are used up.
            UnknownError: it is another code, an old one, or none is offered; all of these look the same.
        """
        wanted = "".join(character for character in given if not character.isspace() and character != "-")
        with self._lock:
            if self._code and self._tries <= 0:
                raise TooManyError("Too many wrong codes.", hint="Show a new code on the device and try again.")
            self._tries -= 1
            is_open = bool(self._code) and self._clock.monotonic_s() < self._ends_s
            if not hmac.compare_digest(wanted.encode(), self._code.encode()) or not is_open:
                raise UnknownError("This code is not valid.", hint="Show a new code on the device and try again.")
            self._code = ""
