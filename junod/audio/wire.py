"""What the capture process and its parent say to each other over two pipes (pure; no numpy, so the child stays small).

Parent to child: one JSON object a line. Child to parent: a kind, a length, a payload.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any

from junod.audio.capture import CaptureDevice
from junod.errors import AudioError

HEADER = struct.Struct("<BI")
AUDIO = struct.Struct("<?d")
"""Audio was lost before this block; monotonic time of the system at which the block was complete."""
MAX_PAYLOAD = 16 * 1024 * 1024


class Kind(IntEnum):
    DEVICES = 1
    OPENED = 2
    REFUSED = 3
    """The device does not do this format."""
    FAILED = 4
    AUDIO = 5
    ENDED = 6
    """The driver ended the stream by itself."""


_NUMBERS = frozenset(kind.value for kind in Kind)


@dataclass(frozen=True, slots=True)
class Message:
    kind: Kind
    payload: bytes


@dataclass(frozen=True, slots=True)
class OpenRequest:
    handle: int
    name: str
    rate_hz: int
    channels: int
    block_ms: int

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> OpenRequest:
        return cls(**json.loads(line))


def message(kind: Kind, payload: bytes = b"") -> bytes:
    return HEADER.pack(kind, len(payload)) + payload


def devices_message(devices: list[CaptureDevice]) -> bytes:
    return message(Kind.DEVICES, json.dumps([asdict(device) for device in devices]).encode())


def error_message(error: AudioError, kind: Kind = Kind.FAILED) -> bytes:
    return message(kind, json.dumps({"message": error.message, "hint": error.hint}).encode())


def audio_message(samples: bytes, lost: bool, heard_at_s: float) -> bytes:
    return message(Kind.AUDIO, AUDIO.pack(lost, heard_at_s) + samples)


class Reader:
    """Messages out of bytes that arrive in pieces of any length."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def push(self, data: bytes) -> list[Message]:
        """Whole messages, in order.

        Raises:
            AudioError: what came is no message.
        """
        self._buffer += data
        found: list[Message] = []
        while len(self._buffer) >= HEADER.size:
            number, length = HEADER.unpack_from(self._buffer)
            if number not in _NUMBERS or length > MAX_PAYLOAD:
                raise _nonsense()
            end = HEADER.size + length
            if len(self._buffer) < end:
                break
            found.append(Message(Kind(number), bytes(self._buffer[HEADER.size : end])))
            del self._buffer[:end]
        return found


def parse_devices(payload: bytes) -> list[CaptureDevice]:
    return [CaptureDevice(**fields) for fields in _json(payload)]


def parse_error(payload: bytes) -> tuple[str, str]:
    """(message, hint)"""
    fields = _json(payload)
    return str(fields["message"]), str(fields["hint"])


def _json(payload: bytes) -> Any:
    try:
        return json.loads(payload)
    except ValueError as error:
        raise _nonsense() from error


def _nonsense() -> AudioError:
    return AudioError("The capture process sent nonsense.", permanent=False)
