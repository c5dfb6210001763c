"""Any sequence of changes leaves what a plain model of the rules says, in lists, words and vectors alike."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from memory.memory_fakes import NOW, embedding, new

from junod.clock import SimulatedClock
from junod.memory import verbs
from junod.memory.store import EVERYTHING, MemoryStore
from junod.records import Memory


@dataclass
class Row:
    expires_at: datetime | None
    parents: set[str] = field(default_factory=set)
    taken_back: set[str] = field(default_factory=set)
    """Parents that it has let go."""
    archived: bool = False
    hidden: bool = False

    @property
    def linked(self) -> set[str]:
        return self.parents | self.taken_back


class StoreMachine(RuleBasedStateMachine):
    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.clock = SimulatedClock(NOW)
        self.store = MemoryStore.open(self.folder / "junod.db", clock=self.clock)
        self.rows: dict[str, Row] = {}
        self.number = 0

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    def seen(self) -> set[str]:
        return {name for name in self.unexpired() if not self.rows[name].hidden}

    def unexpired(self) -> set[str]:
        return {name for name, row in self.rows.items() if row.expires_at is None or row.expires_at > self.clock.now()}

    def superseded(self) -> set[str]:
        return {parent for row in self.rows.values() for parent in row.parents}

    def active(self) -> list[str]:
        """In the order stored: ids are random, and the same choices must mean the same memories when run again."""
        shown = self.seen() - self.superseded()
        return [name for name, row in self.rows.items() if name in shown and not row.archived]

    def text(self) -> str:
        self.number += 1
        return f"note {self.number}"

    def keep(self, memory: Memory, *parents: str) -> None:
        self.rows[memory.id] = Row(memory.expires_at, set(parents))

    @rule(hours=st.one_of(st.none(), st.integers(1, 5)))
    def add(self, hours: int | None) -> None:
        text, due = self.text(), None if hours is None else self.clock.now() + timedelta(hours=hours)
        self.keep(self.store.add(new(text, expires_at=due), embedding(text)))

    @precondition(lambda self: self.active())
    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        old, text = data.draw(st.sampled_from(self.active())), self.text()
        self.keep(self.store.edit(old, text, embedding(text)), old)

    @precondition(lambda self: any(self.store.get(name).source != "done" for name in self.active()))
    @rule(data=st.data(), undo=st.booleans())
    def done(self, data: st.DataObject, undo: bool) -> None:
        open_ = [name for name in self.active() if self.store.get(name).source != "done"]
        old = data.draw(st.sampled_from(open_))
        finished = self.store.done(old)
        self.keep(finished, old)
        if undo:
            assert self.store.restore(old).id == old
            self.let_go(finished.id)

    @precondition(lambda self: any(self.rows[name].parents & self.unexpired() for name in self.active()))
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        changed = [name for name in self.active() if self.rows[name].parents & self.unexpired()]
        name = data.draw(st.sampled_from(changed))
        parents = self.rows[name].parents
        undone = verbs.undo(self.store, name)
        self.let_go(name)
        assert {memory.id for memory in undone.memories} == parents & set(self.active())
        kept_apart = {each for pair in self.store.kept_apart() for each in pair}
        assert kept_apart <= set(self.rows)

    def let_go(self, name: str) -> None:
        row = self.rows[name]
        row.taken_back, row.parents, row.archived = row.parents, set(), True

    @precondition(lambda self: self.active())
    @rule(data=st.data(), back=st.booleans())
    def forget_later(self, data: st.DataObject, back: bool) -> None:
        name = data.draw(st.sampled_from(self.active()))
        lineage = self.lineage(name)
        assert set(verbs.forget(self.store, name).ids) == lineage
        if back:
            assert {memory.id for memory in verbs.unforget(self.store, name)} == lineage & set(self.active())
            return
        for each in lineage:
            self.rows[each].hidden = True

    @rule()
    def erase_forgotten(self) -> None:
        self.clock.advance(61)
        gone = {name for name, row in self.rows.items() if row.hidden}
        assert set(self.store.erase_forgotten()) == gone
        self.drop(gone)

    @precondition(lambda self: len(self.active()) > 1)
    @rule(data=st.data(), hours=st.one_of(st.none(), st.integers(1, 5)))
    def merge(self, data: st.DataObject, hours: int | None) -> None:
        olds = data.draw(st.lists(st.sampled_from(self.active()), min_size=2, max_size=4, unique=True))
        text, due = self.text(), None if hours is None else self.clock.now() + timedelta(hours=hours)
        merged = new(text, source="merge", supersedes=tuple(olds), reason="merge", expires_at=due)
        self.keep(self.store.add(merged, embedding(text)), *olds)

    @precondition(lambda self: self.active())
    @rule(data=st.data())
    def archive(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(self.active()))
        self.store.archive(name)
        self.rows[name].archived = True

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        lineage = self.lineage(data.draw(st.sampled_from(list(self.rows))))
        assert set(self.store.forget(min(lineage))) == lineage
        self.drop(lineage)

    def lineage(self, name: str) -> set[str]:
        found = {name}
        while True:
            children = {name for name, row in self.rows.items() if row.linked & found}
            wider = found | children | {parent for name in found for parent in self.rows[name].linked}
            if wider == found:
                return found
            found = wider

    @rule(hours=st.integers(0, 3))
    def expire(self, hours: int) -> None:
        self.clock.advance(hours * 3600)
        gone = set(self.rows) - self.unexpired()
        while True:
            orphans = {name for name in self.superseded() - gone if self.children(name) <= gone}
            orphans |= {name for name, row in self.rows.items() if row.taken_back & gone} - gone
            if not orphans:
                break
            gone |= orphans
        assert set(self.store.expire(self.clock.now())) == gone
        self.drop(gone)

    def children(self, name: str) -> set[str]:
        return {child for child, row in self.rows.items() if name in row.parents}

    def drop(self, gone: set[str]) -> None:
        self.rows = {name: row for name, row in self.rows.items() if name not in gone}
        for row in self.rows.values():
            row.parents -= gone
            row.taken_back -= gone

    @invariant()
    def the_store_shows_what_the_rules_say(self) -> None:
        active = set(self.active())
        assert {memory.id for memory in self.store.list()} == active
        assert {found.memory.id for found in self.store.keyword("note", 1_000)} == active
        assert {found.memory.id for found in self.store.nearest(embedding("note"), 1_000)} == active
        assert {memory.id for memory in self.store.list(EVERYTHING)} == self.seen()
        assert {memory.id: set(memory.supersedes) for memory in self.store.export()} == {
            name: row.parents for name, row in self.rows.items() if not row.hidden
        }

    @invariant()
    def the_files_are_sound(self) -> None:
        assert self.store.check() == ()


TestStore = StoreMachine.TestCase
TestStore.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)
