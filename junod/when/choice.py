"""Which of the times that a passage names is meant, and when that is (pure).

A passage names many times: when the thing is, when one leaves for it, what does not suit, what is on television. Every
moment that its days and hours may mean is a candidate; what speaks for each is weighed by a conditional logit
(McFadden, "Conditional logit analysis of qualitative choice behavior", 1974), and the ways to one moment add up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from junod.records import Kind, Resolution
from junod.when.candidates import Candidate, Talk, candidates, talk_of
from junod.when.resolve import resolve
from junod.when.signs import signs, signs_of_none
from junod.when.spot_signs import Signs, Weight

Learned = Mapping[str, float]
"""The weight of each sign; one that is not named weighs nothing."""


def resolve_talk(
    text: str,
    *,
    spoken_at: datetime,
    zone: ZoneInfo,
    kind: Kind,
    weight: Weight,
    learned: Learned,
    day_first: bool = True,
    context: Sequence[str] = (),
) -> tuple[str, Resolution] | None:
    """The time words that are meant and when they are; None where no time named is to come.

    A reminder may have no time though the talk names some: then the words are empty, or those of its repeat.

    Args:
        text: the whole passage.
        kind: appointment, event or reminder.
        weight: how likely the talk at a place belongs to the memory.
        learned: what each sign weighs, as of `load_learned`.
        context: earlier passages of the conversation, the latest last.
        others: as of `resolve`.

    Raises:
        ValueError: `spoken_at` is naive.
    """
    talk = talk_of(text, context, spoken_at=spoken_at, zone=zone, kind=kind, day_first=day_first)
    options = options_of(talk, weight)
    if not any(one for one, _ in options):
        return None
    chosen = choose(options, learned)
    if chosen is None:
        return _untimed(talk, day_first)
    return chosen.phrase, chosen.resolution


def options_of(talk: Talk, weight: Weight) -> list[tuple[Candidate | None, Signs]]:
    """What may be meant, with its signs; None = no time is, which only a reminder may mean."""
    made = candidates(talk)
    options: list[tuple[Candidate | None, Signs]] = list(zip(made, signs(talk, made, weight), strict=True))
    if talk.kind is Kind.REMINDER:
        options.append((None, signs_of_none(talk, made, weight)))
    return options


def choose(options: Sequence[tuple[Candidate | None, Signs]], learned: Learned) -> Candidate | None:
    """The likeliest moment's likeliest candidate."""
    scores = [sum(learned.get(name, 0.0) * value for name, value in found.items()) for _, found in options]
    highest = max(scores)
    chances: dict[datetime | None, float] = {}
    for (one, _), score in zip(options, scores, strict=True):
        moment = one.moment if one else None
        chances[moment] = chances.get(moment, 0.0) + math.exp(score - highest)
    best = max(chances, key=lambda moment: chances[moment])
    ways = [place for place, (one, _) in enumerate(options) if (one.moment if one else None) == best]
    return options[max(ways, key=lambda place: scores[place])][0]


def _untimed(talk: Talk, day_first: bool) -> tuple[str, Resolution]:
    """A reminder without a time, or one that comes again and again."""
    for phrase, said in talk.here.whole:
        if said.repeat:
            found = resolve(
                phrase.text,
                spoken_at=talk.spoken_at, zone=talk.zone, kind=talk.kind, day_first=day_first, hint=talk.text,
            )  # fmt: skip
            if found.recurring:
                return phrase.text, found
    return "", Resolution(None)
