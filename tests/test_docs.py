"""Commands shown in the docs work, links lead somewhere, and the figures' pages exist."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "models").rglob("*.md"))]
ELSEWHERE = {
    "restore": "tests/backups goes back to a backup",
    "run": "tests/test_scene.py runs it live",
    "replay": "tests/test_scene.py replays the scene",
    "eval": "tests/test_scene.py and the evaluation need minutes of the language model",
    "calibrate": "takes an hour of the language model; tests/gate calibrates on few passages",
    "mcp": "tests/mcp_server speaks to it",
    **dict.fromkeys(
        ("page", "mute", "unmute", "off-record", "on-record", "media"), "tests/web talks to a server with them"
    ),
    "microphones": "a machine for tests has no sound system",
    "models pull": "tests/weights pulls from a server of its own",
}
"""Commands whose test stands elsewhere."""


def shown_commands() -> list[tuple[str, list[str]]]:
    """(page, arguments) of each `junod` command in a shell block."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```(?:sh|console|bash)\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for line in block.splitlines():
                words = shlex.split(line.removeprefix("$ "), comments=True)
                if words and words[0].endswith("junod"):
                    found.append((page.name, words[1:]))
    return found


def test_the_readme_shows_commands() -> None:
    assert len(shown_commands()) > 5


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("docs")
    env = {**os.environ, "JUNOD_RUNTIME_DIR": str(folder / "run"), "JUNOD_MEMORY__PATH": str(folder / "junod.db")}
    run(["memories", "add", "The spare key is under the blue pot"], env)
    return env


def run(arguments: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "junod", *arguments], capture_output=True, text=True, timeout=600, env=env, check=False
    )


@pytest.mark.models
@pytest.mark.parametrize(
    "arguments",
    [arguments for _, arguments in shown_commands()],
    ids=[f"{page}: {' '.join(arguments)[:50]}" for page, arguments in shown_commands()],
)
def test_a_shown_command_runs(arguments: list[str], household: dict[str, str]) -> None:
    if any(" ".join(arguments).startswith(name) for name in ELSEWHERE):
        helped = run([*arguments[:1], "--help"], household)
        assert helped.returncode == 0
        return
    if "ID" in arguments:
        added = run(["memories", "add", "Something to try it on", "--json"], household)
        arguments = [json.loads(added.stdout)["id"] if word == "ID" else word for word in arguments]
    if arguments[0] == "forget":
        arguments = [*arguments, "--yes"]  # the question is for people
    done = run(arguments, household)
    may_find_faults = arguments[0] in ("doctor", "status")
    assert done.returncode in ((0, 1) if may_find_faults else (0,)), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("script", ["demo", "test", "setup", "check", "bench"])
def test_every_script_named_in_the_readme_is_there(script: str) -> None:
    assert os.access(ROOT / "scripts" / script, os.X_OK)
