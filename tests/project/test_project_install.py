"""`scripts/install`: what it would do, and the wheel it installs, in an environment of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str, **extra: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **extra}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False, env=environment)


@pytest.fixture(scope="module")
def plan() -> list[str]:
    done = run("scripts/install", "--dry-run", "--lan")
    assert done.returncode == 0, done.stderr
    return [line.removeprefix("+ ") for line in done.stdout.splitlines()]


def place(plan: list[str], *needles: str) -> int:
    """Number of the first step that holds all of the needles."""
    return next(number for number, step in enumerate(plan) if all(needle in step for needle in needles))


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    """Every command that changes a machine is replaced by one that would be noticed."""
    for name in ("apt-get", "systemctl", "runuser", "systemd-sysusers", "systemd-tmpfiles", "install", "ln", "mv"):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {name} >>{tmp_path}/called\n")
        program.chmod(0o755)
    for options in ([], ["--roll-back"], ["--uninstall", "--purge"]):
        run("scripts/install", "--dry-run", *options, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert not (tmp_path / "called").exists()


def test_the_release_is_whole_before_anything_is_stopped_and_checked_before_it_is_used(plan: list[str]) -> None:
    whole = place(plan, "bin/junod --version")
    assert place(plan, "torch==") < whole
    assert place(plan, "[all]") < whole < place(plan, "systemctl stop") < place(plan, "mv -T")


def test_exact_versions_are_installed(plan: list[str]) -> None:
    installs = [step for step in plan if "bin/pip" in step and " install " in step and "junod/releases" in step]
    assert len(installs) >= 3
    assert all("--constraint constraints.txt" in step or re.search(r"pip==\d", step) for step in installs)


def test_account_folders_units_and_models_come_in_an_order_that_works(plan: list[str]) -> None:
    order = ("systemd-sysusers", "systemd-tmpfiles", "models pull", "daemon-reload", "enable", "restart junod.service")
    steps = [place(plan, step) for step in order]
    assert steps == sorted(steps)
    assert any("junod.service.d/lan.conf" in step for step in plan)
    assert any("/etc/junod/junod.toml" in step for step in plan)


def test_the_network_is_opened_only_when_asked() -> None:
    assert "lan.conf" not in run("scripts/install", "--dry-run").stdout
    assert (
        "rm -f /etc/systemd/system/junod.service.d/lan.conf" in run("scripts/install", "--dry-run", "--no-lan").stdout
    )


def test_uninstalling_keeps_the_memories_unless_told_otherwise() -> None:
    kept = run("scripts/install", "--uninstall", "--dry-run")
    assert "/var/lib/junod" not in kept.stdout
    assert "memories are still in /var/lib/junod" in kept.stderr
    assert "rm -rf /var/lib/junod /etc/junod" in run("scripts/install", "--uninstall", "--purge", "--dry-run").stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--quick"], "unknown option --quick"),
        (["--purge"], "goes with --uninstall"),
        (["--roll-back", "--dry-run"], "no release before"),
    ],
)
def test_wrong_use_is_refused(options: list[str], said: str) -> None:
    if Path("/opt/junod/current").exists():
        pytest.skip("junod is installed here")
    refused = run("scripts/install", *options)
    assert refused.returncode == 1
    assert said in refused.stderr


def test_another_machine_is_refused(tmp_path: Path) -> None:
    (tmp_path / "uname").write_text("#!/bin/sh\necho armv7l\n")
    (tmp_path / "uname").chmod(0o755)
    refused = run("scripts/install", "--dry-run", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert refused.returncode == 1
    assert "64-bit system" in refused.stderr


def test_it_explains_itself() -> None:
    helped = run("scripts/install", "--help").stdout
    assert all(option in helped for option in ("--dry-run", "--lan", "--roll-back", "--uninstall", "--purge"))


def test_the_wheel_works_installed_without_the_source_tree(plan: list[str], tmp_path: Path) -> None:
    """Built by the script's own step, unpacked as pip does it; the data files come from the wheel."""
    step = plan[place(plan, "-m hatchling")].split()
    built = run(sys.executable, *step[1:-1], str(tmp_path))
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("junod-*.whl")
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site)]
    installed = run(*pip, str(wheel))
    assert installed.returncode == 0, installed.stderr
    code = (
        "import junod, junod.__main__ as main, sys; assert 'site' in junod.__file__, junod.__file__\n"
        "sys.argv = ['junod', *sys.argv[1:]]; main.main()"
    )
    env = {"PYTHONPATH": str(site), "JUNOD_DATA_DIR": str(tmp_path / "data"), "JUNOD_RUNTIME_DIR": str(tmp_path)}
    for words, said in (
        (["--version"], "junod "),
        (["config", "show"], "[backup]"),
        (["memories", "add", "Bins on Tuesday"], "Remembered"),
        (["models", "list"], "whisper"),
        (["backup"], "it is sound"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            env={**os.environ, **env},
        )
        assert done.returncode == 0, done.stderr
        assert said in done.stdout


def test_the_shell_completes_commands() -> None:
    code = "import sys, junod.__main__ as main; sys.argv = ['junod']; main.main()"
    done = run(sys.executable, "-c", code, _JUNOD_COMPLETE="source_bash", PYTHONPATH=os.pathsep.join(sys.path))
    assert "COMP_WORDS" in done.stdout, done.stderr


def test_the_man_page_names_every_command_and_troff_accepts_it(tmp_path: Path) -> None:
    done = run(sys.executable, "scripts/make_man.py", PYTHONPATH=os.pathsep.join(sys.path))
    assert done.returncode == 0, done.stderr
    for name in ("run", "memories add", "backup", "restore", "models pull"):
        assert f".SS junod {name}" in done.stdout
    if shutil.which("groff"):
        (tmp_path / "junod.1").write_text(done.stdout)
        formatted = run("groff", "-man", "-ww", "-Tutf8", str(tmp_path / "junod.1"))
        assert formatted.stderr == ""
        assert "the memory of a kitchen" in formatted.stdout
