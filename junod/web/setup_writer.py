"""Writes the few settings that the page can change into the TOML file, by tomlkit: comments and order stay."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from junod.errors import SettingsError
from junod.settings import find_config, load_settings, user_config
from junod.whole_file import replace_file

KEYS = {
    "device_id": ("device", "id"),
    "room": ("device", "room"),
    "microphone": ("audio", "device"),
    "timezone": ("household", "timezone"),
    "language": ("stt", "language"),
    "day_first": ("household", "day_first"),
}
RELOADED = frozenset({"microphone"})
"""These count at once; the others from the next start on."""


class SetupWriter:
    """One settings file.

    Args:
        named: the file named on the command line; None = found in the usual places.
    """

    def __init__(self, named: Path | None) -> None:
        self._named = named

    @property
    def exists(self) -> bool:
        return self.read_from() is not None

    def target(self) -> Path:
        """Where a change is written: the file in force, or, where that belongs to somebody else, the user's own.

        Raises:
            SettingsError: the file was named and may not be written.
        """
        found = self.read_from()
        if found is None:
            return user_config()
        if _may_write(found):
            return found
        if self._named is not None or os.environ.get("JUNOD_CONFIG"):
            raise SettingsError(f"{found} may not be written.", hint="Change it by hand, or make it junod's own.")
        return user_config()

    def write(self, changes: Mapping[str, Any]) -> Path:
        """Lay changes (keys of `KEYS`) over the file in force; the result is checked before it takes its place.

        Raises:
            SettingsError: a value is not allowed, or the file cannot be written. Nothing is changed then.
        """
        target, source = self.target(), self.read_from()
        try:
            document = tomlkit.parse(source.read_text("utf-8") if source else "")
            for key, value in changes.items():
                section, name = KEYS[key]
                if section not in document:
                    document.add(section, tomlkit.table())
                document[section][name] = value
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(target, tomlkit.dumps(document), check=lambda draft: _check(draft, target))
        except (OSError, TOMLKitError) as error:
            raise SettingsError(f"{target} cannot be written: {error}.", hint="Check its permissions.") from error
        return target

    def read_from(self) -> Path | None:
        return find_config(self._named)


def _check(written: Path, target: Path) -> None:
    try:
        load_settings(written)
    except SettingsError as error:
        raise SettingsError(error.message.replace(str(written), str(target)), hint=error.hint) from error


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
