"""What a household says in a year, and when: made up, the same each time.

On a working day people talk before school and from the afternoon on, at the weekend all day; nobody talks at night.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

CHATTER = (
    "What a match that was.", "Did you see that?", "He never called back.", "Mind the step, will you.",
    "I thought it was the other one.", "And then she laughed.", "No, not like that.", "Who left the light on?",
    "It rained the whole way.", "They say it will be warmer.", "Pass me the salt.", "I am coming.",
    "That is the second time this week.", "You always say that.", "Where are my shoes?", "Turn it down a bit.",
)  # fmt: skip
ITEMS = (
    "milk", "bread", "butter", "eggs", "rice", "coffee", "apples", "onions", "soap", "candles", "flour", "lentils",
    "yoghurt", "carrots", "batteries", "cat food", "olive oil", "tea", "sugar", "napkins",
)  # fmt: skip
NAMES = ("Leo", "Mina", "Sylvie", "Arvid", "Nora")
VISITS = ("the dentist", "the doctor", "a haircut", "swimming", "piano", "the optician")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
TASKS = ("water the plants", "pay the plumber", "call the garage", "return the library books", "take out the bins")
THINGS = ("ladder", "spare key", "drill", "passport", "tent", "sewing kit", "first-aid box", "toboggan", "bike pump")
PLACES = ("cellar", "attic", "blue cupboard", "hall drawer", "garage", "shed", "top shelf", "old suitcase")
SECRETS = (
    "The alarm code is 4 7 1 1.",
    "My password is hunter seven tango.",
    "The card is 4111 1111 1111 1111.",
)
QUARTER = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Talk:
    """Utterances that follow each other within seconds."""

    at: datetime
    said: tuple[str, ...]


def days(first: date, count: int, zone: ZoneInfo, seed: int, talks_a_day: int) -> Iterator[list[Talk]]:
    rng = random.Random(seed)
    for number in range(count):
        yield _one_day(first + timedelta(days=number), zone, rng, talks_a_day)


def _one_day(day: date, zone: ZoneInfo, rng: random.Random, talks: int) -> list[Talk]:
    is_weekend = day.weekday() >= 5
    quarters = [q for q in range(96) if _is_awake(q / 4, is_weekend)]
    chosen = sorted(rng.choices(quarters, k=round(talks * rng.uniform(0.6, 1.4))))
    midnight = datetime.combine(day, time(), zone)
    return [
        Talk(midnight + quarter * QUARTER + timedelta(seconds=rng.randrange(880)), _said(rng)) for quarter in chosen
    ]


def _is_awake(hour: float, is_weekend: bool) -> bool:
    return 8 <= hour < 23 if is_weekend else 6.5 <= hour < 8.5 or 16 <= hour < 22.5


def _said(rng: random.Random) -> tuple[str, ...]:
    """Seven talks in eight hold nothing."""
    said = rng.choices(CHATTER, k=rng.randint(1, 5))
    if rng.random() < 0.02:
        said.append(rng.choice(SECRETS))
    if rng.random() < 0.125:
        said.insert(rng.randrange(len(said) + 1), _worth_keeping(rng))
    return tuple(said)


def _worth_keeping(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.45:
        one, other = rng.sample(ITEMS, 2)
        return f"We need {one} and {other}."
    if kind < 0.7:
        hour = rng.choice(("nine", "ten", "three", "four"))
        return f"{rng.choice(NAMES)} has {rng.choice(VISITS)} on {rng.choice(DAYS)} at {hour}."
    if kind < 0.9:
        return f"Remind me to {rng.choice(TASKS)} tomorrow."
    return f"The {rng.choice(THINGS)} is in the {rng.choice(PLACES)}."
