#!/usr/bin/env python3
"""What is learned of simulated households: `bench_habits.py [ROUNDS] [FIRST_SEED]`; no model, no clock but theirs."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from habits.simulated_homes import Score, dropped, homes, lived, random_year

from junod.sections import HabitsSettings


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    settings = HabitsSettings()
    scores: list[Score] = []
    years: list[Score] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            seed = first + 100 * number
            scores += [lived(home, Path(folder), settings) for home in homes(seed)]
            years.append(lived(random_year(seed + 50), Path(folder), settings))
    print("| household | found | recall | false | weeks to learn (median, longest) | weeks to forget (longest) |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in dict.fromkeys(score.household.name for score in scores):
        _line(name, [score for score in scores if score.household.name == name])
    _line("all", scores)
    for kind in ("buy", "done", "when"):
        found = [s.weeks_to_learn(t) for s in scores for t in s.first_shown if t.kind == kind]
        there = sum(t.kind == kind for s in scores for t in s.household.truths)
        print(f"{kind}: {len(found)} of {there} found, median {median(found):.1f} weeks")
    false = [len(year.false) for year in years]
    print(f"{rounds} years of chance: {false} false habits {[sorted(year.false) for year in years if year.false]}")


def _line(name: str, scores: list[Score]) -> None:
    there = sum(len(score.household.truths) for score in scores)
    found = sum(len(score.first_shown) for score in scores)
    false = sum(len(score.false) for score in scores)
    weeks = [score.weeks_to_learn(truth) for score in scores for truth in score.first_shown]
    gone = [score.weeks_to_forget(truth) for score in scores for truth in dropped(score)]
    print(
        f"| {name} | {found} of {there} | {found / there:.2f} | {false} | {median(weeks):.1f}, {max(weeks):.1f} |"
        f" {f'{max(gone):.1f}' if gone else ''} |"
    )


if __name__ == "__main__":
    main()
