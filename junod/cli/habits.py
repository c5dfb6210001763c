"""`junod habits`: what the household does again and again; answer it, or delete it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for

if TYPE_CHECKING:
    from junod.habits.verbs import Habit, Suggestion

app = typer.Typer(help="Look at habits, answer them, delete them.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(help="Id of a habit, or the end of it that `list` shows.", show_default=False)]


@app.command("list")
def list_habits(
    everything: Annotated[bool, typer.Option("--all", help="Also what is being learned or was put away.")] = False,
    talk: Annotated[bool, typer.Option("--talk", help="Hours at which people often talk: counts only.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show what usually happens, the strongest habit first, and what is due. Nothing of it is a fact."""
    from junod.assembly.house import open_house
    from junod.habits.telling import habit_row, suggestion_row, talk_row

    with open_house(settings_for(config, db)) as house:
        now = house.clock.now()
        habits, due = house.habits.list(now, everything=everything), house.habits.suggestions(now)
        hours = house.habits.talk() if talk else ()
        zone = house.zone
    if json:
        print_json(
            {
                "habits": [habit_row(habit, zone) for habit in habits],
                "suggestions": [suggestion_row(each) for each in due],
                "talk": [talk_row(each) for each in hours],
            }
        )
        return
    for habit in habits:
        print(_line(habit))
    if not habits:
        print("No habits are known. They take at least three occurrences in three different weeks.")
    for suggestion in due:
        print(f"? {suggestion.text} ({suggestion.habit.id[-8:]}; answer with `junod habits yes` or `no`)")
    for hour in hours:
        print(f"{hour.passages:>5} passages in the {hour.room}, {_DAYS[hour.weekday]} {hour.hour:02}:00")


@app.command()
def show(habit_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Show one habit with the memories that bear it out."""
    from junod.assembly.house import open_house
    from junod.cli.output import memory_row, moment, one_line
    from junod.habits.telling import habit_row

    with open_house(settings_for(config, db)) as house:
        habit, memories = house.habits.show(habit_id, house.clock.now())
        zone = house.zone
    if json:
        print_json({**habit_row(habit, zone), "evidence": [memory_row(memory) for memory in memories]})
        return
    print(_line(habit))
    print(f"  seen {habit.occurrences} times in {habit.weeks} weeks; chance would be as regular at {habit.chance:.2g}")
    for memory in memories:
        print(f"  {moment(memory.spoken_at)}  {one_line(memory.memory)} ({memory.id[-8:]})")


@app.command()
def yes(habit_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Say that a suggestion was right. The habit grows; nothing is put on a list: that is for you to do."""
    from junod.assembly.house import open_house

    with open_house(settings_for(config, db)) as house:
        _answered(house.habits.yes(habit_id, house.clock.now()), as_json=json)


@app.command()
def no(habit_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Say that a suggestion was wrong. The habit loses half its weight and keeps quiet for a while."""
    from junod.assembly.house import open_house
    from junod.habits.telling import habit_row

    with open_house(settings_for(config, db)) as house:
        habit = house.habits.no(habit_id, house.clock.now())
        if json:
            print_json(habit_row(habit, house.zone))
            return
    print(f"It will not be suggested for a while. {_line(habit)}")


@app.command()
def delete(
    habit_id: Annotated[str, typer.Argument(help="Id of a habit, or the end of it.", show_default=False)] = "",
    everything: Annotated[bool, typer.Option("--all", help="All habits and all counts of talk.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Erase a habit for good: it is not learned again. The memories stay."""
    from junod.assembly.house import open_house
    from junod.errors import UsageError

    if everything == bool(habit_id):
        raise UsageError("Say what to delete.", hint="Give the id of a habit, or --all.")
    with open_house(settings_for(config, db)) as house:
        if everything and not (yes or json):
            typer.confirm("Delete every habit and the counts of talk for good?", abort=True, err=True)
        deleted = house.habits.delete_all() if everything else [house.habits.delete(habit_id)]
    if json:
        print_json({"deleted": deleted})
    else:
        print(f"Deleted ({deleted if everything else 1}).")


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _answered(suggestion: Suggestion, *, as_json: bool) -> None:
    from junod.habits.telling import suggestion_row

    if as_json:
        print_json(suggestion_row(suggestion))
        return
    print("Noted.")
    if suggestion.proposal:
        print(f"To put it on the list: junod memories add $'{suggestion.proposal}'".replace("\n", "\\n"))


def _line(habit: Habit) -> str:
    state = "" if habit.is_shown else " (put away)" if habit.is_archived else " (being learned)"
    return f"{habit.id[-8:]}  {habit.weight:.2f}  {habit.sentence or 'nothing to say yet'}{state}"
