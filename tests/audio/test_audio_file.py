"""A sound file is heard whatever its format, and what is wrong with it is said clearly."""

from __future__ import annotations

import random
import threading
import wave
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from junod.audio.file import FileSource
from junod.errors import AudioError
from junod.records import AudioFrame

TONE_HZ = 440.0
CODECS = {".wav": "pcm_s16le", ".flac": "flac", ".mp3": "libmp3lame", ".ogg": "libopus"}


def tone(seconds: float, rate_hz: int, channels: int) -> NDArray[np.int16]:
    """Shape (n, channels)."""
    mono = 0.5 * np.sin(2 * np.pi * TONE_HZ * np.arange(int(seconds * rate_hz)) / rate_hz)
    return np.repeat((mono * 32767).astype(np.int16)[:, np.newaxis], channels, axis=1)


def write_sound(path: Path, seconds: float = 2.0, rate_hz: int = 44_100, channels: int = 1) -> Path:
    layout = {1: "mono", 2: "stereo", 6: "5.1"}[channels]
    with av.open(str(path), "w") as container:
        stream = cast(av.AudioStream, container.add_stream(CODECS[path.suffix], rate=rate_hz, layout=layout))
        frame = av.AudioFrame.from_ndarray(tone(seconds, rate_hz, channels).reshape(1, -1), "s16", layout)
        frame.sample_rate = rate_hz
        frame.pts = 0
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def write_video(path: Path) -> Path:
    with av.open(str(path), "w") as container:
        sound = container.add_stream("aac", rate=44_100, layout="mono")
        picture = container.add_stream("mpeg4", rate=10)
        picture.width, picture.height, picture.pix_fmt = 64, 64, "yuv420p"
        frame = av.AudioFrame.from_ndarray(tone(1, 44_100, 1).reshape(1, -1), "s16", "mono")
        frame.sample_rate = 44_100
        frame.pts = 0
        for index in range(10):
            image = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), "rgb24")
            image.pts, image.time_base = index, Fraction(1, 10)
            container.mux(picture.encode(image))
        container.mux(sound.encode(frame))
        container.mux(sound.encode(None))
        container.mux(picture.encode(None))
    return path


def read(path: Path, start_s: float = 0.0) -> tuple[FileSource, list[AudioFrame]]:
    source = FileSource(path, start_s)
    return source, list(source.frames(threading.Event()))


def joined(frames: list[AudioFrame]) -> NDArray[np.float32]:
    return np.concatenate([frame.samples for frame in frames])


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".mp3", ".ogg"])
@pytest.mark.parametrize(("rate_hz", "channels"), [(16_000, 1), (44_100, 2), (48_000, 6)])
def test_any_format_rate_and_channel_count_is_heard(tmp_path: Path, suffix: str, rate_hz: int, channels: int) -> None:
    if suffix == ".mp3":
        channels = min(channels, 2)
    if suffix == ".ogg" and rate_hz == 44_100:
        rate_hz = 24_000  # opus knows no 44.1 kHz
    source, frames = read(write_sound(tmp_path / f"a{suffix}", rate_hz=rate_hz, channels=channels))
    sound = joined(frames)
    assert {len(frame.samples) for frame in frames} == {480}
    assert len(sound) / 16_000 == pytest.approx(2.0, abs=0.1)
    assert float(np.argmax(np.abs(np.fft.rfft(sound)))) * 16_000 / len(sound) == pytest.approx(TONE_HZ, abs=2)
    assert source.duration_s == pytest.approx(2.0, abs=0.1)
    assert source.problem == ""


def test_frames_carry_the_time_given_at_the_start(tmp_path: Path) -> None:
    _, frames = read(write_sound(tmp_path / "a.wav"), start_s=1_000.0)
    assert frames[0].wall_time_s == 1_000.0
    assert all(f.wall_time_s == pytest.approx(1_000.0 + f.first_sample / 16_000) for f in frames)
    assert [f.first_sample for f in frames] == [480 * index for index in range(len(frames))]


def test_a_16_khz_wav_comes_out_bit_for_bit(tmp_path: Path) -> None:
    _, frames = read(write_sound(tmp_path / "a.wav", seconds=1.0, rate_hz=16_000))
    expected = tone(1.0, 16_000, 1)[:, 0].astype(np.float32) / 32768
    assert np.array_equal(joined(frames)[: len(expected)], expected)


def test_reading_twice_gives_the_same_frames(tmp_path: Path) -> None:
    source = FileSource(write_sound(tmp_path / "a.mp3"), 0.0)
    first, second = (joined(list(source.frames(threading.Event()))) for _ in range(2))
    assert np.array_equal(first, second)


def test_stop_ends_the_stream(tmp_path: Path) -> None:
    stop = threading.Event()
    frames = FileSource(write_sound(tmp_path / "a.wav", seconds=30), 0.0).frames(stop)
    next(frames)
    stop.set()
    assert len(list(frames)) < 200


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.wav", b"", "is empty"),
        ("noise.wav", random.Random(1).randbytes(50_000), "not a sound file"),
        ("letter.txt", b"Dear Anna, the boiler man came.\n" * 500, "holds no audio"),
        ("stub.wav", b"RIFF\x24\x00\x00\x00WAVE", "sound file|decoded|no audio"),
    ],
)
def test_what_is_not_sound_is_refused_with_its_name(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(AudioError, match=says) as caught:
        read(path)
    assert name in caught.value.message
    assert caught.value.hint


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="There is no file"):
        FileSource(tmp_path / "gone.wav", 0.0)
    with pytest.raises(AudioError, match="is a folder"):
        FileSource(tmp_path, 0.0)


def test_a_wav_without_a_single_sample_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
    with pytest.raises(AudioError, match=r"none\.wav"):
        read(path)


def test_a_video_is_refused_and_the_way_out_named(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="is a video") as caught:
        FileSource(write_video(tmp_path / "party.mp4"), 0.0)
    assert "ffmpeg -i party.mp4" in caught.value.hint


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".mp3"])
def test_a_file_cut_short_is_used_as_far_as_it_goes_and_says_so(tmp_path: Path, suffix: str) -> None:
    path = write_sound(tmp_path / f"cut{suffix}", seconds=10)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    source, frames = read(path)
    assert 2 < len(joined(frames)) / 16_000 < 6
    assert "cut short" in source.problem


def test_a_damaged_place_is_skipped_and_reported(tmp_path: Path) -> None:
    path = write_sound(tmp_path / "scratched.flac", seconds=10)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 300] = bytes(300)
    path.write_bytes(content)
    source, frames = read(path)
    assert 9 < len(joined(frames)) / 16_000 < 10
    assert "damaged" in source.problem


def test_a_long_file_is_never_held_in_memory(tmp_path: Path) -> None:
    """Frames come one by one while the file is read: the first is there before the rest is decoded."""
    path = tmp_path / "long.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        for _ in range(3 * 60):
            file.writeframes(bytes(2 * 16_000 * 60))
    source = FileSource(path, 0.0)
    assert source.duration_s == 3 * 3600
    frames = source.frames(threading.Event())
    assert next(frames).first_sample == 0
    frames.close()  # type: ignore[attr-defined]
