#!/usr/bin/env python3
"""How well junod masks credentials in labelled passages.

    scripts/eval_redaction.py PASSAGES.jsonl... [--quiet]

Each line is a passage (`transcript`, optional `context`, `expect`, `forbid`). Printed for each file and in all:

leaks       passages whose masked transcript still holds one of its `forbid` strings
destroyed   passages with a string of `expect` that masking removed
masked      passages without `forbid` in which something was masked (false masks, or a credential nobody labelled)

Exit code 1 when anything leaked.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from junod.redact.credentials import mask


@dataclass
class Tally:
    """Counts of one file or of all."""

    passages: int = 0
    with_forbid: int = 0
    leaks: int = 0
    with_expect: int = 0
    destroyed: int = 0
    masked: int = 0

    def add(self, other: Tally) -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __str__(self) -> str:
        harmless = self.passages - self.with_forbid
        return (
            f"{self.passages} passages: leaks {self.leaks}/{self.with_forbid}, destroyed {self.destroyed}/"
            f"{self.with_expect}, masked without forbid {self.masked}/{harmless}"
            f" ({100 * self.masked / max(harmless, 1):.2f} %)"
        )


def judge(passage: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (what is wrong, details) for one passage."""
    text: str = passage["transcript"]
    masked = mask(text, passage.get("context") or ())
    lowered, original = masked.text.lower(), text.lower()
    leaked = [secret for secret in passage.get("forbid", ()) if secret.lower() in lowered]
    if leaked:
        yield "leaks", f"{leaked[:4]} in {masked.text!r}"
    if masked.found and not passage.get("forbid"):
        yield "masked", repr(masked.text)
    wanted = [choices.lower().split("|") for memory in passage.get("expect", ()) for choices in memory["all"]]
    lost = [
        choices
        for choices in wanted
        if any(choice in original for choice in choices) and not any(choice in lowered for choice in choices)
    ]
    if lost:
        yield "destroyed", f"{lost} from {text!r}"


def tally_file(path: Path, quiet: bool) -> Tally:
    """Judge every passage of a file, printing what is wrong unless `quiet`."""
    tally = Tally()
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        passage = json.loads(line)
        tally.passages += 1
        tally.with_forbid += bool(passage.get("forbid"))
        tally.with_expect += bool(passage.get("expect"))
        for fault, details in judge(passage):
            setattr(tally, fault, getattr(tally, fault) + 1)
            if not quiet:
                print(f"{fault.upper()} {passage.get('id', '?')}: {details}")
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path, metavar="PASSAGES.jsonl")
    parser.add_argument("--quiet", action="store_true", help="figures only")
    arguments = parser.parse_args()
    total = Tally()
    for path in arguments.files:
        tally = tally_file(path, arguments.quiet)
        print(f"{path.name}: {tally}")
        total.add(tally)
    if len(arguments.files) > 1:
        print(f"all: {total}")
    return 1 if total.leaks else 0


if __name__ == "__main__":
    sys.exit(main())
