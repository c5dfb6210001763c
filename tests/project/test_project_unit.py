"""The unit: how exposed it is, what it may call, where it may connect; and that junod's libraries live with it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from pulse_server import MICROPHONE, PulseRoom, pulse_room

from junod.web.doors import inherited_listener

__all__ = ["pulse_room"]

ROOT = Path(__file__).parents[2]
needs_analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
MOST_EXPOSED = 1.5


def run(*command: str, **extra: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **extra}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False, env=environment)


def exposure(unit: Path) -> float:
    shown = run("systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)).stdout
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", shown)
    assert found, shown
    return float(found[1])


def with_drop_in(folder: Path, drop_in: str) -> Path:
    """The unit with a drop-in laid over it, as one file: later lines add to lists or win."""
    unit = folder / "junod.service"
    text = (ROOT / "systemd/junod.service").read_text("utf-8")
    added = (ROOT / "systemd" / drop_in).read_text("utf-8").split("[Service]\n", 1)[1]
    unit.write_text(text.replace("\n[Install]", f"\n{added}\n[Install]"), "utf-8")
    return unit


@needs_analyze
def test_the_unit_is_exposed_to_little() -> None:
    assert exposure(ROOT / "systemd/junod.service") <= MOST_EXPOSED


@needs_analyze
def test_with_the_home_network_it_is_still_exposed_to_little(tmp_path: Path) -> None:
    """0.5 for the network and 0.3 for its sockets are the price of being reachable."""
    assert exposure(with_drop_in(tmp_path, "junod-lan.conf")) <= MOST_EXPOSED


@needs_analyze
@pytest.mark.parametrize("name", ["junod-kiosk.service", "junod-screen.service"])
def test_systemd_accepts_the_touchscreens_units(tmp_path: Path, name: str) -> None:
    """Verified with a program that exists here in place of the compositor, the browser and the installed junod."""
    text = re.sub(
        r"^(ExecStart(?:Pre)?)=\S+", rf"\1={sys.executable}", (ROOT / "systemd" / name).read_text("utf-8"), flags=re.M
    )
    for unit in (name, "junod.service"):
        (tmp_path / unit).write_text(text if unit == name else "[Service]\nExecStart=/bin/true\n", "utf-8")
    verified = run("systemd-analyze", "verify", "--man=no", str(tmp_path / name))
    assert verified.returncode == 0, verified.stderr
    assert [line for line in verified.stderr.splitlines() if name in line] == []


@needs_analyze
@pytest.mark.parametrize("drop_in", ["", "junod-lan.conf"])
def test_systemd_accepts_the_units(tmp_path: Path, drop_in: str) -> None:
    """Verified with a program that exists here in place of the installed one."""
    unit = with_drop_in(tmp_path, drop_in) if drop_in else tmp_path / "junod.service"
    text = unit.read_text("utf-8") if drop_in else (ROOT / "systemd/junod.service").read_text("utf-8")
    unit.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE))
    shutil.copy(ROOT / "systemd/junod.socket", tmp_path)
    verified = run("systemd-analyze", "verify", "--man=no", str(unit), str(tmp_path / "junod.socket"))
    assert verified.returncode == 0, verified.stderr
    complaints = [line for line in verified.stderr.splitlines() if "junod" in line]
    newer = ("Unknown key 'RestartSteps'", "Unknown key 'RestartMaxDelaySec'")  # systemd 254
    assert [line for line in complaints if not any(word in line for word in newer)] == []


def test_no_network_but_by_the_drop_in() -> None:
    unit = (ROOT / "systemd/junod.service").read_text("utf-8").splitlines()
    assert {"PrivateNetwork=yes", "RestrictAddressFamilies=AF_UNIX", "IPAddressDeny=any"} <= set(unit)
    assert not [line for line in unit if line.startswith("IPAddressAllow")]
    door = (ROOT / "systemd/junod.socket").read_text("utf-8").splitlines()
    assert [line for line in door if line.startswith("ListenStream")] == ["ListenStream=127.0.0.1:8765"]
    lan = (ROOT / "systemd/junod-lan.conf").read_text("utf-8")
    assert "IPAddressAllow=localhost 10.0.0.0/8" in lan
    assert "any" not in re.findall(r"IPAddressAllow=(.*)", lan)[0]


def test_speech_goes_into_no_swap_and_no_core() -> None:
    unit = (ROOT / "systemd/junod.service").read_text("utf-8").splitlines()
    assert {"MemorySwapMax=0", "LimitCORE=0", "UMask=0077", "StateDirectoryMode=0700"} <= set(unit)


@pytest.fixture(scope="module")
def confined() -> list[str]:
    """Begins a command under the unit's system-call rules."""
    begin = [sys.executable, "scripts/under_unit.py"]
    tried = run(*begin, "/bin/true")
    if tried.returncode or shutil.which("systemd-analyze") is None:
        pytest.skip("system calls cannot be filtered here")
    return begin


def test_the_rules_bite(confined: list[str]) -> None:
    tries = (
        "import os, socket\n"
        "def tried(act):\n"
        "    try: act()\n"
        "    except OSError as error: return error.errno\n"
        "print(tried(lambda: socket.socket(socket.AF_INET)), tried(lambda: os.sched_setaffinity(0, {0})),\n"
        "      tried(lambda: os.setresuid(1, 1, 1)), tried(lambda: os.chroot('/')), tried(lambda: socket.socketpair()))"
    )
    done = run(*confined, sys.executable, "-c", tries)
    assert done.stdout.split() == ["97", "1", "1", "1", "None"], done.stderr


def test_the_store_and_the_command_line_live_under_the_rules(confined: list[str], tmp_path: Path) -> None:
    database = {"JUNOD_MEMORY__PATH": str(tmp_path / "junod.db")}
    added = run(*confined, sys.executable, "-m", "junod", "memories", "add", "Bins on Tuesday", **database)
    assert added.returncode == 0, added.stderr
    assert run(*confined, sys.executable, "-m", "junod", "backup", **database).returncode == 0
    checked = run(*confined, sys.executable, "-m", "junod", "check", **database)
    assert checked.returncode == 0, checked.stdout


LIBRARIES = """
import numpy as np, onnxruntime, ctranslate2, webrtcvad, sounddevice, soxr, av, llama_cpp, torch
assert float((torch.ones(64, 64) @ torch.ones(64, 64)).sum()) == 64.0 ** 3
assert webrtcvad.Vad(2).is_speech(bytes(960), 16_000) is False
sounddevice.query_devices()
assert len(soxr.resample(np.zeros(48_000, np.float32), 48_000, 16_000)) == 16_000
from faster_whisper.vad import get_vad_model
get_vad_model()(np.zeros(512 * 20, np.float32))
from junod.assembly.parts import build_transcriber
from junod.settings import load_settings
noise = np.random.default_rng(1).normal(0, 0.05, 32_000).astype(np.float32)
build_transcriber(load_settings(overrides={"stt": {"profile": "lite"}})).transcribe(noise)
print("alive")
"""


@pytest.mark.models
def test_the_heavy_libraries_live_under_the_rules(confined: list[str]) -> None:
    """v64: none of them needs a forbidden call; speech-to-text, which compiles kernels at run time, among them."""
    done = run(*confined, sys.executable, "-c", LIBRARIES, OMP_NUM_THREADS="1")
    assert done.stdout.strip().endswith("alive"), done.stderr


LISTENING = f"""
import time
from junod.audio.microphone import Microphone
from junod.clock import SystemClock
from junod.sections import AudioSettings
microphone, heard, end_s = Microphone(AudioSettings(device={MICROPHONE!r}), SystemClock()), 0, time.monotonic() + 90
while heard < 30 and time.monotonic() < end_s:
    heard += len(microphone.poll(0.2))
print(microphone.state, "heard" if heard >= 30 else microphone.problem)
microphone.close()
"""


@pytest.mark.live
def test_a_microphone_is_heard_under_the_rules(confined: list[str], pulse_room: PulseRoom) -> None:
    """v64: the capture process and its sound library need no forbidden call either."""
    done = run(*confined, sys.executable, "-c", LISTENING, **pulse_room.env)
    assert done.stdout.split()[1:] == ["heard"], done.stdout + done.stderr


def test_a_socket_that_systemd_holds_is_found_by_its_name() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        given = {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "loopback"}
        assert inherited_listener("loopback", {**given, "LISTEN_PID": "1"}) is None
        assert inherited_listener("other", given) is None
        assert inherited_listener("loopback", {**given, "LISTEN_FDS": "0"}) is None
        assert inherited_listener("loopback", {}) is None
        code = (
            "import os, sys; os.dup2(int(sys.argv[1]), 3)\n"
            "from junod.web.doors import inherited_listener\n"
            "names = {'LISTEN_PID': str(os.getpid()), 'LISTEN_FDS': '1', 'LISTEN_FDNAMES': 'loopback'}\n"
            "print(inherited_listener('loopback', names).getsockname()[1])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(door.fileno())],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            pass_fds=[door.fileno()],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert done.stdout.split() == [str(door.getsockname()[1])], done.stderr


def test_without_any_network_the_page_says_so(confined: list[str]) -> None:
    """The unit denies the family: a clear problem, and the server goes on."""
    code = (
        "from junod.web.lan import lan_ip\nfrom junod.web.doors import tcp_listener\n"
        "from junod.errors import JunodError\n"
        "for act in (lan_ip, lambda: tcp_listener('127.0.0.1', 0)):\n"
        "    try: act()\n"
        "    except JunodError as error: print(error.message)\n"
    )
    done = run(*confined, sys.executable, "-c", code)
    assert len(done.stdout.splitlines()) == 2, done.stderr
