"""Rules as rows: what a household declared, whether a person confirmed it, in which order it is applied, its history.

A rule's content is never rewritten: a change is a new rule that takes the place of the old when it is confirmed. What a
rule says is JSON of `junod.rules.schema`, which this module only carries.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from junod.errors import ConflictError, NotFoundError, UsageError
from junod.memory import codec
from junod.memory.session import Session, Sessions

MAX_SAID_CHARS = 600
MAX_PROPOSED = 20
"""Proposals that may wait; the oldest heard makes room for the next, so that a television cannot fill the page."""
_PERSONS = ("cli", "page")
"""Faces at which a person stands. Nobody else confirms a rule or switches one."""
_SOURCES = (*_PERSONS, "voice", "assistant")


class RuleState(StrEnum):
    PROPOSED = "proposed"
    """Nobody has confirmed it: it changes nothing."""
    ON = "on"
    OFF = "off"
    REPLACED = "replaced"
    """A newer one stands in its place; history."""


@dataclass(frozen=True, slots=True)
class StoredRule:
    id: str
    spec: str
    said: str
    """The sentence it was read from, masked; '' where it was written as data."""
    source: str
    """'voice', 'cli', 'page' or 'assistant'."""
    state: RuleState
    position: int
    """Among rules of one kind the lowest is applied first and wins."""
    replaces: str
    """The rule whose place it takes, or took; '' = none."""
    created_at: datetime
    confirmed_at: datetime | None


@dataclass(frozen=True, slots=True)
class RuleEvent:
    rule_id: str
    at: datetime
    event: str
    """'proposed', 'confirmed', 'off', 'on', 'moved' or 'replaced'."""
    by: str


class RuleStore:
    """The rules of one household. Safe to use from several threads."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def propose(
        self, spec: str, *, said: str = "", source: str, passage_id: str | None = None, replaces: str = ""
    ) -> tuple[StoredRule, bool]:
        """Note a rule that waits for a person; with it, whether it is new.

        A rule of the same content that is there (waiting, on or off) is returned as it is.

        Raises:
            UsageError: an unknown source.
            NotFoundError: what it is to replace is not there.
        """
        if source not in _SOURCES:
            raise UsageError(f"'{source}' is no source of rules.", hint=f"Use one of: {', '.join(_SOURCES)}.")
        with self._sessions.write() as session:
            known = _same(session, spec)
            if known is not None:
                return known, False
            old = _load(session, replaces).id if replaces else ""
            rule_id = codec.new_id(session.now)
            session.connection.execute(
                "INSERT INTO rules (id, household_id, spec, said, source, state, replaces, passage_id, created_at)"
                " VALUES (?, ?, ?, ?, ?, 'proposed', ?, ?, ?)",
                (
                    rule_id,
                    session.household_id,
                    codec.clean(spec),
                    codec.clean(said)[:MAX_SAID_CHARS],
                    source,
                    old,
                    passage_id,
                    session.now.isoformat(),
                ),
            )
            _note(session, rule_id, "proposed", source)
            _make_room(session)
            return _load(session, rule_id), True

    def confirm(self, rule_id: str, *, by: str) -> StoredRule:
        """A person says yes: the rule is on, and ahead of all others of its kind. What it replaces becomes history.

        Raises:
            UsageError: not a person's face.
            ConflictError: it was confirmed or replaced before.
        """
        _check_person(by)
        with self._sessions.write() as session:
            rule = _load(session, rule_id)
            if rule.state is not RuleState.PROPOSED:
                raise ConflictError(f"Rule {rule.id[-8:]} is {rule.state} already.", hint="Look at `junod rules list`.")
            first = session.connection.execute(
                "SELECT coalesce(min(position), 0) FROM rules WHERE household_id = ?", (session.household_id,)
            ).fetchone()[0]
            session.connection.execute(
                "UPDATE rules SET state = 'on', position = ?, confirmed_at = ? WHERE id = ?",
                (first - 1, session.now.isoformat(), rule.id),
            )
            _note(session, rule.id, "confirmed", by)
            if rule.replaces:
                session.connection.execute("UPDATE rules SET state = 'replaced' WHERE id = ?", (rule.replaces,))
                _note(session, rule.replaces, "replaced", by)
            return _load(session, rule.id)

    def switch(self, rule_id: str, *, on: bool, by: str) -> StoredRule:
        """Switch a confirmed rule on or off.

        Raises:
            ConflictError: nobody confirmed it, or it was replaced.
        """
        _check_person(by)
        with self._sessions.write() as session:
            rule = _load(session, rule_id)
            if rule.state not in (RuleState.ON, RuleState.OFF):
                raise ConflictError(
                    f"Rule {rule.id[-8:]} is {rule.state}.", hint="Only a rule that was confirmed can be switched."
                )
            state = RuleState.ON if on else RuleState.OFF
            if state is not rule.state:
                session.connection.execute("UPDATE rules SET state = ? WHERE id = ?", (state, rule.id))
                _note(session, rule.id, state, by)
            return _load(session, rule.id)

    def move_first(self, rule_id: str, *, by: str) -> StoredRule:
        """Put a rule ahead of the others of its kind."""
        _check_person(by)
        with self._sessions.write() as session:
            rule = _load(session, rule_id)
            session.connection.execute(
                "UPDATE rules SET position = (SELECT min(position) - 1 FROM rules WHERE household_id = ?) WHERE id = ?",
                (session.household_id, rule.id),
            )
            _note(session, rule.id, "moved", by)
            return _load(session, rule.id)

    def delete(self, rule_id: str, *, by: str) -> tuple[str, ...]:
        """Erase a rule for good, with what it replaced and the words it was read from; returns the erased ids."""
        _check_person(by)
        with self._sessions.erase() as session:
            gone = [rule.id for rule in _chain(session, _load(session, rule_id))]
            _erase(session, gone)
            return tuple(gone)

    def list(self, *states: RuleState) -> tuple[StoredRule, ...]:
        """Rules in these states (none given: all but replaced ones), in the order in which they are applied."""
        wanted = states or (RuleState.PROPOSED, RuleState.ON, RuleState.OFF)
        with self._sessions.read() as session:
            found = session.connection.execute(
                "SELECT * FROM rules WHERE household_id = ? ORDER BY position, seq DESC", (session.household_id,)
            )
            return tuple(rule for rule in map(_rule, found) if rule.state in wanted)

    def get(self, rule_id: str) -> StoredRule:
        """One rule by its id or a part of it that no other has.

        Raises:
            NotFoundError: there is none.
            UsageError: several have it.
        """
        with self._sessions.read() as session:
            return _load(session, rule_id)

    def history(self, rule_id: str) -> tuple[tuple[StoredRule, ...], tuple[RuleEvent, ...]]:
        """The rule and what it replaced, the newest first, and everything that happened to them, the oldest first."""
        with self._sessions.read() as session:
            chain = _chain(session, _load(session, rule_id))
            marks = ", ".join("?" * len(chain))
            found = session.connection.execute(
                f"SELECT rule_id, at, event, by FROM rule_events WHERE rule_id IN ({marks}) ORDER BY seq",
                [rule.id for rule in chain],
            )
            return tuple(chain), tuple(RuleEvent(row[0], codec.moment_of(row[1]), *row[2:]) for row in found)

    def expire_proposals(self, before: datetime) -> int:
        """Erase what nobody confirmed since it was proposed before this moment; returns how many."""
        with self._sessions.read() as session:
            due = [rule.id for rule in _in_state(session, RuleState.PROPOSED) if rule.created_at < before]
        if due:
            with self._sessions.erase() as session:
                _erase(session, due)
        return len(due)


def forget_spoken(session: Session, since: datetime | None, until: datetime | None) -> None:
    """Erase proposals made in a time range, and the sentences behind confirmed rules; without ends all rules.

    What a person confirmed is theirs and stays, without the words it was heard in.
    """
    found = [_rule(row) for row in session.connection.execute(
        "SELECT * FROM rules WHERE household_id = ?", (session.household_id,)
    )]  # fmt: skip
    within = [
        rule
        for rule in found
        if (since is None or rule.created_at >= since) and (until is None or rule.created_at < until)
    ]
    everything = since is None and until is None
    _erase(session, [rule.id for rule in within if everything or rule.state is RuleState.PROPOSED])
    for rule in within:
        session.connection.execute("UPDATE rules SET said = '', passage_id = NULL WHERE id = ?", (rule.id,))


def _check_person(by: str) -> None:
    if by not in _PERSONS:
        raise UsageError(
            "Only a person confirms, switches or deletes a rule.", hint="Use `junod rules`, or the page on the display."
        )


def _make_room(session: Session) -> None:
    heard = [rule.id for rule in _in_state(session, RuleState.PROPOSED) if rule.source not in _PERSONS]
    _erase(session, heard[:-MAX_PROPOSED])


def _same(session: Session, spec: str) -> StoredRule | None:
    row = session.connection.execute(
        "SELECT * FROM rules WHERE household_id = ? AND spec = ? AND state <> 'replaced' ORDER BY seq DESC",
        (session.household_id, codec.clean(spec)),
    ).fetchone()
    return None if row is None else _rule(row)


def _in_state(session: Session, state: RuleState) -> list[StoredRule]:
    """The oldest first."""
    found = session.connection.execute(
        "SELECT * FROM rules WHERE household_id = ? AND state = ? ORDER BY seq", (session.household_id, state)
    )
    return [_rule(row) for row in found]


def _chain(session: Session, rule: StoredRule) -> list[StoredRule]:
    chain = [rule]
    while chain[-1].state is not RuleState.PROPOSED and chain[-1].replaces:
        row = session.connection.execute("SELECT * FROM rules WHERE id = ?", (chain[-1].replaces,)).fetchone()
        if row is None:
            break
        chain.append(_rule(row))
    return chain


def _load(session: Session, rule_id: str) -> StoredRule:
    part = rule_id.strip().lower()
    found = session.connection.execute(
        "SELECT * FROM rules WHERE household_id = ?1"
        " AND (substr(id, -length(?2)) = ?2 OR substr(id, 1, length(?2)) = ?2)",
        (session.household_id, part),
    ).fetchall()
    if not part or not found:
        raise NotFoundError(f"There is no rule {codec.clean(rule_id)[:40]!r}.", hint="`junod rules list` shows ids.")
    if len(found) > 1:
        raise UsageError(f"Several rules have an id with {part}.", hint="Give more of the id.")
    return _rule(found[0])


def _erase(session: Session, ids: Iterable[str]) -> None:
    for rule_id in ids:
        session.connection.execute("DELETE FROM rule_events WHERE rule_id = ?", (rule_id,))
        session.connection.execute("DELETE FROM rules WHERE id = ?", (rule_id,))
        session.journal("rule-erased")


def _note(session: Session, rule_id: str, event: str, by: str) -> None:
    session.connection.execute(
        "INSERT INTO rule_events (rule_id, at, event, by) VALUES (?, ?, ?, ?)",
        (rule_id, session.now.isoformat(), event, by),
    )
    session.journal(f"rule-{event}", reason=by)


def _rule(row: sqlite3.Row) -> StoredRule:
    confirmed = row["confirmed_at"]
    return StoredRule(
        id=row["id"],
        spec=row["spec"],
        said=row["said"],
        source=row["source"],
        state=RuleState(row["state"]),
        position=row["position"],
        replaces=row["replaces"],
        created_at=codec.moment_of(row["created_at"]),
        confirmed_at=codec.moment_of(confirmed) if confirmed else None,
    )
