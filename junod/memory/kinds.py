"""Queries that name a kind of memory and nothing else: 'groceries', 'what do we need to buy', 'appointments'. Pure.

Somebody who asks so wants what belongs to the kind, whatever its words. As soon as a query says anything more, its
words are taken as they stand: 'rabbit food' asks for rabbits.
"""

from __future__ import annotations

from collections.abc import Sequence

from junod.memory.entities import SCHEMAS

SURE = 0.95
"""How much a word of the kind counts, where the word itself counts 1: enough to answer."""
_BELONGS = {
    "shopping": "shopping buy order",
    "appointments": """
        appointment check-up dentist doctor dermatologist haircut hairdresser hospital inspection mri optician
        orthodontist paediatrician physiotherapy scan surgeon vaccination vet x-ray
    """,
    "birthdays": "birthday turns anniversary",
    **SCHEMAS,
}
_NAMES = {
    "shopping": "groceries grocery buy buying purchase purchases supermarket shop shops shopping",
    "appointments": "appointment appointments",
    "birthdays": "birthday birthdays",
    "food": "food meal meals eating",
    "health": "health medical illness illnesses",
    "school": "school schools education",
    "money": "money finance finances payments bills",
    "travel": "travel travels travelling traveling trips journeys",
}
_FILLERS = "all any anything everything get going got items list lists need needed still stuff thing things whose"
_KINDS = {name: tuple(_BELONGS[kind].split()) for kind, names in _NAMES.items() for name in names.split()}


def asked_for(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Each word that names a kind, and what belongs to it; empty where the query says anything besides."""
    named = {word: _KINDS[word] for word in words if word in _KINDS}
    return named if named and all(word in named or word in _FILLERS.split() for word in words) else {}
