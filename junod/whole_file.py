"""A small file is replaced in one step: a reader sees the old one or the new one, never half of either."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def replace_file(
    path: Path, text: str, *, check: Callable[[Path], None] = lambda draft: None, survives_power_cut: bool = False
) -> None:
    """Write `text` to `path`. A new file is readable by its owner alone; one that was there keeps its mode.

    Args:
        check: looks at the draft before it takes its place; what it raises leaves the old file as it was.
        survives_power_cut: wait until the disk has it.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=path.suffix)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if survives_power_cut:
                os.fsync(file.fileno())
        check(Path(name))
        if path.exists():
            os.chmod(name, path.stat().st_mode & 0o777)
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)
    if survives_power_cut:
        settle(path.parent)


def settle(folder: Path) -> None:
    """A name that changed is on the disk only once its folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
