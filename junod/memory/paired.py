"""Devices that may look at the household's memories from elsewhere, and feeds that calendars read: names and hashes.

A token is 'id.secret'. The secret has 256 random bits, so its plain SHA-256 gives nothing away.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from junod.errors import NotFoundError, UsageError
from junod.memory import codec
from junod.memory.session import Sessions

Scope = Literal["device", "feed"]
MAX_PAIRED = 50
_SECRET_BYTES = 32
_SEEN_EVERY = timedelta(minutes=10)
"""Not every request is worth a write."""
_COLUMNS = "id, name, scope, created_at, last_seen_at"


@dataclass(frozen=True, slots=True)
class Paired:
    id: str
    name: str
    scope: Scope
    """'device' may do what the page may do; 'feed' may read the calendar and the shopping list."""
    created_at: datetime
    last_seen_at: datetime | None


class PairedDevices:
    """Who was let in. Thread-safe."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def add(self, name: str, scope: Scope) -> tuple[Paired, str]:
        """Let somebody in; returns the entry and its token, which is not kept and cannot be shown again.

        Raises:
            UsageError: there are too many already.
        """
        paired_id, secret = secrets.token_hex(6), secrets.token_urlsafe(_SECRET_BYTES)
        with self._sessions.write() as session:
            query = "SELECT count(*) FROM paired WHERE household_id = ?"
            if session.connection.execute(query, (session.household_id,)).fetchone()[0] >= MAX_PAIRED:
                raise UsageError(f"{MAX_PAIRED} devices are paired already.", hint="Remove one first.")
            session.connection.execute(
                "INSERT INTO paired (household_id, id, name, scope, token_hash, created_at) VALUES (?, ?, ?, ?, ?, ?)",
                (session.household_id, paired_id, codec.clean(name), scope, _hash(secret), session.now.isoformat()),
            )
            session.journal("paired", reason=scope)
            return Paired(paired_id, codec.clean(name), scope, session.now, None), f"{paired_id}.{secret}"

    def known(self, token: str) -> Paired | None:
        """Whose token this is; compared in constant time."""
        paired_id, _, secret = token.partition(".")
        with self._sessions.read() as session:
            row = session.connection.execute(
                f"SELECT {_COLUMNS}, token_hash FROM paired WHERE household_id = ? AND id = ?",
                (session.household_id, paired_id),
            ).fetchone()
            now = session.now
        if not hmac.compare_digest(_hash(secret), bytes(row["token_hash"]) if row else _hash("")) or row is None:
            return None
        found = _paired(row)
        if found.last_seen_at is None or now - found.last_seen_at >= _SEEN_EVERY:
            self._seen(found.id)
        return found

    def list(self) -> tuple[Paired, ...]:
        """All, the newest first."""
        query = f"SELECT {_COLUMNS} FROM paired WHERE household_id = ? ORDER BY created_at DESC, id"
        with self._sessions.read() as session:
            return tuple(_paired(row) for row in session.connection.execute(query, (session.household_id,)))

    def revoke(self, paired_id: str) -> None:
        """Let it in no more.

        Raises:
            NotFoundError: there is none of this id.
        """
        with self._sessions.erase() as session:
            query = "DELETE FROM paired WHERE household_id = ? AND id = ?"
            if session.connection.execute(query, (session.household_id, paired_id)).rowcount == 0:
                raise NotFoundError("There is no such device.", hint="Look at the list again.")
            session.journal("unpaired")

    def _seen(self, paired_id: str) -> None:
        with self._sessions.write() as session:
            session.connection.execute(
                "UPDATE paired SET last_seen_at = ? WHERE household_id = ? AND id = ?",
                (session.now.isoformat(), session.household_id, paired_id),
            )


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _paired(row: dict[str, str]) -> Paired:
    seen = row["last_seen_at"]
    return Paired(
        row["id"],
        row["name"],
        "feed" if row["scope"] == "feed" else "device",
        codec.moment_of(row["created_at"]),
        codec.moment_of(seen) if seen else None,
    )
