"""Whisper through CTranslate2 (int8, CPU), its audio window cut to the utterance.

Whisper was trained on windows of 30 s, and an engine that pads every utterance to 30 s pays for them all. The encoder
also takes less. Cut short, the decoder sometimes does not know that the speech is over and starts again from the
beginning; it does so far less without timestamps, and it shows: the text repeats, runs out of its token budget or
scores low. Such an attempt is thrown away and made again with a longer window, at last with the full one.
The idea of the cut is whisper.cpp's `audio_ctx`; tokens, suppression and scores are faster-whisper's.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # before faster_whisper imports its hub client: nothing is ever fetched
# CTranslate2's oneDNN keeps what it compiles for each length of an utterance, up to 1,024 kernels: over 100 MB more
# for an hour of talk. Within one utterance 32 are enough, and it is no slower (measured, docs/performance.md).
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "32")

import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.tokenizer import Tokenizer
from faster_whisper.transcribe import get_suppressed_tokens

from junod.errors import ModelError, SettingsError, TranscriptionError
from junod.records import SAMPLE_RATE_HZ, Transcription
from junod.stt.repetition import MAX_COMPRESSION, compression_ratio, repeats_itself

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from junod.sections import SttSettings

FRAMES_PER_S = 100
FULL_WINDOW_S = 30.0
MIN_WINDOW_S = 7.0
SECOND_WINDOW_S = 10.0
PADDING_S = 1.0
"""Silence after the utterance, without which its last word is lost."""
NO_SPEECH = 0.8
"""No second attempt where the engine itself is this sure that nobody spoke."""
MIN_LOGPROB = -0.9
"""An attempt that scores lower is made again with a longer window."""
TOKENS_PER_S = 7
SPARE_TOKENS = 12
"""Token budget of a cut window: English takes about 4 tokens a second at most; a loop takes all it gets."""
MAX_TOKENS = 224
FILES = ("model.bin", "config.json", "tokenizer.json")
VOCABULARIES = ("vocabulary.json", "vocabulary.txt")
PULL = "Run `junod models pull` to fetch it again."


@dataclass(frozen=True, slots=True)
class Attempt:
    """One decoding of one window."""

    transcription: Transcription
    finished: bool
    """The decoder ended by itself, within its budget."""

    @property
    def is_lost(self) -> bool:
        """The decoder lost its place; a longer window often helps."""
        return self.repeats or not self.finished

    @property
    def is_unsure(self) -> bool:
        """It scores low. The second window sometimes helps, the full one never did on read speech."""
        heard = self.transcription
        return heard.avg_logprob < MIN_LOGPROB and heard.no_speech_prob < NO_SPEECH

    @property
    def repeats(self) -> bool:
        return self.transcription.compression_ratio > MAX_COMPRESSION or repeats_itself(self.transcription.text)


def windows_s(duration_s: float) -> tuple[float, ...]:
    """Windows to try for an utterance, shortest first; the last is always the full one."""
    cut = (max(shortest, duration_s + PADDING_S) for shortest in (MIN_WINDOW_S, SECOND_WINDOW_S))
    return (*sorted({window for window in cut if window < FULL_WINDOW_S}), FULL_WINDOW_S)


class WhisperTranscriber:
    """A Whisper model in CTranslate2's format. One call at a time; keeps nothing between calls.

    `engine` is the loaded faster-whisper model: `scripts/bench_stt.py` measures its own `transcribe` beside ours.
    """

    def __init__(self, model_dir: Path, settings: SttSettings) -> None:
        """Load the model from a local folder.

        Raises:
            ModelError: a file is missing, cut short or damaged; names it.
            SettingsError: the model does not know `settings.language`.
        """
        check_model_folder(model_dir)
        self.name = model_dir.name
        self.engine = _load(model_dir, settings.threads)
        self._tokenizer = self._tokenizer_for(settings.language)
        self._language = settings.language
        self._suppressed = list(get_suppressed_tokens(self._tokenizer, [-1]))

    def transcribe(self, samples: NDArray[np.float32]) -> Transcription:
        """The words of one segment of at most 30 s; see `Transcriber`."""
        samples = _checked(samples)
        if not len(samples):
            return Transcription("", 0.0, 1.0, 0.0, self._language, 0.0)
        attempts: list[Attempt] = []
        for window_s in windows_s(len(samples) / SAMPLE_RATE_HZ):
            attempts.append(self._attempt(samples, window_s))
            if not attempts[-1].is_lost and not (attempts[-1].is_unsure and len(attempts) == 1):
                break
        return max(attempts, key=_worth).transcription

    def _attempt(self, samples: NDArray[np.float32], window_s: float) -> Attempt:
        is_full = window_s >= FULL_WINDOW_S
        prompt = [*self._tokenizer.sot_sequence, *([] if is_full else [self._tokenizer.no_timestamps])]
        budget = min(MAX_TOKENS, int(TOKENS_PER_S * len(samples) / SAMPLE_RATE_HZ) + SPARE_TOKENS)
        try:
            encoded = self.engine.encode(self._features(samples, window_s))
            result = self.engine.model.generate(
                encoded,
                [prompt],
                beam_size=1,
                max_length=2 * budget,  # CTranslate2 grants half of it to the text
                return_scores=True,
                return_no_speech_prob=True,
                suppress_blank=True,
                suppress_tokens=self._suppressed,
            )[0]
        except (RuntimeError, ValueError, MemoryError) as error:
            raise TranscriptionError(f"{self.name} could not decode a segment: {error}.", permanent=False) from error
        tokens = result.sequences_ids[0]
        text = self._tokenizer.decode(tokens).strip()
        # CTranslate2's score is the mean over the tokens; Whisper's own counts the end token too.
        logprob = result.scores[0] * len(tokens) / (len(tokens) + 1)
        ratio = compression_ratio(text)
        heard = Transcription(text, logprob, result.no_speech_prob, ratio, self._language, window_s)
        return Attempt(heard, finished=len(tokens) < budget)

    def _features(self, samples: NDArray[np.float32], window_s: float) -> NDArray[np.float32]:
        """Log-mel features of the samples and the silence that fills the window; shape (1, mels, frames)."""
        length = int(window_s * SAMPLE_RATE_HZ)
        padded = np.pad(samples, (0, max(0, length - len(samples))))
        frames = 2 * int(window_s * FRAMES_PER_S / 2)  # the encoder halves the frame rate
        features: NDArray[np.float32] = self.engine.feature_extractor(padded)[..., :frames]
        return features

    def _tokenizer_for(self, language: str) -> Tokenizer:
        known = self.engine.supported_languages
        if language not in known:
            allowed = ", ".join(sorted(known)) if len(known) < 10 else "another one"
            raise SettingsError(
                f"'stt.language' = '{language}': the model {self.name} does not know it.",
                hint=f"Set stt.language to {allowed}, or stt.profile to standard for a model of many languages.",
            )
        return Tokenizer(self.engine.hf_tokenizer, self.engine.model.is_multilingual, "transcribe", language)


def check_model_folder(folder: Path) -> None:
    """Raise ModelError naming the first file that is missing or not what its name says. Weights are not hashed."""
    if not folder.is_dir():
        raise ModelError(f"There is no speech-to-text model in {folder}.", hint="Run `junod models pull`.")
    for name in FILES:
        if not (folder / name).is_file():
            raise ModelError(f"{folder / name} is missing.", hint=PULL)
    if not any((folder / name).is_file() for name in VOCABULARIES):
        raise ModelError(f"{folder / VOCABULARIES[0]} is missing.", hint=PULL)
    for path in sorted(folder.glob("*.json")):
        _check_json(path)


def _check_json(path: Path) -> None:
    try:
        json.loads(path.read_text("utf-8"))
    except ValueError as error:  # of JSON, and of UTF-8
        raise ModelError(f"{path} is cut short or damaged.", hint=PULL) from error
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from error


def _load(folder: Path, threads: int) -> WhisperModel:
    try:
        return WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True)
    except Exception as error:  # what C++ threw, or the bare Exception of tokenizers
        name = "tokenizer.json" if type(error) is Exception else "model.bin"
        raise ModelError(f"{folder / name} is cut short or damaged: {error}.", hint=PULL) from error


def _checked(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    if samples.ndim != 1:
        raise TranscriptionError(f"A segment must be mono, shape (n,), not {samples.shape}.")
    if len(samples) > FULL_WINDOW_S * SAMPLE_RATE_HZ:
        raise TranscriptionError(f"A segment of {len(samples) / SAMPLE_RATE_HZ:.0f} s is longer than 30 s.")
    return np.nan_to_num(samples.astype(np.float32, copy=False), nan=0.0, posinf=0.0, neginf=0.0)


def _worth(attempt: Attempt) -> tuple[bool, bool, float]:
    """Order among attempts: those that kept their place first, then by score."""
    return (not attempt.repeats, attempt.finished, attempt.transcription.avg_logprob)
