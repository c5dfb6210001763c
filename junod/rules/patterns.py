"""Declarations read by patterns: the slots of a rule where the form is sure (pure).

Each reader gives the rule, or `Unclear` where the form is that of a rule but something that it needs was not said, or
None where it is no rule of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import ValidationError

from junod.rules import names
from junod.rules.listen import Sentence
from junod.rules.schema import DefaultTime, Exclude, ExpandName, RemindEarlier, RuleSpec, Tag, rule
from junod.rules.times import CLOCK, LENGTH, Range, after, before, between, clock, length_minutes


@dataclass(frozen=True, slots=True)
class Unclear:
    """The form of a rule without all that it needs."""

    do: str
    question: str
    """To be asked back."""


Read = RuleSpec | Unclear | None
_WHO = (
    r"(?:i|we|anyone|anybody|someone|somebody|everyone|one of us|any of us|(?:any of )?the (?:kids|children|boys|girls"
    r"|twins|family))"
)
_SAY = r"(?:say|says|talks? about|speaks? of|mentions?|refers? to|calls? (?:for|it))"
_WHEN_SAID = rf"(?:when|whenever|if|every time) {_WHO} (?:ever )?{_SAY} (?P<about>[^,]+?),? "
_LIST = r"(?:on|onto|to) (?:the|our|my) (?:shopping |grocery |groceries )?(?:list|groceries)\b"
_OFF_LIST = r"(?:off|out of) (?:the|our|my) (?:shopping |grocery |groceries )?list\b"
_REST = r"(?:,.*| (?:again|any ?more|ever))?"
_STUFF = r"(?:things?|stuff|appointments?|matters?|business|letters|visits?|bills)"
_FILED = r"(?:tagged|filed|labelled|labeled)"
_BELONGS = (
    rf"(?:always )?(?:belongs?|goes|go|counts?|should (?:always )?(?:be {_FILED}|go|count)"
    rf"|(?:is|are) (?:always )?{_FILED}) "
)
_UNDER = r"(?:(?:to|in|into|under|with|as) )?(?:the (?:folder|tag|label) )?(?P<tag>[\w-]+)"
_ABOUT = (
    r"(?:about|to do with|that (?:has|have) to do with|from|on|with|that mentions|mentioning|mentions|that is about"
    r"|is about|concerning|regarding)"
)


def _one(*patterns: str) -> list[re.Pattern[str]]:
    return [re.compile(pattern, re.IGNORECASE) for pattern in patterns]


_MEANS = _one(
    rf"{_WHEN_SAID}(?:(?:i|we|they)(?: are|'m|'re| am)? (?:always )?(?:mean|means|talking about|refer to|referring to)"
    r"|(?:that|it)(?:'s| is| means| always means| refers to)) (?P<to>[^,]+)",
    r"by (?P<about>[^,]+?) (?:i|we) (?:always )?mean (?P<to>[^,]+)",
)
_MEANS_STANDING = _one(r"(?P<about>[^,]+?) (?:always )?(?:means|stands for|is short for|refers to) (?P<to>[^,]+)")
_MEANS_PLAIN = _one(r"(?P<about>[^,]+?) (?:always means|is short for|stands for) (?P<to>[^,]+)")

_NEVER_LIST = _one(
    r"(?:please )?(?:never(?: ever)?|don't ever|do not ever) (?:put|add|write|stick|get|have) (?P<about>.+?) "
    rf"{_LIST}{_REST}",
    r"(?P<about>.+?) (?:should|must|may) (?:never|not ever) (?:go|be|be put|end up|be added|be written) "
    rf"{_LIST}{_REST}",
    rf"always (?:leave|keep) (?P<about>.+?) {_OFF_LIST}{_REST}",
    r"never(?: ever)? buy (?:any )?(?P<about>.+?)(?: again| any ?more)?",
    r"we (?:never|don't|do not) (?:buy|eat|need|use|want) (?P<about>.+?),? so never put (?:it|them|that) "
    rf"{_LIST}{_REST}",
)
_NOT_LIST_STANDING = _one(
    rf"(?:don't|do not) (?:put|add|write) (?P<about>.+?) {_LIST}{_REST}",
    rf"no (?:more )?(?P<about>.+?) {_LIST}{_REST}",
    rf"(?:leave|keep) (?P<about>.+?) {_OFF_LIST}{_REST}",
)
_NEVER_KEEP = _one(
    r"(?:please )?(?:never(?: ever)?|don't(?: ever)?|do not(?: ever)?) (?:write(?: down)?|note(?: down)?|remember|keep|"
    r"store|save|record) (?:anything|something|things|what)(?: (?:that )?we (?:ever )?(?:say|talk))?(?: down)?"
    r" (?:about|regarding) (?P<about>[^,]+)",
)
_PUT = r"(?:tag|label|file|mark|put)"
_TAGGED = _one(
    rf"(?:all (?:the )?|every )?(?P<about>.+?) {_STUFF} {_BELONGS}{_UNDER}",
    rf"(?:anything|everything|whatever|all)(?: {_STUFF})? {_ABOUT} (?P<about>.+?) {_BELONGS}{_UNDER}",
    rf"(?:always )?{_PUT} (?:anything|everything|all) {_ABOUT} (?P<about>.+?)(?: in it)? (?:as|under) (?P<tag>[\w-]+)",
    rf"(?:always )?{_PUT} (?:all )?(?:the )?(?P<about>.+?) {_STUFF} (?:as|under) (?P<tag>[\w-]+)",
    rf"{_WHEN_SAID}{_PUT} (?:it|that|this)(?: as| under)? (?P<tag>[\w-]+)",
    r"(?P<about>.+?) should (?:always )?be (?:tagged|labelled|labeled|filed) (?:as|under) (?P<tag>[\w-]+)",
)
_REMIND = (
    r"(?:(?:remind|tell|warn|notify|nudge) (?:us|me|everyone|everybody|[A-Z]\w+)|give (?:us|me) a reminder"
    r"|(?:we|i)(?: always)? want (?:a reminder|to be reminded|to be told|to hear))"
)
_AHEAD = r"(?:before|ahead of|in advance of|earlier than|prior to)"
_EARLIER = r"(?:before(?:hand)?|earlier|ahead|in advance|early)"
_REMINDED = _one(
    rf"(?:always )?{_REMIND} (?P<length>{LENGTH}) {_AHEAD} (?P<about>.+)",
    rf"(?:for|:)? ?(?P<about>[^,:]+?)[,:]? (?:always |i always |we always )?{_REMIND} (?P<length>{LENGTH}) {_EARLIER}",
    rf"(?P<about>.+?) should (?:always )?be reminded(?: of)? (?P<length>{LENGTH}) {_EARLIER}",
    rf"(?:we|i) (?:always )?want to (?:hear|be told) about (?P<about>.+?) (?P<length>{LENGTH}) {_EARLIER}",
)
_REMIND_VAGUE = _one(
    rf"(?:always )?{_REMIND} (?:a bit |a little |some time |well )?(?:{_EARLIER}|{_AHEAD})(?: (?:about|of|for))? "
    r"(?P<about>.+)"
)
_OCCASION = re.compile(
    r"^(?:for |every time (?:there(?:'s| is)|we have|i have) |whenever (?:there(?:'s| is)|we have|i have) "
    r"|when(?:ever)? it(?:'s| is) )",
    re.IGNORECASE,
)
_UNLESS = r"(?:,? unless (?:we|i) say (?:otherwise|something else))?"
_AT = r"(?:is|are|starts?|begins?|opens?|comes?|goes|go out|goes out|happens?|means)"
_USUAL = _one(
    rf"{_WHEN_SAID}(?:that|it)(?:'s| is|'s always| is always)(?: always)? at (?P<at>{CLOCK})",
    rf"(?:assume|suppose)(?: that)? (?P<about>.+?) {_AT} (?:always )?(?:at )?(?P<at>{CLOCK})",
    r"(?:by default|unless (?:i|we) say otherwise|if (?:i|we) (?:don't|do not) say otherwise"
    r"|if (?:we don't|nobody|no one|i don't) says? a time),? "
    rf"(?P<about>.+?) "
    rf"{_AT} (?:at )?(?P<at>{CLOCK})",
    rf"(?P<about>.+?) {_AT} (?:at )?(?P<at>{CLOCK}),? unless (?:we|i) say (?:otherwise|something else)",
)
_USUAL_STANDING = _one(rf"(?P<about>.+?) (?:always )?{_AT} (?:always )?(?:at )?(?P<at>{CLOCK})")
_USUAL_BARE = _one(
    rf"(?P<about>(?!(?:the|a|an|that|this|my|his|her|their|your|it|he|she|they|there|everything|nobody|who|what)\b)"
    rf"[\w'’ ]+?) (?:is|are) always at (?P<at>{CLOCK}){_UNLESS}",
    rf"(?P<about>(?!(?:the|a|an|that|this|my|his|her|their|your|it|he|she|they|there|everything|nobody|who|what)\b)"
    rf"[\w'’ ]+?) always (?:starts?|begins?) at (?P<at>{CLOCK}){_UNLESS}",
)
_RANGE = (
    rf"(?:(?P<after>after|past) (?P<from>{CLOCK})|before (?P<until>{CLOCK})"
    rf"|(?:between|from) (?P<first>{CLOCK}) (?:and|to|until|till) (?P<last>{CLOCK}))"
)
_NO_REMINDERS = (
    r"(?:no(?: more)? reminders"
    r"|(?:never|don't(?: ever)?|do not(?: ever)?) (?:remind (?:us|me|anyone|anybody)(?: of anything)?"
    r"|give (?:us|me) any reminders)|(?:we|i) (?:don't|never|do not)(?: ever)? want (?:any )?reminders)"
)
_NO_LISTENING = (
    r"(?:(?:don't|never|do not)(?: ever)? listen(?: in)?|(?:always )?(?:turn|switch|keep) the (?:microphone|mic) off"
    r"|(?:always )?stop listening)"
)
_MUTED = _one(rf"{_NO_REMINDERS} (?:every night )?{_RANGE}", rf"{_NO_LISTENING} (?:every night )?{_RANGE}")
_SILENT = _one(rf"(?:always )?(?:be quiet|be silent|stay silent|stay quiet|keep quiet|say nothing) {_RANGE}")
_MUTE_VAGUE = _one(
    rf"(?:{_NO_REMINDERS}|stop reminding (?:us|me)) "
    r"(?:at night|in the (?:evenings?|mornings?|afternoons?)|so late|so early)",
)


def read(sentence: Sentence) -> Read:
    """The first kind that reads the sentence, the more special ones first."""
    for reader in _READERS:
        found = reader(sentence)
        if found is not None:
            return found
    return None


def _match(patterns: list[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.fullmatch(text))), None)


def _made(make: Callable[[], RuleSpec]) -> RuleSpec | None:
    try:
        return make()
    except ValidationError:  # too long, or signs that no rule may hold
        return None


def usual_time(sentence: Sentence) -> Read:
    match = _match(_USUAL, sentence.core) or _match(_USUAL_BARE, sentence.core)
    if match is None and sentence.from_now_on:
        match = _match(_USUAL_STANDING, sentence.core)
    if match is None:
        return None
    about, at = names.thing(match["about"]), clock(match["at"], around=sentence.said)
    if not at or names.is_empty(about) or not names.is_thing(about):
        return None
    return _made(lambda: rule(about, DefaultTime(at=at)))


def means(sentence: Sentence) -> Read:
    match = _match(_MEANS, sentence.core) or _match(_MEANS_PLAIN, sentence.core)
    if match is None and sentence.from_now_on:
        match = _match(_MEANS_STANDING, sentence.core)
    if match is None:
        return None
    about, to = names.name(match["about"]), match["to"].strip(" ,.;")
    if (
        names.is_empty(about)
        or not names.is_thing(about)
        or not names.is_somebody(to, sure=sentence.from_now_on)
        or names.same(about, to)
    ):
        return None
    return _made(lambda: rule(about, ExpandName(to=to)))


def never_on_list(sentence: Sentence) -> Read:
    match = _match(_NEVER_LIST, sentence.core)
    if match is None and sentence.standing:
        match = _match(_NOT_LIST_STANDING, sentence.core)
    if match is None:
        return None
    about = names.thing(match["about"])
    if names.is_empty(about):
        return Unclear("exclude", "What should never be put on the list?")
    return _made(lambda: rule(about, Exclude(where="list"))) if names.is_thing(about) else None


def never_kept(sentence: Sentence) -> Read:
    match = _match(_NEVER_KEEP, sentence.core)
    if match is None or not sentence.standing:
        return None
    about = match["about"].strip()
    if names.is_empty(about):
        return Unclear("exclude", "About what should nothing be kept?")
    return _made(lambda: rule(about, Exclude(where="memory")))


def tagged(sentence: Sentence) -> Read:
    match = _match(_TAGGED, sentence.core)
    if match is None:
        return None
    about, tag = names.thing(match["about"]), match["tag"].lower()
    if names.is_empty(about) or not names.is_thing(about) or names.is_function_word(tag):
        return None
    return _made(lambda: rule(about, Tag(tag=tag)))


def reminded(sentence: Sentence) -> Read:
    match = _match(_REMINDED, sentence.core)
    lasting = sentence.standing or bool(re.search(r"\bevery\b|\bwhenever\b", sentence.core, re.IGNORECASE))
    if match is None:
        vague = _match(_REMIND_VAGUE, sentence.core) if lasting else None
        return Unclear("remind-earlier", f"How long before {vague['about']}?") if vague else None
    about = names.thing(re.sub(r"^(?:any|every|each) ", "", _OCCASION.sub("", match["about"])))
    minutes = length_minutes(match["length"])
    if not lasting or names.is_empty(about) or not names.is_thing(about) or not minutes:
        return None
    return _made(lambda: rule(about, RemindEarlier(minutes=minutes)))


def muted(sentence: Sentence) -> Read:
    match = _match(_MUTED, sentence.core)
    if match is None and (silent := _match(_SILENT, sentence.core)):
        match = silent if sentence.standing or silent["first"] else None
    if match is None:
        vague = _match(_MUTE_VAGUE, sentence.core)
        return Unclear("mute-hours", "From which hour to which should it be quiet?") if vague else None
    hours = _hours(match, at_night="every night" in sentence.core.lower())
    if hours is None:
        return Unclear("mute-hours", "From which hour to which should it be quiet?")
    listening = re.match(_NO_LISTENING, sentence.core, re.IGNORECASE) is not None
    what = "listening" if listening else "reminders"
    return _made(lambda: RuleSpec.model_validate(_mute(what, hours)))


def _mute(what: str, hours: Range) -> dict[str, object]:
    action = {"do": "mute-hours", "what": what, "start": hours.start, "end": hours.end}
    return {"trigger": {"about": ""}, "action": action}


def _hours(match: re.Match[str], *, at_night: bool) -> Range | None:
    if match["after"]:
        return after(match["from"])
    if match["until"]:
        return before(match["until"])
    return between(match["first"], match["last"], at_night=at_night)


_READERS = (muted, reminded, never_kept, never_on_list, tagged, usual_time, means)
