"""Simulated households on a simulated clock: what is found, how soon, how soon dropped, and nothing from chance."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest
from habits.simulated_homes import Score, dropped, homes, lived, random_year

from junod.sections import HabitsSettings

SEED = 20_260
"""Not among the seeds that docs/habits.md measures; nothing was tuned on it."""


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Score, ...]:
    folder = tmp_path_factory.mktemp("homes")
    return tuple(lived(home, folder, HabitsSettings()) for home in homes(SEED))


def test_most_habits_are_found_and_few_are_made_up(scores: tuple[Score, ...]) -> None:
    there = sum(len(score.household.truths) for score in scores)
    found = sum(len(score.first_shown) for score in scores)
    false = sum(len(score.false) for score in scores)
    assert found / there >= 0.8
    assert found / (found + false) >= 0.9, [score.false for score in scores]


def test_a_habit_takes_at_least_three_weeks_and_usually_not_half_a_year(scores: tuple[Score, ...]) -> None:
    weeks = [score.weeks_to_learn(truth) for score in scores for truth in score.first_shown]
    assert min(weeks) > 1.8, "three ISO weeks: two whole ones and a day at the least"
    assert median(weeks) <= 6


def test_a_dropped_habit_is_forgotten_within_nine_weeks(scores: tuple[Score, ...]) -> None:
    (change,) = (score for score in scores if score.household.name == "change")
    assert dropped(change)
    for truth in dropped(change):
        assert change.weeks_to_forget(truth) <= 9
        assert change.last_shown[truth] < change.household.days - 1


def test_holiday_and_illness_do_not_end_a_habit(scores: tuple[Score, ...]) -> None:
    for name in ("holiday", "illness"):
        (score,) = (score for score in scores if score.household.name == name)
        assert max(score.last_shown.values()) == score.household.days - 1


def test_a_year_of_chance_holds_at_most_one_habit(tmp_path: Path) -> None:
    score = lived(random_year(SEED), tmp_path, HabitsSettings())
    assert len(score.false) <= 1, score.false
