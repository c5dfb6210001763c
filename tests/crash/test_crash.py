"""Power goes when somebody plugs in the kettle: kill -9 at random points of a running household."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
ROUNDS = 20


def test_killed_at_random_points_nothing_is_lost_doubled_or_brought_back(tmp_path: Path) -> None:
    """m92, v79, v85: `scripts/check-crash` does the same five hundred times."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    script = str(TESTS / "crash" / "crash_rounds.py")
    done = subprocess.run(
        [sys.executable, script, str(tmp_path), str(ROUNDS), "7"],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["kills"] == ROUNDS
    assert seen["opened"] > ROUNDS / 3
    assert seen["passages"] > 0
