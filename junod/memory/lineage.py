"""Where a memory comes from: everything that is linked with it, and the links themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from junod.memory import codec, rows
from junod.memory.session import Session
from junod.records import Memory


@dataclass(frozen=True, slots=True)
class Link:
    """One memory took another's place."""

    old: str
    new: str
    reason: str
    """A short code: 'done', 'tick', 'edit', or why dedup put it together."""
    at: datetime
    withdrawn_at: datetime | None = None
    """When it was taken back; None = it holds."""


@dataclass(frozen=True, slots=True)
class Lineage:
    memories: tuple[Memory, ...]
    """In the order they were stored."""
    links: tuple[Link, ...]
    """In the order they were made."""

    def made(self, memory_id: str) -> tuple[Link, ...]:
        """The links by which a memory took the place of others."""
        return tuple(link for link in self.links if link.new == memory_id)


def lineage(session: Session, memory_id: str) -> Lineage:
    """The whole lineage of a memory.

    Raises:
        NotFoundError: there is no such memory.
    """
    ids = rows.in_order_stored(session, rows.relatives(session, [rows.load(session, memory_id).id]))
    place = {each: number for number, each in enumerate(ids)}
    links = [link for each in ids for link in _links_of(session, each)]
    return Lineage(rows.by_ids(session, ids), tuple(sorted(links, key=lambda link: (link.at, place[link.old]))))


def _links_of(session: Session, new_id: str) -> list[Link]:
    found = session.connection.execute(
        "SELECT old_id, reason, at, NULL AS withdrawn_at FROM supersessions WHERE new_id = ?1"
        " UNION ALL SELECT old_id, reason, at, withdrawn_at FROM withdrawals WHERE new_id = ?1",
        (new_id,),
    )
    return [
        Link(
            row["old_id"],
            new_id,
            row["reason"],
            codec.moment_of(row["at"]),
            codec.moment_of(row["withdrawn_at"]) if row["withdrawn_at"] else None,
        )
        for row in found
    ]
