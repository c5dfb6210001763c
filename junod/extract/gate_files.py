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
    Calibration,
    Judges,
    calibration_name,
    find_calibration,
    identity_of,
    save_calibration,
)
from junod.extract.gate_models import GateModels
from junod.extract.held_out import HELD_OUT_FILE, Recorded, read_held_out, recorded
from junod.extract.language_model import Reading
from junod.extract.ngrams import NGRAMS_FILE, load_ngrams
from junod.extract.states import PROBE_FILE, StateJudge, StateReader, load_probe
from junod.low_rank import sha256_of
from junod.records import Passage
from junod.resources import data_file

SHIPPED = "models/gate"
CORPUS = f"{SHIPPED}/corpus.jsonl.gz"
HELD_OUT = f"{SHIPPED}/{HELD_OUT_FILE}"


@dataclass(frozen=True, slots=True)
class LoadedGate:
    """Both share one encoder, which reads each passage once."""

    gate: CalibratedGate
    pieces: PieceJudge


def load_gate(models: GateModels, *, target_precision: float | None = None, threads: int = 1) -> LoadedGate:
    """The gate for a language model, and the judge of pieces that shares its encoder.

    Args:
        target_precision: share of stored memories that must be right; None = the one it was calibrated for.
        threads: CPU threads of the judges.

    Raises:
        CalibrationError: this language model has no calibration.
        ModelError: weights are missing or damaged.
    """
    encoder = load_encoder(models.base, threads)
    judges = Judges(encoder, load_ngrams(data_file(f"{SHIPPED}/{NGRAMS_FILE}")), load_states(models.lower, threads))
    return LoadedGate(CalibratedGate(_calibration(models, target_precision), judges), EncoderPieces(encoder))


def held_out_gate(models: GateModels, *, target_precision: float | None = None) -> LoadedGate:
    """The same for an honest evaluation on the corpus that comes with junod, and on nothing else.

    Its judges learned from that corpus, so `load_gate` flatters them there. Here each passage is judged by judges that
    never saw its author.

    Raises:
        as `load_gate`; KeyError for a passage that is not of the corpus.
    """
    held_out = read_held_out(data_file(HELD_OUT))
    return LoadedGate(CalibratedGate(_calibration(models, target_precision), recorded(held_out)), Recorded(held_out))


def _calibration(models: GateModels, target_precision: float | None) -> Calibration:
    folders = models.own, data_file(SHIPPED)
    found = find_calibration(identity_of(models.llm), encoder_sha256(), states_sha256(), folders)
    return found if target_precision in (None, found.target_precision) else found.at(target_precision)


def encoder_sha256() -> str:
    return sha256_of(data_file(f"{SHIPPED}/{DIFFERENCE_FILE}"))


def states_sha256() -> str:
    return sha256_of(data_file(f"{SHIPPED}/{PROBE_FILE}"))


def load_states(lower: Path, threads: int = 1) -> StateJudge:
    """The probe that comes with junod, on the lower layers in `lower`."""
    return StateJudge(StateReader(lower, threads=threads), load_probe(data_file(f"{SHIPPED}/{PROBE_FILE}")))


def load_encoder(base: Path, threads: int = 1) -> EncoderScorer:
    """The encoder that comes with junod, on the public weights in `base`."""
    return EncoderScorer(base, data_file(f"{SHIPPED}/{DIFFERENCE_FILE}"), threads=threads)


def calibrate_model(
    models: GateModels,
    read: Callable[[Passage], Reading] | None,
    *,
    passages: Sequence[Path] = (),
    target_precision: float,
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Calibrate the gate for a language model and write the result to the household's own folder.

    Args:
        read: the language model's forward pass over a masked passage; None = decide without it.
        passages: labelled files; none = the corpus that comes with junod.
        target_precision: share of stored memories that must be right.

    Raises:
        CalibrationError: too little data, or the target is out of reach; nothing is written.
        UsageError: a file of passages is wrong.
        ModelError: weights are missing or damaged.
    """
    words = load_ngrams(data_file(f"{SHIPPED}/{NGRAMS_FILE}"))
    judges = Judges(load_encoder(models.base, threads), words, load_states(models.lower, threads))
    labelled, held_out = _labelled(passages)
    report = calibrate(
        labelled,
        llm=identity_of(models.llm),
        encoder=encoder_sha256(),
        states=states_sha256(),
        judge=lambda one: held_out.get(one.id) or judges.all(one),
        read=read,
        target_precision=target_precision,
        progress=progress,
    )
    save_calibration(report.calibration, models.own / calibration_name(report.calibration.llm))
    return report


def _labelled(passages: Sequence[Path]) -> tuple[list[Labelled], dict[str, Judgement]]:
    """Passages, and for those the judges learned from, what judges said that did not."""
    if passages:
        return [one for path in passages for one in load_labelled(path)], {}
    held_out = read_held_out(data_file(HELD_OUT))
    return load_labelled(data_file(CORPUS)), {key: one.judgement for key, one in held_out.items()}
