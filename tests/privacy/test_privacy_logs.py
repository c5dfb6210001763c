"""No speech, no memory text and no credential in logs, status, crash reports or what /proc shows of the daemon."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_rig import Rig, say, wait_for
from fakes import FakeExtractor

from junod.errors import ExtractionError, TranscriptionError
from junod.health import read_status
from junod.memory.backups import Backups
from junod.records import Decision, Passage

SPEECH = ("zanzibar", "kilimanjaro", "quagga", "hunter22")
"""Words that are said, kept, thrown away, or quoted by an exception."""


class Quoting(FakeExtractor):
    """Fails with what it was asked about in the message, as libraries do."""

    def decide(self, passage: Passage) -> Decision:
        if "quagga" in passage.transcript:
            raise ExtractionError("The language model failed.", permanent=True) from ValueError(passage.transcript)
        return super().decide(passage)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    made.extractor = Quoting()
    made.script[:] = [
        "remember the zanzibar dentist",
        TranscriptionError("The recogniser failed on kilimanjaro."),
        "a quagga is no zebra",
        "kilimanjaro is high, the password is hunter22",
    ]
    made.transcriber._script = list(made.script)
    yield made
    if made.thread.is_alive():
        made.stop()
    made.store.close()


def test_a_full_run_logs_no_word_of_what_was_said(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """Every sentence: one kept, one not understood, one that breaks the model, one thrown away; at level debug."""
    caplog.set_level(logging.DEBUG)
    rig.start()
    for _ in rig.script:
        say(rig)
    wait_for(lambda: rig.store.counts().parked == 1)
    wait_for(lambda: sum(entry.event == "decided" for entry in rig.store.journal()) >= 2)
    Backups(rig.store.path).make(rig.daemon._house.clock.now(), keep=1)
    wait_for(lambda: (status := read_status(rig.folder)) is not None and status.counters.get("memories") == 1)
    shown = (rig.folder / "status.json").read_text()
    rig.store.forget(rig.store.list()[0].id)
    rig.stop()
    said = caplog.text + shown
    assert "could not be decided" in said
    assert not [word for word in SPEECH if word in said.casefold()]


def python(code: str, *, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        input=text,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.mark.parametrize(
    "crash",
    [
        "raise ValueError(said)",
        "import threading; t = threading.Thread(target=lambda: 1 / int(said)); t.start(); t.join()",
        "from pydantic import TypeAdapter; TypeAdapter(int).validate_python(said)",
        "exec('class A:\\n def __del__(self): raise ValueError(said)'); a = A(); del a",
    ],
)
def test_a_crash_report_says_where_and_never_what(crash: str) -> None:
    done = python(
        "import sys; said = sys.stdin.read()\n"
        f"from junod.seclusion import report_without_values; report_without_values()\n{crash}",
        text="zanzibar",
    )
    assert "an error of its own" in done.stderr
    assert "line" in done.stderr
    assert "zanzibar" not in done.stderr


def test_an_unforeseen_error_of_a_command_is_reported_the_same_way(tmp_path: Path) -> None:
    done = python(
        "import sys, junod.cli.app, junod.__main__ as main\n"
        "def broken(): raise RuntimeError('zanzibar')\n"
        "junod.cli.app.app = broken; main.main()"
    )
    assert done.returncode == 1
    assert "RuntimeError" in done.stderr
    assert "zanzibar" not in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")
def test_a_secluded_process_leaves_no_core_and_cannot_be_looked_into() -> None:
    done = python(
        "import ctypes, resource\n"
        "from junod.seclusion import seclude; seclude()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE)[0])"
    )
    assert done.stdout.split() == ["0", "0"]


def test_a_memory_can_be_written_without_showing_it_in_the_list_of_processes(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "junod", "memories", "add", "-", "--db", str(tmp_path / "junod.db")],
        input="The zanzibar key is under the pot\n",
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "zanzibar" in done.stdout


def test_no_option_takes_a_secret() -> None:
    """/proc/PID/cmdline is open to all users."""
    sources = Path(__file__).parents[2].joinpath("junod/cli").glob("*.py")
    options = [line for path in sources for line in path.read_text("utf-8").splitlines() if '"--' in line]
    assert not [line for line in options if any(word in line for word in ('"--token"', '"--password"', '"--secret"'))]
