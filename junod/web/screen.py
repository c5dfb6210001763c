"""When the touchscreen's panel is lit: by day, and for a while at night when something happens or is touched."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass
from datetime import time, tzinfo
from pathlib import Path
from typing import Protocol

from junod.clock import Clock
from junod.errors import JunodError, SettingsError
from junod.sections import ScreenSettings

BACKLIGHTS = Path("/sys/class/backlight")
COMMAND_S = 10.0
_ON, _OFF = "0", "4"
"""What the kernel's bl_power means (FB_BLANK_UNBLANK, FB_BLANK_POWERDOWN)."""


class Panel(Protocol):
    def turn(self, on: bool) -> None:
        """Raises JunodError where it cannot be switched."""
        ...


@dataclass(frozen=True, slots=True)
class Backlight:
    """Panels whose backlight the kernel switches, such as those on a Raspberry Pi's DSI port."""

    files: tuple[Path, ...]

    def turn(self, on: bool) -> None:
        try:
            for file in self.files:
                file.write_text(_ON if on else _OFF)
        except OSError as error:
            raise JunodError(
                f"The backlight cannot be switched: {error.strerror}.",
                hint="Install systemd/99-junod-backlight.rules, and put this user into the group video.",
                permanent=False,
            ) from error


@dataclass(frozen=True, slots=True)
class Commands:
    """Any other panel, by two commands of the owner's."""

    on: str
    off: str

    def turn(self, on: bool) -> None:
        command = shlex.split(self.on if on else self.off)
        try:
            subprocess.run(command, check=True, timeout=COMMAND_S, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError) as error:
            raise JunodError(
                f"'{command[0]}' could not switch the screen.", hint="Try the command by hand.", permanent=False
            ) from error


def panel_of(settings: ScreenSettings, backlights: Path = BACKLIGHTS) -> Panel:
    """The panel as set, else every backlight there is.

    Raises:
        SettingsError: one command is missing, or there is neither.
    """
    if bool(settings.on_command) != bool(settings.off_command):
        raise SettingsError("The screen needs both commands.", hint="Set screen.on_command and screen.off_command.")
    if settings.on_command:
        return Commands(settings.on_command, settings.off_command)
    files = tuple(sorted(backlights.glob("*/bl_power")))
    if not files:
        raise SettingsError(
            "This screen has no backlight that the kernel knows.",
            hint="Set screen.on_command and screen.off_command; docs/face.md has examples.",
        )
    return Backlight(files)


def is_lit_by_schedule(now: time, off_at: str, on_at: str) -> bool:
    """Outside the hours from `off_at` to `on_at`, which may reach over midnight; no hours, always."""
    if not off_at or off_at == on_at:
        return True
    begin, end = time.fromisoformat(off_at), time.fromisoformat(on_at)
    is_dark = begin <= now < end if begin < end else now >= begin or now < end
    return not is_dark


class Screen:
    """Switches the panel when what it should be changes."""

    def __init__(self, panel: Panel, settings: ScreenSettings, clock: Clock, zone: tzinfo) -> None:
        self._panel, self._settings, self._clock, self._zone = panel, settings, clock, zone
        self._lit_until_s = float("-inf")
        self._is_lit: bool | None = None

    def wake(self) -> None:
        """Something happened that a person may want to see."""
        self._lit_until_s = self._clock.monotonic_s() + self._settings.wake_s
        self.tick()

    def tick(self) -> None:
        """Bring the panel in line with the time. A panel that cannot be switched is tried again next time."""
        now = self._clock.now().astimezone(self._zone).time()
        is_day = is_lit_by_schedule(now, self._settings.off_at, self._settings.on_at)
        wanted = is_day or self._clock.monotonic_s() < self._lit_until_s
        if wanted != self._is_lit:
            self._panel.turn(wanted)
            self._is_lit = wanted

    def close(self) -> None:
        """Leave it lit."""
        self._panel.turn(True)
