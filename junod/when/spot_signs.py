"""What speaks for or against one day or hour of a talk: how it is said and what stands beside it (pure).

Names of signs end in the kind (`A` appointment, `E` event, `R` reminder) where the kinds differ. Words that stand
beside a time are signs too ('leave at', 'back by'); which of them count is learned.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from junod.when.candidates import Candidate, Talk
from junod.when.expressions import Holiday, Period, Shift
from junod.when.spots import Spot

Signs = dict[str, float]
Weight = Callable[[int, int], float]
"""(start, end) in the talk -> probability that what is said there belongs to the memory."""

_REFUSED = re.compile(
    r"\b(?:not|never|can't|cannot|won't|don't|doesn't|didn't|isn't|aren't|instead of|rather than|nothing)\b"
    r"[^.?!]{0,18}$",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\W*(?:'s|is|are|was|has been|have been)?\s*(?:gone|off|out|cancelled|canceled|no good|taken|full)\b",
    re.IGNORECASE,
)
"""What stands after a time that does not hold any more: 'my Friday five o'clock's gone'."""
_CORRECTED = re.compile(r"\W*(?:no|sorry|wait|hang on|hold on|I mean|rather|actually)\b", re.IGNORECASE)
_CORRECTS = re.compile(r"\b(?:no|sorry|wait|hang on|I mean|rather|actually|make (?:it|that)|it's)\W*$", re.IGNORECASE)
_NEGATED = re.compile(r"\bnot (?:at |on |the |till |until |before |for )?$", re.IGNORECASE)
_OVER = re.compile(r"\b(?:was|were|had|since|came|went|did|got|been|\w\w+ed|like)\W+(?:\w+\W+)?$", re.IGNORECASE)
COMES = re.compile(r"\b(?:arriv\w*|com(?:e|es|ing)|lands?|starts?|from|gets? here|down|up)\W+(?:\w+\W+){0,3}$", re.I)
_GOES = re.compile(
    r"\b(?:until|till|til|to|through|go(?:es|ing)?|leav\w+|(?<!-)off|back|home|fl(?:y|ies|ying)|stay\w*|ends?)"
    r"\W+(?:\w+\W+){0,3}$",
    re.IGNORECASE,
)
_WILL = re.compile(
    r"\b(?:I'll|I will|we'll|I'm going to|going to|gonna|remind me|tell me|I do|I(?: \w+)? it)\b[^.?!]{0,45}$", re.I
)
_WILL_AFTER = re.compile(r"[^.?!]{0,12}\b(?:I'll|I will|we'll|I'm|remind me|then)\b", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)", re.IGNORECASE)
_AT = re.compile(r"\bat\W+$", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
NEAR = 40
"""Characters beside a spot that tell how it is meant."""
_WORDS_BEFORE, _WORDS_AFTER = 4, 2
_LEAST = 0.2
"""Added to a probability before its logarithm is taken."""


@dataclass(frozen=True, slots=True)
class View:
    """A talk with what all its candidates share."""

    talk: Talk
    weight: Weight
    kind: str
    """Its letter."""
    made: Sequence[Candidate]

    def piece(self, spot: Spot) -> float:
        """How likely the talk around it belongs to the memory; what was said before never does."""
        return 0.0 if spot.context else self.weight(spot.start, spot.end)


def is_word(name: str) -> bool:
    """Whether a sign is a word that stands somewhere, of which there are many."""
    return name.startswith("half:") or name[1:3] in ("_<", "_>")


def of_spot(spot: Spot, name: str, view: View) -> Signs:
    """The signs of a day (`name` d), an hour (h) or a last day (u)."""
    text = view.talk.source(spot)
    before, after = text[max(0, spot.start - NEAR) : spot.start], text[spot.end : spot.end + NEAR]
    own = view.talk.here.days if name != "h" else view.talk.here.hours
    piece = view.piece(spot)
    found: Signs = {
        "piece": piece,
        "lpiece": math.log(_LEAST + piece),
        "refused": bool(_REFUSED.search(before)),
        "gone": bool(_GONE.match(after)),
        "corrected": bool(_CORRECTED.match(after)),
        "corrects": bool(_CORRECTS.search(before)),
        "asked": after[:1] == "?",
        "negated": spot.negated or bool(_NEGATED.search(before)),
        "over": bool(_OVER.search(before)),
        f"comes{view.kind}": bool(COMES.search(before)),
        f"goes{view.kind}": bool(_GOES.search(before)),
        f"will{view.kind}": bool(_WILL.search(before) or _WILL_AFTER.match(after)),
        "weak": spot.phrase.is_weak,
        "context": bool(spot.context),
        "long_ago": max(0, spot.context - 1),
        "pos": 0.0 if spot.context else _place(spot, own),
        f"role_{spot.role}": bool(spot.role),
        f"bound_{spot.said.bound}{view.kind}": bool(spot.said.bound),
    }
    found |= _kind_of_day(spot, view.kind) if name != "h" else _kind_of_hour(spot, view, before)
    if view.kind == "R" and name == "d":
        found |= _of_deadline(spot, view)
    found |= {f"<{word}": 1.0 for word in _last_words(before)}
    found |= {f">{word}": 1.0 for word in _first_words(after)}
    return {f"{name}_{key}": float(value) for key, value in found.items() if value}


def _place(spot: Spot, own: Sequence[Spot]) -> float:
    """From 0 for the first day (or hour) of the passage to 1 for the last."""
    return sum(other.start < spot.start for other in own) / max(1, len(own) - 1)


def _last_words(text: str) -> set[str]:
    clause = re.split(r"[.?!]", text)[-1]
    return {word.lower() for word in WORD.findall(clause)[-_WORDS_BEFORE:]}


def _first_words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(re.split(r"[.?!]", text)[0])[:_WORDS_AFTER]}


def _kind_of_day(spot: Spot, kind: str) -> Signs:
    days = spot.said.days
    first = days[0] if days else None
    return {
        f"is_{first.unit if isinstance(first, Period) else type(first).__name__}": 1.0,
        f"today{kind}": isinstance(first, Shift) and first.days == 0,
        f"tomorrow{kind}": isinstance(first, Shift) and first.days == 1,
        f"period{kind}": isinstance(first, Period),
        f"holiday{kind}": isinstance(first, Holiday),
        f"several{kind}": len(days) > 1,
        f"span{kind}": bool(spot.said.until_days),
        f"part{kind}": spot.said.part is not None,
        "ordinal": bool(_ORDINAL.fullmatch(spot.phrase.text)),
        "years": isinstance(first, Period) and first.unit in ("month", "year"),
    }


def _kind_of_hour(spot: Spot, view: View, before: str) -> Signs:
    part, clock, kind = spot.said.part, spot.clock, view.kind
    now = view.talk.spoken_at
    return {
        f"part{kind}": clock is None,
        f"part_{part.part.name if part and clock is None else ''}": 1.0,
        f"full{kind}": bool(clock and not clock.minute),
        f"bare{kind}": bool(clock and clock.bare),
        f"sure{kind}": bool(clock and (clock.meridiem or part)),
        "now": bool(clock and abs((clock.hour * 60 + clock.minute - now.hour * 60 - now.minute) % 720) < 6),
        f"at_{spot.role}": bool(_AT.search(before) or view.talk.source(spot)[spot.start :].lower().startswith("at ")),
    }


def _of_deadline(spot: Spot, view: View) -> Signs:
    """'Due by Friday ... I'll do it tomorrow': a day that is a limit, beside one on which it will be done."""
    others = [day for day in view.talk.here.days if day.phrase is not spot.phrase and not day.role]
    limit = spot.said.bound in ("by", "before")
    if limit:
        return {"limit_beside_day": bool(others), "limit_alone": not others}
    return {"day_beside_limit": any(day.said.bound in ("by", "before") for day in others)}
