"""Render tests/scene/kitchen.toml to sound. Called by scripts/make-scene, which brings the voices.

How the sound is made:
  * voices: Kokoro (ONNX; phonemes from espeak-ng written in Kokoro's alphabet), Piper, and flite;
  * the room: each voice is convolved with a synthetic impulse response, noise that decays exponentially (60 dB in
    0.35 s) behind the direct sound, as in the classical statistical model of a diffuse field;
  * the television: the same with more echo, band-limited to 250-3800 Hz and 9 dB quieter;
  * under everything a refrigerator (hum at 50 Hz and its multiples) and pink noise; a crowd, a kettle or dishes where
    the script says so;
  * more than 6 s without speech between two passages, because a passage closes after 5 s without speech.

The noise is seeded, but Piper draws its own: each rendering is a little different, so listen to a new one (or let
Whisper read it back) before it replaces the old.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import tomllib
import wave
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import av
import numpy as np
import numpy.typing as npt
import onnxruntime
import soxr

RATE_HZ = 16_000
KOKORO_HZ = 24_000
LEAD_IN_S = 2.0
GAP_S = 6.8
SPEECH_DBFS = -24.0
TELEVISION_DB = -9.0
LEVELS_DBFS = {"crowd": -50.0, "kettle": -48.0, "dishes": -40.0}

Sound = npt.NDArray[np.float32]

# espeak-ng's IPA (affricates and diphthongs tied with ^) in the alphabet Kokoro was trained on. Longest first.
KOKORO_ALPHABET = (
    ("ɜːɹ", "ɜɹ"),
    ("a^ɪ", "I"),
    ("a^ʊ", "W"),
    ("e^ɪ", "A"),
    ("o^ʊ", "O"),
    ("ɔ^ɪ", "Y"),
    ("d^ʒ", "ʤ"),
    ("t^ʃ", "ʧ"),
    ("ə^l", "ᵊl"),
    ("ɜː", "ɜɹ"),
    ("ɚ", "əɹ"),
    ("ɐ", "ə"),
    ("r", "ɹ"),
    ("e", "A"),
    ("ː", ""),
    ("^", ""),
    ("̩", ""),
)


@dataclass(frozen=True)
class Tools:
    """Where the voices and the programs that speak them lie."""

    piper_python: Path
    piper_voice: Path
    kokoro_model: Path
    kokoro_voices: Path
    kokoro_vocabulary: Path


class Speaker:
    """Speaks a line with the engine its voice names; float32 mono at RATE_HZ."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._session = onnxruntime.InferenceSession(str(tools.kokoro_model), providers=["CPUExecutionProvider"])
        self._styles = np.load(tools.kokoro_voices)
        self._vocabulary: dict[str, int] = json.loads(tools.kokoro_vocabulary.read_text("utf-8"))["vocab"]

    def say(self, voice: dict[str, Any], text: str) -> Sound:
        if voice["engine"] == "kokoro":
            return self._kokoro(voice, text)
        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            _run(self._command(voice, text, file.name))
            return _trim(_read_wav(Path(file.name)))

    def _command(self, voice: dict[str, Any], text: str, target: str) -> list[str]:
        if voice["engine"] == "flite":
            return ["flite", "-voice", voice["name"], "-t", text, "-o", target]
        return [str(self._tools.piper_python), "-m", "piper", "-m", str(self._tools.piper_voice), "-f", target, text]

    def _kokoro(self, voice: dict[str, Any], text: str) -> Sound:
        tokens = [self._vocabulary[sign] for sign in phonemes(text) if sign in self._vocabulary]
        styles = self._styles[voice["name"]]
        inputs = {
            "tokens": np.array([[0, *tokens, 0]], dtype=np.int64),
            "style": styles[min(len(tokens), len(styles)) - 1].reshape(1, -1).astype(np.float32),
            "speed": np.array([voice.get("speed", 1.0)], dtype=np.float32),
        }
        speech = np.asarray(self._session.run(None, inputs)[0], dtype=np.float32).ravel()
        return _trim(soxr.resample(speech, KOKORO_HZ, RATE_HZ))


def phonemes(text: str) -> str:
    """English text in Kokoro's alphabet; espeak-ng drops punctuation, so clauses are spoken one by one."""
    clauses: list[str] = []
    clause = ""
    for sign in text:
        clause += sign
        if sign in ",.!?":
            clauses.append(_clause(clause[:-1]) + sign)
            clause = ""
    return " ".join(clauses + ([_clause(clause)] if clause.strip() else []))


def _clause(text: str) -> str:
    spoken = _run(["espeak-ng", "-q", "-v", "en-us", "--ipa", "--tie=^", text.strip()]).strip().replace("\n", " ")
    for theirs, ours in KOKORO_ALPHABET:
        spoken = spoken.replace(theirs, ours)
    return spoken


def room_response(rng: np.random.Generator, reverberation_s: float, direct_to_echo_db: float) -> Sound:
    """Impulse response of a room: the direct sound, then noise that falls by 60 dB in `reverberation_s`."""
    size = int(reverberation_s * RATE_HZ)
    echo = rng.standard_normal(size) * np.exp(-6.9 * np.arange(size) / size)
    echo[: int(0.003 * RATE_HZ)] = 0.0
    echo *= 10 ** (-direct_to_echo_db / 20) / np.sqrt(np.sum(echo**2))
    echo[0] = 1.0
    return echo.astype(np.float32)


def band(sound: Sound, low_hz: float, high_hz: float) -> Sound:
    """Only what lies between two frequencies, with soft edges."""
    spectrum = np.fft.rfft(sound)
    frequency = np.fft.rfftfreq(len(sound), 1 / RATE_HZ)
    gain = 1 / np.sqrt((1 + (low_hz / np.maximum(frequency, 1.0)) ** 8) * (1 + (frequency / high_hz) ** 8))
    return np.fft.irfft(spectrum * gain, len(sound)).astype(np.float32)


def noise(rng: np.random.Generator, size: int, exponent: float) -> Sound:
    """Noise whose power falls with frequency to the power `exponent` (0 white, 1 pink)."""
    spectrum = np.fft.rfft(rng.standard_normal(size))
    frequency = np.maximum(np.fft.rfftfreq(size, 1 / RATE_HZ), 20.0)
    return np.fft.irfft(spectrum / frequency ** (exponent / 2), size).astype(np.float32)


def at_level(sound: Sound, dbfs: float) -> Sound:
    """The sound with the given root mean square."""
    root = float(np.sqrt(np.mean(sound.astype(np.float64) ** 2)))
    return (sound * (10 ** (dbfs / 20) / root)).astype(np.float32)


def refrigerator(rng: np.random.Generator, size: int) -> Sound:
    """Hum of a compressor, and the hiss of any room."""
    time_s = np.arange(size) / RATE_HZ
    hum = sum(np.sin(2 * np.pi * hz * time_s + hz) / (hz / 50) for hz in (50, 100, 150, 250))
    return at_level(np.asarray(hum, dtype=np.float32), -64.0) + at_level(noise(rng, size, 1.0), -62.0)


def side_sound(kind: str, rng: np.random.Generator, size: int) -> Sound:
    """A crowd on television, a kettle, or dishes."""
    time_s = np.arange(size) / RATE_HZ
    if kind == "crowd":
        swell = 1 + 0.5 * np.sin(2 * np.pi * 0.25 * time_s)
        return at_level(band(noise(rng, size, 1.0) * swell.astype(np.float32), 300, 2500), LEVELS_DBFS[kind])
    if kind == "kettle":
        rise = np.linspace(0.3, 1.0, size, dtype=np.float32)
        return at_level(band(noise(rng, size, 0.5) * rise, 400, 6000), LEVELS_DBFS[kind])
    clatter = np.zeros(size, dtype=np.float32)
    for start in rng.integers(0, max(1, size - RATE_HZ), 5):
        ring = np.arange(RATE_HZ // 4) / RATE_HZ
        hz = rng.uniform(2200, 4200)
        clatter[start : start + len(ring)] += (np.sin(2 * np.pi * hz * ring) * np.exp(-ring * 30)).astype(np.float32)
    return at_level(clatter, LEVELS_DBFS[kind])


def speech(line: dict[str, Any], voice: dict[str, Any], speaker: Speaker, responses: dict[str, Sound]) -> Sound:
    """One line as it sounds in the kitchen."""
    dry = at_level(speaker.say(voice, line["text"]), SPEECH_DBFS)
    wet = np.convolve(dry, responses[voice["place"]]).astype(np.float32)
    if voice["place"] == "television":
        return at_level(band(wet, 250, 3800), SPEECH_DBFS + TELEVISION_DB)
    return at_level(wet, SPEECH_DBFS)


def render(scene: dict[str, Any], speaker: Speaker) -> tuple[Sound, list[dict[str, Any]]]:
    """The whole scene and the time of each line in seconds."""
    rng = np.random.default_rng(20260324)
    responses = {"room": room_response(rng, 0.35, 5.0), "television": room_response(rng, 0.5, 1.0)}
    pieces: list[tuple[int, Sound]] = []
    times: list[dict[str, Any]] = []
    position = int(LEAD_IN_S * RATE_HZ)
    for passage in scene["passages"]:
        begin = position
        for line in passage["lines"]:
            position += int(line.get("pause_s", 0.0) * RATE_HZ)
            sound = speech(line, scene["voices"][line["voice"]], speaker, responses)
            pieces.append((position, sound))
            times.append(_timed(passage, line, position, len(sound)))
            position += len(sound)
        if "sound" in passage:
            pieces.append((begin, _faded(side_sound(passage["sound"], rng, position - begin + RATE_HZ))))
        position += int(GAP_S * RATE_HZ)
    return _mix(pieces, refrigerator(rng, position)), times


def _timed(passage: dict[str, Any], line: dict[str, Any], start: int, size: int) -> dict[str, Any]:
    return {
        "passage": passage["id"],
        "voice": line["voice"],
        "text": line["text"],
        "start_s": round(start / RATE_HZ, 2),
        "end_s": round((start + size) / RATE_HZ, 2),
    }


def _mix(pieces: list[tuple[int, Sound]], ground: Sound) -> Sound:
    mixed = ground.copy()
    for start, sound in pieces:
        end = min(len(mixed), start + len(sound))
        mixed[start:end] += sound[: end - start]
    return cast(Sound, np.clip(mixed, -0.99, 0.99))


def _faded(sound: Sound) -> Sound:
    edge = np.linspace(0, 1, RATE_HZ // 2, dtype=np.float32)
    sound[: len(edge)] *= edge
    sound[-len(edge) :] *= edge[::-1]
    return sound


def _trim(sound: Sound) -> Sound:
    """Without the silence before and after."""
    loud = np.flatnonzero(np.abs(sound) > 0.01)
    margin = RATE_HZ // 50
    return sound[max(0, loud[0] - margin) : loud[-1] + margin]


def _read_wav(path: Path) -> Sound:
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2").astype(np.float32) / 32768
        return cast(Sound, soxr.resample(samples, file.getframerate(), RATE_HZ))


def _run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def write_flac(path: Path, sound: Sound) -> None:
    """16 bit mono at RATE_HZ."""
    samples = np.round(sound * 32767).astype(np.int16).reshape(1, -1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("flac", rate=RATE_HZ, layout="mono")
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate = RATE_HZ
        for part in (frame, None):
            container.mux(stream.encode(part))


def main() -> None:
    parser = argparse.ArgumentParser(description="Render tests/scene/kitchen.toml.")
    parser.add_argument("scene", type=Path, help="kitchen.toml; the sound and its times are written beside it")
    for name in Tools.__annotations__:
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, required=True)
    arguments = vars(parser.parse_args())
    path: Path = arguments.pop("scene")
    sound, times = render(tomllib.loads(path.read_text("utf-8")), Speaker(Tools(**arguments)))
    write_flac(path.with_suffix(".flac"), sound)
    path.with_suffix(".json").write_text(json.dumps(times, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{path.with_suffix('.flac')}: {len(sound) / RATE_HZ:.0f} s, {len(times)} lines")


if __name__ == "__main__":
    main()
