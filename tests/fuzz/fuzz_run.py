"""Fuzz everything that reads: python fuzz_run.py INPUTS [SEED] [TARGET...]. A finding can be repeated by its number."""

from __future__ import annotations

import logging
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fuzz.fuzz_faces import faces
from fuzz.fuzz_files import FILES
from fuzz.fuzz_memories import MEMORIES
from fuzz.fuzz_text import TEXT

HANGS_AFTER_S = 20
"""Of the processor's time, so that a busy machine is no hang."""
WAITS_AFTER_S = 300
SLOW = {
    "search": 2, "markdown": 2, "merge": 3, "page": 4, "dedup-llm": 4, "config": 4, "talk": 4, "audio": 5, "http": 8,
    "events": 8, "mask": 8, "time": 20, "database": 75, "mcp": 150,
}  # fmt: skip
"""One input of these costs about as much as so many of the others."""
KINDS_TOLD = 40


class Hang(Exception):
    pass


def _hangs(number: int, frame: object) -> None:
    raise Hang("no end")


def _watch(on: bool) -> None:
    signal.setitimer(signal.ITIMER_PROF, HANGS_AFTER_S if on else 0)
    signal.setitimer(signal.ITIMER_REAL, WAITS_AFTER_S if on else 0)


@contextmanager
def targets() -> Iterator[dict[str, Callable[[Random], None]]]:
    """Every target by its name."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        on_files = {name: lambda rng, try_one=try_one: try_one(rng, folder) for name, try_one in FILES.items()}
        yield {**TEXT, **MEMORIES, **on_files, **stack.enter_context(faces())}


@dataclass(slots=True)
class Found:
    """What went wrong, by kind: the numbers of the inputs. And the slowest of all inputs."""

    wrong: dict[str, list[int]] = field(default_factory=dict)
    slowest_s: float = 0.0
    slowest: int = 0


def fuzz(name: str, target: Callable[[Random], None], inputs: int, seed: int) -> Found:
    found = Found()
    for number in range(inputs):
        begun_s = time.process_time()
        _watch(True)
        try:
            target(Random(f"{seed} {name} {number}"))
        except (Exception, Hang) as error:  # whatever it is, it is what we look for
            found.wrong.setdefault(_kind(error), []).append(number)
        finally:
            _watch(False)
        spent_s = time.process_time() - begun_s
        if spent_s > found.slowest_s:
            found.slowest_s, found.slowest = spent_s, number
    return found


def _kind(error: BaseException) -> str:
    places = [place for place in traceback.extract_tb(error.__traceback__) if "/junod/" in place.filename]
    place = f"{Path(places[-1].filename).name}:{places[-1].lineno}" if places else "outside"
    return f"{type(error).__name__} at {place}: {str(error)[:120]!r}"


def main() -> None:
    total, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    signal.signal(signal.SIGALRM, _hangs)
    signal.signal(signal.SIGPROF, _hangs)
    logging.disable(logging.CRITICAL)
    ran = failures = 0
    with targets() as every:
        chosen = {name: every[name] for name in sys.argv[3:] or every}
        share = total / sum(1 / SLOW.get(name, 1) for name in chosen)
        for name, target in chosen.items():
            inputs, begun_s = max(1, round(share / SLOW.get(name, 1))), time.process_time()
            found = fuzz(name, target, inputs, seed)
            ran += inputs
            failures += sum(map(len, found.wrong.values()))
            spent_s = time.process_time() - begun_s
            slowest = f"slowest {found.slowest_s:.2f} s, number {found.slowest}"
            print(f"{name:10} {inputs:8} inputs {spent_s:8.1f} CPU-s, {slowest}", flush=True)
            for kind, numbers in list(found.wrong.items())[:KINDS_TOLD]:
                print(f"    {len(numbers)} x {kind}, the first is number {numbers[0]}", flush=True)
    print(f"{ran} inputs, {failures} findings")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
