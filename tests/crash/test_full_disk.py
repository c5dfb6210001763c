"""The disk fills up, or turns read-only, at any write: said each time, nothing half-done, and it goes on afterwards."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from memory.memory_fakes import NOW, embedding, new, passage

from junod.clock import SimulatedClock
from junod.errors import StoreError
from junod.memory.backups import Backups
from junod.memory.store import MemoryStore
from junod.records import Decision, Outcome

CLOCK = SimulatedClock(NOW)
PAGE = 4096
STEPS = 24


def filled(path: Path) -> Path:
    with MemoryStore.open(path, clock=CLOCK) as store:
        for number in range(4):
            store.add(new(f"Memory {number} " + "of many words " * 20), embedding(f"memory {number}"))
        store.spool_passage(passage("p0", "buy salt"))
    return path


def acts(store: MemoryStore) -> dict[str, Callable[[], object]]:
    """Every kind of write there is."""
    memory = new("Salt is out " + "and sugar " * 300, transcript="buy salt")
    decision = Decision("p0", Outcome.KEPT, "kept", memories=(memory,))
    return {
        "open": lambda: MemoryStore.open(store.path, clock=CLOCK).close(),
        "spool": lambda: store.spool_passage(passage("p1", "buy sugar " * 200)),
        "take": store.next_passage,
        "decide": lambda: store.decide("p0", decision, [embedding("salt")]),
        "add": lambda: store.add(new("Sugar " * 400)),
        "edit": lambda: store.edit(store.list()[0].id, "Another text " * 100),
        "done": lambda: store.done(store.list()[0].id),
        "archive": lambda: store.archive(store.list()[0].id),
        "forget": lambda: store.forget(store.list()[0].id),
        "expire": lambda: store.expire(NOW),
        "prune": lambda: store.prune_journal(NOW),
        "back up": lambda: Backups(store.path).make(NOW, keep=1),
    }


ACTS = ("open", "spool", "take", "decide", "add", "edit", "done", "archive", "forget", "expire", "prune", "back up")


@pytest.mark.parametrize("act", ACTS)
def test_a_disk_full_at_any_point_is_said_and_half_writes_nothing(act: str, tmp_path: Path) -> None:
    """v79: in a process of its own, no file may grow beyond a limit, which moves up until the write succeeds."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _write_under_limits(act, tmp_path, writing)
    os.close(writing)
    with os.fdopen(reading) as told:
        said = json.loads(told.read() or '{"error": "died"}')
    os.waitpid(child, 0)
    assert "error" not in said, said["error"]
    assert said["succeeded"]


def _write_under_limits(act: str, folder: Path, writing: int) -> None:
    try:
        answer: dict[str, object] = _try_limits(act, folder)
    except BaseException as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    os.write(writing, json.dumps(answer).encode())
    os._exit(0)


def _try_limits(act: str, folder: Path) -> dict[str, object]:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    done, refused = False, 0
    for step in range(0, STEPS * PAGE, PAGE):
        shutil.rmtree(folder / "house", ignore_errors=True)
        path = filled(folder / "house" / "junod.db")
        with MemoryStore.open(path, clock=CLOCK) as store:
            if act == "decide":
                store.next_passage()
            before = _state(store)
            done = _try_under(step * 4, acts(store)[act])
            refused += not done
            assert store.check() == ()
            assert done or _state(store) == before, f"{act} half-wrote under {step} bytes"
            store.finish_erasing()
            store.add(new("Room again"))
        if done and refused:
            return {"succeeded": True, "refused": refused}
    return {"succeeded": done, "refused": refused}


def _try_under(limit_bytes: int, act: Callable[[], object]) -> bool:
    """Whether it was done; a refusal must say what to do next."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, most))
    try:
        act()
    except StoreError as error:
        if not error.hint:
            raise
        return False
    else:
        return True
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def _state(store: MemoryStore) -> tuple[object, ...]:
    return store.list(), [each.passage.id for each in store.undecided()], store.counts()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB of its own; only root may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "junod-test", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount")
def test_a_really_full_disk(small_disk: Path) -> None:
    """v79: forgetting too must work again once there is room."""
    with MemoryStore.open(filled(small_disk / "junod.db"), clock=CLOCK) as store:
        ballast = small_disk / "ballast"
        _fill(ballast)
        with pytest.raises(StoreError, match="disk is full") as caught:
            _keep_adding(store)
        assert not caught.value.permanent
        with pytest.raises(StoreError, match="no room"):
            Backups(store.path).make(NOW, keep=1)
        assert store.check() == ()
        kept = store.counts().active
        ballast.unlink()
        store.forget(store.list()[0].id)
        store.add(new("Room again"))
        assert store.counts().active == kept
        assert store.check() == ()


def _keep_adding(store: MemoryStore) -> None:
    for number in range(500):
        store.add(new(f"More {number} " + "x" * 2_000))


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(PAGE))
        except OSError:
            return


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount")
def test_a_disk_that_turns_read_only_still_answers(small_disk: Path) -> None:
    """v79: after an error ext4 remounts read-only; reading goes on, writing says why it does not."""
    with MemoryStore.open(filled(small_disk / "junod.db"), clock=CLOCK) as store:
        pass
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with MemoryStore.open(store.path, clock=CLOCK, read_only=True) as reader:
        assert len(reader.list()) == 4
        assert reader.check() == ()
    with pytest.raises(StoreError, match="read-only"):
        MemoryStore.open(store.path, clock=CLOCK)
    with pytest.raises(StoreError):
        Backups(store.path).make(NOW, keep=1)
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    with MemoryStore.open(store.path, clock=CLOCK) as again:
        again.add(new("Writable again"))
        assert again.check() == ()
