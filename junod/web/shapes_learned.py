"""What the API takes and gives of rules, habits and impressions, and why something is known."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from junod.persona.verbs import MAX_CORRECTION_CHARS
from junod.web.shapes import Given


class RuleOut(BaseModel):
    id: str
    rule: str
    """In plain words."""
    kind: str
    """What it does; among rules of one kind the first in the list wins."""
    state: Literal["proposed", "on", "off", "replaced"]
    source: str
    said: str
    """The sentence it was read from."""
    conflicts: list[str]
    suspect: bool
    """It has the shape of an instruction to a program."""


class ChangeOut(BaseModel):
    memory: str
    """Its id; '' where it is about passages heard."""
    before: str
    after: str
    before_html: str
    after_html: str
    """Both harmless: see `MemoryOut.html`."""


class DryRunOut(BaseModel):
    """What a rule would have changed; nothing was."""

    days: int
    changes: list[ChangeOut]


class HabitOut(BaseModel):
    id: str
    sentence: str
    """'' where no memory is left that names it."""
    shown: bool


class SuggestionOut(BaseModel):
    habit: str
    text: str
    proposal: str
    """A memory that a person may add; nobody adds it for them."""


class ImpressionOut(BaseModel):
    id: str
    statement: str


class DeclareIn(Given):
    text: str = Field(min_length=1, max_length=300)


class DeclaredOut(BaseModel):
    rule: RuleOut
    is_new: bool
    """False: a rule of the same content is there, as it is."""


class CorrectIn(Given):
    text: str = Field(min_length=1, max_length=MAX_CORRECTION_CHARS)


class LearnedOut(BaseModel):
    """Beside the memories, and apart from them: rules are declared, habits and impressions are no facts."""

    proposed: list[RuleOut]
    """They change nothing before a person confirms them."""
    rules: list[RuleOut]
    habits: list[HabitOut]
    suggestion: SuggestionOut | None
    """The most overdue one."""
    impressions: list[ImpressionOut]
    """None while they are off."""


class EvidenceOut(BaseModel):
    text: str
    at: datetime
    memory: str
    """Its id; '' where it stands in no memory."""


class WhyOut(BaseModel):
    layer: Literal["memory", "habit", "impression", "rule"]
    id: str
    says: str
    because: str
    since: datetime
    evidence: list[EvidenceOut]


class DeletedOut(BaseModel):
    deleted: list[str]
