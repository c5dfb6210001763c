"""A household whose language model crashes the process on one passage. Run by the tests of back-pressure.

The first start hears three sentences; every start decides what waits and ends when nothing does.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from daemon_rig import LIMIT_S, Rig, wait_for
from fakes import FakeExtractor, FakeTranscriber, at, frames

from junod.pipeline import MAX_ATTEMPTS
from junod.records import Decision, Passage


class CrashingExtractor(FakeExtractor):
    def __init__(self, heard: threading.Event) -> None:
        super().__init__()
        self.heard = heard

    def decide(self, passage: Passage) -> Decision:
        assert self.heard.wait(LIMIT_S)
        if "crash" in passage.transcript:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().decide(passage)


def main(folder: Path) -> None:
    is_first = not (folder / "junod.db").exists()
    rig = Rig(folder)
    heard = threading.Event()
    rig.extractor = CrashingExtractor(heard)
    rig.store.recover_spool(max_attempts=MAX_ATTEMPTS)
    rig.transcriber = FakeTranscriber(["remember the crash", "remember the milk", "remember the eggs"])
    rig.start()
    if is_first:
        for index in range(3):
            rig.microphones[0].put(frames(1.0, 0.5, first_sample=at(5.0 * index)))
            rig.microphones[0].put(frames(4.0, first_sample=at(5.0 * index + 0.99)))
        wait_for(lambda: rig.store.spool_count() == 3)
    heard.set()
    wait_for(lambda: rig.store.spool_count() == 0)
    rig.stop()
    rig.store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
