"""Weeks on a simulated clock: nothing grows that should not, nothing comes late, and counters pass 31 bits."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from soak.soak_house import STEP_S, ZONE, Diary
from soak.soak_run import figures, slope, soak
from soak.soak_talk import days

DAYS = 8


@pytest.fixture(scope="module")
def diary(tmp_path_factory: pytest.TempPathFactory) -> Diary:
    return soak(tmp_path_factory.mktemp("soak"), DAYS, talks_a_day=25)


def test_people_talk_by_day_only_and_say_the_same_each_time() -> None:
    one, other = (list(days(date(2026, 3, 28), 2, ZONE, 1, 20)) for _ in range(2))
    assert one == other
    assert all(6 <= talk.at.hour < 23 for day in one for talk in day)


def test_everything_said_is_decided_and_samples_are_counted_past_31_bits(diary: Diary) -> None:
    assert diary.last_sample > 2**31
    assert diary.failures == 0
    assert diary.memories > 10
    assert diary.expired > 0


def test_nothing_grows(diary: Diary) -> None:
    assert len({day.descriptors for day in diary.days}) <= 2
    assert slope([day.rss_kb for day in diary.days]) < 1024
    assert all(later.database_kb - earlier.database_kb < 512 for earlier, later in pairwise(diary.days))
    assert max(day.log_lines for day in diary.days) < 50


def test_expiry_and_dedup_come_when_due(diary: Diary) -> None:
    """A step of the simulated clock, and the talk that was going on."""
    assert diary.expiry_late_s <= 60 + 2 * STEP_S
    assert diary.dedup_late_s <= 2 * STEP_S
    assert figures(diary)["days"] == DAYS
