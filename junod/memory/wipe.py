"""Forgetting by time: everything spoken in a range, or everything there is. Runs inside a transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from junod.errors import UsageError
from junod.memory import changes, codec, habits, persona, rows, rules, spool, tombstones
from junod.memory.rows import Filter
from junod.memory.session import Session
from junod.memory.spool import SpoolState
from junod.records import Passage


@dataclass(frozen=True, slots=True)
class Wiped:
    """Ids of what is erased."""

    memories: tuple[str, ...]
    """With their whole lineages, in the order stored."""
    passages: tuple[str, ...]
    """Heard and not decided yet, or put aside."""


def find(session: Session, since: datetime | None, until: datetime | None) -> Wiped:
    """What was spoken from `since` up to and without `until`.

    Raises:
        UsageError: a moment without offset, or a range that ends before it begins.
    """
    _check_range(since, until)
    wanted = Filter(
        since=since,
        until=until,
        include_superseded=True,
        include_archived=True,
        include_expired=True,
        include_forgotten=True,
    )
    where, params = rows.condition(wanted, session)
    named = [row["id"] for row in session.connection.execute(f"SELECT m.id FROM memories m WHERE {where}", params)]
    passages = tuple(passage.id for passage in _passages(session, since, until))
    return Wiped(rows.in_order_stored(session, rows.relatives(session, named)), passages)


def wipe(session: Session, since: datetime | None, until: datetime | None) -> Wiped:
    """Erase it. Tombstones stay, so that no recording, and no decision under way, brings anything back."""
    found = find(session, since, until)
    for passage in _passages(session, since, until):
        speech = tombstones.of_speech(session, passage.transcript, passage.spoken_at)
        tombstones.set_up(session, (tombstones.of_passage(session, passage.id), speech))
        spool.delete(session, passage.id)
        session.journal("forgotten", passage_id=passage.id)
    changes.forget(session, found.memories)
    habits.drop_range(session, *(codec.microseconds(end) if end else None for end in (since, until)))
    rules.forget_spoken(session, since, until)
    if since is None and until is None:
        _wipe_traces(session)
    return found


def _wipe_traces(session: Session) -> None:
    """What holds no speech but tells when there was some, and where."""
    persona.drop_all(session)
    for table in ("journal", "devices", "tallies"):
        session.connection.execute(f"DELETE FROM {table} WHERE household_id = ?", (session.household_id,))
    session.journal("forgotten", reason="everything")


def _passages(session: Session, since: datetime | None, until: datetime | None) -> list[Passage]:
    """Undecided passages of which any utterance falls into the range."""
    spooled = [each.passage for state in SpoolState for each in spool.in_state(session, state)]
    return [
        passage
        for passage in spooled
        if (since is None or max((passage.spoken_at, *passage.utterance_starts)) >= since)
        and (until is None or passage.spoken_at < until)
    ]


def _check_range(since: datetime | None, until: datetime | None) -> None:
    for moment in (since, until):
        if moment is not None and moment.utcoffset() is None:
            raise UsageError(f"The time {moment.isoformat()} has no UTC offset.", hint="Give one, for example +01:00.")
    if since is not None and until is not None and since >= until:
        raise UsageError("The time range is empty.", hint="Let it begin before it ends.")
