"""A sound file as a source: any format ffmpeg knows, decoded as it is read (adapter of PyAV)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame as AvFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from numpy.typing import NDArray

from junod.audio.framing import FrameBuilder
from junod.errors import AudioError
from junod.records import SAMPLE_RATE_HZ, AudioFrame

log = logging.getLogger(__name__)

PLAIN_FORMATS = "Give a wav, flac, mp3 or ogg file."
# Formats whose header states the true length; elsewhere it is an estimate from the bit rate.
_EXACT_LENGTH = {"wav", "w64", "flac", "aiff", "mov,mp4,m4a,3gp,3g2,mj2"}
_EXACT_TOLERANCE_S = 0.05
_ESTIMATE_TOLERANCE = 0.2
_UNKNOWN_RIFF_SIZE = 0xFFFF_FF00


class FileSource:
    """Frames of a sound file, on a clock that starts at `start_wall_time_s`.

    A file cut short or damaged in places is used as far as it can be decoded: `problem` then says what is missing
    (known once the frames are read, and logged). The last frame is filled up with silence.

    Raises:
        AudioError: missing, empty, a folder, a video, or no audio.
    """

    def __init__(self, path: Path, start_wall_time_s: float, frame_ms: int = 30) -> None:
        self.path = path
        self.name = path.name
        self.problem = ""
        self._start_wall_time_s = start_wall_time_s
        self._frame_ms = frame_ms
        with _open(path) as container:
            stream = _audio_stream(container, path)
            self.duration_s = _declared_s(container, stream)
            """Length as the file states it; None = unknown."""
            self._exact = container.format.name in _EXACT_LENGTH

    def frames(self, stop: threading.Event) -> Iterator[AudioFrame]:
        builder = FrameBuilder(self._frame_ms)
        heard = 0
        for block in self._blocks(stop):
            wall_time_s = self._start_wall_time_s + heard / SAMPLE_RATE_HZ
            heard += len(block)
            yield from builder.push(block, wall_time_s)
            if stop.is_set():
                return
        if stop.is_set():
            return  # what was not heard is not missing
        yield from builder.flush()
        self._check_length(heard)

    def close(self) -> None:
        """Nothing is held between calls of `frames`."""

    def _blocks(self, stop: threading.Event) -> Iterator[NDArray[np.float32]]:
        converter = _Converter()
        damaged = 0
        with _open(self.path) as container:
            for decoded in _decode(container, _audio_stream(container, self.path)):
                if stop.is_set():
                    return
                if decoded is None:
                    damaged += 1
                else:
                    yield from converter.push(decoded)
        yield from converter.flush()
        if damaged:
            self._report(f"{damaged} damaged places of {self.name} could not be decoded and were skipped")

    def _check_length(self, heard: int) -> None:
        if not heard:
            raise AudioError(f"Nothing in {self.path} could be decoded.", hint=PLAIN_FORMATS)
        heard_s = heard / SAMPLE_RATE_HZ
        if _riff_is_cut(self.path):
            self._report(f"{self.name} is cut short: its header promises more than the {heard_s:.1f} s that are there")
        elif self.duration_s is not None and heard_s < self.duration_s - self._tolerance_s(self.duration_s):
            self._report(f"{self.name} is cut short or damaged: {heard_s:.2f} s of {self.duration_s:.2f} s are there")

    def _tolerance_s(self, duration_s: float) -> float:
        return _EXACT_TOLERANCE_S if self._exact else max(_EXACT_TOLERANCE_S, _ESTIMATE_TOLERANCE * duration_s)

    def _report(self, problem: str) -> None:
        self.problem = f"{self.problem}; {problem}" if self.problem else problem
        log.warning("%s", problem)


class _Converter:
    """Decoded frames to 16 kHz mono float blocks; survives a change of format within the file (chained ogg)."""

    def __init__(self) -> None:
        self._resampler: av.AudioResampler | None = None
        self._format: tuple[str, str, int] | None = None

    def push(self, frame: AvFrame) -> Iterator[NDArray[np.float32]]:
        given = (frame.format.name, frame.layout.name, frame.sample_rate)
        if given != self._format:
            yield from self.flush()
            self._resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE_HZ)
            self._format = given
        assert self._resampler is not None
        frame.pts = None
        yield from map(_samples, self._resampled(frame))

    def flush(self) -> Iterator[NDArray[np.float32]]:
        if self._resampler is not None:
            yield from map(_samples, self._resampled(None))
        self._resampler = self._format = None

    def _resampled(self, frame: AvFrame | None) -> list[AvFrame]:
        assert self._resampler is not None
        try:
            return self._resampler.resample(frame)
        except (av.FFmpegError, ValueError) as error:
            raise AudioError(
                "The sound is of a kind that cannot be brought to 16 kHz: its header is damaged.", hint=PLAIN_FORMATS
            ) from error


def _samples(frame: AvFrame) -> NDArray[np.float32]:
    samples: NDArray[np.float32] = frame.to_ndarray().reshape(-1).astype(np.float32, copy=False)
    np.nan_to_num(samples, copy=False, nan=0.0, posinf=1.0, neginf=-1.0)
    return np.clip(samples, -1.0, 1.0, out=samples)


def _decode(container: InputContainer, stream: AudioStream) -> Iterator[AvFrame | None]:
    """Decoded frames; None where a packet is damaged."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
            decoded = packet.decode()
        except StopIteration:
            return
        except av.EOFError:
            return
        except av.FFmpegError as error:
            log.debug("damaged packet: %s", error)
            yield None
            if isinstance(error, av.InvalidDataError):
                continue
            return
        yield from decoded


def _open(path: Path) -> InputContainer:
    _check_path(path)
    try:
        return av.open(str(path), mode="r", metadata_errors="ignore")
    except av.FFmpegError as error:
        raise AudioError(f"{path} is not a sound file: {error.strerror}.", hint=PLAIN_FORMATS) from error


def _check_path(path: Path) -> None:
    if path.is_dir():
        raise AudioError(f"{path} is a folder.", hint="Name the sound files in it, for example FOLDER/*.wav.")
    if not path.exists():
        raise AudioError(f"There is no file {path}.", hint="Check the path.")
    if not path.is_file():
        raise AudioError(f"{path} is not a regular file.", hint=PLAIN_FORMATS)
    try:
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except OSError as error:
        raise AudioError(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from error
    if is_empty:
        raise AudioError(f"{path} is empty.", hint=PLAIN_FORMATS)


def _audio_stream(container: InputContainer, path: Path) -> AudioStream:
    pictures = [stream for stream in container.streams.video if not _is_cover(stream.disposition)]
    if not container.streams.audio:
        raise AudioError(f"{path} holds no audio.", hint=PLAIN_FORMATS)
    if pictures:
        raise AudioError(
            f"{path} is a video; junod takes sound files only.",
            hint=f"Take its sound out first: ffmpeg -i {path.name} -vn {path.stem}.flac",
        )
    return container.streams.audio[0]


def _is_cover(disposition: object) -> bool:
    return "attached_pic" in str(getattr(disposition, "name", disposition) or "")


def _riff_is_cut(path: Path) -> bool:
    """ffmpeg silently trusts the file's size over a wav header; a stream's header (0 or all ones) promises nothing."""
    with path.open("rb") as file:
        tag, size = file.read(4), int.from_bytes(file.read(4), "little")
    return tag == b"RIFF" and size < _UNKNOWN_RIFF_SIZE and size + 8 > path.stat().st_size + 1


def _declared_s(container: InputContainer, stream: AudioStream) -> float | None:
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    return container.duration / av.time_base if container.duration is not None else None
