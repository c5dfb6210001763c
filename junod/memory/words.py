"""Keyword search over the FTS5 index of memories."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

MAX_TERMS = 64
"""Different words of a query that are looked up; more make no better answer, only a slower one."""

_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a an and are at be been by can could did do does for from had has have he her his how i if in is it its me my
        of on or our say said she should so that the their them there they this to us was we were what when where
        which who will with would you your
        s t d m ll re ve don doesn didn isn aren wasn won
        """,
    )
)
"""Words that say nothing about what is sought (the last line: what is left of them around an apostrophe); looked up
only where a query has no others."""

_WORD = re.compile(r"[^\W_]+")


def word_spans(text: str) -> list[tuple[str, int, int]]:
    """Each word of a text in lower case, with its first and one past its last character."""
    return [(match[0].casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]


class WordHit(NamedTuple):
    seq: int
    bm25: float
    """As SQLite gives it: negative, the lower the better."""


def fts_query(text: str, *, every: bool = False) -> str:
    """An FTS5 query that matches any word of the text, or every one; '' where it has none. No operator gets through."""
    return (" AND " if every else " OR ").join(f'"{word}"' for word in telling_words(text))


def telling_words(text: str) -> list[str]:
    """The different words of a text that say what it is about, in order; all of them where none does."""
    words = list(dict.fromkeys(word.casefold() for word in _WORD.findall(text)))
    return ([word for word in words if word not in _EMPTY_WORDS] or words)[:MAX_TERMS]


def matching(
    connection: sqlite3.Connection, text: str, k: int, where: str, params: Mapping[str, Any], *, every: bool = False
) -> list[WordHit]:
    """The k best of the memories `m` that meet `where`, best first; `every`: only those with all the words."""
    query = fts_query(text, every=every)
    if not query:
        return []
    # The condition is asked of the best only: of all that match it costs more than finding them. CROSS JOIN keeps
    # SQLite from walking all memories instead and looking each of them up among the best.
    ahead = 4 * k
    rows = connection.execute(
        "SELECT m.seq, f.score FROM (SELECT rowid, bm25(memories_fts) AS score FROM memories_fts"
        " WHERE memories_fts MATCH :query ORDER BY score, rowid DESC LIMIT :ahead) f"
        f" CROSS JOIN memories m ON m.seq = f.rowid WHERE {where} ORDER BY f.score, m.seq DESC LIMIT :k",
        {**params, "query": query, "k": k, "ahead": ahead},
    ).fetchall()
    if len(rows) < k and _is_in(connection, query, ahead):
        rows = connection.execute(
            "SELECT m.seq, bm25(memories_fts) AS score FROM memories_fts"
            " CROSS JOIN memories m ON m.seq = memories_fts.rowid"
            f" WHERE memories_fts MATCH :query AND {where} ORDER BY score, m.seq DESC LIMIT :k",
            {**params, "query": query, "k": k},
        ).fetchall()
    return [WordHit(row["seq"], row["score"]) for row in rows]


def combined_query(
    terms: Sequence[Sequence[str]], at_least: int, common: Collection[Sequence[str]] = frozenset()
) -> str:
    """An FTS5 query for what has at least so many of the terms, each a word and its synonyms.

    Combinations of `common` terms alone are left out, unless all terms are asked for.
    """
    usable = [words for words in terms if any(map(_WORD.search, words))]
    chosen = combinations(usable, min(at_least, len(usable))) if usable else ()
    telling = [each for each in chosen if at_least >= len(usable) or not all(words in common for words in each)]
    return " OR ".join(f"({' AND '.join(map(_either, each))})" for each in telling)


def _either(words: Sequence[str]) -> str:
    return "(" + " OR ".join(f'"{word}"' for text in words for word in _WORD.findall(text)) + ")"


def is_in_many(connection: sqlite3.Connection, words: Sequence[str], many: int) -> bool:
    """Whether at least so many memories, superseded ones too, have one of the words."""
    return _is_in(connection, _either(words), many)


def _is_in(connection: sqlite3.Connection, query: str, many: int) -> bool:
    found = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)", (query, many)
    )
    return bool(found.fetchone()[0] >= many)


def newest(connection: sqlite3.Connection, query: str, k: int, where: str, params: Mapping[str, Any]) -> list[int]:
    """`seq` of the k memories last stored that match an FTS5 query and meet `where`; nothing is ranked."""
    rows = connection.execute(
        "SELECT m.seq FROM memories_fts JOIN memories m ON m.seq = memories_fts.rowid"
        f" WHERE memories_fts MATCH :query AND {where} ORDER BY memories_fts.rowid DESC LIMIT :k",
        {**params, "query": query, "k": k},
    )
    return [row["seq"] for row in rows]


def check(connection: sqlite3.Connection) -> None:
    """Raises the driver's error where the index and the memories differ."""
    connection.execute("INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)")
