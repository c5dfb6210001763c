"""A habit holds no words; what it holds of a memory goes with the memory; and it writes nothing but its own tables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from habits.habit_fakes import Home, home_in, week
from memory.memory_fakes import passage

import junod.habits.verbs
from junod.memory import habits as habit_rows


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with home_in(tmp_path) as opened:
        yield opened


def traces(folder: Path, needle: bytes) -> list[str]:
    return [file.name for file in folder.iterdir() if needle in file.read_bytes().lower()]


def test_forgetting_the_memories_erases_the_habit_and_every_word_of_it(home: Home, tmp_path: Path) -> None:
    lists = home.buy("zanzibar coffee", 7)
    assert home.sentences() == ["You usually buy zanzibar coffee about every 7 days."]
    for memory in lists:
        home.store.forget(memory.id)
    assert home.rows.all() == ()
    assert traces(tmp_path, b"zanzibar") == []
    home.learn()
    assert home.rows.all() == ()


def test_forgetting_one_memory_takes_its_occurrence_alone(home: Home) -> None:
    lists = home.buy("coffee", 7)
    home.store.forget(lists[3].id)
    (row,) = home.rows.all()
    assert len(row.moments) == 6


def test_what_expires_leaves_times_without_words(home: Home, tmp_path: Path) -> None:
    for _ in range(4):
        at = home.now + week(1)
        home.say(f"Kilimanjaro club: {at:%a} {at.day} {at:%b %Y, %H:%M}", until=at)
        home.learn()
        home.wait(7)
        home.store.expire(home.now)
    assert traces(tmp_path, b"kilimanjaro") == []
    assert {row.memory_ids for row in home.rows.all()} == {()}
    assert all(len(row.moments) == 4 for row in home.rows.all())


def test_no_table_of_habits_ever_holds_a_word(home: Home) -> None:
    home.buy("zanzibar coffee", 7)
    home.finish("Polish the samovar", 4)
    dumped = repr(rows_of(home, lambda name: name.startswith("habit")))
    assert "coffee" not in dumped
    assert "zanzibar" not in dumped
    assert "samovar" not in dumped


def test_forgetting_a_time_range_takes_sightings_and_counts_of_that_time(home: Home) -> None:
    begin = home.now
    home.store.spool_passage(passage("p0", "talk"))
    home.finish("Take out the bins", 3)
    middle = begin + timedelta(days=10)
    home.store.forget_spoken(None, middle)
    (row,) = home.rows.all()
    assert all(at >= middle for at in row.moments)
    assert home.rows.talk() == ()


def test_forgetting_everything_forgets_every_habit(home: Home) -> None:
    home.buy("coffee", 4)
    home.store.spool_passage(passage("p0", "talk"))
    home.learn()
    home.store.forget_spoken()
    assert home.rows.all() == ()
    assert home.rows.talk() == ()


def test_old_occurrences_are_erased(home: Home) -> None:
    home.buy("coffee", 7)
    home.wait(400)
    home.learn()
    assert home.rows.all() == ()


def test_a_habit_changes_no_memory(home: Home) -> None:
    """Learning, answering and deleting leave every other table as it was, tombstones and journal apart."""

    def others() -> Any:
        return rows_of(home, lambda name: not name.startswith(("habit", "tombstones", "sqlite")))

    home.buy("coffee", 7)
    home.wait(2)
    before = others()
    home.learn()
    (asked,) = home.habits.suggestions(home.now)
    home.habits.yes(asked.habit.id, home.now)
    home.habits.no(asked.habit.id, home.now)
    home.habits.show(asked.habit.id, home.now)
    home.habits.delete(asked.habit.id)
    assert others() == before


@pytest.mark.parametrize(
    "path",
    [*sorted(Path(junod.habits.verbs.__file__).parent.glob("*.py")), Path(habit_rows.__file__)],
    ids=lambda path: path.name,
)
def test_the_code_of_habits_has_no_way_to_write_a_memory(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not modules & {"junod.memory.store", "junod.memory.changes", "junod.memory.verbs"}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for text in texts:
        for verb in ("INSERT INTO ", "UPDATE ", "DELETE FROM "):
            if text.startswith(verb) and text != verb:
                assert text.removeprefix(verb).startswith("habit"), text


def rows_of(home: Home, wanted: Any) -> dict[str, list[tuple[Any, ...]]]:
    with home.store.sessions.read() as session:
        names = [row[0] for row in session.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: [tuple(row) for row in session.connection.execute(f"SELECT * FROM {name}")]
            for name in names
            if wanted(name) and not name.endswith(("_idx", "_docsize"))
        }
