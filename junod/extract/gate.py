"""The gate: is there anything in this passage worth keeping? Pure; models are behind protocols.

Two stages. Two small judges, the sentence encoder and the word model, turn away what surely holds nothing within
milliseconds. What is left is read by the lower layers of a small language model too, and decided by all three; where
that was measured to pay, together with the large language model's own log-odds. The outcome is one calibrated
probability.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from junod.errors import CalibrationError
from junod.extract.features import Judgement
from junod.extract.gate_protocol import GateVerdict
from junod.extract.language_model import Reading
from junod.records import Passage
from junod.whole_file import replace_file

CALIBRATION_VERSION = 4
GATE_SHARE_OF_ERRORS = 1.0
"""The part of the tolerated ghosts that the gate may let through. Lower it where stored memories are measured to be
less precise than kept passages; verification, which drops some of what the gate lets through, works the other way."""
BASE_RATE = 0.05
"""Share of a home's passages that hold something to keep."""

_HINT = "Run `junod calibrate` for this model."


class Judge(Protocol):
    def logit(self, passage: Passage) -> float:
        """How much a masked passage looks like one that holds something to keep; 0 = even, unbounded.

        Raises:
            ModelError: the weights are missing or damaged.
        """
        ...


class WordJudge(Judge, Protocol):
    def peak(self, passage: Passage) -> float:
        """The same for the few neighbouring sentences that look most like it."""
        ...


@dataclass(frozen=True, slots=True)
class Judges:
    """The three that read a passage."""

    encoder: Judge
    words: WordJudge
    states: Judge
    """Slower than the others by far: asked only where they leave it open."""

    def first(self, passage: Passage) -> tuple[float, float, float]:
        """What `features.Judgement.fast` gives."""
        return self.encoder.logit(passage), self.words.logit(passage), self.words.peak(passage)

    def all(self, passage: Passage) -> Judgement:
        return Judgement(*self.first(passage), self.states.logit(passage))


@dataclass(frozen=True, slots=True)
class Weighing:
    """A logistic regression over judgements."""

    weights: tuple[float, ...]
    bias: float

    def __call__(self, features: Sequence[float]) -> float:
        """The logit that the passage holds something, at the base rate of the passages it was fitted on."""
        return self.bias + sum(weight * x for weight, x in zip(self.weights, features, strict=True))


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """What a threshold gave on passages that were held out."""

    threshold: float
    precision: float
    recall: float
    kept: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """The light part of the gate, fitted for one language model, one encoder and one probe."""

    llm: str
    """Identity of the language model, as `identity_of` gives it."""
    encoder: str
    """sha256 of the encoder's trained part."""
    states: str
    """sha256 of the probe of the lower layers."""
    fast: Weighing
    """Over `features.Judgement.fast`."""
    deep: Weighing
    """Over `features.Judgement.deep`."""
    full: Weighing | None
    """Over `features.Judgement.full`; None = the language model does not pay and is not asked."""
    probe: Weighing | None
    """Over the language model's hidden state; None exactly where `full` is."""
    reject_below: float
    """Fast logit under which the second stage is not reached."""
    threshold: float
    """Smallest logit of the last stage that is kept."""
    trained_base_rate: float
    """Share of the fitted passages that hold something."""
    room_shift: Mapping[str, float] = field(default_factory=dict)
    """Added to the threshold in a room; 0 where a room is not named."""
    media_shift: Mapping[str, float] = field(default_factory=dict)
    """The same where it is known that a television or the like is 'on' or 'off' (`Passage.media`)."""
    target_precision: float = 0.95
    points: tuple[OperatingPoint, ...] = ()
    """Other thresholds to choose from, by rising precision."""
    measured: Mapping[str, float] = field(default_factory=dict)
    """What cross-validation by author gave: precision, recall, passages, positives, authors."""

    def at(self, target_precision: float) -> Calibration:
        """The same, set for another precision of the stored memories.

        Raises:
            CalibrationError: no measured threshold is that precise.
        """
        wanted = gate_target(target_precision)
        for point in self.points:
            if point.precision >= wanted:
                return replace(self, threshold=point.threshold, target_precision=target_precision)
        raise CalibrationError(
            f"The gate was never measured to be precise enough for a target of {target_precision}.",
            hint="Lower extract.target_precision, or run `junod calibrate` with more passages.",
        )

    def probability(self, logit: float) -> float:
        """Calibrated for a home's base rate: the odds are moved from the fitted base rate to `BASE_RATE`."""
        return _sigmoid(logit + _logit(BASE_RATE) - _logit(self.trained_base_rate))

    def keeps(self, logit: float, room: str, media: str = "auto") -> bool:
        return logit >= self.threshold + self.room_shift.get(room, 0.0) + self.media_shift.get(media, 0.0)


class CalibratedGate:
    """Implements `gate_protocol.Gate`."""

    def __init__(self, calibration: Calibration, judges: Judges) -> None:
        self._calibration = calibration
        self._judges = judges

    def assess(self, passage: Passage, read: Callable[[], Reading]) -> GateVerdict:
        calibration = self._calibration
        first = self._judges.first(passage)
        logit = calibration.fast(first)
        if logit < calibration.reject_below:
            return GateVerdict(calibration.probability(logit), keep=False, stage="first-reject")
        judgement = Judgement(*first, self._judges.states.logit(passage))
        logit = calibration.deep(judgement.deep())
        if calibration.full is not None and calibration.probe is not None:
            reading = read()
            logit = calibration.full(judgement.full(reading.log_odds, calibration.probe(reading.hidden.tolist())))
        return GateVerdict(
            calibration.probability(logit), calibration.keeps(logit, passage.room, passage.media), stage="gate"
        )


def gate_target(target_precision: float) -> float:
    """Precision the gate itself must have for the stored memories to reach a target."""
    return 1 - GATE_SHARE_OF_ERRORS * (1 - target_precision)


def identity_of(llm: Path) -> str:
    """Name and size of a weight file: enough to tell models apart without reading a gigabyte."""
    return f"{llm.stem}:{llm.stat().st_size}"


def find_calibration(llm: str, encoder: str, states: str, folders: tuple[Path, ...]) -> Calibration:
    """The calibration for a language model, the user's own folder before the shipped one.

    Args:
        llm: as `identity_of` gives it.
        encoder: sha256 of the encoder's trained part.
        states: that of the probe of the lower layers.
        folders: searched in order for `calibration_name(llm)`.

    Raises:
        CalibrationError: there is none, it is damaged, or it was made for other judges.
    """
    for folder in folders:
        path = folder / calibration_name(llm)
        if path.is_file():
            return _fitting(load_calibration(path), llm, (encoder, states), path)
    raise CalibrationError(f"The language model {llm} has no calibration, so its gate cannot be precise.", hint=_HINT)


def calibration_name(llm: str) -> str:
    return f"calibration-{llm.split(':')[0]}.json"


def save_calibration(calibration: Calibration, path: Path) -> None:
    """Write it whole or not at all.

    Raises:
        CalibrationError: the folder cannot be written.
    """
    content = {"version": CALIBRATION_VERSION, **asdict(calibration)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(content, indent=2) + "\n")
    except OSError as error:
        raise CalibrationError(f"{path} cannot be written: {error.strerror}.", hint="Check its folder.") from error


def load_calibration(path: Path) -> Calibration:
    """Read a calibration file.

    Raises:
        CalibrationError: it is damaged or of another version.
    """
    try:
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        version = content.pop("version")
        if version == CALIBRATION_VERSION:
            weighings = {name: _weighing(content[name]) for name in ("fast", "deep", "full", "probe")}
            points = tuple(OperatingPoint(**point) for point in content["points"])
            return Calibration(**{**content, **weighings, "points": points})
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CalibrationError(f"The calibration {path} is damaged ({error}).", hint=_HINT) from error
    raise CalibrationError(f"The calibration {path} is of version {version}, not {CALIBRATION_VERSION}.", hint=_HINT)


def _fitting(calibration: Calibration, llm: str, judges: tuple[str, str], path: Path) -> Calibration:
    if (calibration.encoder, calibration.states) != judges:
        raise CalibrationError(f"The calibration {path} was made for other judges.", hint=_HINT)
    if calibration.llm != llm:
        raise CalibrationError(f"The calibration {path} was made for {calibration.llm}, not for {llm}.", hint=_HINT)
    return calibration


def _weighing(content: dict[str, Any] | None) -> Weighing | None:
    return Weighing(tuple(content["weights"]), content["bias"]) if content is not None else None


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _logit(p: float) -> float:
    return math.log(p / (1 - p))
