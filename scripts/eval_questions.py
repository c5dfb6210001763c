#!/usr/bin/env python3
"""Does asking the language model yes/no questions about a passage add to the gate? Beside the judges that decide.

    eval_questions.py --out ANSWERS.jsonl [--each 4] [--draws 400]

From each author of the corpus that comes with junod as many passages to keep as to throw away. Each passage is read
once, with the questions asked after it over the same cached prefix; a question's feature is the log-odds of Yes over
No. What they add is measured by a logistic regression over them and the weighed logit of the held-out judges, leaving
one author out; intervals draw authors, with replacement. A second run goes on where the first one stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from junod.assembly.parts import llm_path, mask_passage
from junod.extract.calibration import Evidence, area_under_curve, cross_validated
from junod.extract.evaluate import Labelled, load_labelled
from junod.extract.gate_files import CORPUS, HELD_OUT
from junod.extract.held_out import read_held_out
from junod.extract.language_model import Prompt
from junod.extract.local_llm import LocalLanguageModel
from junod.extract.prompt import as_data
from junod.resources import data_file
from junod.settings import load_settings

SEED = 20260331
FALSE_ALARMS = (0.03, 0.05, 0.10)
QUESTIONS = {
    "ours": "Do the people of this home speak here?",
    "need": "Do they need to buy something?",
    "commitment": "Do they settle what they will do or go to?",
    "vague": "Is it only a vague idea?",
    "past": "Is it over or done already?",
    "others": "Is it about other people's lives?",
}
_SYSTEM = "Answer about the talk with Yes or No."

Array = NDArray[np.float64]


class Asked(LocalLanguageModel):
    """A language model whose next word is weighed."""

    def odds(self, prompt: Prompt, one: Sequence[int], other: Sequence[int]) -> float:
        """Log-odds that the answer begins with a token of `one` and not of `other`."""
        self.read(prompt)
        logits = self._last_logits.astype(np.float64)
        return float(np.logaddexp.reduce(logits[list(one)]) - np.logaddexp.reduce(logits[list(other)]))

    def words(self, *spellings: str) -> list[int]:
        """First token of each spelling."""
        return sorted({self._tokens(spelling, special=False)[0] for spelling in spellings})


def prompt(one: Labelled, question: str) -> Prompt:
    """A question whose prefix holds the passage, so that the passage is evaluated once for all questions."""
    passage = mask_passage(one.passage)
    before = " ".join(passage.context)[-150:]
    said = f"[{passage.room.replace('_', ' ')}] " + (f"Before: {as_data(before)}\n" if before else "")
    prefix = f"<|im_start|>system\n{_SYSTEM}<|im_end|>\n<|im_start|>user\n{said}Talk: {as_data(passage.transcript)}\n"
    return Prompt(prefix, "", (), question, "<|im_end|>\n<|im_start|>assistant\n")


def ask(llm: Asked, one: Labelled) -> dict[str, float]:
    yes, no = llm.words("Yes", "yes"), llm.words("No", "no")
    return {name: round(llm.odds(prompt(one, question), yes, no), 4) for name, question in QUESTIONS.items()}


def drawn(corpus: Sequence[Labelled], each: int) -> list[Labelled]:
    """From every author `each` passages of either kind, in turn: fewer of each are the first of more."""
    rng = np.random.default_rng(SEED)
    groups: dict[tuple[str, bool], list[Labelled]] = {}
    for index in rng.permutation(len(corpus)):
        one = corpus[index]
        groups.setdefault((one.author, bool(one.expect)), []).append(one)
    rows = [group[:each] for _, group in sorted(groups.items())]
    return [row[turn] for turn in range(each) for row in rows if turn < len(row)]


def answered(path: Path, chosen: Sequence[Labelled]) -> dict[str, dict[str, float]]:
    """Answers by passage id, those that are missing asked for and written."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    known = {row["id"]: row["answers"] for row in rows}
    missing = [one for one in chosen if one.passage.id not in known]
    if missing:
        settings = load_settings()
        llm = Asked(llm_path(settings), settings.extract)
        with path.open("a", encoding="utf-8") as file:
            for one in missing:
                known[one.passage.id] = ask(llm, one)
                file.write(json.dumps({"id": one.passage.id, "answers": known[one.passage.id]}) + "\n")
                file.flush()
    return known


def weighed(corpus: Sequence[Labelled]) -> dict[str, float]:
    """Of each passage the weighed logit of judges that never saw its author."""
    held_out = read_held_out(data_file(HELD_OUT))
    deep = np.array([held_out[one.passage.id].judgement.deep() for one in corpus])
    labels = np.array([bool(one.expect) for one in corpus])
    authors = tuple(one.author for one in corpus)
    logits = cross_validated(deep, Evidence(deep, deep, labels, authors, ()))
    return {one.passage.id: float(logit) for one, logit in zip(corpus, logits, strict=True)}


def recall_at(scores: Array, labels: NDArray[np.bool_], false_alarms: float) -> float:
    wrong = np.sort(scores[~labels])[::-1]
    return float((scores[labels] > wrong[int(false_alarms * len(wrong))]).mean())


def figures(scores: Array, labels: NDArray[np.bool_]) -> Array:
    return np.array([area_under_curve(scores, labels), *(recall_at(scores, labels, each) for each in FALSE_ALARMS)])


def interval(ways: Sequence[Array], labels: NDArray[np.bool_], authors: Sequence[str], draws: int) -> Array:
    """Figures of each way and of the last less the first, by drawing authors: shape (draws, ways + 1, figures)."""
    rng = np.random.default_rng(SEED)
    places = [np.flatnonzero(np.array(authors) == name) for name in sorted(set(authors))]
    found = []
    for _ in range(draws):
        picked = np.concatenate([places[int(i)] for i in rng.integers(0, len(places), len(places))])
        rows = [figures(way[picked], labels[picked]) for way in ways]
        found.append([*rows, rows[-1] - rows[0]])
    return np.array(found)


def main() -> int:
    options = _parser().parse_args()
    corpus = [one for one in load_labelled(data_file(CORPUS)) if one.holds_memory is not None]
    chosen = drawn(corpus, options.each)
    answers = answered(options.out, chosen)
    logits = weighed(corpus)
    labels = np.array([bool(one.expect) for one in chosen])
    authors = tuple(one.author for one in chosen)
    asked = np.array([[answers[one.passage.id][name] for name in QUESTIONS] for one in chosen])
    asked = (asked - asked.mean(0)) / asked.std(0)
    gate = np.array([logits[one.passage.id] for one in chosen])
    evidence = Evidence(asked, asked, labels, authors, ())
    alone, both = cross_validated(asked, evidence), cross_validated(np.column_stack([gate, asked]), evidence)
    print(f"{len(chosen)} passages, {int(labels.sum())} to keep, {len(set(authors))} authors")
    for place, name in enumerate(QUESTIONS):
        print(f"  {name:12} area {area_under_curve(asked[:, place], labels):.3f}")
    spread = interval([gate, alone, both], labels, authors, options.draws)
    rows = [figures(way, labels) for way in (gate, alone, both)]
    names = ("gate", "questions", "both", "both less gate")
    for name, row, draws in zip(names, [*rows, rows[-1] - rows[0]], np.swapaxes(spread, 0, 1), strict=True):
        low, high = np.percentile(draws, [2.5, 97.5], axis=0)
        cells = (f"{value:.3f} ({a:.3f} to {b:.3f})" for value, a, b in zip(row, low, high, strict=True))
        print(f"| {name} | " + " | ".join(cells) + " |")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="answers; those that are there are not asked again")
    parser.add_argument("--each", type=int, default=4, help="passages of either kind from each author")
    parser.add_argument("--draws", type=int, default=400)
    return parser


if __name__ == "__main__":
    sys.exit(main())
