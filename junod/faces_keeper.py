"""The faces that the daemon serves: started after the ear, on a thread of their own, and never able to stop it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger(__name__)

STOP_LIMIT_S = 3.0


class Faces(Protocol):
    """What shows the daemon to people and programs. It never stops the ear: what goes wrong is in `problem`."""

    @property
    def home(self) -> str:
        """Address of the page; '' while it is not served."""
        ...

    @property
    def problem(self) -> str:
        """'' for none."""
        ...

    def start(self) -> None:
        """Begin in the background."""
        ...

    def stop(self) -> None:
        """Within a few seconds."""
        ...


class NoFaces:
    home = problem = ""

    def start(self) -> None:
        """There is nothing to show."""

    def stop(self) -> None:
        """There is nothing to end."""


class FacesKeeper:
    """Makes, starts and stops faces whose failures, and whose hanging, are their own.

    Args:
        make: called on the faces' thread.
    """

    def __init__(self, make: Callable[[], Faces]) -> None:
        self._make = make
        self._faces: Faces = NoFaces()
        self._failure = ""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="faces", daemon=True)

    @property
    def home(self) -> str:
        return self._faces.home

    @property
    def problem(self) -> str:
        return self._failure or self._faces.problem

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> bool:
        """False where they did not end in time."""
        self._stopped.set()
        ending = threading.Thread(target=self._faces.stop, name="faces end", daemon=True)
        ending.start()
        ending.join(STOP_LIMIT_S)
        return not ending.is_alive()

    def _run(self) -> None:
        try:
            faces = self._make()
            faces.start()
            self._faces = faces
            if self._stopped.is_set():
                faces.stop()
        except Exception as error:  # the edge of a thread: a broken face is no reason to be deaf
            self._failure = f"The page is not served: {type(error).__name__}: {error}"
            log.error("%s", self._failure)
