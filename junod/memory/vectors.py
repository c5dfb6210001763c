"""Vectors: one vec0 table (cosine distance) for each embedding model and dimension, keyed by the memory's `seq`.

sqlite-vec's rules, each met by others the hard way: a KNN query states `k = ?` (LIMIT fails on SQLite 3.40), a vector
is replaced by delete and insert (REPLACE fails), and space of deleted vectors comes back only with a whole chunk, so
small chunks and, when they are mostly holes, a rebuilt table.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from junod.errors import StoreError
from junod.memory.embedder import Embedding

MAX_NEIGHBOURS = 4096
"""sqlite-vec's own bound on k."""
CHUNK_ROWS = 128


class VectorTable(NamedTuple):
    model: str
    dims: int
    name: str


class Neighbour(NamedTuple):
    seq: int
    distance: float
    """Cosine distance, 0 (same direction) to 2."""


def tables(connection: sqlite3.Connection) -> tuple[VectorTable, ...]:
    rows = connection.execute("SELECT id, model, dims FROM vector_tables ORDER BY id")
    return tuple(VectorTable(row["model"], row["dims"], f"vectors_{row['id']}") for row in rows)


def put(connection: sqlite3.Connection, seq: int, embedding: Embedding) -> None:
    """Store or replace the vector of one memory in its model's table."""
    blob = _blob(embedding)
    table = _find(connection, embedding) or _create(connection, embedding)
    connection.execute(f"DELETE FROM {table.name} WHERE rowid = ?", (seq,))
    connection.execute(f"INSERT INTO {table.name} (rowid, embedding) VALUES (?, ?)", (seq, blob))


def drop(connection: sqlite3.Connection, table: VectorTable) -> None:
    """Delete a model's vectors, all of them."""
    connection.execute(f"DROP TABLE {table.name}")
    connection.execute("DELETE FROM vector_tables WHERE model = ? AND dims = ?", (table.model, table.dims))


def copy(connection: sqlite3.Connection, from_seq: int, to_seq: int) -> None:
    """Give a memory the vectors of another that means the same."""
    for table in tables(connection):
        row = connection.execute(f"SELECT embedding FROM {table.name} WHERE rowid = ?", (from_seq,)).fetchone()
        if row is not None:
            connection.execute(f"INSERT INTO {table.name} (rowid, embedding) VALUES (?, ?)", (to_seq, row[0]))


def remove(connection: sqlite3.Connection, seqs: Iterable[int]) -> None:
    """Take memories out of every table."""
    gone = [(seq,) for seq in seqs]
    for table in tables(connection):
        connection.executemany(f"DELETE FROM {table.name} WHERE rowid = ?", gone)
        _rebuild_if_hollow(connection, table)


def nearest(
    connection: sqlite3.Connection,
    embedding: Embedding,
    k: int,
    where: str,
    params: Mapping[str, Any],
    *,
    mostly: bool = False,
) -> list[Neighbour]:
    """The k nearest of the memories `m` that meet `where`, nearest first.

    The condition narrows the search itself, so that hidden rows never use up places among the k.

    Args:
        mostly: most memories meet it. Then it is tried first without it, which saves asking it of every memory.
    """
    table = _find(connection, embedding)
    if table is None:
        return []
    if mostly and (found := _nearest_checked(connection, table, embedding, k, where, params)) is not None:
        return found
    rows = connection.execute(
        f"SELECT rowid, distance FROM {table.name} WHERE embedding MATCH :vector AND k = :k"
        f" AND rowid IN (SELECT m.seq FROM memories m WHERE {where}) ORDER BY distance",
        {**params, "vector": _blob(embedding), "k": min(k, MAX_NEIGHBOURS)},
    )
    return [Neighbour(row["rowid"], row["distance"]) for row in rows]


def _nearest_checked(
    connection: sqlite3.Connection,
    table: VectorTable,
    embedding: Embedding,
    k: int,
    where: str,
    params: Mapping[str, Any],
) -> list[Neighbour] | None:
    """More than k of all, of which those that meet the condition are kept; None where that leaves too few."""
    more = min(2 * k + 40, MAX_NEIGHBOURS)
    rows = connection.execute(
        f"SELECT rowid, distance FROM {table.name} WHERE embedding MATCH ? AND k = ? ORDER BY distance",
        (_blob(embedding), more),
    ).fetchall()
    meets = f"SELECT 1 FROM memories m WHERE m.seq = :seq AND {where}"
    kept = [
        Neighbour(row["rowid"], row["distance"])
        for row in rows
        if connection.execute(meets, {**params, "seq": row["rowid"]}).fetchone()
    ]
    return kept[:k] if len(kept) >= k or len(rows) < more else None


def cosines(connection: sqlite3.Connection, embedding: Embedding, seqs: Iterable[int]) -> dict[int, float]:
    """Cosine of each memory to a vector, by `seq`; without an entry where one has no vector of that model."""
    table = _find(connection, embedding)
    if table is None:
        return {}
    stored = {seq: vector(connection, table, seq) for seq in seqs}
    sought = embedding.vector / np.linalg.norm(embedding.vector)
    return {seq: float(found @ sought / np.linalg.norm(found)) for seq, found in stored.items() if found is not None}


def of(connection: sqlite3.Connection, embedding: Embedding, seqs: Iterable[int]) -> list[NDArray[np.float32]]:
    """The stored vectors of memories that have one of this embedding's model, in order."""
    table = _find(connection, embedding)
    found = [vector(connection, table, seq) for seq in seqs] if table else []
    return [each for each in found if each is not None]


def vector(connection: sqlite3.Connection, table: VectorTable, seq: int) -> NDArray[np.float32] | None:
    """The stored vector of one memory, None where it has none of this model."""
    row = connection.execute(f"SELECT embedding FROM {table.name} WHERE rowid = ?", (seq,)).fetchone()
    return None if row is None else np.frombuffer(row[0], dtype=np.float32)


def unembedded(connection: sqlite3.Connection, model: str, dims: int, household_id: str, limit: int) -> list[int]:
    """`seq` of memories that have no vector of this model yet, newest first."""
    table = next((t for t in tables(connection) if (t.model, t.dims) == (model, dims)), None)
    lacking = f"AND seq NOT IN (SELECT rowid FROM {table.name})" if table else ""
    rows = connection.execute(
        f"SELECT seq FROM memories WHERE household_id = ? {lacking} ORDER BY seq DESC LIMIT ?", (household_id, limit)
    )
    return [row["seq"] for row in rows]


def count(connection: sqlite3.Connection, table: VectorTable) -> int:
    """Asked of sqlite-vec's own list of rows: the virtual table walks all vectors for it, 7 ms for 40,000."""
    return int(connection.execute(f"SELECT count(*) FROM {table.name}_rowids").fetchone()[0])


def problems(connection: sqlite3.Connection) -> list[str]:
    """Vectors that belong to no memory."""
    found = []
    for table in tables(connection):
        orphans = connection.execute(
            f"SELECT count(*) FROM {table.name} WHERE rowid NOT IN (SELECT seq FROM memories)"
        ).fetchone()[0]
        if orphans:
            found.append(f"{orphans} vectors of {table.model} belong to no memory")
    return found


def _find(connection: sqlite3.Connection, embedding: Embedding) -> VectorTable | None:
    key = (embedding.model, len(embedding.vector))
    return next((table for table in tables(connection) if (table.model, table.dims) == key), None)


def _create(connection: sqlite3.Connection, embedding: Embedding) -> VectorTable:
    dims = len(embedding.vector)
    cursor = connection.execute("INSERT INTO vector_tables (model, dims) VALUES (?, ?)", (embedding.model, dims))
    table = VectorTable(embedding.model, dims, f"vectors_{cursor.lastrowid}")
    _create_vec0(connection, table)
    return table


def _create_vec0(connection: sqlite3.Connection, table: VectorTable) -> None:
    connection.execute(
        f"CREATE VIRTUAL TABLE {table.name} USING vec0("
        f"embedding float[{table.dims}] distance_metric=cosine, chunk_size={CHUNK_ROWS})"
    )


def _rebuild_if_hollow(connection: sqlite3.Connection, table: VectorTable) -> None:
    """Write a table anew once over half of its places are holes: sqlite-vec fills those of the last chunk only."""
    live = count(connection, table)
    chunks = int(connection.execute(f"SELECT count(*) FROM {table.name}_chunks").fetchone()[0])
    if chunks <= 2 * (live // CHUNK_ROWS + 1):
        return
    kept = [tuple(row) for row in connection.execute(f"SELECT rowid, embedding FROM {table.name}")]
    connection.execute(f"DROP TABLE {table.name}")
    _create_vec0(connection, table)
    connection.executemany(f"INSERT INTO {table.name} (rowid, embedding) VALUES (?, ?)", kept)


def _blob(embedding: Embedding) -> bytes:
    vector = np.ascontiguousarray(embedding.vector, dtype=np.float32)
    if vector.ndim != 1 or not len(vector):
        raise StoreError(f"An embedding must be one row of numbers, not of shape {vector.shape}.")
    if not np.isfinite(vector).all() or not vector.any():
        raise StoreError(f"The embedding model {embedding.model} gave no usable vector (zeros or not numbers).")
    return vector.tobytes()
