"""`junod export` and `junod forget` as a person or a program meets them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from memory.memory_fakes import new, passage
from midnight import clear_of_midnight

from junod.clock import SystemClock
from junod.memory.store import MemoryStore
from junod.records import Memory

BERLIN = ZoneInfo("Europe/Berlin")
Junod = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def junod(tmp_path: Path) -> Junod:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("JUNOD_")}
    env = kept | {
        "JUNOD_DATA_DIR": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "TZ": "Europe/Berlin",
        "COLUMNS": "160",
    }

    def call(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "junod", *arguments]
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=240, env=env, check=False, cwd=tmp_path
        )

    return call


@pytest.fixture
def filled(tmp_path: Path) -> list[Memory]:
    """A database with a memory of today, one of last week with an older version, and an undecided passage."""
    clear_of_midnight(BERLIN)
    now = datetime.now(BERLIN)
    with MemoryStore.open(tmp_path / "data" / "junod.db", clock=SystemClock()) as store:
        old = store.add(new("Zanzibar dentistry", transcript="kilimanjaro", spoken_at=now - timedelta(days=7)))
        newer = store.edit(old.id, "Zanzibar dentistry at noon")
        today = store.add(new("Shopping list:\n- quinoa", transcript="we need quinoa", spoken_at=now))
        store.spool_passage(passage("p9", "serengeti talk", spoken_at=now))
        return [old, newer, today]


def traces(tmp_path: Path, *needles: bytes) -> list[bytes]:
    data = b"".join(file.read_bytes().lower() for file in (tmp_path / "data").iterdir() if file.is_file())
    return [needle for needle in needles if needle in data]


def test_everything_is_exported_as_json(junod: Junod, filled: list[Memory]) -> None:
    done = junod("export")
    assert done.returncode == 0, done.stderr
    exported = json.loads(done.stdout)
    assert [memory["id"] for memory in exported["memories"]] == [memory.id for memory in filled]
    assert exported["memories"][0]["transcript"] == "kilimanjaro"
    assert exported["memories"][0]["superseded_by"] == [filled[1].id]
    assert [(each["transcript"], each["state"]) for each in exported["undecided"]] == [("serengeti talk", "waiting")]
    assert {"stored", "superseded", "spooled"} <= {entry["event"] for entry in exported["journal"]}
    assert exported["household"] == "home"
    assert exported["format"] == 1


def test_everything_is_exported_as_a_folder_that_only_its_owner_reads(
    junod: Junod, filled: list[Memory], tmp_path: Path
) -> None:
    done = junod("export", "--folder", "out")
    assert done.returncode == 0, done.stderr
    files = sorted((tmp_path / "out").rglob("*.md"))
    texts = {str(file.relative_to(tmp_path / "out")): file.read_text() for file in files}
    assert len(texts) == 5
    index = texts["index.md"]
    links = [line.split("](")[1].split(")")[0] for line in index.splitlines() if "](" in line]
    assert len(links) == 2
    assert all(link in texts for link in links)
    assert "Zanzibar dentistry at noon" in texts[next(link for link in links if "noon" in link)]
    assert any(name.startswith("history/") and "> kilimanjaro" in text for name, text in texts.items())
    assert "> serengeti talk" in texts["undecided.md"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


def test_a_folder_with_something_in_it_is_left_alone(junod: Junod, filled: list[Memory], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("Dear aunt")
    done = junod("export", "--folder", "out")
    assert done.returncode == 2
    assert "not an empty folder" in done.stderr
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["letter.txt"]


def test_a_memory_that_looks_like_a_path_stays_in_the_folder(junod: Junod, tmp_path: Path) -> None:
    with MemoryStore.open(tmp_path / "data" / "junod.db", clock=SystemClock()) as store:
        store.add(new("../../etc/passwd [x](y)"))
        store.add(new("東京"))
    assert junod("export", "--folder", "out").returncode == 0
    assert sorted(path.parent.name for path in (tmp_path / "out").rglob("*.md")) == ["memories", "memories", "out"]
    assert not (tmp_path / "etc").exists()


def test_forget_all_with_yes_leaves_no_trace(junod: Junod, filled: list[Memory], tmp_path: Path) -> None:
    assert traces(tmp_path, b"zanzibar", b"kilimanjaro", b"quinoa", b"serengeti")
    done = junod("forget", "--all", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    erased = json.loads(done.stdout)
    assert sorted(erased["memories"]) == sorted(memory.id for memory in filled)
    assert erased["passages"] == ["p9"]
    assert traces(tmp_path, b"zanzi", b"kilimanjaro", b"quinoa", b"serengeti", b"dentistri", b"passwd") == []
    assert json.loads(junod("export").stdout)["memories"] == []


def test_forget_all_asks_for_typed_words(junod: Junod, filled: list[Memory]) -> None:
    for answer in ("y\n", "yes\n", "\n", ""):
        assert junod("forget", "--all", stdin=answer).returncode == 1
    assert len(json.loads(junod("export").stdout)["memories"]) == 3
    done = junod("forget", "--all", stdin="forget everything\n")
    assert done.returncode == 0
    assert "3 memories" in done.stdout
    assert json.loads(junod("export").stdout)["memories"] == []


def test_a_range_takes_words_and_asks_first(junod: Junod, filled: list[Memory], tmp_path: Path) -> None:
    refused = junod("forget", "--since", "last week", "--until", "last week", stdin="n\n")
    assert refused.returncode == 1
    assert "2 memories" in refused.stderr
    assert len(json.loads(junod("export").stdout)["memories"]) == 3
    done = junod("forget", "--since", "last week", "--until", "last week", stdin="y\n")
    assert done.returncode == 0, done.stderr
    assert [memory["id"] for memory in json.loads(junod("export").stdout)["memories"]] == [filled[2].id]
    assert traces(tmp_path, b"zanzi", b"kilimanjaro") == []
    assert traces(tmp_path, b"quinoa", b"serengeti") == [b"quinoa", b"serengeti"]


@pytest.mark.parametrize(
    ("arguments", "needle"),
    [
        ([], "--all"),
        (["--all", "--since", "today"], "--all"),
        (["--since", "banana", "--yes"], "banana"),
        (["--since", "today", "--until", "yesterday", "--yes"], "range"),
    ],
)
def test_wrong_use_forgets_nothing(junod: Junod, filled: list[Memory], arguments: list[str], needle: str) -> None:
    done = junod("forget", *arguments)
    assert done.returncode == 2
    assert needle in done.stderr
    assert "Traceback" not in done.stderr
    assert len(json.loads(junod("export").stdout)["memories"]) == 3


def test_without_a_database_there_is_nothing_to_export(junod: Junod) -> None:
    done = junod("export")
    assert done.returncode == 1
    assert "no database" in done.stderr
