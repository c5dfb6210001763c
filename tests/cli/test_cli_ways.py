"""`junod habits`, `junod persona` and `junod why` as processes, on a database that was lived in up to now."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from midnight import clear_of_midnight

from junod.clock import SimulatedClock
from junod.habits.learn import HabitLearner
from junod.memory.store import MemoryStore
from junod.persona.learn import PersonaLearner
from junod.records import NewMemory
from junod.sections import HabitsSettings, PersonaSettings

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    clear_of_midnight(BERLIN)
    folder = tmp_path_factory.mktemp("ways")
    (folder / "data").mkdir()
    live(folder / "data" / "junod.db")
    (folder / "junod.toml").write_text('[persona]\nenabled = true\npeople = ["Sylvie"]\n')
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("JUNOD_")}
    return {
        **inherited,
        "JUNOD_DATA_DIR": str(folder / "data"),
        "JUNOD_CONFIG": str(folder / "junod.toml"),
        "TZ": "Europe/Berlin",
    }


def live(path: Path) -> None:
    """Seven times coffee, every seven days up to nine days ago, and somebody who dreads the dentist."""
    clock = SimulatedClock(datetime.now(UTC) - timedelta(days=51))
    with MemoryStore.open(path, clock=clock) as store:
        for _ in range(7):
            now = clock.now().astimezone(BERLIN)
            listed = store.add(NewMemory("Shopping list:\n- coffee", "we need coffee", now, None, "kitchen"))
            store.add(NewMemory("Dentist", "dentist, Sylvie dreads the dentist", now, None, "kitchen"))
            clock.advance(86_400)
            store.done(listed.id)
            clock.advance(6 * 86_400)
        HabitLearner(store.sessions, HabitsSettings(), BERLIN, "kitchen").run(clock.now())
        PersonaLearner(store.sessions, PersonaSettings(enabled=True, people=("Sylvie",))).run()


def junod(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "junod", *arguments], capture_output=True, text=True, timeout=240, env=env, check=False
    )


def rows(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_habits_are_listed_answered_explained_and_deleted(env: dict[str, str]) -> None:
    listed = rows(junod(env, "habits", "list", "--talk", "--json"))
    assert set(listed) == {"habits", "suggestions", "talk"}
    (habit,) = listed["habits"]
    assert habit["sentence"] == "You usually buy coffee about every 7 days."
    assert listed["suggestions"][0]["habit"] == habit["id"]
    assert "it has been 9" in junod(env, "habits", "list").stdout
    assert len(rows(junod(env, "habits", "show", habit["id"][-8:], "--json"))["evidence"]) == 5
    assert "seen 7 times" in junod(env, "habits", "show", habit["id"]).stdout
    why = rows(junod(env, "why", habit["id"], "--json"))
    assert (why["layer"], why["removed_by"]) == ("habit", f"junod habits delete {habit['id']}")
    assert "junod memories add" in junod(env, "habits", "yes", habit["id"]).stdout
    assert rows(junod(env, "habits", "no", habit["id"], "--json"))["id"] == habit["id"]
    assert rows(junod(env, "habits", "list", "--json"))["suggestions"] == []
    assert rows(junod(env, "habits", "delete", habit["id"], "--json"))["deleted"] == [habit["id"]]
    assert "No habits are known" in junod(env, "habits", "list").stdout


def test_impressions_are_listed_corrected_explained_and_deleted(env: dict[str, str]) -> None:
    (trait,) = rows(junod(env, "persona", "list", "--json"))
    assert trait["statement"] == "Sylvie dreads the dentist"
    assert "Sylvie dreads the dentist" in junod(env, "why", trait["id"]).stdout
    assert rows(junod(env, "persona", "correct", trait["id"], "Sylvie", "prefers", "mornings", "--json"))["corrected"]
    refused = junod(env, "persona", "correct", trait["id"], "Sylvie is bipolar")
    assert refused.returncode == 2
    assert "clinical" in refused.stderr
    assert "Deleted" in junod(env, "persona", "delete", trait["id"]).stdout
    assert "There are no impressions" in junod(env, "persona", "list").stdout
    assert "off" in junod({**env, "JUNOD_CONFIG": "", "JUNOD_PERSONA__ENABLED": "false"}, "persona", "list").stdout


def test_export_hands_over_what_was_learned(env: dict[str, str]) -> None:
    exported = rows(junod(env, "export"))
    assert {"habits", "talk", "impressions"} <= set(exported)


def test_why_of_a_memory_shows_what_was_heard_and_what_removes_it(env: dict[str, str]) -> None:
    memory = rows(junod(env, "memories", "list", "--json"))[0]
    why = rows(junod(env, "why", memory["id"][-10:], "--json"))
    assert why["layer"] == "memory"
    assert why["evidence"][0]["text"] == memory["transcript"]
    assert why["removed_by"] == f"junod memories forget {memory['id']}"


@pytest.mark.parametrize(
    ("arguments", "code", "needle"),
    [
        (("why", "nothing"), 1, "Nothing that is known"),
        (("habits", "show", "nothing"), 1, "There is no habit"),
        (("habits", "delete"), 2, "Say what to delete"),
        (("persona", "delete", "x", "--all"), 2, "Say what to delete"),
    ],
)
def test_wrong_use_says_what_to_do(env: dict[str, str], arguments: tuple[str, ...], code: int, needle: str) -> None:
    done = junod(env, *arguments)
    assert done.returncode == code, done.stderr
    assert needle in done.stderr
    assert "Traceback" not in done.stderr
