#!/usr/bin/env python3
"""Measure speech-to-text against faster-whisper's stock `transcribe(beam_size=1)`: time and word error rate.

    bench_stt.py --reading FOLDER [--model whisper-base] [--longest S] [--limit N] [--json FILE]

FOLDER holds audio files and references.tsv: file name, tab, the words spoken. Both engines hear each
file in turn, in one process, so that whatever else the machine does slows both. Without --reading nothing is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from faster_whisper import decode_audio
from numpy.typing import NDArray

from junod.records import SAMPLE_RATE_HZ
from junod.settings import load_settings, models_dir
from junod.stt.whisper import WhisperTranscriber

Hear = Callable[[NDArray[np.float32]], str]


@dataclass(frozen=True)
class Row:
    """One file heard by both."""

    file: str
    duration_s: float
    reference: str
    stock: str
    stock_s: float
    cut: str
    cut_s: float


def main() -> int:
    arguments = _arguments()
    if arguments.reading is None:
        print("speech-to-text: no recordings; give --reading FOLDER with audio and references.tsv", file=sys.stderr)
        return 0
    settings = load_settings()
    transcriber = WhisperTranscriber(models_dir(settings) / arguments.model, settings.stt)
    rows = measure(arguments.reading, transcriber, arguments.longest, arguments.limit)
    if not rows:
        print(f"speech-to-text: no file of {arguments.reading} fits", file=sys.stderr)
        return 1
    groups = {"<= 6 s": [row for row in rows if row.duration_s <= 6], "all": rows}
    figures = {name: summary(group) for name, group in groups.items() if group}
    print(f"{arguments.model}, {settings.stt.threads} threads")
    print(table(figures))
    if arguments.json:
        document = {"model": arguments.model, "figures": figures, "rows": [asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(document, indent=1), "utf-8")
    return 0


def measure(folder: Path, transcriber: WhisperTranscriber, longest_s: float, limit: int | None) -> list[Row]:
    """Hear each file with both engines, after one unmeasured round."""
    lines = (folder / "references.tsv").read_text("utf-8").splitlines()
    references = dict(line.split("\t", 1) for line in lines if "\t" in line)
    rows: list[Row] = []
    for file, reference in sorted(references.items()):
        samples = np.asarray(decode_audio(str(folder / file), SAMPLE_RATE_HZ), dtype=np.float32)
        if len(samples) > longest_s * SAMPLE_RATE_HZ:
            continue
        if not rows:
            timed(stock(transcriber), samples)
            timed(cut(transcriber), samples)
        rows.append(
            Row(
                file,
                len(samples) / SAMPLE_RATE_HZ,
                reference,
                *timed(stock(transcriber), samples),
                *timed(cut(transcriber), samples),
            )
        )
        if limit is not None and len(rows) >= limit:
            break
    return rows


def stock(transcriber: WhisperTranscriber) -> Hear:
    """The same loaded model through faster-whisper's own `transcribe`, greedy, otherwise with its defaults."""

    def hear(samples: NDArray[np.float32]) -> str:
        segments, _ = transcriber.engine.transcribe(samples, beam_size=1, language="en")
        return "".join(segment.text for segment in segments).strip()

    return hear


def cut(transcriber: WhisperTranscriber) -> Hear:
    return lambda samples: transcriber.transcribe(samples).text


def summary(rows: list[Row]) -> dict[str, float]:
    stock_s, cut_s = sum(row.stock_s for row in rows), sum(row.cut_s for row in rows)
    return {
        "files": len(rows),
        "audio_s": round(sum(row.duration_s for row in rows), 1),
        "stock_s": round(stock_s, 2),
        "cut_s": round(cut_s, 2),
        "times_faster": round(stock_s / cut_s, 2),
        "median_times_faster": round(statistics.median(row.stock_s / row.cut_s for row in rows), 2),
        "stock_wer_percent": round(word_error_percent([(row.reference, row.stock) for row in rows]), 2),
        "cut_wer_percent": round(word_error_percent([(row.reference, row.cut) for row in rows]), 2),
    }


def word_error_percent(pairs: list[tuple[str, str]]) -> float:
    """Word error rate over all (reference, hypothesis) pairs, after normalising both."""
    normalise = _normaliser()
    errors = words = 0
    for reference, hypothesis in pairs:
        said, heard = normalise(reference).split(), normalise(hypothesis).split()
        errors += _edits(said, heard)
        words += len(said)
    return 100 * errors / words if words else 0.0


def table(figures: dict[str, dict[str, float]]) -> str:
    keys = list(next(iter(figures.values())))
    lines = [f"{'':22}" + "".join(f"{name:>12}" for name in figures)]
    lines += [f"{key:22}" + "".join(f"{group[key]:>12}" for group in figures.values()) for key in keys]
    return "\n".join(lines)


def _normaliser() -> Callable[[str], str]:
    """Whisper's own English normaliser where it is installed, else case, punctuation and titles only."""
    try:
        from whisper_normalizer.english import EnglishTextNormalizer  # type: ignore[import-untyped]
    except ImportError:
        print("whisper-normalizer is not installed: plain normalisation, error rates read higher", file=sys.stderr)
        return _plain
    normaliser: Callable[[str], str] = EnglishTextNormalizer()
    return normaliser


def _plain(text: str) -> str:
    folded = re.sub(r"\bmr\b", "mister", re.sub(r"[^\w' ]+", " ", text.casefold()))
    return re.sub(r"\bmrs\b", "missus", folded)


def _edits(said: list[str], heard: list[str]) -> int:
    """Levenshtein distance in words."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        above, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (word != other))
    return row[-1]


def timed(hear: Hear, samples: NDArray[np.float32]) -> tuple[str, float]:
    start_s = time.perf_counter()
    text = hear(samples)
    return text, time.perf_counter() - start_s


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--reading",
        type=Path,
        default=os.environ.get("JUNOD_BENCH_READING"),
        help="folder with audio and references.tsv",
    )
    parser.add_argument("--model", default="whisper-base", help="folder below the models folder")
    parser.add_argument("--longest", type=float, default=28.0, help="leave out longer files (seconds)")
    parser.add_argument("--limit", type=int, help="stop after so many files")
    parser.add_argument("--json", type=Path, help="write figures and every hypothesis here")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
