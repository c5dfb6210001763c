"""Is the database whole? File, links, words and vectors."""

from __future__ import annotations

from junod.errors import StoreError
from junod.memory import vectors, words
from junod.memory.driver import DriverError
from junod.memory.session import Sessions


def problems(sessions: Sessions, *, read_only: bool) -> tuple[str, ...]:
    """What is wrong, nothing if sound. Open for reading alone, the word index is not compared with the memories."""
    with sessions.read() as session:
        found = [row[0] for row in session.connection.execute("PRAGMA integrity_check")]
        broken = session.connection.execute("PRAGMA foreign_key_check").fetchall()
        wrong = [line for line in found if line != "ok"]
        wrong += [f"broken link in {row[0]}" for row in broken]
        wrong += vectors.problems(session.connection)
    return tuple(wrong) if read_only else (*wrong, *_check_words(sessions))


def _check_words(sessions: Sessions) -> tuple[str, ...]:
    try:
        with sessions.write() as session:
            words.check(session.connection)
    except StoreError as error:
        if not isinstance(error.__cause__, DriverError) or not error.permanent:
            raise
        return (f"the word index does not fit the memories: {error.__cause__}",)
    return ()
