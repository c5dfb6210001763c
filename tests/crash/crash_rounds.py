"""Kill a household at random moments, again and again, and look at what is left. Prints what was seen, as JSON.

python crash_rounds.py FOLDER ROUNDS SEED
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from crash.crash_house import live, settle, words

from junod.memory.backups import Backups
from junod.memory.store import EVERYTHING

BEFORE_OPEN = 0.3
"""Share of the rounds that are killed at any moment from the start on, opening included."""
OPENING_S = 0.06
MOST_LINES = 7
"""The others are killed within `LINGER_S` after they said so many things."""
LINGER_S = 0.04
DEADLINE_S = 120.0
LOOK_INTO_EVERY = 50


@dataclass
class Told:
    """What households said before they were killed: it is certain."""

    heard: set[str] = field(default_factory=set)
    decided: set[str] = field(default_factory=set)
    forgetting: set[str] = field(default_factory=set)
    forgot: set[str] = field(default_factory=set)
    backups: int = 0
    opened: int = 0

    def take(self, line: str) -> None:
        what, _, which = line.partition(" ")
        if what == "backup":
            self.backups += 1
        elif what == "open":
            self.opened += 1
        else:
            getattr(self, what).add(which)

    @property
    def next_sentence(self) -> int:
        return max((int(each[1:]) for each in self.heard), default=-1) + 1


def kill_once(path: Path, told: Told, rng: random.Random) -> None:
    """One household, killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _live_and_end(path, told.next_sentence, writing)
    os.close(writing)
    try:
        said = b""
        if rng.random() < BEFORE_OPEN:
            time.sleep(rng.uniform(0, OPENING_S))
        else:
            said = _listen(reading, rng.randint(1, MOST_LINES))
            time.sleep(rng.uniform(0, LINGER_S))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while part := os.read(reading, 65_536):
            said += part
    finally:
        os.close(reading)
    for line in said.decode().splitlines():
        if line.startswith("error"):
            raise AssertionError(line)
        told.take(line)


def _live_and_end(path: Path, first: int, writing: int) -> None:
    try:
        live(path, first, lambda line: _tell(writing, line))
    except BaseException as error:
        _tell(writing, f"error {type(error).__name__}: {error}")
    os._exit(0)


def _tell(writing: int, line: str) -> None:
    os.write(writing, f"{line}\n".encode())


def _listen(reading: int, lines: int) -> bytes:
    """Wait until so many lines were said."""
    said = b""
    while said.count(b"\n") < lines:
        ready, _, _ = select.select([reading], [], [], DEADLINE_S)
        part = os.read(reading, 65_536) if ready else b""
        assert part, f"a household said no more after {said!r}"
        said += part
    return said


def verify(path: Path, told: Told) -> dict[str, int]:
    """Everything that was told is there, once; what was forgotten is nowhere.

    Raises:
        AssertionError: it is not so.
    """
    with settle(path) as store:
        assert store.check() == (), store.check()
        assert store.spool_count() == 0
        assert store.parked() == ()
        entries = [entry.passage_id for entry in store.journal(limit=None) if entry.event == "decided"]
        decided = Counter(entries)
        texts = Counter(memory.memory for memory in store.list(EVERYTHING))
    passages = {f"p{number}" for number in range(told.next_sentence)}
    assert told.heard | told.decided <= set(decided), (told.heard | told.decided) - set(decided)
    assert set(decided.values()) <= {1}, "a passage was decided twice"
    assert set(texts.values()) <= {1}, "a memory was stored twice"
    kept = passages - told.forgetting
    lost = [each for each in kept if not texts[words(int(each[1:]))]]
    assert not lost, f"lost: {lost}"
    back = [each for each in told.forgot if texts[words(int(each[1:]))]]
    assert not back, f"came back: {back}"
    _verify_files(path, told)
    return {"passages": len(decided), "memories": len(texts), "forgotten": len(told.forgot), "backups": told.backups}


def _verify_files(path: Path, told: Told) -> None:
    backups = Backups(path)
    assert [each.path for each in backups.list() if backups.problems(each.path)] == []
    held = b"".join(file.read_bytes() for file in path.parent.rglob("*") if file.is_file())
    for each in told.forgot:
        secret = words(int(each[1:])).split()[1]
        assert secret.encode() not in held, f"{each} was forgotten and is still in a file"


def main(folder: Path, rounds: int, seed: int) -> None:
    told, rng = Told(), random.Random(seed)
    path = folder / "junod.db"
    for number in range(1, rounds + 1):
        kill_once(path, told, rng)
        if number % LOOK_INTO_EVERY == 0:
            verify(path, told)
            print(f"{number} kills, {len(told.decided)} passages decided", file=sys.stderr)
    print(json.dumps({"kills": rounds, "opened": told.opened, **verify(path, told)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
