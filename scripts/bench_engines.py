#!/usr/bin/env python3
"""Measure speech-to-text beside other engines: seconds an utterance and word error rate, same audio, one process.

    bench_engines.py --reading FOLDER [--packages SITE_PACKAGES] [--limit N] [--ggml FILE]

FOLDER holds audio files and references.tsv, as for bench_stt.py. An engine is measured where its package and its
weights are there: PocketSphinx and Moonshine (0.1.0 and before) carry theirs, whisper.cpp takes a file by --ggml.
`--packages` names a folder of packages to look in after junod's own, so that nothing need be installed beside junod.
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from faster_whisper import decode_audio
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from junod.records import SAMPLE_RATE_HZ
from junod.settings import load_settings, models_dir
from junod.stt.whisper import WhisperTranscriber
from scripts.bench_stt import Hear, cut, stock, timed, word_error_percent

SHORTEST_S, LONGEST_S = 1.0, 10.0


def main() -> int:
    arguments = _arguments()
    if arguments.reading is None:
        print("engines: no recordings; give --reading FOLDER with audio and references.tsv", file=sys.stderr)
        return 0
    if arguments.packages:
        sys.path.append(str(arguments.packages))
    spoken = list(utterances(arguments.reading))[: arguments.limit]
    if not spoken:
        print(f"engines: no file of {arguments.reading} lasts 1 to 10 s", file=sys.stderr)
        return 1
    print(f"{len(spoken)} utterances, {sum(len(samples) for samples, _ in spoken) / SAMPLE_RATE_HZ:.0f} s")
    print(f"{'engine':30}{'median s':>10}{'total s':>10}{'errors %':>10}")
    for name, hear in engines(arguments.ggml):
        hear(spoken[0][0])
        heard = [timed(hear, samples) for samples, _ in spoken]
        errors = word_error_percent([(words, text) for (_, words), (text, _) in zip(spoken, heard, strict=True)])
        seconds = [taken_s for _, taken_s in heard]
        print(f"{name:30}{statistics.median(seconds):10.3f}{sum(seconds):10.2f}{errors:10.1f}", flush=True)
    return 0


def utterances(folder: Path) -> Iterator[tuple[NDArray[np.float32], str]]:
    """Samples at 16 kHz and the words spoken, of every file of 1 to 10 s."""
    lines = (folder / "references.tsv").read_text("utf-8").splitlines()
    for file, words in sorted(line.split("\t", 1) for line in lines if "\t" in line):
        samples = np.asarray(decode_audio(str(folder / file), SAMPLE_RATE_HZ), dtype=np.float32)
        if SHORTEST_S <= len(samples) / SAMPLE_RATE_HZ <= LONGEST_S:
            yield samples, words


def engines(ggml: Path | None) -> Iterator[tuple[str, Hear]]:
    """Name and function of every engine that can run here, loaded one after the other."""
    settings = load_settings()
    for name in ("whisper-base", "whisper-tiny.en"):
        if (models_dir(settings) / name).is_dir():
            transcriber = WhisperTranscriber(models_dir(settings) / name, settings.stt)
            yield f"junod, {name}", cut(transcriber)
            yield f"faster-whisper, {name}", stock(transcriber)
    threads = settings.stt.threads
    for package, build in OTHERS.items():
        try:
            hear = build(importlib.import_module(package), threads, ggml)
        except (ImportError, FileNotFoundError) as error:
            print(f"{package}: left out: {error}", file=sys.stderr)
        else:
            yield package, hear


def _pocketsphinx(package: Any, threads: int, ggml: Path | None) -> Hear:
    decoder = package.Decoder(samprate=SAMPLE_RATE_HZ, loglevel="FATAL")

    def hear(samples: NDArray[np.float32]) -> str:
        decoder.start_utt()
        decoder.process_raw((samples * 32767).astype("<i2").tobytes(), full_utt=True)
        decoder.end_utt()
        best = decoder.hyp()
        return best.hypstr if best else ""

    return hear


def _moonshine(package: Any, threads: int, ggml: Path | None) -> Hear:
    folder = Path(package.__file__).parent / "assets" / "tiny-en"
    if not list(folder.glob("*.ort")):
        raise FileNotFoundError(f"{folder} holds no weights")
    transcriber = package.Transcriber(str(folder), package.ModelArch.TINY)

    def hear(samples: NDArray[np.float32]) -> str:
        lines = transcriber.transcribe_without_streaming(samples.tolist(), SAMPLE_RATE_HZ).lines
        return " ".join(line.text for line in lines)

    return hear


def _whisper_cpp(package: Any, threads: int, ggml: Path | None) -> Hear:
    if ggml is None:
        raise FileNotFoundError("give --ggml FILE")
    model = package.Model(str(ggml), n_threads=threads, print_progress=False, redirect_whispercpp_logs_to=None)
    return lambda samples: " ".join(part.text for part in model.transcribe(samples, language="en"))


OTHERS: dict[str, Callable[[Any, int, Path | None], Hear]] = {
    "moonshine_voice": _moonshine,
    "pocketsphinx": _pocketsphinx,
    "pywhispercpp.model": _whisper_cpp,
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--reading", type=Path, default=os.environ.get("JUNOD_BENCH_READING"))
    parser.add_argument("--packages", type=Path, help="folder of further packages")
    parser.add_argument("--ggml", type=Path, help="weights for whisper.cpp")
    parser.add_argument("--limit", type=int, help="stop after so many files")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
