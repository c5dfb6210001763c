#!/usr/bin/env python3
"""How well declarations are read: `bench_rules.py [--patterns] [TALK.jsonl ...]`.

The phrasings of tests/rules by patterns, then with the language model behind them; then each passage of the given files
(each line a JSON object with a `transcript`), of which none should make a rule. With `--patterns` no model is loaded.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from rules.rules_fakes import is_as_labelled, phrasings

from junod.assembly.parts import llm_path
from junod.rules.asking import asking
from junod.rules.cues import cue
from junod.rules.listen import sentences
from junod.rules.patterns import read
from junod.rules.reading import Ask, Reading, read_rules
from junod.rules.schema import told
from junod.settings import load_settings

SPLITS = ("dev", "test", "free-dev", "free-test", "other-dev", "other-test", "last")


def main() -> None:
    ask = None if "--patterns" in sys.argv else with_model()
    for name, way in (("patterns", None), ("model", ask))[: 1 if ask is None else 2]:
        for split in SPLITS:
            print(f"{name:8} {split:9} {dict(score(split, way, loud=name == 'model' or ask is None))}", flush=True)
    for path in sys.argv[1:]:
        if path.endswith(".jsonl"):
            talk(Path(path), ask)


def with_model() -> Ask:
    from junod.extract.local_llm import LocalLanguageModel

    settings = load_settings(None)
    llm = LocalLanguageModel(llm_path(settings), settings.extract)
    return asking(llm, settings.extract.deadline_s)


def score(split: str, ask: Ask | None, *, loud: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in phrasings(split):
        reading = read_rules(row["said"], ask)
        what = outcome(reading, row["expect"])
        counts[what] += 1
        if loud and what not in ("right", "left alone"):
            found = [told(one.spec) for one in reading.declared] + [one.question for one in reading.asked]
            print(f"    {what}: {row['said']} -> {found}")
    return counts


def outcome(reading: Reading, expect: dict[str, str] | None) -> str:
    if expect is None:
        return "MADE A RULE" if reading.declared else "asked about no rule" if reading.asked else "left alone"
    if "question" in expect:
        return "right" if reading.asked and not reading.declared else "not asked back"
    specs = [one.spec for one in reading.declared]
    if len(specs) == 1 and is_as_labelled(specs[0], expect):
        return "right"
    return "WRONG" if specs else "asked back" if reading.asked else "not understood"


def talk(path: Path, ask: Ask | None) -> None:
    """Every sentence of a file of talk."""
    counts: Counter[str] = Counter()
    for line in path.read_text("utf-8").splitlines():
        counts["passages"] += 1
        for sentence in sentences(json.loads(line)["transcript"]):
            counts["sentences"] += 1
            found = read(sentence)
            if found is None and cue(sentence) is not None:
                counts["reach the model"] += 1
                found = ask(sentence) if ask else None
                print(f"    asks the model: {sentence.said}")
            if found is not None:
                counts[type(found).__name__] += 1
                print(f"    {type(found).__name__}: {sentence.said} -> {found}")
    print(f"{path.name}: {dict(counts)}", flush=True)


if __name__ == "__main__":
    main()
