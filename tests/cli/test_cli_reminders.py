"""`junod reminders`, `junod memories --tag` and quiet hours in `junod status`, as processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("reminders")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("JUNOD_")}
    made = {
        **inherited,
        "JUNOD_DATA_DIR": str(folder),
        "JUNOD_RUNTIME_DIR": str(folder / "run"),
        "JUNOD_HOUSEHOLD__TIMEZONE": "UTC",
    }
    soon = datetime.now(UTC) + timedelta(hours=5)
    junod(made, "memories", "add", "Dentist for Leo", "--expires", soon.isoformat())
    for rule in ("dentist things belong to health", "always remind us two hours before the dentist"):
        junod(made, "rules", "add", rule, "--yes")
    return made


def junod(env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "junod", *arguments], capture_output=True, text=True, timeout=240, env=env, check=False
    )
    return done.stdout + done.stderr


def test_what_is_to_come_is_shown_with_the_rule_that_made_it_earlier(env: dict[str, str]) -> None:
    assert "Dentist for Leo" in junod(env, "reminders")
    assert "earlier by a rule" in junod(env, "reminders")
    (reminder,) = json.loads(junod(env, "reminders", "--json"))
    ahead = datetime.fromisoformat(reminder["begins_at"]) - datetime.fromisoformat(reminder["remind_at"])
    assert timedelta(hours=1, minutes=58) < ahead <= timedelta(hours=2)
    assert reminder["by_rule"] is True


def test_reminders_that_are_off_say_so(env: dict[str, str]) -> None:
    assert "off" in junod({**env, "JUNOD_REMINDERS__ENABLED": "false"}, "reminders")


def test_memories_are_listed_with_their_tags_and_by_them(env: dict[str, str]) -> None:
    assert "#health" in junod(env, "memories", "list")
    (memory,) = json.loads(junod(env, "memories", "list", "--tag", "health", "--json"))
    assert memory["tags"] == ["health"]
    assert "Tags: health." in junod(env, "memories", "list", "--tag", "helth")
    assert "#health" in junod(env, "memories", "show", memory["id"])


def test_status_tells_of_quiet_that_a_rule_asks_for(env: dict[str, str]) -> None:
    now = datetime.now(UTC)
    hours = f'"start": "{now - timedelta(hours=1):%H:00}", "end": "{now + timedelta(hours=3):%H:00}"'
    spec = '{"trigger": {}, "action": {"do": "mute-hours", "what": "reminders", ' + hours + "}}"
    junod(env, "rules", "add", "--data", spec, "--yes")
    assert f"By a rule there is no reminder until {now + timedelta(hours=3):%H:00}." in junod(env, "status")
