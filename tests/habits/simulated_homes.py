"""The households that are lived, and how what junod shows of them is scored against what they do."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from habits.household_simulator import FOREVER, WEEK, ZONE, Chance, Household, Truth, live

from junod.extract.words import keys
from junod.habits.learn import HabitLearner
from junod.habits.verbs import Habit, Habits
from junod.memory.habits import HabitStore
from junod.sections import HabitsSettings

ITEMS = (
    "paprika", "candles", "batteries", "string", "capers", "vanilla", "sponges", "matches", "gravy", "noodles",
    "lentils", "olives", "mustard", "sesame oil", "birthday card", "light bulbs", "printer paper", "sunscreen",
    "plasters", "cinnamon", "coconut milk", "cornflour", "icing sugar", "sticky tape", "wrapping paper", "peat",
    "birdseed", "toothpicks", "vinegar", "cranberries", "pesto", "ginger", "yeast", "raisins", "tinfoil", "glue",
    "stock cubes", "chickpeas", "horseradish", "marzipan",
)  # fmt: skip
TASKS = (
    "Fix the bathroom shelf", "Call the landlord", "Return the parcel", "Clean the oven", "Bleed the radiators",
    "Descale the kettle", "Mend the puncture", "Sort the photos", "Post the letter", "Oil the hinges",
    "Book the train", "Renew the passport", "Air the duvets", "Sweep the cellar", "Pay the plumber",
)  # fmt: skip
DATES = (
    "Optician for Jorun", "Dinner with the Hallers", "Car inspection", "Parents' evening", "Chimney sweep",
    "Haircut Tamsin", "Boiler service", "Lunch with Osric", "Bank appointment", "Vet with the cat", "Theatre",
    "Blood test Jorun",
)  # fmt: skip
CHANCE = Chance(4, 2, 1, ITEMS, TASKS, DATES)


def _buy(thing: str, every_days: float, spread: float, **when: int) -> Truth:
    return Truth("buy", thing, every_days=every_days, spread=spread, **when)


def _done(thing: str, weekday: int, hour: float, spread_min: float, **when: int) -> Truth:
    return Truth("done", thing, weekday, hour, spread=spread_min, **when)


def _date(thing: str, weekday: int, hour: float, **when: int) -> Truth:
    return Truth("when", thing, weekday, hour, **when)


def homes(seed: int) -> tuple[Household, ...]:
    """Six households of twelve weeks; that which changes its ways goes on for eight more, to see what is forgotten."""
    coffee, milk = _buy("coffee", 6, 0.8), _buy("milk", 3, 0.5)
    bins, swimming = _done("Take out the bins", 1, 19.5, 15), _date("Swimming class for Pella", 3, 17)
    bread, oat_milk = _buy("bread", 2.5, 0.5), _buy("oat milk", 5, 0.7)
    plants, choir = _done("Water the plants", 6, 10, 20), _date("Choir", 0, 19.5)
    eggs, yoghurt = _buy("eggs", 5, 0.8), _buy("yoghurt", 4, 0.6)
    sheets, piano = _done("Change the sheets", 5, 11, 25), _date("Piano lesson for Wim", 2, 16.5)
    cereal, oats = _buy("cereal", 5, 0.7, until_day=42), _buy("porridge oats", 5, 0.7, from_day=42)
    gym, yoga = _done("Gym bag packed", 0, 20, 15, until_day=42), _date("Yoga", 1, 18, until_day=42)
    pottery = _date("Pottery", 4, 18.5, from_day=42)
    late_coffee, bananas = _buy("coffee", 8, 1.6), _buy("bananas", 4, 1.0)
    hall, football = _done("Vacuum the hall", 5, 15, 45), _date("Football training", 2, 17.5)
    dog, sourdough = _buy("dog food", 10, 1.0), _done("Feed the sourdough", 4, 21, 20)
    busy, quiet = Chance(7, 4, 2, ITEMS, TASKS, DATES), Chance(1, 1, 0.5, ITEMS, TASKS, DATES)
    return (
        Household("steady", seed, (coffee, milk, bins, swimming), CHANCE),
        Household("holiday", seed + 1, (bread, oat_milk, plants, choir), CHANCE, away=((35, 49),)),
        Household("illness", seed + 2, (eggs, yoghurt, sheets, piano), CHANCE, ill=((28, 36), (60, 64))),
        Household("change", seed + 3, (cereal, oats, gym, yoga, pottery), CHANCE, days=20 * WEEK),
        Household("untidy", seed + 4, (late_coffee, bananas, hall, football), busy),
        Household("sparse", seed + 5, (dog, sourdough), quiet, away=((14, 18),), ill=((50, 55),)),
    )


def random_year(seed: int) -> Household:
    """A year in which nothing is a habit."""
    return Household("random", seed, (), Chance(5, 4, 2, ITEMS, TASKS, DATES), days=52 * WEEK)


@dataclass(slots=True)
class Score:
    """What was shown of one household's life."""

    household: Household
    first_shown: dict[Truth, int] = field(default_factory=dict)
    """Day on which each habit was shown first."""
    last_shown: dict[Truth, int] = field(default_factory=dict)
    false: set[str] = field(default_factory=set)
    """Sentences without truth in them."""
    true: set[str] = field(default_factory=set)

    @property
    def found(self) -> int:
        return len(self.first_shown)

    def weeks_to_learn(self, truth: Truth) -> float:
        return (self.first_shown[truth] + 1 - truth.from_day) / WEEK

    def weeks_to_forget(self, truth: Truth) -> float:
        """From the end of a habit until it was shown last."""
        return max(0.0, (self.last_shown[truth] + 1 - truth.until_day) / WEEK)


def lived(household: Household, folder: Path, settings: HabitsSettings) -> Score:
    """Live a household, learn every evening, and note what is shown."""
    score = Score(household)
    for day, life in live(household, folder):
        HabitLearner(life.store.sessions, settings, ZONE, "kitchen").run(life.clock.now())
        habits = Habits(HabitStore(life.store.sessions), settings, ZONE)
        for habit in habits.list(life.clock.now()):
            _note(score, habit, day)
    return score


def _note(score: Score, habit: Habit, day: int) -> None:
    truths = [truth for truth in score.household.truths if _is_about(habit, truth) and truth.from_day <= day]
    if not truths:
        score.false.add(f"{habit.kind}: {habit.thing or habit.sentence}")
    for truth in truths:
        score.first_shown.setdefault(truth, day)
        score.last_shown[truth] = day
        score.true.add(f"{habit.kind}: {habit.thing or habit.sentence}")


def _is_about(habit: Habit, truth: Truth) -> bool:
    if habit.kind != truth.kind:
        return False
    if habit.slot is not None and (
        habit.slot.weekday != truth.weekday or abs(habit.slot.minute - 60 * truth.hour) > 60
    ):
        return False
    return not habit.thing or set(keys(habit.thing)) == set(keys(truth.thing))


def dropped(score: Score) -> tuple[Truth, ...]:
    """Habits that were found and then given up."""
    return tuple(truth for truth in score.first_shown if truth.until_day < FOREVER)
