"""The scripts a newcomer starts with, and the unit a display starts with."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ("setup", "install", "check", "check-arm64", "check-crash", "test", "demo", "bench", "make-scene")


def _run(*command: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False, env=environment or dict(os.environ)
    )


@pytest.mark.parametrize("script", [f"scripts/{name}" for name in SCRIPTS] + [".ci/run"])
def test_a_script_is_executable_and_stops_at_the_first_error(script: str) -> None:
    path = ROOT / script
    assert path.stat().st_mode & stat.S_IXUSR
    assert "set -euo pipefail" in path.read_text("utf-8")
    assert _run("bash", "-n", script).returncode == 0


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_the_shell_scripts_are_clean() -> None:
    checked = _run("shellcheck", *(f"scripts/{name}" for name in SCRIPTS), ".ci/run")
    assert checked.returncode == 0, checked.stdout


def test_setup_explains_itself() -> None:
    helped = _run("scripts/setup", "--help")
    assert helped.returncode == 0
    assert "--no-models" in helped.stdout
    assert "JUNOD_TORCH_INDEX" in helped.stdout
    assert "set -e" not in helped.stdout


def test_setup_refuses_an_unknown_option() -> None:
    refused = _run("scripts/setup", "--quick")
    assert refused.returncode == 1
    assert "unknown option --quick" in refused.stderr


def test_setup_without_root_names_the_command_to_run(tmp_path: Path) -> None:
    """A user who may not install gets the exact line; nothing else has happened by then."""
    _fake(tmp_path / "dpkg-query", "exit 1")
    _fake(tmp_path / "id", "echo 1000")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    refused = _run("scripts/setup", environment=environment)
    assert refused.returncode == 1
    assert re.search(r"sudo apt-get install -y --no-install-recommends .*libportaudio2", refused.stderr)


def test_setup_reads_the_package_lists_only_when_they_do_not_suffice(tmp_path: Path) -> None:
    """On a fresh machine the lists are empty: the first try fails, the lists are read, the second works."""
    log = tmp_path / "log"
    _fake(tmp_path / "dpkg-query", "exit 1")
    _fake(tmp_path / "id", "echo 0")
    _fake(
        tmp_path / "apt-get",
        f'echo "$1" >>{log}; [ "$1" = update ] && touch {tmp_path}/lists; [ -e {tmp_path}/lists ]',
    )
    _fake(tmp_path / "python3", "exit 1")
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "JUNOD_PYTHON": "python3",
    }
    _run("scripts/setup", environment=environment)
    assert log.read_text().split()[:3] == ["install", "update", "install"]


def _fake(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def _unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(ROOT / "systemd/junod.service")
    return parser


def test_the_unit_comes_back_for_ever_and_is_watched() -> None:
    """v13, v88: a silent daemon is restarted. v2, v86: giving up is never final, however often it fell."""
    unit = _unit()
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
    assert unit["Service"]["Type"] == "notify"
    assert unit["Service"]["WatchdogSec"] == "30"
    assert unit["Service"]["Restart"] == "always"


def test_the_unit_may_hear_and_may_not_phone_home() -> None:
    service = _unit()["Service"]
    assert service["SupplementaryGroups"] == "audio"
    assert service["DeviceAllow"] == "char-alsa rw"
    assert "PrivateDevices" not in service
    assert (service["IPAddressDeny"], service["PrivateNetwork"]) == ("any", "yes")


@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="systemd-sysusers is not installed")
def test_the_account_is_made_by_sysusers(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    made = _run("systemd-sysusers", f"--root={tmp_path}", str(ROOT / "systemd/junod.sysusers"))
    assert made.returncode == 0, made.stderr
    assert "junod:" in (tmp_path / "etc/passwd").read_text()
    assert re.search(r"^audio:.*junod", (tmp_path / "etc/group").read_text(), re.MULTILINE)
