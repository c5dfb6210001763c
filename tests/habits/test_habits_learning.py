"""What counts as an occurrence, what is shown of it, and how a person teaches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from habits.habit_fakes import Home, home_in, week
from memory.memory_fakes import passage

from junod.errors import NotFoundError, UsageError
from junod.memory import verbs
from junod.records import NewMemory


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with home_in(tmp_path) as opened:
        yield opened


def test_what_is_bought_again_and_again_becomes_a_habit_and_a_quiet_suggestion(home: Home) -> None:
    home.buy("coffee", 7, every_days=9)
    home.wait(2)
    (habit,) = home.habits.list(home.now)
    assert habit.sentence == "You usually buy coffee about every 9 days."
    assert (habit.occurrences, habit.weeks) == (7, 7)
    (suggestion,) = home.habits.suggestions(home.now)
    assert suggestion.text == "You usually buy coffee every 9 days; it has been 11."
    assert suggestion.proposal == "Shopping list:\n- coffee"


def test_what_is_on_a_list_is_not_suggested(home: Home) -> None:
    home.buy("coffee", 7, every_days=9)
    home.wait(2)
    home.say("Shopping list:\n- salt\n- 2 packs of coffee")
    home.learn()
    assert home.habits.suggestions(home.now) == ()
    assert home.sentences() == ["You usually buy coffee about every 9 days."]


def test_saying_it_again_while_it_is_on_the_list_is_no_occurrence(home: Home) -> None:
    for _ in range(8):
        home.say("Shopping list:\n- coffee")
        home.wait(7)
    home.learn()
    (habit,) = home.habits.list(home.now, everything=True)
    assert habit.occurrences == 1


@pytest.mark.parametrize("after", ["Shopping list:\n- ~~coffee~~\n- salt", "Shopping list:\n- salt"])
def test_an_item_ticked_or_taken_off_by_hand_was_got(home: Home, after: str) -> None:
    for _ in range(7):
        first = home.say("Shopping list:\n- coffee\n- salt")
        home.store.edit(first.id, after)
        home.wait(7)
    home.learn()
    assert "You usually buy coffee about every 7 days." in home.sentences()


def test_lists_put_together_are_no_new_occurrence(home: Home) -> None:
    first, second = home.say("Shopping list:\n- coffee"), home.say("Shopping list:\n- salt")
    home.wait(1)
    merged = NewMemory(
        "Shopping list:\n- coffee\n- salt", "", home.now, None, "kitchen", source="merge",
        supersedes=(first.id, second.id), reason="list",
    )  # fmt: skip
    home.store.add(merged)
    home.learn()
    assert [habit.occurrences for habit in home.habits.list(home.now, everything=True)] == [1, 1]
    assert all(row.is_open for row in home.rows.all())


def test_twice_is_no_habit_and_neither_is_three_times_in_two_weeks(home: Home) -> None:
    home.finish("Take out the bins", 2)
    assert home.sentences() == []
    for _ in range(2):
        home.finish("Water the ferns", 1)
        home.wait(-4 + 7)
    assert home.sentences() == []


def test_three_weeks_of_the_same_hour_are_a_habit_worded_as_often(home: Home) -> None:
    home.finish("Take out the bins", 3)
    assert home.sentences() == ["Often done on Mondays around 09:00: Take out the bins."]


def test_an_undone_task_does_not_count(home: Home) -> None:
    done = home.finish("Take out the bins", 3)
    home.store.restore(done[-1].id)
    home.learn()
    assert home.sentences() == []


@pytest.mark.parametrize("learned_between", [True, False])
def test_a_tick_taken_back_leaves_the_item_on_the_list(home: Home, learned_between: bool) -> None:
    listed = home.say("Shopping list:\n- coffee\n- salt")
    home.learn()
    ticked = verbs.tick(home.store, listed.id, "coffee")
    if learned_between:
        home.learn()
        assert sorted(row.is_open for row in home.rows.all()) == [False, True]
    verbs.undo(home.store, ticked.id)
    home.wait(3)
    home.say("Shopping list:\n- coffee")
    home.learn()
    assert [(len(row.moments), row.is_open) for row in home.rows.all()] == [(1, True), (1, True)]


def test_appointments_at_the_same_hour_count_when_they_have_come(home: Home) -> None:
    for number in range(5):
        at = home.now + week(1)
        home.say(f"Swimming class for Pella: {at:%a} {at.day} {at:%b %Y, %H:%M}", until=at)
        home.learn()
        home.wait(7)
        home.store.expire(home.now)
        shown = home.sentences()
        assert bool(shown) == (number >= 2), f"{number + 1} have come"
    assert home.sentences() == ["There is often an appointment on Mondays around 09:00."], "its words have expired"
    at = home.now + week(1)
    home.say(f"Swimming class for Pella: {at:%a} {at.day} {at:%b %Y, %H:%M}", until=at)
    home.learn()
    assert home.sentences() == ["Often on Mondays around 09:00: Swimming class for Pella."], "and were said again"


def test_a_moved_appointment_counts_at_its_new_hour_only(home: Home) -> None:
    first = home.say("Dentist: Mon 12 Jan 2026, 10:00", until=home.now + week(1))
    home.learn()
    home.store.edit(first.id, "Dentist: Tue 13 Jan 2026, 15:00")
    home.learn()
    for row in home.rows.all():
        assert [f"{at.astimezone(home.now.tzinfo):%a %H:%M}" for at in row.moments] == ["Tue 15:00"]


def test_a_habit_that_rests_is_put_away_and_comes_back_by_repetition(home: Home) -> None:
    home.buy("coffee", 7)
    assert home.sentences()
    home.wait(60)
    assert home.sentences() == []
    (habit,) = home.habits.list(home.now, everything=True)
    assert habit.is_archived
    assert habit.weight < 0.15


def test_nothing_is_learned_in_a_bedroom_by_default_nor_with_habits_off(home: Home) -> None:
    home.buy("coffee", 7, room="bedroom")
    assert home.sentences(everything=True) == []
    home.set(enabled=False)
    home.buy("tea", 7)
    home.set()
    home.learn()
    assert home.sentences(everything=True) == [], "turning it on does not look back"
    home.set(bedrooms=True)
    home.buy("cocoa", 7, room="bedroom")
    assert home.sentences() == ["You usually buy cocoa about every 7 days."]


def test_no_lowers_the_weight_and_keeps_quiet_for_a_while(home: Home) -> None:
    home.buy("coffee", 9)
    home.wait(2)
    (asked,) = home.habits.suggestions(home.now)
    after = home.habits.no(asked.habit.id, home.now)
    assert after.weight == pytest.approx(asked.habit.weight / 2, rel=0.01)
    assert home.habits.suggestions(home.now) == ()


def test_yes_strengthens_the_habit_and_adds_nothing(home: Home) -> None:
    home.buy("coffee", 7)
    home.wait(2)
    before = home.store.counts()
    (asked,) = home.habits.suggestions(home.now)
    answered = home.habits.yes(asked.habit.id, home.now)
    assert answered.habit.weight > asked.habit.weight
    assert answered.proposal == "Shopping list:\n- coffee"
    assert home.store.counts() == before
    assert home.habits.suggestions(home.now) == (), "for the rest of the day"


def test_a_rule_wins_over_a_habit(home: Home) -> None:
    from junod.habits.verbs import Habits

    home.buy("nuts", 7)
    home.wait(2)
    assert home.habits.suggestions(home.now)
    ruled = Habits(home.rows, home.settings, home.habits._zone, is_allowed=lambda thing: thing != "nuts")
    assert ruled.suggestions(home.now) == ()


def test_a_deleted_habit_is_not_learned_again(home: Home) -> None:
    """Case m101: what was deleted does not come back by looking at the same things once more."""
    home.buy("coffee", 7)
    (habit,) = home.habits.list(home.now)
    home.habits.delete(habit.id[-8:])
    home.buy("coffee", 7)
    assert home.sentences(everything=True) == []
    with pytest.raises(NotFoundError, match="habit"):
        home.habits.show(habit.id, home.now)


def test_deleting_everything_leaves_no_row(home: Home) -> None:
    home.buy("coffee", 4)
    home.finish("Take out the bins", 3)
    assert home.habits.delete_all() == 2
    assert home.rows.all() == ()


def test_an_id_that_is_not_clear_is_refused(home: Home) -> None:
    home.buy("coffee", 1)
    home.buy("tea", 1)
    ids = [row.id for row in home.rows.all()]
    shared = next(end for end in "0123456789abcdef" if sum(each.endswith(end) for each in ids) != 1)
    with pytest.raises((UsageError, NotFoundError)):
        home.habits.show(shared, home.now)
    with pytest.raises(NotFoundError):
        home.habits.show("", home.now)


def test_hours_of_talk_are_counts_of_passages(home: Home) -> None:
    for number in range(4):
        home.store.spool_passage(passage(f"p{number}", f"talk {number}"))
        home.learn()
        home.wait(7)
    (count,) = home.habits.talk()
    assert (count.room, count.weekday, count.hour, count.passages, count.weeks) == ("kitchen", 0, 9, 4, 4)
    home.store.spool_passage(passage("p9", "talk in the night"))
    home.learn(room="bedroom")
    assert sum(each.passages for each in home.rows.talk()) == 4


def test_a_word_for_word_twin_of_a_story_is_no_habit(home: Home) -> None:
    story = "the neighbours told us at length that their old garden shed roof leaks badly whenever northern storms blow"
    home.finish(story, 4)
    assert home.sentences(everything=True) == []
