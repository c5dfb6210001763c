"""Where the gate's weights lie that do not come with junod."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class GateModels:
    llm: Path
    """The language model that will write: its calibration is the gate's."""
    base: Path
    """Folder of all-MiniLM-L6-v2."""
    lower: Path
    """The lower layers of a small language model."""
    own: Path
    """Folder of the household's calibrations; it need not exist."""
