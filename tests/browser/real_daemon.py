"""`junod run` as it is installed: a process of its own, real models, a real (if virtual) microphone."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from browser.browser_house import eventually, free_port
from pulse_server import PulseRoom

from junod.settings import load_settings, models_dir

END_S = 60.0
SLOW_S = "600"
"""The language model may take so long where the machine has other things to do."""


class RealDaemon:
    """A device that nobody has used yet: no settings, no memories; only the models are there."""

    def __init__(self, folder: Path, room: PulseRoom) -> None:
        self.folder, self.port = folder, free_port()
        self.data = folder / "data"
        self.data.mkdir()
        (self.data / "models").symlink_to(models_dir(load_settings()))
        self.env = {
            **os.environ,
            **room.env,
            "JUNOD_DATA_DIR": str(self.data),
            "JUNOD_RUNTIME_DIR": str(folder / "run"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "JUNOD_WEB__PORT": str(self.port),
            "JUNOD_EXTRACT__DEADLINE_S": SLOW_S,
        }
        self.env.pop("JUNOD_CONFIG", None)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def settings(self) -> Path:
        """What the first start writes."""
        return self.folder / "config" / "junod" / "junod.toml"

    def start(self) -> None:
        self._process = subprocess.Popen([sys.executable, "-m", "junod", "run"], env=self.env)

    def stop(self) -> None:
        """Ask it to end, as systemd does."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            assert self._process.wait(END_S) == 0
        finally:
            self._process.kill()
            self._process.wait(END_S)
            self._process = None

    def status(self) -> dict[str, Any]:
        """As `junod status` reads it; empty while there is none."""
        try:
            told: dict[str, Any] = json.loads((self.folder / "run" / "status.json").read_text("utf-8"))
        except FileNotFoundError:
            return {}
        return told

    def count(self, name: str) -> int:
        return int(self.status().get("counters", {}).get(name, 0))

    def writes_status_anew(self) -> None:
        """Until another status has taken the place of the one that is there."""
        file = self.folder / "run" / "status.json"
        before = file.stat().st_mtime_ns
        eventually(lambda: file.stat().st_mtime_ns != before, END_S)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What is in the database."""
        database = sqlite3.connect(f"file:{self.data / 'junod.db'}?mode=ro", uri=True)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()
