"""A capture process without a sound card: does what its first argument says. Run by the tests of `audio.child`."""

from __future__ import annotations

import os
import signal
import struct
import sys
import time

from junod.audio.capture import CaptureDevice, FormatRefusedError
from junod.audio.wire import Kind, audio_message, devices_message, error_message, message
from junod.errors import AudioError

DEVICES = [CaptureDevice("Tin can", 1, 16_000, is_default=True, handle=3), CaptureDevice("String", 2, 48_000)]
BLOCK = struct.pack("<480f", *([0.25] * 480))


def say(data: bytes) -> None:
    os.write(1, data)


def main(mode: str) -> None:
    if mode == "mute":
        time.sleep(60)
    if mode == "nonsense":
        say(b"\xff" * 100)
        time.sleep(60)
    if mode == "no-library":
        say(error_message(AudioError("PortAudio is missing.", hint="apt install libportaudio2")))
        return
    say(devices_message(DEVICES))
    sys.stdin.buffer.readline()
    if mode == "hang":
        time.sleep(60)
    if mode == "refuse-once":
        say(error_message(FormatRefusedError("16 kHz refused."), Kind.REFUSED))
        sys.stdin.buffer.readline()
    if mode == "busy":
        say(error_message(AudioError("in use", hint="fuser")))
        time.sleep(60)
    say(message(Kind.OPENED))
    for _ in range(10):
        say(audio_message(BLOCK, False, time.monotonic()))
    if mode == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "end":
        say(message(Kind.ENDED))
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main(sys.argv[1])
