"""Calls into a driver that may never come back, with a deadline."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from junod.errors import AudioError

T = TypeVar("T")


class BoundedCaller:
    """Runs one call at a time on a thread of its own; a call past `deadline_s` is abandoned there.

    A hanging thread cannot be ended, so no other call is made until it comes back: at most one hangs.
    """

    def __init__(self, deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self._hanging: threading.Event | None = None

    @property
    def is_stuck(self) -> bool:
        """An abandoned call has still not come back."""
        return self._hanging is not None and not self._hanging.is_set()

    def call(self, what: str, action: Callable[[], T], *, late: Callable[[T], None] | None = None) -> T:
        """The result of `action`.

        Args:
            what: for the error, for example 'opening the microphone'.
            late: gets a result that arrives after the deadline, on the helper thread.

        Raises:
            AudioError: the deadline passed, or an earlier call still hangs. Not permanent.
        """
        if self.is_stuck:
            raise _no_answer(f"The sound system still hangs in an earlier call; {what} has to wait.")
        errand = _Errand(action, late)
        threading.Thread(target=errand.run, name=f"junod {what}", daemon=True).start()
        if not errand.wait(self._deadline_s):
            self._hanging = errand.finished
            raise _no_answer(f"{what.capitalize()} did not come back within {self._deadline_s:g} s.")
        return errand.result()


class _Errand(Generic[T]):
    def __init__(self, action: Callable[[], T], late: Callable[[T], None] | None) -> None:
        self._action = action
        self._late = late
        self._lock = threading.Lock()
        self._abandoned = False
        self._results: list[T] = []
        self._error: Exception | None = None
        self.finished = threading.Event()

    def run(self) -> None:
        try:
            result = self._action()
            with self._lock:
                self._results.append(result)
                abandoned = self._abandoned
            if abandoned and self._late is not None:
                self._late(result)
        except Exception as error:  # handed to the caller, whatever it is
            self._error = error
        finally:
            self.finished.set()

    def wait(self, timeout_s: float) -> bool:
        """True where the action came back in time; False gives it up."""
        if self.finished.wait(timeout_s):
            return True
        with self._lock:
            self._abandoned = not self._results
        return not self._abandoned

    def result(self) -> T:
        self.finished.wait()
        if self._error is not None:
            raise self._error
        return self._results[0]


def _no_answer(message: str) -> AudioError:
    return AudioError(
        message, hint="Unplug the microphone and plug it in again; if that fails, restart junod.", permanent=False
    )
