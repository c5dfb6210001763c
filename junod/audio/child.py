"""A capture backend whose driver lives in a process of its own, which is killed rather than waited for."""

from __future__ import annotations

import fcntl
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import junod
from junod.audio.capture import BlockCallback, CaptureDevice, CaptureStream, FormatRefusedError
from junod.audio.wire import (
    AUDIO,
    Kind,
    Message,
    OpenRequest,
    Reader,
    parse_devices,
    parse_error,
)
from junod.errors import AudioError

log = logging.getLogger(__name__)

START_LIMIT_S = 12.0
"""A cold start of the interpreter from an SD card is slow."""
OPEN_LIMIT_S = 2.5
KILL_LIMIT_S = 1.0
PIPE_BYTES = 1 << 20
COMMAND = (sys.executable, "-P", "-m", "junod.audio.capture_child")


class ChildBackend:
    """Devices as a fresh process sees them; each stream has a process of its own.

    Args:
        command: starts the process; tests give another one.
    """

    def __init__(
        self,
        command: Sequence[str] = COMMAND,
        *,
        start_limit_s: float = START_LIMIT_S,
        open_limit_s: float = OPEN_LIMIT_S,
    ) -> None:
        self._command = tuple(command)
        self._start_limit_s = start_limit_s
        self._open_limit_s = open_limit_s
        self._child: _Child | None = None
        self._devices: list[CaptureDevice] = []

    def refresh(self) -> None:
        self._end()
        child = _Child(self._command)
        try:
            self._devices = child.devices(self._start_limit_s)
        except AudioError:
            child.kill()
            raise
        self._child = child

    def devices(self) -> list[CaptureDevice]:
        return self._devices

    def look(self) -> list[CaptureDevice] | None:
        child = _Child(self._command)
        try:
            return child.devices(self._start_limit_s)
        finally:
            child.kill()

    def open(
        self, device: CaptureDevice, rate_hz: int, channels: int, block_ms: int, on_block: BlockCallback
    ) -> CaptureStream:
        if self._child is None:
            self.refresh()
            device = self._again(device)
        child = self._child
        assert child is not None
        try:
            child.open(OpenRequest(device.handle, device.name, rate_hz, channels, block_ms), self._open_limit_s)
        except FormatRefusedError:
            raise  # the same process is asked for the next format
        except AudioError:
            self._end()
            raise
        self._child = None
        return ChildStream(child, channels, on_block)

    def _again(self, device: CaptureDevice) -> CaptureDevice:
        """The same device as the new process numbers it."""
        for found in self._devices:
            if found.name == device.name:
                return found
        raise AudioError(f"'{device.name}' has gone.", permanent=False)

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None


class ChildStream:
    """Blocks from an opened child, read by a thread of its own."""

    def __init__(self, child: _Child, channels: int, on_block: BlockCallback) -> None:
        self._child = child
        self._channels = channels
        self._on_block = on_block
        self._closed = False
        self.problem = ""
        self._thread = threading.Thread(target=self._read, name="capture", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        return self._child.pid

    def close(self) -> None:
        self._closed = True
        self._child.kill()
        self._thread.join(KILL_LIMIT_S)

    def _read(self) -> None:
        try:
            while not self._closed:
                for message in self._child.read():
                    self._take(message)
        except AudioError as error:
            self.problem = "" if self._closed else error.message

    def _take(self, message: Message) -> None:
        if message.kind is Kind.ENDED:
            raise AudioError("The driver ended the stream.", permanent=False)
        if message.kind is Kind.AUDIO and not self._closed:
            lost, heard_at_s = AUDIO.unpack_from(message.payload)
            samples = np.frombuffer(message.payload, np.float32, offset=AUDIO.size)
            whole = len(samples) - len(samples) % self._channels
            age_s = max(0.0, time.monotonic() - heard_at_s)
            self._on_block(samples[:whole].reshape(-1, self._channels), lost, age_s)


class _Child:
    """The process and its two pipes."""

    def __init__(self, command: Sequence[str]) -> None:
        paths = [str(Path(junod.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
            )
        except OSError as error:
            raise AudioError(f"The capture process cannot be started: {error.strerror}.", permanent=False) from error
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        self._stdin = self._process.stdin
        self._pipe = self._process.stdout.fileno()
        self._reader = Reader()
        self._early: list[Message] = []
        try:
            fcntl.fcntl(self._pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        except OSError:
            log.debug("the pipe keeps its size")

    @property
    def pid(self) -> int:
        return self._process.pid

    def devices(self, limit_s: float) -> list[CaptureDevice]:
        answer = self._answer(limit_s, "The sound system")
        if answer.kind is not Kind.DEVICES:
            raise _failure(answer)
        return parse_devices(answer.payload)

    def open(self, request: OpenRequest, limit_s: float) -> None:
        try:
            self._stdin.write(request.line())
        except OSError as error:
            raise self._gone() from error
        answer = self._answer(limit_s, f"'{request.name}'")
        if answer.kind is not Kind.OPENED:
            raise _failure(answer)

    def read(self) -> list[Message]:
        """The next messages; waits for them.

        Raises:
            AudioError: the process is gone, or sends nonsense.
        """
        early, self._early = self._early, []
        if early:
            return early
        data = os.read(self._pipe, PIPE_BYTES)
        if not data:
            raise self._gone()
        return self._reader.push(data)

    def kill(self) -> None:
        """At once, and without waiting for a driver that does not let it go."""
        self._process.kill()
        try:
            self._process.wait(KILL_LIMIT_S)
        except subprocess.TimeoutExpired:
            log.warning("The capture process %d hangs in the kernel and is left behind.", self.pid)
            return
        self._stdin.close()

    def _answer(self, limit_s: float, who: str) -> Message:
        end_s = time.monotonic() + limit_s
        while not self._early:
            ready, _, _ = select.select([self._pipe], [], [], max(0.0, end_s - time.monotonic()))
            if not ready:
                raise AudioError(
                    f"{who} did not answer within {limit_s:g} s.",
                    hint="Unplug the microphone and plug it in again.",
                    permanent=False,
                )
            self._early = self.read()
        return self._early.pop(0)

    def _gone(self) -> AudioError:
        try:
            code = self._process.wait(KILL_LIMIT_S)
        except subprocess.TimeoutExpired:
            code = 0
        how = f"crashed ({signal.Signals(-code).name})" if code < 0 else f"ended (exit code {code})"
        return AudioError(f"The capture process {how}.", permanent=False)


def _failure(answer: Message) -> AudioError:
    if answer.kind not in (Kind.REFUSED, Kind.FAILED):
        return AudioError("The capture process answered something else.", permanent=False)
    text, hint = parse_error(answer.payload)
    made = FormatRefusedError if answer.kind is Kind.REFUSED else AudioError
    return made(text, hint=hint, permanent=False)
