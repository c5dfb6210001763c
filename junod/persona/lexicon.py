"""Feelings and traits in transcripts, by fixed wordings about named people (pure). What fits none is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from junod.audit import is_suspect
from junod.extract.words import words
from junod.persona.refusals import is_refused

US = "we"
"""Whoever speaks for the household."""


class ImpressionKind(StrEnum):
    FEELING = "feeling"
    TRAIT = "trait"


@dataclass(frozen=True, slots=True)
class Impression:
    """One finding in a text."""

    kind: ImpressionKind
    who: str
    """As in the list of people; 'we' for the household."""
    says: str
    """'dreads', 'is a night owl'."""
    thing: str
    """'the dentist'; '' for a trait."""
    start: int
    end: int
    """Characters of the text that bear it out."""

    @property
    def key(self) -> str:
        """The same for every wording of the same impression."""
        stems = " ".join(word.key for word in words(self.thing) if word.is_content)
        return f"{self.kind}|{self.who.casefold()}|{self.says}|{stems}"

    @property
    def statement(self) -> str:
        who = "The household" if self.who == US else self.who
        return " ".join(part for part in (who, self.says, self.thing) if part)


_IS = r"(?:\s+(?:is|am|are)|['’](?:s|m|re))"
_HOW = r"(?:\s+(?:really|absolutely|totally|just|still|always|so|truly|very|quite))*"
_FEELINGS = (
    ("dreads", rf"(?:{_HOW}\s+dreads?|{_IS}{_HOW}\s+dreading)", False),
    ("is afraid of", rf"{_IS}{_HOW}\s+(?:afraid|scared|frightened|terrified)\s+of", False),
    ("can't stand", rf"{_HOW}\s+(?:hates?|detests?|loathes?|can(?:'|’)?t\s+stand|cannot\s+stand)", False),
    ("doesn't like", rf"{_HOW}\s+(?:do(?:es)?(?:n['’]t| not){_HOW}\s+like|dislikes?)", False),
    ("worries about", rf"(?:{_HOW}\s+worr(?:y|ies)\s+about|{_IS}{_HOW}\s+(?:worried|nervous)\s+about)", False),
    ("is annoyed by", rf"(?:{_IS}|\s+gets?){_HOW}\s+annoyed\s+(?:by|with|about|at)", False),
    ("loves", rf"{_HOW}\s+(?:loves?|adores?)", True),
    ("likes", rf"(?:{_HOW}\s+(?:likes?|enjoys?)|{_IS}{_HOW}\s+(?:fond\s+of|keen\s+on|into))", True),
    ("looks forward to", rf"(?:{_HOW}\s+looks?|{_IS}{_HOW}\s+looking)\s+forward\s+to", True),
    ("is excited about", rf"{_IS}{_HOW}\s+excited\s+(?:about|for)", True),
    ("is proud of", rf"{_IS}{_HOW}\s+proud\s+of", True),
    ("misses", rf"{_HOW}\s+misses", True),
)
"""(how it is told, the wording, whether it is a good feeling)."""
_TRAITS = {
    "is an early riser": r"(?:an?\s+)?(?:early\s+(?:riser|bird)|morning\s+person)",
    "is a night owl": r"(?:an?\s+)?(?:night\s+(?:owl|person))",
    "is a light sleeper": r"(?:an?\s+)?light\s+sleeper",
    "is often late": r"late|unpunctual",
    "is punctual": r"punctual|on\s+time",
    "is tidy": r"tidy|neat",
    "is a picky eater": r"(?:an?\s+)?(?:picky|fussy)(?:\s+eater)?",
    "is patient": r"patient",
    "is stubborn": r"stubborn",
    "is shy": r"shy",
    "is forgetful": r"forgetful",
    "is frugal": r"frugal|thrifty",
    "is generous": r"generous",
    "is easy-going": r"easy[- ]going|laid[- ]back",
    "is careful": r"careful|cautious",
    "is a perfectionist": r"(?:an?\s+)?perfectionist",
    "is a good cook": r"(?:an?\s+)?(?:good|great|brilliant)\s+cook",
    "is a sociable person": r"sociable|outgoing",
}
_JOIN = "and|but|because|when|so|that|which|who|since|for|though|or|if"
_THING = rf"\s+(?P<thing>[\w'’-]+(?:\s+(?!(?:{_JOIN})\b)[\w'’-]+){{0,4}})"
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_PRONOUNS = frozenset(("it", "him", "her", "them", "you", "me", "us", "this", "that", "these", "those", "everything",
                       "something", "anything", "nothing", "what", "how"))  # fmt: skip
_TRAILING = re.compile(
    r"\s+(?:today|tonight|tomorrow|now|again|too|as well|anyway|already|on|at|in|to|with|right|this|next)$", re.I
)


def find(text: str, people: Sequence[str], *, for_us: bool = False) -> tuple[Impression, ...]:
    """Impressions that a text bears out, in its order.

    Args:
        people: names of adults about whom impressions are wanted; nobody else is ever meant.
        for_us: take 'we love camping' as one of the household; who says so is not known.
    """
    names = [*people, *([US] if for_us else [])]
    found: list[Impression] = []
    for sentence in _SENTENCE.finditer(text):
        if not is_refused(sentence.group()) and not is_suspect(sentence.group()):
            found += [each for name in names for each in _about(name, sentence.group(), sentence.start(), people)]
    return tuple(sorted(found, key=lambda each: each.start))


def _about(name: str, sentence: str, offset: int, people: Sequence[str]) -> Iterator[Impression]:
    spelled = "[Ww]e" if name == US else f"(?-i:{re.escape(name)})"
    who = rf"\b(?P<who>{spelled})"
    for says, wording, is_good in _FEELINGS:
        for match in re.finditer(who + wording + _THING, sentence, re.IGNORECASE):
            thing, end = _trimmed(match)
            if thing and not _is_person(thing, people, is_good):
                yield Impression(ImpressionKind.FEELING, name, says, thing, offset + match.start(), offset + end)
    for says, wording in _TRAITS.items():
        how = r"(?:\s+(?:always|usually|such|really|very|quite|a\s+bit|generally))*"
        for match in re.finditer(rf"{who}{_IS}{how}\s+(?:{wording})\b", sentence, re.IGNORECASE):
            yield Impression(ImpressionKind.TRAIT, name, says, "", offset + match.start(), offset + match.end())


def _trimmed(match: re.Match[str]) -> tuple[str, int]:
    """The thing without words that hang on at its end, and where it ends then."""
    thing = match["thing"]
    while shorter := _TRAILING.sub("", thing):
        if shorter == thing:
            break
        thing = shorter
    return thing, match.start("thing") + len(thing)


def _is_person(thing: str, people: Sequence[str], is_good: bool) -> bool:
    """Feelings about people are nobody's business; a capital letter may be one."""
    parts = re.split(r"[\s'’]+", thing)
    lowered = {part.casefold() for part in parts}
    if lowered & {name.casefold() for name in people} or parts[0].casefold() in _PRONOUNS:
        return True
    return not is_good and any(part[:1].isupper() for part in parts)
