"""One daemon for each database: a lock file beside it, held while the daemon lives (the kernel drops it with it)."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from junod.errors import StoreError


class DaemonLock:
    """Held from `acquire` (or `with`) until `release` or the end of the process, however it ends."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(database.name + ".lock")
        self._database = database
        self._file: int | None = None

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            StoreError: another daemon has it, or the lock file cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be written: {error.strerror}.", hint="Check the permissions of its folder."
            ) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(file, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(file)
            raise StoreError(
                f"Another junod daemon (pid {owner}) uses the database {self._database}.",
                hint="Stop it first, or give another --db.",
                permanent=False,
            ) from error
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        self._file = file

    def release(self) -> None:
        """Let go; the file stays, as deleting it could pull it from under another daemon."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
