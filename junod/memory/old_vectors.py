"""Vectors of embedding models that are not used any more: kept for some days, if somebody goes back, then dropped."""

from __future__ import annotations

from datetime import timedelta

from junod.memory import codec, vectors
from junod.memory.session import Session, Sessions


def drop_old_vectors(sessions: Sessions, model: str, kept: timedelta) -> tuple[str, ...]:
    """Drop the tables of models that nobody used for so long; the names of those models.

    The time begins when the configured model has read every memory: until then the old ones answer.

    Args:
        model: the configured one's name.

    Raises:
        StoreError: the database cannot be read or written.
    """
    with sessions.read() as session:
        if not _unused(session, model) and not any(_since(session).values()):
            return ()
    with sessions.write() as session:
        unused, now = _unused(session, model), codec.microseconds(session.now)
        ends = {
            table: _begun(since, now) + kept // timedelta(microseconds=1) for table, since in _since(session).items()
        }
        over = [table for table in unused if ends[table] <= now]
        for table, since in _since(session).items():
            _mark(session, table, _begun(since, now) if table in unused else None)
        for table in over:
            vectors.drop(session.connection, table)
            session.journal("vectors-dropped")
    return tuple(table.model for table in over)


def _begun(since: int | None, now: int) -> int:
    """A mark ahead was made under a clock that was set back since."""
    return now if since is None else min(since, now)


def _unused(session: Session, model: str) -> set[vectors.VectorTable]:
    """All tables but the fullest of the model, if that has a vector of every memory; else none."""
    counted = {table: vectors.count(session.connection, table) for table in vectors.tables(session.connection)}
    total = int(session.connection.execute("SELECT count(*) FROM memories").fetchone()[0])
    own = max((table for table in counted if table.model == model), key=lambda table: counted[table], default=None)
    return set() if own is None or counted[own] < total else set(counted) - {own}


def _since(session: Session) -> dict[vectors.VectorTable, int | None]:
    rows = session.connection.execute("SELECT model, dims, unused_since_us FROM vector_tables")
    marks = {(row["model"], row["dims"]): row["unused_since_us"] for row in rows}
    return {table: marks[table.model, table.dims] for table in vectors.tables(session.connection)}


def _mark(session: Session, table: vectors.VectorTable, since_us: int | None) -> None:
    session.connection.execute(
        "UPDATE vector_tables SET unused_since_us = ? WHERE model = ? AND dims = ?", (since_us, table.model, table.dims)
    )
