"""What a rule may say, and nothing beyond it: `{trigger, action}`, strict and closed (pure)."""

from __future__ import annotations

from datetime import time
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from junod.errors import UsageError

MAX_WORDS_CHARS = 60
MAX_MINUTES = 60 * 24 * 31
DO_HINT = "Kinds: expand-name, exclude, tag, remind-earlier, default-time, mute-hours."

Words = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_WORDS_CHARS, pattern=r"^[^\n<>\[\]`|]+$")
]
Hour = Annotated[str, StringConstraints(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
"""A local wall-clock time, 'HH:MM'."""
Where = Literal["list", "memory"]
Muted = Literal["reminders", "listening"]


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Trigger(_Closed):
    """What sets a rule off: these words, wherever they are said; '' = the clock alone (mute hours)."""

    about: Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_WORDS_CHARS)] = ""


class ExpandName(_Closed):
    do: Literal["expand-name"] = "expand-name"
    to: Words
    """Whom or what the name means."""


class Exclude(_Closed):
    do: Literal["exclude"] = "exclude"
    where: Where = "list"
    """'list': never an item of a shopping list. 'memory': nothing about it is kept at all."""


class Tag(_Closed):
    do: Literal["tag"] = "tag"
    tag: Annotated[str, StringConstraints(pattern=r"^[^\W_][\w-]{0,29}$")]


class RemindEarlier(_Closed):
    do: Literal["remind-earlier"] = "remind-earlier"
    minutes: Annotated[int, Field(ge=1, le=MAX_MINUTES)]


class DefaultTime(_Closed):
    do: Literal["default-time"] = "default-time"
    at: Hour


class MuteHours(_Closed):
    do: Literal["mute-hours"] = "mute-hours"
    what: Muted = "reminders"
    start: Hour
    end: Hour

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if self.start == self.end:
            raise ValueError("start and end are the same")
        return self


Action = Annotated[ExpandName | Exclude | Tag | RemindEarlier | DefaultTime | MuteHours, Field(discriminator="do")]
KINDS = ("expand-name", "exclude", "default-time", "remind-earlier", "tag", "mute-hours")
"""In the order in which they are applied."""


class RuleSpec(_Closed):
    """One rule. Only this is stored, compared and carried out."""

    trigger: Trigger
    action: Action

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        if (self.action.do == "mute-hours") == bool(self.trigger.about):
            raise ValueError("mute-hours has no 'about'; every other rule needs one")
        return self

    @property
    def about(self) -> str:
        return self.trigger.about

    @property
    def do(self) -> str:
        return self.action.do


def rule(about: str, action: ExpandName | Exclude | Tag | RemindEarlier | DefaultTime | MuteHours) -> RuleSpec:
    return RuleSpec(trigger=Trigger(about=about), action=action)


def parse_spec(text: str) -> RuleSpec:
    """A rule from JSON.

    Raises:
        UsageError: not of the schema; says where, without repeating what was said.
    """
    try:
        return RuleSpec.model_validate_json(text)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise UsageError(f"This is no rule ({problem['type']} {place}).".replace(" )", ")"), hint=DO_HINT) from None


def told(spec: RuleSpec) -> str:
    """The rule in plain words, as it is shown for confirmation."""
    action, about = spec.action, spec.about
    if isinstance(action, ExpandName):
        return f"“{about}” means {action.to}."
    if isinstance(action, Exclude):
        return f"Never put {about} on the list." if action.where == "list" else f"Keep nothing about {about}."
    if isinstance(action, Tag):
        return f"What is about {about} is tagged #{action.tag}."
    if isinstance(action, RemindEarlier):
        return f"Remind {duration(action.minutes)} before {about}."
    if isinstance(action, DefaultTime):
        return f"{about[:1].upper()}{about[1:]} is at {action.at} where no time is said."
    quiet = "No reminders" if action.what == "reminders" else "The microphone is off"
    return f"{quiet} from {action.start} to {action.end}."


def duration(minutes: int) -> str:
    """'2 days', '90 minutes', '1 hour'."""
    for unit, length in (("week", 7 * 1440), ("day", 1440), ("hour", 60)):
        if minutes % length == 0:
            amount = minutes // length
            return f"{amount} {unit}{'s' if amount > 1 else ''}"
    return f"{minutes} minute{'s' if minutes > 1 else ''}"


def minute_of_day(hour: str) -> int:
    at = time.fromisoformat(hour)
    return at.hour * 60 + at.minute
