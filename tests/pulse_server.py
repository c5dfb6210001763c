"""A room made of software: a private PulseAudio whose null sink is the air, its monitor the only microphone.

Import the fixture `pulse_room` into a test file; mark the test `live`. `room.env` is what another process (or this
one, before it opens a device) needs to hear it; `room.play(path)` plays a sound file to its end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

SINK = "junod_room"
MICROPHONE = "default"
"""The capture device's name as PortAudio lists it."""

_ALSA = """</usr/share/alsa/alsa.conf>
pcm.!default {{ type pulse server "{server}" device "{sink}.monitor" }}
ctl.!default {{ type pulse server "{server}" }}
"""
_NEEDED = ("pulseaudio", "pactl", "paplay")
_START_DEADLINE_S = 60.0


@dataclass
class PulseRoom:
    folder: Path
    env: dict[str, str] = field(init=False)
    _server: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        server = f"unix:{self.folder}/native"
        alsa = self.folder / "asound.conf"
        alsa.write_text(_ALSA.format(server=server, sink=SINK))
        self.env = {
            "XDG_RUNTIME_DIR": str(self.folder),
            "PULSE_RUNTIME_PATH": str(self.folder),
            "PULSE_STATE_PATH": str(self.folder),
            "PULSE_SERVER": server,
            "ALSA_CONFIG_PATH": str(alsa),
        }

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self._server = subprocess.Popen(
            [
                *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"),
                *("-L", f"module-native-protocol-unix socket={self.folder}/native auth-anonymous=1"),
                *("-L", f"module-null-sink sink_name={SINK} rate=48000 channels=2"),
            ],
            env=os.environ | self.env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline_s = time.monotonic() + _START_DEADLINE_S
        while SINK not in self._sources():
            if time.monotonic() > deadline_s:
                raise RuntimeError("PulseAudio did not start")
            time.sleep(0.1)

    def play(self, path: Path) -> None:
        """Play wav, flac or ogg into the room, as fast as it sounds."""
        subprocess.run(["paplay", f"--device={SINK}", str(path)], env=os.environ | self.env, check=True, timeout=300)

    def begin(self, path: Path) -> subprocess.Popen[bytes]:
        """Begin to play; whoever began it ends it."""
        return subprocess.Popen(["paplay", f"--device={SINK}", str(path)], env=os.environ | self.env)

    def recorders(self) -> int:
        """How many listen to the room now."""
        listed = subprocess.run(
            ["pactl", "list", "short", "source-outputs"],
            env=os.environ | self.env,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
            timeout=60,
        )
        return len(listed.stdout.splitlines())

    def stop(self) -> None:
        if self._server is not None:
            self._server.terminate()
            try:
                self._server.wait(20)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait(5)

    def _sources(self) -> str:
        listed = subprocess.run(
            ["pactl", "list", "short", "sources"], env=os.environ | self.env, capture_output=True, timeout=60, text=True
        )
        return listed.stdout


@pytest.fixture
def pulse_room() -> Iterator[PulseRoom]:
    missing = [program for program in _NEEDED if shutil.which(program) is None]
    if missing:
        pytest.skip(f"no {', '.join(missing)}: apt install pulseaudio pulseaudio-utils libasound2-plugins")
    # Sockets have short names only, so not below pytest's own folder.
    with tempfile.TemporaryDirectory(prefix="junod") as folder:
        room = PulseRoom(Path(folder))
        try:
            room.start()
            yield room
        finally:
            room.stop()
