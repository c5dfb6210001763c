#!/usr/bin/env python3
"""The audit and the gate's own model over texts: `bench_audit.py [--shapes] FILE ...`, a text a line.

Says of each file how many texts have the shape of an instruction to a program, how many the gate turns away, and how
many either of the two. What the gate asks the language model about counts as not turned away. With `--shapes` no model
is loaded. `tests/audit` has files of both kinds; public corpora of injections can be measured beside them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from junod.assembly.parts import gate_models
from junod.audit import is_suspect
from junod.errors import ExtractionError
from junod.extract.language_model import Reading
from junod.records import Passage
from junod.settings import load_settings

HEARD_AT = datetime(2026, 3, 24, 17, 0, tzinfo=UTC)


def main() -> None:
    turns_away = (lambda text: False) if "--shapes" in sys.argv else gate()
    print("| texts | number | shape of an instruction | turned away by the gate | either |")
    print("| --- | --- | --- | --- | --- |")
    for name in sys.argv[1:]:
        if name.startswith("--"):
            continue
        counts: Counter[str] = Counter()
        for text in filter(None, map(str.strip, Path(name).read_text("utf-8").splitlines())):
            shape, away = is_suspect(text), turns_away(text)
            counts.update(all=1, shape=shape, away=away, either=shape or away)
        print(f"| {Path(name).name} | {counts['all']} | {counts['shape']} | {counts['away']} | {counts['either']} |")


def gate() -> Callable[[str], bool]:
    from junod.extract.gate_files import load_gate

    settings = load_settings(None)
    judges = load_gate(gate_models(settings), target_precision=settings.extract.target_precision)

    def turns_away(text: str) -> bool:
        passage = Passage("p", text, HEARD_AT, "kitchen")
        try:
            return not judges.gate.assess(passage, _no_reading).keep
        except ExtractionError:
            return False

    return turns_away


def _no_reading() -> Reading:
    raise ExtractionError("The language model is not asked here.")


if __name__ == "__main__":
    main()
