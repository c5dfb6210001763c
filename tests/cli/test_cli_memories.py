"""`junod memories` for the life of a memory: tick, undo, forget with time to think, history as a tree."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from junod.cli.app import app
from junod.clock import SimulatedClock
from junod.errors import ConflictError, NotFoundError
from junod.memory.store import MemoryStore
from junod.records import NewMemory

Junod = Callable[..., Result]
NOW = datetime.now(UTC)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "junod.db"


@pytest.fixture
def junod(db: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Junod:
    """Runs `junod memories` in this process, on a database of its own."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("JUNOD_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("JUNOD_CONFIG", raising=False)

    def call(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(app, ["memories", *arguments, "--db", str(db)], **options)

    return call


def rows(done: Result) -> Any:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def filled(db: Path, *texts: str) -> list[str]:
    with MemoryStore.open(db, clock=SimulatedClock(NOW)) as store:
        return [store.add(NewMemory(text, f"heard {text}", NOW, None, "kitchen")).id for text in texts]


def listed(junod: Junod) -> list[str]:
    return [row["memory"] for row in rows(junod("list", "--json"))]


def test_forgetting_says_how_long_it_can_be_undone_and_unforget_brings_it_back(junod: Junod, db: Path) -> None:
    (memory_id,) = filled(db, "Dentist")
    said = junod("forget", memory_id)
    assert said.exit_code == 0
    assert f"junod memories unforget {memory_id[-8:]}" in said.stdout
    assert "Until " in said.stdout
    assert listed(junod) == []
    assert "Back: Dentist" in junod("unforget", memory_id[-8:]).stdout
    assert listed(junod) == ["Dentist"]


def test_forgetting_now_asks_and_erases(junod: Junod, db: Path) -> None:
    (memory_id,) = filled(db, "Zanzibar")
    assert junod("forget", memory_id, "--now", input="n\n").exit_code == 1
    assert listed(junod) == ["Zanzibar"]
    assert "for good" in junod("forget", memory_id, "--now", "--yes").stdout
    assert not any(b"anzibar" in file.read_bytes() for file in db.parent.iterdir())
    assert isinstance(junod("unforget", memory_id).exception, NotFoundError)


def test_a_grace_of_zero_in_the_settings_erases_at_once(junod: Junod, db: Path, tmp_path: Path) -> None:
    (memory_id,) = filled(db, "Zanzibar")
    config = tmp_path / "own.toml"
    config.write_text("[memory]\nforget_grace_s = 0\n", "utf-8")
    assert rows(junod("forget", memory_id, "--json", "--config", str(config)))["until"] is None
    assert not any(b"anzibar" in file.read_bytes() for file in db.parent.iterdir())


def test_what_was_forgotten_long_ago_is_erased_by_the_next_command(junod: Junod, db: Path) -> None:
    with MemoryStore.open(db, clock=SimulatedClock(NOW - timedelta(hours=1))) as store:
        from junod.memory import verbs

        verbs.forget(store, store.add(NewMemory("Zanzibar", "", NOW, None, "kitchen")).id)
    assert b"anzibar" in db.read_bytes()
    rows(junod("add", "Bins", "--json"))
    assert not any(b"anzibar" in file.read_bytes() for file in db.parent.iterdir())


def test_undo_names_what_it_took_back(junod: Junod, db: Path) -> None:
    (memory_id,) = filled(db, "Dentist")
    done = rows(junod("done", memory_id, "--json"))
    undone = junod("undo", done["id"])
    assert "Taken back: done" in undone.stdout
    assert f"Dentist ({memory_id[-8:]})" in undone.stdout
    edited = rows(junod("edit", memory_id, "Dentist at four", "--json"))
    assert rows(junod("undo", edited["id"], "--json"))["change"] == "edit"
    stored = rows(junod("undo", memory_id, "--json"))
    assert (stored["change"], stored["forgotten"]) == ("stored", [memory_id, done["id"], edited["id"]])
    assert isinstance(junod("undo", edited["id"][:-1] + "z").exception, NotFoundError)
    assert rows(junod("undo", memory_id, "--json"))["change"] == "forget"
    assert isinstance(junod("undo", edited["id"]).exception, ConflictError)


def test_an_item_is_ticked_and_opened_again(junod: Junod, db: Path) -> None:
    (memory_id,) = filled(db, "Shopping list:\n- oat milk\n- eggs")
    ticked = rows(junod("tick", memory_id, "oat", "milk", "--json"))
    assert ticked["memory"] == "Shopping list:\n- ~~oat milk~~\n- eggs"
    assert "Open again" in junod("tick", ticked["id"], "oat milk", "--reopen").stdout
    assert isinstance(junod("tick", memory_id, "jam").exception, NotFoundError)


def test_history_draws_what_took_the_place_of_what_with_words_and_times(junod: Junod, db: Path) -> None:
    clock = SimulatedClock(datetime(2026, 3, 24, 8, 0, tzinfo=UTC))
    with MemoryStore.open(db, clock=clock) as store:
        milk = store.add(NewMemory("Shopping list:\n- milk", "we need milk", clock.now(), None, "kitchen"))
        eggs = store.add(NewMemory("Shopping list:\n- eggs", "", clock.now(), None, "kitchen", source="manual"))
        clock.advance(3600)
        both = store.add(
            NewMemory(
                "Shopping list:\n- milk\n- eggs", "", clock.now(), None, "kitchen", source="merge",
                supersedes=(milk.id, eggs.id), reason="list-growth",
            )
        )  # fmt: skip
        clock.advance(3600)
        edited = store.edit(both.id, "Shopping list:\n- milk\n- ten eggs")
        clock.advance(3600)
        from junod.memory import verbs

        verbs.undo(store, edited.id)
    lines = junod("history", milk.id[-8:]).stdout.splitlines()
    assert lines[0] == "Shopping list: milk, eggs"
    assert lines[1].startswith("said Tue 24 Mar 2026, 10:00, merge,")
    assert "├── list-growth, Tue 24 Mar 2026, 10:00: Shopping list: milk" in lines
    assert "│   heard: we need milk" in lines
    assert "└── list-growth, Tue 24 Mar 2026, 10:00: Shopping list: eggs" in lines
    assert "    written by hand" in lines
    assert sum("written by hand" in line for line in lines) == 1
    assert any("edit, Tue 24 Mar 2026, 11:00, taken back Tue 24 Mar 2026, 12:00: " in line for line in lines)
    data = rows(junod("history", milk.id, "--json"))
    assert [row["id"] for row in data] == [milk.id, eggs.id, both.id, edited.id]
    assert [one["id"] for one in data[2]["replaced"]] == [milk.id, eggs.id]
    assert data[3]["replaced"][0]["taken_back_at"] == "2026-03-24T11:00:00+00:00"


def test_a_merge_without_words_is_not_said_to_be_written_by_hand(junod: Junod, db: Path) -> None:
    with MemoryStore.open(db, clock=SimulatedClock(NOW)) as store:
        hand = store.add(NewMemory("Bins", "", NOW, None, "kitchen", source="manual"))
        one = store.add(
            NewMemory("Bins", "", NOW, None, "kitchen", source="merge", supersedes=(hand.id,), reason="said-again")
        )
    assert "(no words are kept)" in junod("show", one.id).stdout
    assert "(written by hand)" in junod("show", hand.id).stdout
