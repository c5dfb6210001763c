"""PortAudio: the only place that imports sounddevice. Without numpy, so that the capture process stays small."""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Callable
from typing import Any

from junod.audio.capture import BlockCallback, CaptureDevice, CaptureStream, FormatRefusedError
from junod.audio.wire import OpenRequest
from junod.errors import AudioError

log = logging.getLogger(__name__)

# PaErrorCode values of portaudio.h
_FORMAT_ERRORS = {-9998, -9997, -9994}  # channel count, sample rate, sample format
_DEVICE_UNAVAILABLE = -9985


def _ignore_alsa(file: bytes, line: int, function: bytes, error: int) -> None:
    """ALSA prints a page about PCMs that do not exist on each look for devices; real errors come as codes."""


# ALSA keeps the pointer, so it must outlive every call.
_ALSA_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int)(_ignore_alsa)

BytesCallback = Callable[[bytes, bool], None]
"""(float32 samples, interleaved; the driver says that it lost audio before them), on the driver's thread."""


class PortAudio:
    """Raises AudioError where the PortAudio library is missing."""

    def __init__(self) -> None:
        _quiet_alsa()
        try:
            import sounddevice  # type: ignore[import-untyped]
        except OSError as error:
            raise AudioError(
                f"The PortAudio library cannot be loaded: {error}.", hint="Install it: apt install libportaudio2"
            ) from error
        self._sd: Any = sounddevice

    def refresh(self) -> None:
        # PortAudio lists devices once, when it is initialised; only a restart of the library sees a replugged one.
        try:
            self._sd._terminate()
            self._sd._initialize()
        except self._sd.PortAudioError as error:
            raise AudioError(f"The sound system cannot be started: {error}.", permanent=False) from error

    def devices(self) -> list[CaptureDevice]:
        default = self._sd.default.device[0]
        return [
            CaptureDevice(
                name=str(info["name"]),
                channels=int(info["max_input_channels"]),
                rate_hz=int(info["default_samplerate"]),
                is_default=int(info["index"]) == default,
                handle=int(info["index"]),
            )
            for info in self._sd.query_devices()
            if info["max_input_channels"] > 0
        ]

    def open(self, wanted: OpenRequest, on_bytes: BytesCallback, on_end: Callable[[], None]) -> PortAudioStream:
        """Open and start; errors as in `CaptureBackend.open`.

        Args:
            on_end: the driver ended the stream by itself.
        """

        def callback(indata: Any, frames: int, time: object, status: Any) -> None:
            on_bytes(bytes(indata), bool(status.input_overflow))

        try:
            stream = self._sd.RawInputStream(
                device=wanted.handle,
                samplerate=wanted.rate_hz,
                channels=wanted.channels,
                dtype="float32",
                blocksize=wanted.rate_hz * wanted.block_ms // 1000,
                latency="high",
                callback=callback,
                finished_callback=on_end,
            )
        except (self._sd.PortAudioError, ValueError) as error:
            raise _translated(error, wanted.name) from error
        try:
            stream.start()
        except self._sd.PortAudioError as error:
            stream.close(ignore_errors=True)
            raise _translated(error, wanted.name) from error
        return PortAudioStream(stream)


class PortAudioStream:
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    @property
    def problem(self) -> str:
        return "" if self._stream.active else "The driver ended the stream."

    def close(self) -> None:
        self._stream.abort(ignore_errors=True)
        self._stream.close(ignore_errors=True)


class PortAudioBackend:
    """PortAudio in this very process: a driver that hangs or crashes takes it along."""

    def __init__(self) -> None:
        self._audio = PortAudio()

    def refresh(self) -> None:
        self._audio.refresh()

    def devices(self) -> list[CaptureDevice]:
        return self._audio.devices()

    def look(self) -> list[CaptureDevice] | None:
        """The library would have to be restarted, and with it the open stream."""
        return None

    def open(
        self, device: CaptureDevice, rate_hz: int, channels: int, block_ms: int, on_block: BlockCallback
    ) -> CaptureStream:
        import numpy as np

        def on_bytes(data: bytes, lost: bool) -> None:
            on_block(np.frombuffer(data, np.float32).reshape(-1, channels), lost)

        request = OpenRequest(device.handle, device.name, rate_hz, channels, block_ms)
        return self._audio.open(request, on_bytes, _nothing)


def _nothing() -> None:
    """`problem` tells of the end."""


def _translated(error: Exception, name: str) -> AudioError:
    code = error.args[1] if len(error.args) > 1 else None
    text = str(error).rstrip(".")
    if code in _FORMAT_ERRORS:
        return FormatRefusedError(f"'{name}' refuses this format: {text}.", permanent=False)
    if code == _DEVICE_UNAVAILABLE or "busy" in text.lower():
        return AudioError(
            f"'{name}' is in use by another program: {text}.",
            hint="Close that program; `fuser -v /dev/snd/*` names it.",
            permanent=False,
        )
    return AudioError(f"'{name}' cannot be opened: {text}.", permanent=False)


def _quiet_alsa() -> None:
    try:
        ctypes.CDLL("libasound.so.2").snd_lib_error_set_handler(_ALSA_HANDLER)
    except OSError:
        log.debug("no ALSA on this system")
