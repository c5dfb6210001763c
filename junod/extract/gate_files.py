"""Puts the gate together from the files that come with junod and those of the household. Imports the encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from junod.extract.calibration import Report, calibrate
from junod.extract.encoder import DIFFERENCE_FILE, EncoderScorer
from junod.extract.encoder_pieces import EncoderPieces
from junod.extract.evaluate import Labelled, load_labelled
from junod.extract.features import Judgement
from junod.extract.focus import PieceJudge
from junod.extract.gate import (
    CalibratedGate,
    calibration_name,
    find_calibration,
    identity_of,
    judge,
    save_calibration,
)
from junod.extract.held_out import HELD_OUT_FILE, Recorded, read_held_out
from junod.extract.language_model import Reading
from junod.extract.ngrams import NGRAMS_FILE, load_ngrams
from junod.records import Passage
from junod.resources import data_file

SHIPPED = "models/gate"
CORPUS = f"{SHIPPED}/corpus.jsonl.gz"
HELD_OUT = f"{SHIPPED}/{HELD_OUT_FILE}"


@dataclass(frozen=True, slots=True)
class Judges:
    """Both share one encoder, which reads each passage once."""

    gate: CalibratedGate
    pieces: PieceJudge


def load_gate(gguf: Path, base: Path, own: Path, *, target_precision: float | None = None, threads: int = 1) -> Judges:
    """The gate for a language model, and the judge of pieces that shares its encoder.

    Args:
        gguf: the language model's file.
        base: folder of all-MiniLM-L6-v2.
        own: folder of the household's calibrations; it need not exist.
        target_precision: share of stored memories that must be right; None = the one it was calibrated for.
        threads: CPU threads of the encoder.

    Raises:
        CalibrationError: this language model has no calibration.
        ModelError: the encoder's weights are missing or damaged.
    """
    encoder = load_encoder(base, threads)
    calibration = find_calibration(identity_of(gguf), encoder.sha256, (own, data_file(SHIPPED)))
    if target_precision is not None and target_precision != calibration.target_precision:
        calibration = calibration.at(target_precision)
    gate = CalibratedGate(calibration, encoder, load_ngrams(data_file(f"{SHIPPED}/{NGRAMS_FILE}")))
    return Judges(gate, EncoderPieces(encoder))


def held_out_gate(gguf: Path, base: Path, own: Path, *, target_precision: float | None = None) -> Judges:
    """The same for an honest evaluation on the corpus that comes with junod, and on nothing else.

    Its judges learned from that corpus, so `load_gate` flatters them there. Here each passage is judged by judges that
    never saw its author.

    Raises:
        as `load_gate`; KeyError for a passage that is not of the corpus.
    """
    gate = load_gate(gguf, base, own, target_precision=target_precision).gate
    held_out = read_held_out(data_file(HELD_OUT))
    judged = Recorded(held_out)
    return Judges(gate.judged_by(judged, Recorded(held_out, is_words=True)), judged)


def load_encoder(base: Path, threads: int = 1) -> EncoderScorer:
    """The encoder that comes with junod, on the public weights in `base`."""
    return EncoderScorer(base, data_file(f"{SHIPPED}/{DIFFERENCE_FILE}"), threads=threads)


def calibrate_model(
    gguf: Path,
    read: Callable[[Passage], Reading] | None,
    base: Path,
    own: Path,
    *,
    passages: Sequence[Path] = (),
    target_precision: float,
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Calibrate the gate for a language model and write the result to the household's folder `own`.

    Args:
        read: the language model's forward pass over a masked passage; None = decide without it.
        passages: labelled files; none = the corpus that comes with junod.
        target_precision: share of stored memories that must be right.

    Raises:
        CalibrationError: too little data, or the target is out of reach; nothing is written.
        UsageError: a file of passages is wrong.
        ModelError: weights are missing or damaged.
    """
    encoder, words = load_encoder(base, threads), load_ngrams(data_file(f"{SHIPPED}/{NGRAMS_FILE}"))
    labelled, held_out = _labelled(passages)
    report = calibrate(
        labelled,
        llm=identity_of(gguf),
        encoder=encoder.sha256,
        judge=lambda one: held_out.get(one.id) or judge(one, encoder, words),
        read=read,
        target_precision=target_precision,
        progress=progress,
    )
    save_calibration(report.calibration, own / calibration_name(report.calibration.llm))
    return report


def _labelled(passages: Sequence[Path]) -> tuple[list[Labelled], dict[str, Judgement]]:
    """Passages, and for those the judges learned from, what judges said that did not."""
    if passages:
        return [one for path in passages for one in load_labelled(path)], {}
    held_out = read_held_out(data_file(HELD_OUT))
    return load_labelled(data_file(CORPUS)), {key: one.judgement for key, one in held_out.items()}
