"""The process that holds the sound driver, which may hang or crash there without taking junod with it.

`junod.audio.child` starts it and kills it. It ends by itself when its standard input does, so never outlives its
parent, and it writes nothing but `wire` messages to the pipe it was given.
"""

from __future__ import annotations

import os
import queue
import resource
import signal
import sys
import threading
import time

from junod.audio.capture import FormatRefusedError
from junod.audio.portaudio import PortAudio
from junod.audio.wire import Kind, OpenRequest, audio_message, devices_message, error_message, message
from junod.errors import AudioError

BACKLOG_BLOCKS = 256
"""What waits for a parent that is held up (23 s of blocks); what comes on top is lost, and the loss is marked."""


class Outbox:
    """Messages on their way to the parent; the driver's thread puts, the main thread writes."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._lost = False

    def audio(self, samples: bytes, driver_lost: bool) -> None:
        """Never blocks."""
        if self._waiting.qsize() >= BACKLOG_BLOCKS:
            self._lost = True
            return
        lost, self._lost = driver_lost or self._lost, False
        self._waiting.put(audio_message(samples, lost, time.monotonic()))

    def ended(self) -> None:
        self._waiting.put(message(Kind.ENDED))

    def say(self, said: bytes) -> None:
        """Write at once; only before a stream is open."""
        _write_all(self._pipe, said)

    def write_for_ever(self) -> None:
        while True:
            _write_all(self._pipe, self._waiting.get())


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core dump would hold speech
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # meant for the parent, which ends this process
        signal.signal(number, signal.SIG_IGN)
    pipe = os.dup(1)
    os.dup2(2, 1)  # whatever a driver prints must not get between the messages
    requests: queue.SimpleQueue[OpenRequest] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    outbox = Outbox(pipe)
    try:
        audio = PortAudio()
        audio.refresh()
        outbox.say(devices_message(audio.devices()))
    except AudioError as error:
        outbox.say(error_message(error))
        return
    stream = None
    while stream is None:
        try:
            stream = audio.open(requests.get(), outbox.audio, outbox.ended)
        except FormatRefusedError as error:
            outbox.say(error_message(error, Kind.REFUSED))
        except AudioError as error:
            outbox.say(error_message(error))
    outbox.say(message(Kind.OPENED))
    outbox.write_for_ever()


def _listen(requests: queue.SimpleQueue[OpenRequest]) -> None:
    """Ends the process with its parent, whatever the other threads are stuck in."""
    for line in sys.stdin.buffer:
        requests.put(OpenRequest.of_line(line))
    os._exit(0)


def _write_all(pipe: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(pipe, view) :]
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
