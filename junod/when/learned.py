"""The file of what each sign of a meant time weighs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from junod.errors import ModelError

LEARNED_FILE = "dates.json"


def load_learned(path: Path) -> dict[str, float]:
    """Sign -> weight.

    Raises:
        ModelError: the file is missing or damaged.
    """
    try:
        return {str(name): float(value) for name, value in json.loads(path.read_text("utf-8")).items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} cannot be read ({error}).", hint="Install junod again.") from error


def save_learned(path: Path, learned: Mapping[str, float]) -> None:
    """Weights to three digits; those that weigh nothing are left out."""
    rounded = {name: round(value, 3) for name, value in sorted(learned.items())}
    kept = {name: value for name, value in rounded.items() if value}
    path.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n", "utf-8")
