"""The Whisper adapter: windows and folder checks without weights; hearing, errors and memory with them.

The recordings in `data` are flite's, made for these tests.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from faster_whisper import decode_audio
from numpy.typing import NDArray

from junod.errors import ModelError, SettingsError, TranscriptionError
from junod.records import SAMPLE_RATE_HZ, Transcription
from junod.sections import SttSettings
from junod.settings import load_settings, models_dir
from junod.stt.guards import guard
from junod.stt.repetition import repeats_itself
from junod.stt.transcriber import Transcriber
from junod.stt.whisper import FULL_WINDOW_S, Attempt, WhisperTranscriber, check_model_folder, windows_s

DATA = Path(__file__).with_name("data")
LITE = "whisper-tiny.en"
STANDARD = "whisper-base"


def recording(name: str) -> NDArray[np.float32]:
    return np.asarray(decode_audio(str(DATA / f"{name}.flac"), SAMPLE_RATE_HZ), dtype=np.float32)


def silence(seconds: float) -> NDArray[np.float32]:
    return np.zeros(int(seconds * SAMPLE_RATE_HZ), np.float32)


def weights(name: str) -> Path:
    return models_dir(load_settings()) / name


@pytest.fixture(scope="module")
def lite() -> WhisperTranscriber:
    return WhisperTranscriber(weights(LITE), SttSettings())


@pytest.fixture(scope="module")
def standard() -> WhisperTranscriber:
    return WhisperTranscriber(weights(STANDARD), SttSettings())


@pytest.mark.parametrize("duration_s", [0.1, 2.0, 5.9, 6.5, 9.5, 12.0, 28.0, 29.5, 30.0])
def test_windows_grow_hold_the_utterance_and_end_with_the_full_one(duration_s: float) -> None:
    windows = windows_s(duration_s)
    assert list(windows) == sorted(set(windows))
    assert all(window >= duration_s for window in windows)
    assert windows[-1] == FULL_WINDOW_S
    assert duration_s > 6 or windows[0] == 7.0


@pytest.mark.parametrize(
    ("text", "logprob", "no_speech", "finished", "lost", "unsure"),
    [
        ("Buy milk and eggs.", -0.3, 0.1, True, False, False),
        ("I knew her well. I knew her well.", -0.1, 0.1, True, True, False),
        ("Buy milk and", -0.1, 0.1, False, True, False),
        ("They desire the kine.", -1.0, 0.1, True, False, True),
        ("You", -1.0, 0.95, True, False, False),
    ],
)
def test_an_attempt_knows_when_to_listen_again(
    text: str, logprob: float, no_speech: float, finished: bool, lost: bool, unsure: bool
) -> None:
    attempt = Attempt(Transcription(text, logprob, no_speech, 1.0), finished)
    assert (attempt.is_lost, attempt.is_unsure) == (lost, unsure)


def test_an_echo_is_a_reason_to_listen_again() -> None:
    assert repeats_itself("Miss Ines. Miss Ines.")
    assert not repeats_itself("No, no, I said milk and not milk powder.")


def test_kernels_for_lengths_that_never_come_again_are_not_kept() -> None:
    """A television would fill the memory of the device in a day: each length of an utterance has kernels of its own."""
    assert int(os.environ["ONEDNN_PRIMITIVE_CACHE_CAPACITY"]) <= 64


def test_a_missing_folder_names_the_folder_and_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="junod models pull") as caught:
        WhisperTranscriber(tmp_path / "nothing", SttSettings())
    assert str(tmp_path / "nothing") in caught.value.message


@pytest.mark.parametrize("missing", ["model.bin", "config.json", "tokenizer.json", "vocabulary.json"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    for name in {"model.bin", "config.json", "tokenizer.json", "vocabulary.json"} - {missing}:
        (tmp_path / name).write_text("{}")
    with pytest.raises(ModelError, match="junod models pull") as caught:
        check_model_folder(tmp_path)
    assert str(tmp_path / missing) in caught.value.message


@pytest.mark.parametrize("content", [b'{"a": ', b"", b"\xff\xfe\x00"])
def test_a_damaged_json_file_is_named(tmp_path: Path, content: bytes) -> None:
    for name in ("model.bin", "config.json", "tokenizer.json", "vocabulary.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json is cut short or damaged"):
        check_model_folder(tmp_path)


def _damaged_copy(folder: Path, model: bytes) -> Path:
    for path in weights(LITE).iterdir():
        if path.name != "model.bin":
            shutil.copy(path, folder / path.name)
    (folder / "model.bin").write_bytes(model)
    return folder


@pytest.mark.models
@pytest.mark.parametrize("kept", [0, 3, 100, 5_000, 40_000_000])
def test_truncated_weights_are_refused_and_named(tmp_path: Path, kept: int) -> None:
    with (weights(LITE) / "model.bin").open("rb") as file:
        folder = _damaged_copy(tmp_path, file.read(kept))
    with pytest.raises(ModelError, match="junod models pull") as caught:
        WhisperTranscriber(folder, SttSettings())
    assert str(folder / "model.bin") in caught.value.message


@pytest.mark.models
def test_weights_that_are_something_else_are_refused(tmp_path: Path) -> None:
    folder = _damaged_copy(tmp_path, b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 75537502\n")
    with pytest.raises(ModelError, match=r"model\.bin"):
        WhisperTranscriber(folder, SttSettings())


@pytest.mark.models
def test_a_tokenizer_that_is_none_is_named(tmp_path: Path) -> None:
    folder = _damaged_copy(tmp_path, (weights(LITE) / "model.bin").read_bytes())
    (folder / "tokenizer.json").write_text('{"a": 1}')
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        WhisperTranscriber(folder, SttSettings())


@pytest.mark.models
def test_a_language_the_model_does_not_know_names_the_key() -> None:
    with pytest.raises(SettingsError, match=r"stt\.language"):
        WhisperTranscriber(weights(LITE), SttSettings(language="de"))


@pytest.mark.models
def test_both_profiles_hear_a_short_utterance_in_a_cut_window(
    lite: WhisperTranscriber, standard: WhisperTranscriber
) -> None:
    transcribers: list[Transcriber] = [lite, standard]
    for transcriber in transcribers:
        heard = transcriber.transcribe(recording("dentist"))
        assert {"dentist", "friday", "bread"} <= set(heard.text.casefold().replace(".", "").split())
        assert heard.window_s < FULL_WINDOW_S
        assert heard.no_speech_prob < 0.2
        assert heard.avg_logprob > -0.6
        assert guard(heard, 3.0).text == heard.text


@pytest.mark.models
def test_v53_the_last_word_survives_where_the_segment_ends_with_it(lite: WhisperTranscriber) -> None:
    """v53: a sentence that ends where the segment ends keeps its last word."""
    samples = recording("plumber")
    spoken = np.flatnonzero(np.abs(samples) > 0.02)
    heard = lite.transcribe(samples[: int(spoken[-1]) + 1])
    assert heard.text.casefold().rstrip(".").endswith("morning")


@pytest.mark.models
def test_v56_nothing_is_carried_from_one_segment_to_the_next(lite: WhisperTranscriber) -> None:
    """v56: two unrelated clips in a row."""
    alone = lite.transcribe(recording("plumber"))
    lite.transcribe(recording("dentist"))
    assert lite.transcribe(recording("plumber")) == alone


@pytest.mark.models
@pytest.mark.parametrize("duration_s", [0.005, 1.0, 6.0, 20.0])
def test_m1_v52_digital_silence_leaves_nothing(lite: WhisperTranscriber, duration_s: float) -> None:
    """m1, v52: 30 s of silence become no sentence; there is no prompt that could leak into it."""
    assert guard(lite.transcribe(silence(duration_s)), duration_s).text == ""


@pytest.mark.models
def test_a_segment_of_28_s_is_heard_to_its_end(standard: WhisperTranscriber) -> None:
    samples = np.concatenate([recording("dentist"), silence(4), recording("plumber")])
    samples = np.concatenate([silence(28 - len(samples) / SAMPLE_RATE_HZ), samples])
    heard = standard.transcribe(samples).text.casefold()
    assert "dentist" in heard
    assert "plumber" in heard


@pytest.mark.models
def test_no_samples_are_no_speech(lite: WhisperTranscriber) -> None:
    assert lite.transcribe(silence(0)).text == ""


@pytest.mark.models
def test_what_is_no_segment_is_refused(lite: WhisperTranscriber) -> None:
    with pytest.raises(TranscriptionError, match="mono"):
        lite.transcribe(np.zeros((10, 2), np.float32))
    with pytest.raises(TranscriptionError, match="longer than 30 s"):
        lite.transcribe(silence(31))


@pytest.mark.models
def test_broken_samples_count_as_silence(lite: WhisperTranscriber) -> None:
    samples = recording("plumber")
    samples[:200] = np.nan
    assert "plumber" in lite.transcribe(samples).text.casefold()


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.models
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_v49_v50_memory_stays_flat_over_varied_lengths(lite: WhisperTranscriber) -> None:
    """v49, v50: lengths from 1 to 28 s, shuffled, one thread after the other."""
    lengths = [1, 28, 3, 14, 2, 5, 9, 20]
    random.Random(7).shuffle(lengths)
    speech = recording("plumber")

    def one_round() -> float:
        for seconds in lengths:
            lite.transcribe(np.resize(speech, seconds * SAMPLE_RATE_HZ) if seconds < 3 else _spaced(speech, seconds))
        return _resident_mb()

    one_round()
    warm_mb = one_round()
    one_round()
    assert one_round() - warm_mb < 20


def _spaced(speech: NDArray[np.float32], seconds: int) -> NDArray[np.float32]:
    samples = silence(seconds)
    samples[: len(speech)] = speech[: len(samples)]
    return samples
