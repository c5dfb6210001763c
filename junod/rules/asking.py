"""The language model fills the slots of a declaration that no pattern reads, with the sentence's own words alone.

The kind of the rule, its lengths and hours come from code (`cues`). The grammar lets the model write only runs of
the words spoken, so that no name can be made up; what it chose is held against the checks that hold for patterns too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from junod.errors import ExtractionError
from junod.extract.language_model import LanguageModel, Prompt
from junod.rules import names
from junod.rules.cues import Cue, cue
from junod.rules.listen import Sentence
from junod.rules.patterns import Unclear
from junod.rules.schema import (
    DefaultTime,
    Exclude,
    ExpandName,
    RemindEarlier,
    RuleSpec,
    Tag,
    Where,
    rule,
)

MAX_TOKENS = 60
_SYSTEM = """\
A household declares a rule for its list keeper. Copy from the sentence what the rule is about, as few words as name it.
expand-name: "about" is the word they say, "to" is whom or what it means.
exclude: "about" is the thing that is refused.
tag: "about" is the thing, "tag" is the one word it is filed under.
remind-earlier: "about" is the event.
default-time: "about" is the event.
Answer in JSON, in words of the sentence alone."""
_EXAMPLES: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "expand-name",
        "From here on the Leviathan is what we call the big lamp",
        {"about": "Leviathan", "to": "the big lamp"},
    ),
    (
        "expand-name",
        "If you hear us say Ezekiel, we mean the keeper of the north tower",
        {"about": "Ezekiel", "to": "the keeper of the north tower"},
    ),
    (
        "exclude",
        "I never want to find whale oil on our list again",
        {"about": "whale oil"},
    ),
    (
        "exclude",
        "What we say about the shipwreck must never be written down",
        {"about": "the shipwreck"},
    ),
    (
        "tag",
        "Use the tag signals for whatever concerns the fog horn",
        {"about": "the fog horn", "tag": "signals"},
    ),
    (
        "tag",
        "Rope and tar are stores, always",
        {"about": "Rope and tar", "tag": "stores"},
    ),
    (
        "remind-earlier",
        "Before the supply boat moors we always need a reminder two hours ahead",
        {"about": "the supply boat"},
    ),
    (
        "remind-earlier",
        "Every time, a day before Michaelmas, remind the crew",
        {"about": "Michaelmas"},
    ),
    (
        "default-time",
        "The standard hour for the lantern watch is six",
        {"about": "the lantern watch"},
    ),
    (
        "default-time",
        "If we just say muster, then it's five o'clock",
        {"about": "muster"},
    ),
)
"""Things no household of today says."""
_QUESTIONS = {
    "expand-name": "Which word means what?",
    "exclude": "What should be left out?",
    "tag": "What should have which tag?",
    "remind-earlier": "Of what should be reminded?",
    "default-time": "What is at that time?",
}


_REMINDING = frozenset(("remind", "warn", "notify", "nudge", "tell", "alert", "reminding"))
_DECLARING = _REMINDING | {
    "always", "never", "ever", "whenever", "reminder", "reminders", "reminded", "list", "default", "otherwise",
    "means", "mean", "says", "mention", "mentions", "us", "please",
}  # fmt: skip
_STUFF = re.compile(r" (?:things?|stuff)$", re.IGNORECASE)


class _Answer(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    about: str
    to: str = ""
    tag: str = ""


def asking(
    llm: LanguageModel, deadline_s: float, after_asking: Callable[[], None] = lambda: None
) -> Callable[[Sentence], RuleSpec | Unclear | None]:
    """A reader of sentences over a language model; it asks only where code finds a declaration.

    Args:
        after_asking: the model was used with another prompt than its owner's.
    """

    def read(sentence: Sentence) -> RuleSpec | Unclear | None:
        found = cue(sentence)
        if found is None:
            return None
        answer = _Answer(about="")
        if found.slots:
            answer = _asked(llm, sentence, found, deadline_s)
            after_asking()
        spec = _built(found, answer, sure=sentence.from_now_on)
        if spec is None and sentence.from_now_on:
            return Unclear(found.do, _QUESTIONS.get(found.do, ""))
        return spec

    return read


def grammar(words: Sequence[str | None], slots: tuple[str, ...]) -> str:
    """GBNF of an answer whose slots are runs of these words; a tag is one word.

    Args:
        words: None for one that belongs into no slot: no run goes over it.
    """
    runs = []
    for place, word in enumerate(words):
        if word is not None:
            goes_on = place + 1 < len(words) and words[place + 1] is not None
            runs.append(f"w{place} ::= {_quoted(word)}" + (f' (" " w{place + 1})?' if goes_on else ""))
    any_run = " | ".join(run.split(" ", 1)[0] for run in runs)
    rest = "".join(rf' "\", \"{slot}\": \"" {"one" if slot == "tag" else "run"}' for slot in slots[1:])
    parts = [f'root ::= run{rest} "\\"}}"', f"run ::= {any_run}", *runs]
    if "tag" in slots:
        parts.append(f"one ::= {' | '.join(dict.fromkeys(_quoted(word) for word in words if word is not None))}")
    return "\n".join(parts)


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)


def build_prompt(sentence: Sentence, do: str) -> Prompt:
    return Prompt(
        prefix=_PREFIX,
        room=f"{do}: ",
        context=(),
        transcript=" ".join(_words(sentence)),
        suffix=f"<|im_end|>\n<|im_start|>assistant\n{_OPENING}",
    )


def _asked(llm: LanguageModel, sentence: Sentence, found: Cue, deadline_s: float) -> _Answer:
    words = fit_words(_words(sentence), found)
    if not any(words):
        return _Answer(about="")
    text = llm.complete(build_prompt(sentence, found.do), grammar(words, found.slots), MAX_TOKENS, deadline_s)
    try:
        return _Answer.model_validate_json(_OPENING + text.strip())
    except ValidationError:
        raise ExtractionError("The language model answered outside its format.", permanent=False) from None


def fit_words(words: Sequence[str], found: Cue) -> list[str | None]:
    """The words that may name what a rule is about: not the time, not those that declare, not whoever is reminded."""
    spent = found.spent.lower().split()
    lower = [word.lower() for word in words]
    barred = {place for place, word in enumerate(lower) if word in _DECLARING}
    for place in range(len(lower) - len(spent) + 1 if spent else 0):
        if lower[place : place + len(spent)] == spent:
            barred |= set(range(place, place + len(spent)))
    if found.do == "remind-earlier":
        barred |= {place for place in range(1, len(lower)) if lower[place - 1] in _REMINDING}
    return [None if place in barred else word for place, word in enumerate(words)]


def _words(sentence: Sentence) -> list[str]:
    """The words without what would end a string, or spell a control token."""
    cleaned = (word.strip(' ,.;:!?"“”()<>|\\') for word in sentence.core.split())
    return [word for word in cleaned if word and not set(word) & set('"\\<>|')]


def _built(found: Cue, answer: _Answer, *, sure: bool) -> RuleSpec | None:
    """The rule, where what the model chose can be what such a rule is about."""
    if found.do == "mute-hours":
        return _quiet(found)
    about = names.name(answer.about) if found.do == "expand-name" else names.thing(_STUFF.sub("", answer.about))
    if names.is_empty(about) or not names.is_thing(about):
        return None
    try:
        return rule(about, _action(found, answer, sure=sure))
    except (ValidationError, ValueError):
        return None


def _action(found: Cue, answer: _Answer, *, sure: bool) -> ExpandName | Exclude | Tag | RemindEarlier | DefaultTime:
    """Raises ValueError where a slot cannot be right."""
    if found.do == "remind-earlier":
        return RemindEarlier(minutes=found.minutes)
    if found.do == "default-time":
        return DefaultTime(at=found.at)
    if found.do == "exclude":
        where: Where = "list" if found.what == "list" else "memory"
        return Exclude(where=where)
    if found.do == "tag":
        if names.is_function_word(answer.tag.lower()) or names.same(answer.tag, answer.about):
            raise ValueError("no tag")
        return Tag(tag=answer.tag.lower())
    is_name = sure or names.is_somebody(answer.about, sure=False)
    if not is_name or not names.is_somebody(answer.to, sure=sure) or names.same(answer.about, answer.to):
        raise ValueError("no meaning")
    return ExpandName(to=answer.to)


def _quiet(found: Cue) -> RuleSpec | None:
    if found.hours is None:
        return None
    what = "listening" if found.what == "listening" else "reminders"
    action = {"do": "mute-hours", "what": what, "start": found.hours.start, "end": found.hours.end}
    return RuleSpec.model_validate({"trigger": {"about": ""}, "action": action})


def _turn(role: str, text: str) -> str:
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


_OPENING = '{"about": "'
_PREFIX = (
    _turn("system", _SYSTEM)
    + "".join(_turn("user", f"{do}: {said}") + _turn("assistant", json.dumps(answer)) for do, said, answer in _EXAMPLES)
    + "<|im_start|>user\n"
)
