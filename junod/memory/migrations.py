"""The schema, as numbered migrations that are only ever appended. Each runs in one transaction that records it.

The number of the last one is SQLite's `user_version`; a database that has a higher one comes from a newer junod.
"""

from __future__ import annotations

import secrets
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from junod.errors import StoreError
from junod.memory import copies

APPLICATION_ID = 0x6A6E6F64
"""'jnod' in the header of the file, so that another program's database is told apart."""

_M001 = """
CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL);
CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE households (id TEXT PRIMARY KEY, created_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE devices (
    household_id TEXT NOT NULL REFERENCES households (id),
    id TEXT NOT NULL,
    room TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (household_id, id)
) WITHOUT ROWID;
CREATE TABLE memories (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    household_id TEXT NOT NULL REFERENCES households (id),
    device_id TEXT,
    room TEXT NOT NULL,
    memory TEXT NOT NULL CHECK (memory <> ''),
    transcript TEXT NOT NULL,
    passage_id TEXT,
    spoken_at TEXT NOT NULL,
    spoken_at_us INTEGER NOT NULL,
    expires_at TEXT,
    expires_at_us INTEGER,
    archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    source TEXT NOT NULL CHECK (source IN ('voice', 'manual', 'merge', 'done')),
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    clock_synced INTEGER NOT NULL CHECK (clock_synced IN (0, 1)),
    embedding_model TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK ((expires_at IS NULL) = (expires_at_us IS NULL)),
    FOREIGN KEY (household_id, device_id) REFERENCES devices (household_id, id)
);
CREATE INDEX memories_by_time ON memories (household_id, spoken_at_us);
CREATE INDEX memories_by_expiry ON memories (expires_at_us) WHERE expires_at_us IS NOT NULL;
CREATE INDEX memories_by_passage ON memories (passage_id) WHERE passage_id IS NOT NULL;
CREATE TABLE supersessions (
    old_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    new_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (old_id, new_id),
    CHECK (old_id <> new_id)
) WITHOUT ROWID;
CREATE INDEX supersessions_by_new ON supersessions (new_id);
CREATE TABLE tombstones (hash BLOB PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE spool (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    household_id TEXT NOT NULL REFERENCES households (id),
    passage TEXT NOT NULL,
    words_hash BLOB NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'working', 'parked')),
    attempts INTEGER NOT NULL DEFAULT 0,
    last_error TEXT NOT NULL DEFAULT '',
    enqueued_at TEXT NOT NULL
);
CREATE INDEX spool_by_state ON spool (household_id, state, seq);
CREATE TABLE journal (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    household_id TEXT NOT NULL REFERENCES households (id),
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    passage_id TEXT,
    memory_id TEXT,
    stage TEXT NOT NULL DEFAULT '',
    score REAL,
    reason TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX journal_decides_once ON journal (household_id, passage_id) WHERE event = 'decided';
CREATE TABLE vector_tables (
    id INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    dims INTEGER NOT NULL CHECK (dims > 0),
    UNIQUE (model, dims)
);
CREATE VIRTUAL TABLE memories_fts USING fts5 (
    memory, content = 'memories', content_rowid = 'seq', tokenize = 'porter unicode61 remove_diacritics 2'
)
"""

_PAIRED = """
CREATE TABLE paired (
    household_id TEXT NOT NULL REFERENCES households (id),
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('device', 'feed')),
    token_hash BLOB NOT NULL,
    created_at TEXT NOT NULL,
    last_seen_at TEXT,
    PRIMARY KEY (household_id, id)
) WITHOUT ROWID
"""

_TAKING_BACK = """
ALTER TABLE memories ADD COLUMN forget_at_us INTEGER;
CREATE INDEX memories_by_forgetting ON memories (forget_at_us) WHERE forget_at_us IS NOT NULL;
CREATE TABLE withdrawals (
    old_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    new_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    withdrawn_at TEXT NOT NULL,
    PRIMARY KEY (old_id, new_id)
) WITHOUT ROWID;
CREATE INDEX withdrawals_by_new ON withdrawals (new_id);
CREATE TABLE refusals (
    one_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    other_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    PRIMARY KEY (one_id, other_id),
    CHECK (one_id < other_id)
) WITHOUT ROWID;
CREATE INDEX refusals_by_other ON refusals (other_id)
"""

_HABITS = """
CREATE TABLE habits (
    id TEXT PRIMARY KEY,
    household_id TEXT NOT NULL REFERENCES households (id),
    kind TEXT NOT NULL,
    key BLOB NOT NULL,
    open_memory TEXT REFERENCES memories (id) ON DELETE SET NULL,
    created_at TEXT NOT NULL,
    UNIQUE (household_id, kind, key)
) WITHOUT ROWID;
CREATE INDEX habits_by_memory ON habits (open_memory) WHERE open_memory IS NOT NULL;
CREATE TABLE habit_sightings (
    seq INTEGER PRIMARY KEY,
    household_id TEXT NOT NULL REFERENCES households (id),
    habit_id TEXT NOT NULL REFERENCES habits (id) ON DELETE CASCADE,
    memory_id TEXT REFERENCES memories (id) ON DELETE SET NULL,
    at_us INTEGER NOT NULL
);
CREATE INDEX habit_sightings_by_habit ON habit_sightings (habit_id, at_us);
CREATE INDEX habit_sightings_by_memory ON habit_sightings (memory_id) WHERE memory_id IS NOT NULL;
CREATE TABLE habit_answers (
    seq INTEGER PRIMARY KEY,
    habit_id TEXT NOT NULL REFERENCES habits (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    is_yes INTEGER NOT NULL CHECK (is_yes IN (0, 1))
);
CREATE INDEX habit_answers_by_habit ON habit_answers (habit_id);
CREATE TABLE habit_talk (
    household_id TEXT NOT NULL REFERENCES households (id),
    hour_us INTEGER NOT NULL,
    room TEXT NOT NULL,
    passages INTEGER NOT NULL,
    PRIMARY KEY (household_id, hour_us, room)
) WITHOUT ROWID;
CREATE TABLE habit_cursors (
    household_id TEXT PRIMARY KEY REFERENCES households (id),
    memory_seq INTEGER NOT NULL DEFAULT 0,
    journal_seq INTEGER NOT NULL DEFAULT 0,
    withdrawn_at TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID
"""


_TALLIES = """
CREATE TABLE tallies (
    household_id TEXT NOT NULL REFERENCES households (id),
    day TEXT NOT NULL,
    stage TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (household_id, day, stage)
) WITHOUT ROWID
"""

_WORDS = "CREATE VIRTUAL TABLE memory_words USING fts5vocab (memories_fts, row)"
"""No storage of its own: the word index read word by word."""

_UNSYNCED = """
CREATE TABLE unsynced (
    memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    boot_id TEXT NOT NULL,
    elapsed_s REAL NOT NULL,
    kind TEXT NOT NULL,
    phrase TEXT NOT NULL,
    hint TEXT NOT NULL,
    said TEXT NOT NULL
) WITHOUT ROWID
"""

_PERSONA = """
CREATE TABLE persona_traits (
    id TEXT PRIMARY KEY,
    household_id TEXT NOT NULL REFERENCES households (id),
    kind TEXT NOT NULL,
    hash BLOB NOT NULL,
    correction TEXT NOT NULL DEFAULT '',
    hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
    created_at TEXT NOT NULL,
    UNIQUE (household_id, hash)
) WITHOUT ROWID;
CREATE TABLE persona_evidence (
    seq INTEGER PRIMARY KEY,
    household_id TEXT NOT NULL REFERENCES households (id),
    trait_id TEXT NOT NULL REFERENCES persona_traits (id) ON DELETE CASCADE,
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    UNIQUE (trait_id, at_us)
);
CREATE INDEX persona_evidence_by_memory ON persona_evidence (memory_id);
CREATE TABLE persona_cursors (
    household_id TEXT PRIMARY KEY REFERENCES households (id),
    memory_seq INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID
"""

_RULES = """
CREATE TABLE rules (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    household_id TEXT NOT NULL REFERENCES households (id),
    spec TEXT NOT NULL CHECK (spec <> ''),
    said TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('voice', 'cli', 'page', 'assistant')),
    state TEXT NOT NULL CHECK (state IN ('proposed', 'on', 'off', 'replaced')),
    position INTEGER NOT NULL DEFAULT 0,
    replaces TEXT NOT NULL DEFAULT '',
    passage_id TEXT,
    created_at TEXT NOT NULL,
    confirmed_at TEXT,
    CHECK ((state = 'proposed') = (confirmed_at IS NULL))
);
CREATE INDEX rules_in_order ON rules (household_id, position);
CREATE TABLE rule_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    rule_id TEXT NOT NULL REFERENCES rules (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    event TEXT NOT NULL,
    by TEXT NOT NULL
);
CREATE INDEX rule_events_by_rule ON rule_events (rule_id)
"""

_ENTITIES = """
CREATE TABLE entities (
    id INTEGER PRIMARY KEY,
    household_id TEXT NOT NULL REFERENCES households (id),
    kind TEXT NOT NULL CHECK (kind IN ('person', 'place', 'thing')),
    key TEXT NOT NULL,
    label TEXT NOT NULL,
    UNIQUE (household_id, kind, key)
);
CREATE TABLE memory_entities (
    seq INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE,
    entity_id INTEGER NOT NULL REFERENCES entities (id),
    PRIMARY KEY (seq, entity_id)
) WITHOUT ROWID;
CREATE INDEX memory_entities_by_entity ON memory_entities (entity_id);
CREATE TABLE memory_schemas (
    seq INTEGER PRIMARY KEY REFERENCES memories (seq) ON DELETE CASCADE,
    schemas TEXT NOT NULL
)
"""

_REMINDERS = """
CREATE TABLE reminders_given (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    begins_at_us INTEGER NOT NULL,
    given_at TEXT NOT NULL,
    PRIMARY KEY (memory_id, begins_at_us)
) WITHOUT ROWID
"""


_OLD_VECTORS = "ALTER TABLE vector_tables ADD COLUMN unused_since_us INTEGER"


class Migration(NamedTuple):
    name: str
    sql: str
    """Statements separated by ';' (none may contain one)."""


MIGRATIONS: tuple[Migration, ...] = (
    Migration("first schema", _M001),
    Migration("paired devices", _PAIRED),
    Migration("taking back, and time to think before forgetting", _TAKING_BACK),
    Migration("counts of the day", _TALLIES),
    Migration("habits", _HABITS),
    Migration("words of the index", _WORDS),
    Migration("dating what was heard before the clock was set", _UNSYNCED),
    Migration("impressions", _PERSONA),
    Migration("rules of the household", _RULES),
    Migration("people, places and things", _ENTITIES),
    Migration("vectors that are not used any more", _OLD_VECTORS),
    Migration("reminders that were given", _REMINDERS),
)


def check_ours(connection: sqlite3.Connection, path: Path) -> int:
    """The schema's version, 0 for an empty database. Reads only.

    Raises:
        StoreError: another program's database, or one that a newer junod wrote.
    """
    connection.execute("BEGIN")  # one state of the file, while another program may be making it
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    finally:
        connection.execute("ROLLBACK")
    if application != APPLICATION_ID and (tables or version or application):
        raise StoreError(
            f"{path} is a database of another program.", hint="Give the path of a junod database, or another path."
        )
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} was written by a newer junod (schema {version}; this one knows {len(MIGRATIONS)}).",
            hint="Update junod, or give another path.",
        )
    return version


def migrate(connection: sqlite3.Connection, path: Path, *, now: datetime) -> None:
    """Bring the schema up to date; an older database is copied beside itself first (see `copies.of_version`)."""
    version = check_ours(connection, path)
    if 0 < version < len(MIGRATIONS):
        copies.copy(connection, copies.of_version(path, version))
    for number in range(version + 1, len(MIGRATIONS) + 1):
        _apply(connection, number, now)


def _apply(connection: sqlite3.Connection, number: int, now: datetime) -> None:
    migration = MIGRATIONS[number - 1]
    connection.execute("BEGIN IMMEDIATE")
    try:
        if int(connection.execute("PRAGMA user_version").fetchone()[0]) < number:  # else another process was faster
            for statement in migration.sql.split(";"):
                connection.execute(statement)
            _record(connection, number, migration.name, now)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _record(connection: sqlite3.Connection, number: int, name: str, now: datetime) -> None:
    if number == 1:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("INSERT INTO secrets VALUES ('tombstones', ?)", (secrets.token_bytes(32),))
    connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (number, name, now.isoformat()))
    connection.execute(f"PRAGMA user_version = {number}")
