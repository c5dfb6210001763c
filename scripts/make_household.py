#!/usr/bin/env python3
"""Write the generated part of the household that search is measured on anew; what was written by hand stays.

    make_household.py [tests/search/household.jsonl] [--count 800]

The generated memories are the crowd in which the hand-written ones must be found: other people, other things, the same
subjects. No query of tests/search/queries.jsonl is answered by one of them.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

BEGIN = date(2025, 10, 1)
PEOPLE = (
    "Bruno", "Greta", "Ravi", "Saskia", "Malte", "Ottilie", "Fenna", "Dario", "Wiebke", "Jasper", "Anneke", "Rolf",
    "Selma", "Igor", "Carla", "Henrik", "Thea", "Joris", "Mireille", "Kofi", "Linnea", "Pavel", "Zehra", "Emeka",
)  # fmt: skip
FOOD = (
    "leeks", "yoghurt", "rolled oats", "spinach", "cream cheese", "chickpeas", "red lentils", "tofu", "courgettes",
    "feta", "rice cakes", "mustard", "soy sauce", "tahini", "couscous", "peanut butter", "radishes", "bananas", "pears",
    "potatoes", "onions", "mozzarella", "tinned tomatoes", "olive oil", "butter", "crispbread", "apple juice",
    "black tea", "oat milk", "cornflakes", "toilet paper", "washing powder", "toothpaste", "shampoo", "cat litter",
)  # fmt: skip
VISITS = (
    "dentist", "hairdresser", "optician", "job interview", "parent council", "tennis lesson", "flute lesson",
    "blood test", "driving lesson", "pottery evening", "book club", "rowing club dinner", "bank appointment",
)  # fmt: skip
PLACES = ("Mill Lane", "the old brewery", "Quay 5", "the Linden school", "Rathausplatz", "the health centre", "Foxhill")
THINGS = (
    "blender", "rucksack", "camera tripod", "air bed", "board game", "umbrella", "step stool", "wheelbarrow",
    "waffle iron", "sewing machine", "punch bowl", "fold-up table", "picnic blanket", "carrier bag of novels",
    "extension lead", "cake stand", "fishing rod", "badminton set", "bike pump", "roof rack",
)  # fmt: skip
ROOMS_OF = ("attic", "hall cupboard", "utility room", "garden shed", "guest room", "pantry", "basement", "bureau")
BROKEN = ("blind", "tap in the garden", "door handle", "drawer", "hinge", "light switch", "socket", "shower head")
WHERE = ("guest room", "utility room", "study", "hall", "guest toilet", "attic")
FIRMS = ("Halvorsen", "Pirelli & Sons", "Blauhaus", "Teichmann", "Nyberg", "Castellan", "Ostrowski")
TASTES = (
    "doesn't like olives", "is fond of rhubarb", "only drinks decaf", "hates coriander", "loves crime novels",
    "collects fridge magnets", "prefers tea to coffee", "never eats breakfast", "likes liquorice", "sings in a band",
)  # fmt: skip
JOBS = (
    "call back about the invoice", "send the holiday pictures", "return the form", "pay back 15 euros",
    "water the lilies", "cancel the newsletter", "order printer ink", "bring back the casserole dish",
    "write a reference", "book a table for lunch", "forward the minutes", "hand in the timesheet",
)  # fmt: skip
OUTINGS = ("museum of transport", "puppet theatre", "botanical garden", "castle ruin", "minigolf", "aquarium", "zoo")
PLANTS = ("lavender", "hydrangea", "rosemary", "box tree", "orchid", "basil pot", "rhododendron")
CARE = ("is repotted in spring", "wants shade", "is pruned in autumn", "gets coffee grounds", "is fed every fortnight")


def spoken(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b} {day.year}"


def texts(dice: random.Random, day: date) -> Iterator[str]:
    """One of each form."""
    one, two = dice.sample(PEOPLE, 2)
    later = day + timedelta(days=dice.randint(1, 40))
    clock = f"{dice.randint(8, 20)}:{dice.choice(('00', '15', '30', '45'))}"
    number = dice.randint(3, 95)
    yield "Shopping list:\n" + "\n".join(f"- {item}" for item in dice.sample(FOOD, dice.randint(2, 7)))
    yield f"{one}'s {dice.choice(VISITS)} is on {spoken(later)}, {clock}"
    yield f"{dice.choice(VISITS).capitalize()} with {one} on {spoken(later)}, {clock}, at {dice.choice(PLACES)}"
    yield f"{one} has lent {two} the {dice.choice(THINGS)}"
    yield f"The {dice.choice(THINGS)} is in the {dice.choice(ROOMS_OF)}"
    yield f"The {dice.choice(BROKEN)} in the {dice.choice(WHERE)} is broken; {dice.choice(FIRMS)} sends someone"
    yield f"{one} {dice.choice(TASTES)}"
    yield f"{dice.choice(JOBS).capitalize()} for {one} by {spoken(later)}"
    yield f"Outing to the {dice.choice(OUTINGS)} with {one} and {two} on {spoken(later)}"
    yield f"The {dice.choice(PLANTS)} {dice.choice(CARE)}"
    yield f"{one} owes {two} {number} euros for the {dice.choice(THINGS)}"
    yield f"{one} comes to {dice.choice(('lunch', 'supper', 'tea', 'brunch'))} on {spoken(later)} at {clock}"
    yield f"{dice.choice(FIRMS)} charged {number * 7} euros for the {dice.choice(BROKEN)}"
    yield f"{one} works at {dice.choice(FIRMS)} now, extension {number * 31 + 100}"
    yield f"{one} and {two} moved to {dice.choice(PLACES)}"
    yield f"Meeting of the {dice.choice(('street party', 'bake sale', 'gardening', 'bike'))} group: {spoken(later)}"


def generated(count: int) -> list[dict[str, Any]]:
    dice = random.Random(11)
    found: dict[str, dict[str, Any]] = {}
    while len(found) < count:
        day = BEGIN + timedelta(days=dice.randrange(360))
        text = dice.choice(list(texts(dice, day)))
        room = dice.choices(("kitchen", "living_room", "bedroom"), (12, 4, 1))[0]
        row = {"id": f"g{len(found):04}", "by": "generator", "spoken_on": day.isoformat(), "room": room, "memory": text}
        found.setdefault(text, row)
    return list(found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, nargs="?", default=Path("tests/search/household.jsonl"))
    parser.add_argument("--count", type=int, default=800)
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.path.read_text("utf-8").splitlines()]
    kept = [row for row in rows if row["by"] == "hand"]
    lines = [json.dumps(row, ensure_ascii=False) for row in [*kept, *generated(options.count)]]
    options.path.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{len(kept)} by hand, {options.count} generated")


if __name__ == "__main__":
    main()
