"""A plan that is spoken of beside a shopping list (pure).

Asked for a list, a small language model writes a list. The plan that is named in the same breath is taken in its own
words, and only where it names a day of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime

from junod.extract.focus import PassageFocus, Piece
from junod.extract.selection import STAKES, in_own_words
from junod.extract.verify import Verified
from junod.records import Kind, Passage

When = Callable[[Piece], datetime | None]
"""The time to come that a piece itself names; None = none."""

_PLANS = (Kind.APPOINTMENT, Kind.EVENT, Kind.REMINDER)
_MOSTLY_LIST = 0.4
"""Probability of a piece's being of the list from which it is no plan."""
_LEAST = 0.25
"""Probability that a plan's piece holds something, and nothing to buy."""
_DAY = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|to(?:day|morrow|night)|week(?:end)?|month|"
    r"jan(?:uary)?|feb(?:ruary)?|march|april|june|july|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|"
    r"dec(?:ember)?|\w+(?:st|nd|rd|th))\b",
    re.IGNORECASE,
)
"""An hour alone may be the size of a screw."""


def plan_beside_list(kept: Sequence[Verified], seen: PassageFocus, passage: Passage, when: When) -> list[Verified]:
    """The plan beside the list that is all there is so far: one memory or none."""
    if [one.proposal.kind for one in kept] != [Kind.SHOPPING]:
        return []
    listed = {piece.start for piece in seen.pieces if piece.kinds[Kind.SHOPPING] >= _MOSTLY_LIST}
    least = STAKES if passage.media == "on" else -math.inf
    plans = [
        piece
        for piece in seen.apart_from(Kind.SHOPPING).pieces
        if piece.probability >= _LEAST
        and piece.score >= least
        and piece.start not in listed
        and piece.kind in _PLANS
        and _DAY.search(piece.text)
        and when(piece) is not None
    ]
    for piece in sorted(plans, key=lambda piece: -piece.score):
        found = in_own_words((piece,), passage, least=piece.score)
        if found:
            return found
    return []
