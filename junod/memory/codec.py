"""Records to and from what is stored, and what may be stored at all (pure)."""

from __future__ import annotations

import hmac
import json
import math
import re
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import uuid_utils

from junod.errors import DamagedError, StoreError
from junod.memory.driver import DAMAGED_HINT
from junod.records import ClockAnchor, Memory, NewMemory, Passage, PassageEnd

MAX_MEMORY_CHARS = 4_000
MAX_TRANSCRIPT_CHARS = 100_000
"""The longest stretch of home talk measured without a pause had 6,699 words, some 40,000 characters."""
SOURCES = ("voice", "manual", "merge", "done")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CODE = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,63}")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_WORD = re.compile(r"\w+")


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970 UTC, exact.

    Raises:
        StoreError: the moment has no offset.
    """
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise StoreError(f"The time {moment.isoformat()} has no UTC offset.", hint="Give one, for example +01:00.")
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment(at_us: int) -> datetime:
    """The moment of so many microseconds since 1970, in UTC."""
    return _EPOCH + timedelta(microseconds=at_us)


def new_id(now: datetime) -> str:
    """A UUID v7 of the given moment: ids sort by the time they were made."""
    return str(uuid_utils.uuid7(nanoseconds=max(0, microseconds(now)) * 1000))


def clean(text: str) -> str:
    """Text that any database, terminal and page can hold: no control characters, no lone surrogates."""
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text.replace("\r\n", "\n"))).strip()


def code(text: str) -> str:
    """A reason fit for the journal: a short code. Anything else could be speech and is not written."""
    return text if not text or _CODE.fullmatch(text) else "unlisted"


def words_of(text: str) -> str:
    """The words alone, so that case, spacing and punctuation make no difference."""
    return " ".join(_WORD.findall(text.casefold()))


def keyed_hash(key: bytes, *parts: str) -> bytes:
    """HMAC-SHA256 of the parts: recognises a text without holding it."""
    return hmac.digest(key, "\x1f".join(parts).encode("utf-8", "surrogatepass"), "sha256")


def checked(new: NewMemory, household_id: str) -> dict[str, Any]:
    """Columns of a memory about to be stored, cleaned.

    Raises:
        StoreError: names the field and what is allowed.
    """
    text, transcript = clean(new.memory), clean(new.transcript)
    _check_text(text, transcript)
    if new.household_id != household_id:
        raise StoreError(f"The memory belongs to household '{new.household_id}', the store to '{household_id}'.")
    if new.source not in SOURCES:
        raise StoreError(f"'{new.source}' is no source of memories.", hint=f"Use one of: {', '.join(SOURCES)}.")
    if not (math.isfinite(new.confidence) and 0 <= new.confidence <= 1):
        raise StoreError(f"The confidence {new.confidence} is not between 0 and 1.")
    expires = new.expires_at
    return {
        "household_id": household_id,
        "device_id": clean(new.device_id) or None,
        "room": clean(new.room),
        "memory": text,
        "transcript": transcript,
        "spoken_at": new.spoken_at.isoformat(),
        "spoken_at_us": microseconds(new.spoken_at),
        "expires_at": expires.isoformat() if expires else None,
        "expires_at_us": microseconds(expires) if expires else None,
        "source": new.source,
        "confidence": float(new.confidence),
        "clock_synced": int(new.clock_synced),
    }


def _check_text(text: str, transcript: str) -> None:
    if not text:
        raise StoreError("A memory without text cannot be stored.", hint="Say what is to be remembered.")
    if len(text) > MAX_MEMORY_CHARS:
        raise StoreError(
            f"The memory has {len(text)} characters; {MAX_MEMORY_CHARS} is the most.", hint="Shorten or split it."
        )
    if len(transcript) > MAX_TRANSCRIPT_CHARS:
        raise StoreError(f"The transcript has {len(transcript)} characters; {MAX_TRANSCRIPT_CHARS} is the most.")


def moment_of(text: str) -> datetime:
    """A moment as it was stored.

    Raises:
        DamagedError: it is none.
    """
    try:
        return datetime.fromisoformat(text)
    except (ValueError, TypeError) as error:
        raise damaged() from error


def damaged() -> DamagedError:
    """For what the checks of a database at its opening do not see."""
    return DamagedError("The database holds what junod did not write: it is damaged.", hint=DAMAGED_HINT)


def memory_of(row: sqlite3.Row) -> Memory:
    """A row of the store's standard query as a record."""
    expires = row["expires_at"]
    return Memory(
        id=row["id"],
        memory=row["memory"],
        transcript=row["transcript"],
        room=row["room"],
        device_id=row["device_id"] or "",
        spoken_at=moment_of(row["spoken_at"]),
        created_at=moment_of(row["created_at"]),
        expires_at=moment_of(expires) if expires else None,
        archived=bool(row["archived"]),
        source=row["source"],
        confidence=row["confidence"],
        supersedes=_ids(row["supersedes"]),
        superseded_by=_ids(row["superseded_by"]),
        household_id=row["household_id"],
        clock_synced=bool(row["clock_synced"]),
    )


def _ids(joined: str | None) -> tuple[str, ...]:
    return tuple(sorted(joined.split(","))) if joined else ()


def passage_to_json(passage: Passage) -> str:
    """Everything about the passage. The zone is kept by name: an offset alone knows nothing of summer time."""
    microseconds(passage.spoken_at)
    transcript = clean(passage.transcript)
    if len(transcript) > MAX_TRANSCRIPT_CHARS:
        raise StoreError(f"The passage has {len(transcript)} characters; {MAX_TRANSCRIPT_CHARS} is the most.")
    zone = passage.spoken_at.tzinfo
    return json.dumps(
        {
            "id": passage.id,
            "transcript": transcript,
            "spoken_at": passage.spoken_at.isoformat(),
            "zone": zone.key if isinstance(zone, ZoneInfo) else None,
            "room": passage.room,
            "context": [clean(line) for line in passage.context],
            "utterance_starts": [start.isoformat() for start in passage.utterance_starts],
            "device_id": passage.device_id,
            "household_id": passage.household_id,
            "closed_by": passage.closed_by.value,
            "clock_synced": passage.clock_synced,
            "media": passage.media,
            "anchor": [passage.anchor.boot_id, passage.anchor.elapsed_s] if passage.anchor else None,
        },
        ensure_ascii=False,
    )


def passage_from_json(text: str) -> Passage:
    """A passage of the spool.

    Raises:
        DamagedError: it is none.
    """
    try:
        return _passage_of(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, OSError, RecursionError) as error:
        raise damaged() from error  # ZoneInfo raises KeyError and OSError


def _passage_of(fields: dict[str, Any]) -> Passage:
    zone = ZoneInfo(fields["zone"]) if fields["zone"] else None

    def moment(value: str) -> datetime:
        at = datetime.fromisoformat(value)
        return at.astimezone(zone) if zone else at

    return Passage(
        id=fields["id"],
        transcript=fields["transcript"],
        spoken_at=moment(fields["spoken_at"]),
        room=fields["room"],
        context=tuple(fields["context"]),
        utterance_starts=tuple(moment(start) for start in fields["utterance_starts"]),
        device_id=fields["device_id"],
        household_id=fields["household_id"],
        closed_by=PassageEnd(fields["closed_by"]),
        clock_synced=fields["clock_synced"],
        media=fields.get("media", "auto"),  # spooled by an earlier junod
        anchor=ClockAnchor(*fields["anchor"]) if fields.get("anchor") else None,
    )
