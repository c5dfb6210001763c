"""Everything a household remembers as a folder of markdown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from junod.errors import UsageError
from junod.memory.handover import pages

if TYPE_CHECKING:
    from junod.memory.store import MemoryStore


def write_folder(store: MemoryStore, folder: Path) -> int:
    """Write `index.md`, a file for each memory (older versions under `history/`) and `undecided.md`.

    Only the owner may read them. Returns the number of memories.

    Raises:
        UsageError: the folder has something in it, or cannot be written.
    """
    written = 0
    try:
        _make_empty(folder)
        for name, text in pages(store):
            _write(folder / name, text)
            written += "/" in name
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}.", hint="Give another folder.") from error
    return written


def _make_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder.", hint="Give a new one: nothing is overwritten.")
    for path in (folder, folder / "memories", folder / "history"):
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.chmod(0o700)


def _write(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
