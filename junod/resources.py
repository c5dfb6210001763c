"""Data files that travel with junod: from the installed package, or from the source tree beside it."""

from __future__ import annotations

from pathlib import Path

from junod.errors import JunodError

_PACKAGE = Path(__file__).parent


def data_file(relative: str) -> Path:
    """Path of a shipped file or folder, for example 'models/manifest.toml'.

    Raises:
        JunodError: the installation is incomplete.
    """
    for root in (_PACKAGE / "_data", _PACKAGE.parent):
        if (root / relative).exists():
            return root / relative
    raise JunodError(f"junod's own file {relative} is missing.", hint="Install junod again.")
