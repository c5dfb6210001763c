"""Freer wordings: of which kind a declaration would be, and what code can read of it wherever it stands (pure).

Patterns read the forms that most people use. What they do not read is declared all the same where the sentence says
that it holds from now on, always or never, and names what only rules are about (a list, a tag, a reminder, the
microphone, a clock time, a meaning). Lengths, hours and ranges are then read by code; what the rule is about is a run
of the sentence's own words, and which one is the language model's only task.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from junod.rules.listen import Sentence
from junod.rules.times import CLOCK, LENGTH, Range, after, before, between, clock, length_minutes

_OTHERS = re.compile(
    r"^(?:and |but )?(?:he|she|they|it(?!'s quiet)|there|you always|nobody ever says|the trouble|who|what|why|how|have"
    r"|did|does|do we|do you|were|was|is|are"
    r"|(?:you|we) (?:were|had|have|used to|did)|you've|you're|in this recipe|that|this|those)\b(?!'s (?:it|all))"
    r"|\bthan\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:said|told|asked|says that|was|were|had been|(?<!be )reminded|would|could|went|took|made|used to"
    r"|i'd never|if only|(?:he|she|they) (?:always|never))\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:every (?:time|single time|day|night)|each time|whenever|a rule|by default|the default|the standard"
    r"|in general|for us|use the tag|never|always|ever|nobody should|no reminders"
    r"|when(?:ever)? (?:it's|we|i|nobody|someone|somebody|anybody))\b"
    r"|^if (?:you hear me|i|we|someone|somebody|anyone|anybody) (?:just )?(?:say|says|mention)",
    re.IGNORECASE,
)
_LIST = re.compile(r"\b(?:the|our|my|that) (?:shopping |grocery |groceries )?(?:list|groceries)\b", re.IGNORECASE)
_REFUSES = re.compile(r"\b(?:never|not|nothing|don't|no|nobody|off|out of|without)\b", re.IGNORECASE)
_KEEPS = re.compile(
    r"\b(?:write|written|writing|note|noted|save|saved|store|stored|keep|kept|record|recorded|remember|remembered|ignore)\b",
    re.IGNORECASE,
)
_SAID_ABOUT = re.compile(r"\b(?:about|we say|we talk|whatever)\b", re.IGNORECASE)
_TAGS = re.compile(
    r"(?:^|\b(?:always|please|to|we) )(?:tag|label|file|sort)\b|\b(?:use|carr(?:y|ies)|gets?|under|with) the tag\b"
    r"|\btag (?:it|that|them)\b|\bbe tagged\b|\b(?:tagged|labelled|filed|sorted) (?:as|under|into|with)\b"
    r"|\b(?:counts? as|put it under|goes to|belongs? (?:to|in|under))\b",
    re.IGNORECASE,
)
_IS_TAG = re.compile(r"(?:[\w'’-]+ ){1,5}(?:is|are) [\w-]+")
_OF_A_DAY = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|week(?:s|end|day)?s?|months?|today|tomorrow|daily|except|not)\b"
    r"|\b(?:every|each) day\b",
    re.IGNORECASE,
)
"""What is at an hour of some days is something to remember, no usual hour."""
_FOR_GOOD = re.compile(r"\bfrom now on\b|\balways[ .!]*$", re.IGNORECASE)
_REMINDS = re.compile(
    r"\b(?:remind|reminded|reminder|warn|warned|notify|notice|nudge|tell (?:us|me)|want to (?:know|hear)|alert)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(r"\b(?:before|beforehand|ahead|early|earlier|in advance|notice)\b", re.IGNORECASE)
_QUIET = re.compile(r"\b(?:reminders?|reminded|remind|quiet|silent|silence|beep(?:s|ing)?)\b", re.IGNORECASE)
_LISTENS = re.compile(r"\b(?:listen|listening|microphone|mic)\b", re.IGNORECASE)
_STOPS = re.compile(
    r"\b(?:no|not|never|don't|stop|without)\b.{0,25}\b(?:remind\w*|reminders?|listen\w*|beep\w*)"
    r"|\breminders? only until\b|\b(?:quiet|silent|silence)\b|\b(?:microphone|mic)\b.{0,12}\boff\b"
    r"|\boff\b.{0,10}\b(?:microphone|mic)\b",
    re.IGNORECASE,
)
_MEANS = re.compile(
    r"\b(?:mean|means|meaning|what we call|we call|short for|stands for|refers? to)\b|\bthat's\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(?:means|we call|short for|stands for)\b", re.IGNORECASE)
_NAMED_FOR_GOOD = re.compile(r"\b(?:always means|we always call|is short for|stands for)\b", re.IGNORECASE)
_SAYS = re.compile(
    r"\b(?:say|says|mention|mentions|hear me|the name|the word|comes up|talk|talking about)\b", re.IGNORECASE
)
_AT = re.compile(
    rf"\b(?:is|are|at|means?|it's|that's|always|opens|starts|begins|comes|off at) (?:at |always )?({CLOCK})$"
)
_BY_DEFAULT = re.compile(r",? (?:by default|as a rule|in general)$", re.IGNORECASE)
_CLOCKS = re.compile(rf"\b{CLOCK}\b", re.IGNORECASE)
_BETWEEN = re.compile(rf"\b(?:between|from) ({CLOCK}) (?:and|to|until|till) ({CLOCK})", re.IGNORECASE)
_AFTER = re.compile(rf"\b(?:after|past|at|until|from) ({CLOCK})", re.IGNORECASE)
_BEFORE = re.compile(rf"\bbefore ({CLOCK})", re.IGNORECASE)
_LENGTH = re.compile(rf"\b{LENGTH}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cue:
    """A declaration of a kind, with what code could read of it."""

    do: str
    slots: tuple[str, ...]
    """What is left to be found among the words: 'about', 'to', 'tag'."""
    spent: str = ""
    """The words of the time, which name nothing else."""
    minutes: int = 0
    at: str = ""
    hours: Range | None = None
    what: str = ""
    """'list' or 'memory' of an exclusion, 'reminders' or 'listening' of quiet hours."""


def cue(sentence: Sentence) -> Cue | None:
    """The kind of rule a sentence would be, or None where it declares nothing."""
    core = sentence.core
    if _OTHERS.search(core) or _REPORTED.search(core):
        return None
    if not (sentence.from_now_on or _LASTING.search(sentence.said)):
        return None
    for reader in (_reminding, _muting, _excluding, _tagging, _timing, _meaning):
        found = reader(core, sentence)
        if found is not None:
            return found
    return None


def _reminding(core: str, _sentence: Sentence) -> Cue | None:
    length = _LENGTH.search(core)
    minutes = length_minutes(length[0]) if length else None
    if not (minutes and _REMINDS.search(core) and _AHEAD.search(core)):
        return None
    return Cue("remind-earlier", ("about",), length[0] if length else "", minutes=minutes)


def _muting(core: str, _sentence: Sentence) -> Cue | None:
    listens = bool(_LISTENS.search(core))
    hours = _hours(core)
    if hours is None or not _STOPS.search(core) or not (listens or _QUIET.search(core)):
        return None
    return Cue("mute-hours", (), hours=hours, what="listening" if listens else "reminders")


def _hours(core: str) -> Range | None:
    if span := _BETWEEN.search(core):
        return between(span[1], span[2], at_night="every night" in core.lower())
    if end := _BEFORE.search(core):
        return before(end[1])
    if start := _AFTER.search(core):
        return after(start[1])
    return None


def _excluding(core: str, _sentence: Sentence) -> Cue | None:
    if not _REFUSES.search(core) and not re.search(r"\bignore\b", core, re.IGNORECASE):
        return None
    if _LIST.search(core):
        return Cue("exclude", ("about",), what="list")
    if _KEEPS.search(core) and _SAID_ABOUT.search(core):
        return Cue("exclude", ("about",), what="memory")
    return None


def _tagging(core: str, sentence: Sentence) -> Cue | None:
    names_a_tag = _TAGS.search(core) or (_FOR_GOOD.search(sentence.said) and _IS_TAG.fullmatch(core))
    return Cue("tag", ("about", "tag")) if names_a_tag and not re.search(CLOCK + r"$", core) else None


def _timing(core: str, sentence: Sentence) -> Cue | None:
    core = _BY_DEFAULT.sub("", core)
    is_one = len(_CLOCKS.findall(core)) == 1 and not _OF_A_DAY.search(core)
    found = _AT.search(core) if is_one else None
    at = clock(found[1], around=sentence.said) if found else None
    return Cue("default-time", ("about",), found[1], at=at) if found and at else None


def _meaning(core: str, sentence: Sentence) -> Cue | None:
    if re.search(r"\b(?:don't|not|never) mean\b", core, re.IGNORECASE):
        return None
    names = _NAMED if sentence.from_now_on else _NAMED_FOR_GOOD
    speaks_of_words = _SAYS.search(core) or names.search(core)
    return Cue("expand-name", ("about", "to")) if _MEANS.search(core) and speaks_of_words else None
