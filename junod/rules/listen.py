"""Is something said a declaration of a rule, and of which kind? Sentences, lead-ins, and the explicit form (pure).

Talk is full of 'never' and 'always'. A declaration is a statement or a command in an explicit form: about a list, a
tag, a reminder, quiet hours, what a word means or when a thing usually is. Questions, reports of what somebody said,
and sentences about other people are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Do = Literal["expand-name", "exclude", "tag", "remind-earlier", "default-time", "mute-hours"]

MAX_SENTENCE_WORDS = 40
_END = re.compile(r"(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<=[.?!…])\s+(?![a-z])")
_LEAD = re.compile(
    r"^(?:(?:hey |okay |ok )?junod|okay|ok|so|listen|please|right|and|well|hey|everyone|oh|um|uh|just so you know"
    r"|just|also|now|remember(?: that)?|please remember(?: that)?|can we say|let's say)\b[\s,:]+",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"\b(?:from now on|from today on|from here on|as of (?:now|today)|as a rule|starting (?:now|today))\b[\s,]*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,]*\b(?:please|okay|ok|thanks|thank you|always|ever|all right|any ?more|again|too|as well)\b[\s,.!]*$",
    re.IGNORECASE,
)
_NEVER_LEFT_OUT = re.compile(r"\b(?:ever|never|always|any ?more|again)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    said: str
    """As spoken."""
    core: str
    """Without lead-ins, politeness, 'from now on' and the full stop."""
    standing: bool
    """It says that it holds from now on, always or never."""
    from_now_on: bool


def sentences(text: str) -> list[Sentence]:
    """The sentences of a passage that could declare anything: no questions, none too long."""
    parts = [part.strip() for part in _END.split(" ".join(text.split()))]
    return [bare(part) for part in parts if part and not part.endswith("?") and len(part.split()) <= MAX_SENTENCE_WORDS]


def bare(said: str) -> Sentence:
    core = said.strip(" .!…,;")
    from_now_on = bool(_STANDING.search(core))
    always = bool(_NEVER_LEFT_OUT.search(core))
    core = " ".join(_STANDING.sub(" ", core).split()).strip(" ,")
    while True:
        shorter = _TAIL.sub("", _LEAD.sub("", core, count=1), count=1).strip(" ,")
        if shorter == core or not shorter:
            break
        core = shorter
    return Sentence(said, core, from_now_on or always, from_now_on)
