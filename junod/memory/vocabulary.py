"""The words of all memories, as the word index knows them. Implements `terms.Vocabulary`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from junod.memory.lexicon import stem
from junod.memory.session import Session, Sessions
from junod.memory.words import word_spans

_MAX_LIKE = 40
_NEXT = "\U0010ffff"


class StoredVocabulary:
    """Counts include superseded memories: they say how rare a word is all the same."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def size(self) -> int:
        with self._sessions.read() as session:
            return int(session.connection.execute("SELECT coalesce(max(seq), 0) FROM memories").fetchone()[0])

    def counts(self, stems: Sequence[str]) -> dict[str, int]:
        """See Vocabulary; a stem that stands nowhere is left out."""
        with self._sessions.read() as session:
            found = {term: self._count(session, term) for term in dict.fromkeys(stems)}
        return {term: number for term, number in found.items() if number}

    def like(self, word: str, fits: Callable[[str], bool]) -> list[str]:
        """See Vocabulary. The index has stems alone, so the words themselves are read out of one memory for each."""
        with self._sessions.read() as session:
            query = "SELECT term FROM memory_words WHERE term >= ? AND term < ?"
            rows = session.connection.execute(query, (word[:1], word[:1] + _NEXT))
            stems = [row["term"] for row in rows if fits(row["term"])][:_MAX_LIKE]
            return [surface for term in stems for surface in self._surfaces(session, term)]

    def _count(self, session: Session, term: str) -> int:
        row = session.connection.execute("SELECT doc FROM memory_words WHERE term = ?", (term,)).fetchone()
        return 0 if row is None else int(row["doc"])

    def _surfaces(self, session: Session, term: str) -> set[str]:
        """The forms of a stem in the memory that had it last."""
        query = (
            "SELECT m.memory FROM memories_fts JOIN memories m ON m.seq = memories_fts.rowid"
            " WHERE memories_fts MATCH ? ORDER BY memories_fts.rowid DESC LIMIT 1"
        )
        row = session.connection.execute(query, (f'"{term}"',)).fetchone()
        return {word for word, _, _ in word_spans(row["memory"]) if stem(word) == term} if row else set()
