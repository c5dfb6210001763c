"""People, places and things that a memory is about, and its schemas. Pure: rules and word lists, no model.

Labels are words of the memory itself; a thing is told by its stem, so that 'eggs' and 'egg' are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from junod.memory.lexicon import frequency, stem
from junod.memory.telling import one_line

MAX_ENTITIES = 24
"""Of one memory: a long shopping list is no more than that."""
_TELLING_FREQUENCY = 2e-5
"""A capitalised word at the beginning of a sentence that English uses more often is a word, not a name."""


class EntityKind(StrEnum):
    PERSON = "person"
    PLACE = "place"
    THING = "thing"


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    kind: EntityKind
    key: str
    """What makes it the same in two memories: in lower case, things as their stem."""
    label: str
    """As it stands in the memory."""


@dataclass(frozen=True, slots=True)
class About:
    entities: tuple[Entity, ...]
    schemas: frozenset[str]
    """Of `SCHEMAS`."""


SCHEMAS = {
    "food": """
        apple bake baking bread breakfast butter cake cheese chicken coffee cook cookie dinner drink egg fish flour
        fruit goose grill ham honey jam juice lasagne lemon lunch meat milk mushroom nut oil onion oven pasta pear pizza
        potato recipe rice salad salt sauce shopping snack soup sugar supper syrup tea tomato vegetable vegetarian wine
        yoghurt
    """,
    "health": """
        allergic allergy ankle antibiotic appointment blood cast clinic cough dentist dermatologist diet doctor fever
        flu glasses hearing heart hip hospital injury jab knee lice medicine mole nurse operation optician orthodontist
        paediatrician pain penicillin pharmacy physiotherapy pill plaster prescription rash rehab sting surgery symptom
        tablet therapy tooth vaccination vet vitamin wound x-ray
    """,
    "school": """
        book camp choir class classroom club college concert course degree essay exam exercise grade holiday homework
        instrument kindergarten lesson library maths nursery piano placement play pupil rehearsal report satchel school
        scout student teacher test timetable tournament trip tutor university
    """,
    "house": """
        alarm attic balcony bathroom battery bed bin boiler bulb carpet ceiling cellar chimney corridor cupboard curtain
        dishwasher door drill fence freezer fridge furniture fuse garage garden gutter hallway heating hedge hose key
        kitchen ladder lamp laundry lawn light lock mattress meter mower paint plant plumber radiator repair roof room
        router rubbish shed sink skylight sofa stove tap toilet tool vacuum wardrobe washing window
    """,
    "money": """
        account bank bill budget cash cheaper contract cost deposit discount donation euro fee fine franc insurance
        interest invoice loan money mortgage offer owe pay payment pension pocket pound price receipt refund rent salary
        savings subscription tax ticket voucher
    """,
    "travel": """
        airport bicycle bike booking bus camping car coach cottage ferry flight hotel journey luggage map motorway
        moped parking passport petrol platform road scooter ski station suitcase taxi tent ticket toll train travel trip
        tyre visa
    """,
}
_PLACES = """
    airport allotment attic balcony basement bathroom bedroom cellar church cinema clinic cottage garage garden gym
    hallway hospital hotel kindergarten kitchen larder library market museum office pantry park pharmacy playground
    pool restaurant school shed shop station supermarket surgery theatre university
"""
_TITLES = (
    "mr mrs ms miss dr doctor aunt auntie uncle grandma grandpa granny grandad grandmother grandfather cousin godmother"
    " godfather nurse professor frau herr"
)
_NO_NAMES = frozenset(
    re.findall(
        r"\w+",
        """
    january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun i ok
    christmas easter shopping
    """,
    )
)
_NAME = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:-[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)*"
_TITLED = re.compile(rf"\b(?P<title>{'|'.join(_TITLES.split())})\.? (?P<name>{_NAME})", re.IGNORECASE)
_NAMED_PLACE = re.compile(
    rf"\b(?:in|at|to|from|near|via|on) (?:the )?(?P<name>(?:St\. )?{_NAME}(?: {_NAME})*)(?![\w'’])"
)
_CAPITALISED = re.compile(rf"(?<![\w'’-])(?P<name>{_NAME})(?P<own>['’]s\b)?(?=(?: (?P<then>[a-z]+))?)")
_DOES = frozenset(
    re.findall(
        r"\w+",
        "and or can may must will should would could had got lost left made took went drew broke bought only never",
    )
)
"""Words that follow a name at the beginning of a sentence, beside verbs that end in s."""
_WORD = re.compile(r"[^\W\d_][\w-]*")
_STARTS = ("", ".", "!", "?", ";", ":", ",", "-")


def about(memory: str) -> About:
    """What a memory (markdown) is about; the first mentioned first."""
    text = one_line(memory).replace("~~", "")
    found = dict.fromkeys(_all(text))
    seen: dict[tuple[EntityKind, str], Entity] = {}
    for entity in found:
        seen.setdefault((entity.kind, entity.key), entity)
    people = {entity.key for entity in seen.values() if entity.kind is EntityKind.PERSON}
    kept = [e for e in seen.values() if e.kind is not EntityKind.PLACE or e.key not in people]
    stems = {stem(match[0].casefold()) for match in _WORD.finditer(text)}  # 'Shopping list' is food
    schemas = frozenset(name for name, words in _schema_stems().items() if stems & words)
    return About(tuple(kept[:MAX_ENTITIES]), schemas)


def _all(text: str) -> Iterator[Entity]:
    titled = {match["name"] for match in _TITLED.finditer(text)}
    places = {match["name"] for match in _NAMED_PLACE.finditer(text) if _may_be_name(match["name"].split()[0])}
    of_places = {word for place in places for word in place.split()}
    for match in _CAPITALISED.finditer(text):
        name = match["name"]
        is_start = text[: match.start()].strip()[-1:] in _STARTS
        if not _may_be_name(name) or name.casefold() in _TITLES.split():
            continue
        acts = (match["then"] or "").endswith("s") or match["then"] in _DOES
        if name in titled or match["own"] or (name not in of_places and (not is_start or (acts and _is_rare(name)))):
            yield Entity(EntityKind.PERSON, name.casefold(), name)
    for place in sorted(places - titled):
        yield Entity(EntityKind.PLACE, place.casefold(), place)
    for match in _WORD.finditer(text):
        root = "" if match[0] == "Shopping" else stem(match[0].casefold())
        if root in _place_stems():
            yield Entity(EntityKind.PLACE, root, match[0].casefold())
        elif any(root in words for words in _schema_stems().values()):
            yield Entity(EntityKind.THING, root, match[0].casefold())


def _may_be_name(word: str) -> bool:
    return word.casefold() not in _NO_NAMES and word.casefold().removesuffix("s") not in _NO_NAMES and word != "St"


def _is_rare(name: str) -> bool:
    return frequency(name.casefold()) < _TELLING_FREQUENCY and stem(name.casefold()) not in _all_stems()


@cache
def _schema_stems() -> dict[str, frozenset[str]]:
    return {name: frozenset(map(stem, words.split())) for name, words in SCHEMAS.items()}


@cache
def _place_stems() -> frozenset[str]:
    return frozenset(map(stem, _PLACES.split()))


@cache
def _all_stems() -> frozenset[str]:
    return _place_stems().union(*_schema_stems().values())
