"""What the household has asked of the ear, kept over restarts: muted, off the record, media.

Fails closed: where the file cannot be read, the ear is muted and says why.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo
from pathlib import Path

from junod.errors import JunodError
from junod.whole_file import replace_file

EAR_FILE = "ear.json"
MEDIA_STATES = ("on", "off", "auto")


@dataclass(frozen=True, slots=True)
class EarWishes:
    muted: bool = False
    off_record_until: datetime | None = None
    """Aware; None = on the record."""
    media: str = "auto"


class EarFile:
    """The wishes on disk.

    Args:
        path: of the file, in the data folder; None keeps nothing over a restart.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def load(self) -> tuple[EarWishes, str]:
        """The wishes, and what is wrong with the file ('' = nothing). No file yet: nothing was wished."""
        try:
            text = self._path.read_text("utf-8") if self._path else None
        except FileNotFoundError:
            text = None
        except (OSError, UnicodeDecodeError):
            return _closed(self._path)
        if text is None:
            return EarWishes(), ""
        try:
            return _parsed(text), ""
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return _closed(self._path)

    def save(self, wishes: EarWishes) -> None:
        """Replace the file in one step that survives a power cut.

        Raises:
            JunodError: the folder cannot be written; what was asked holds until the process ends.
        """
        if self._path is None:
            return
        until = wishes.off_record_until
        fields = {
            "muted": wishes.muted,
            "off_record_until": until.isoformat() if until else None,
            "media": wishes.media,
        }
        try:
            replace_file(self._path, json.dumps(fields), survives_power_cut=True)
        except OSError as error:
            raise JunodError(
                f"It is done, but cannot be noted for the next start: {self._path.parent}: {error.strerror}.",
                hint="Make room on the disk, or make the folder writable, and ask again.",
                permanent=False,
            ) from error


def next_morning(now: datetime, zone: tzinfo, morning: str) -> datetime:
    """The next time that the household's clocks show `morning` ('HH:MM'), aware."""
    at = time.fromisoformat(morning)
    local = now.astimezone(zone)
    today = datetime.combine(local.date(), at, zone)
    return today if today > local else datetime.combine(local.date() + timedelta(days=1), at, zone)


def _parsed(text: str) -> EarWishes:
    fields = json.loads(text)
    muted, until, media = fields["muted"], fields["off_record_until"], fields["media"]
    if not isinstance(muted, bool) or media not in MEDIA_STATES:
        raise ValueError("not what was written")
    moment = datetime.fromisoformat(until) if until is not None else None
    if moment is not None and moment.utcoffset() is None:
        raise ValueError("a moment without offset")
    return EarWishes(muted, moment, media)


def _closed(path: Path | None) -> tuple[EarWishes, str]:
    return EarWishes(muted=True), f"{path} cannot be read, so the microphone stays muted until somebody unmutes it."
