#!/usr/bin/env python3
"""How much links help context, over the questions of tests/links: `bench_links.py [--words-alone] [--others]`.

`--others` asks those that are not by the method's author, each about its own home; `--one-store` the same
with all eight homes in one store.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from links.linked_questions import (
    ONE,
    OTHERS,
    Question,
    found_alone,
    hit_rate,
    home,
    linked,
    more_of_the_same,
    questions,
)

from junod.assembly.embedders import build_embedder
from junod.sections import LinksSettings
from junod.settings import load_settings


def main() -> None:
    embedder = None if "--words-alone" in sys.argv else build_embedder(load_settings(None))
    answers = {
        "five memories, no links": found_alone(embedder),
        "plain search, as many as 800 tokens hold": more_of_the_same(embedder, 800),
        "links, one deep": linked(embedder, LinksSettings(depth=1)),
        "links, two deep": linked(embedder, LinksSettings()),
    }
    asked = wanted()
    print("| context | all | one memory away | two | three | memories in it |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        names = {each.home for each in asked}
        stores = {name: stack.enter_context(home(name, Path(folder), embedder)) for name in names}
        for name, answer in answers.items():
            hops = [hit_rate(stores, [each for each in asked if each.hops == number], answer) for number in (1, 2, 3)]
            size = sum(len(answer(stores[each.home], each.question)) for each in asked) / len(asked)
            cells = [hit_rate(stores, asked, answer), *hops]
            print(f"| {name} | {' | '.join(f'{cell:.2f}' for cell in cells)} | {size:.1f} |")


def wanted() -> list[Question]:
    if "--one-store" in sys.argv:
        return [replace(each, home=ONE) for each in questions(OTHERS)]
    return questions(OTHERS) if "--others" in sys.argv else questions()


if __name__ == "__main__":
    main()
