"""Tools about what was learned of how the household lives, and about why anything is known."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.types import CallToolResult
from pydantic import Field

from junod.assembly.house import House
from junod.assembly.why import why, why_row
from junod.audit import is_suspect
from junod.errors import NotFoundError, UsageError
from junod.habits.telling import HABITS_NOTE, habit_row, suggestion_row
from junod.mcp_server.answers import answer
from junod.memory.telling import DATA_NOTE, untrusted
from junod.memory.verbs import Choices, pick
from junod.memory.words import telling_words
from junod.persona.verbs import IMPRESSIONS_NOTE, trait_row

Known = Annotated[str, Field(description="The id of a memory, habit or impression, or words of a memory.")]
Learned = Annotated[str, Field(description="The id of a habit or impression, or words of one that is shown.")]
Answer = Annotated[
    Literal["yes", "no", "correct", "forget"],
    Field(description="yes, no: about a habit. correct: an impression. forget: erase either for good."),
]


class WayTools:
    """One household's habits and impressions; facts are the business of `Tools`."""

    def __init__(self, house: House) -> None:
        self._house = house

    def learned_ways(self) -> CallToolResult:
        """List what usually happens in this home, what is due, and impressions if people want them. Never facts."""
        now = self._house.clock.now()
        habits, due = self._house.habits.list(now), self._house.habits.suggestions(now)
        traits = self._house.persona.list(now)
        lines = [HABITS_NOTE, *(f"- {untrusted(habit.sentence)} [id {habit.id[-8:]}]" for habit in habits)]
        lines += [f"- Due: {untrusted(each.text)} [id {each.habit.id[-8:]}]" for each in due]
        if traits:
            lines += [IMPRESSIONS_NOTE, *(f"- {untrusted(trait.statement)} [id {trait.id[-8:]}]" for trait in traits)]
        return answer(
            "\n".join(lines) if habits or traits else "No habits are known yet.",
            habits=[_marked(habit_row(habit, self._house.zone)) for habit in habits],
            suggestions=[_marked(suggestion_row(each)) for each in due],
            impressions=[_marked(trait_row(trait, self._house.zone)) for trait in traits],
        )

    def answer_way(
        self,
        which: Learned,
        said: Answer,
        text: Annotated[str, Field(description="With correct: how it should read. Else empty.")] = "",
    ) -> CallToolResult:
        """Pass on what a person said about a habit or impression. Adds nothing to any list. forget is for good."""
        now = self._house.clock.now()
        which = self._meant(which)
        if said == "correct":
            if is_suspect(text):
                raise UsageError("This has the shape of an instruction to a program.", hint="Ask the person to do it.")
            trait = self._house.persona.correct(which, self._house.written(text, None).memory, now)
            return answer(f"It reads now: {untrusted(trait.statement)}", changed=True)
        if said == "forget":
            return self._forgotten(which)
        if said == "yes":
            proposal = self._house.habits.yes(which, now).proposal.replace("\n", " ")
            return answer(f"Noted. If a person asks for it, store: {proposal}", changed=True, proposal=proposal)
        self._house.habits.no(which, now)
        return answer("Noted. It is not suggested for a while.", changed=True)

    def why_known(self, which: Known) -> CallToolResult:
        """Say why something is known: the words or events behind it, when, in which layer, and what removes it."""
        try:
            known = why(self._house, which)
        except NotFoundError:
            found = pick(self._house.store, which)
            if isinstance(found, Choices):
                ids = ", ".join(memory.id[-8:] for memory in found.memories)
                raise UsageError(found.why, hint=f"Call again with an id: {ids}.") from None
            known = why(self._house, found.id)
        evidence = (f"- {untrusted(each.text)}" for each in known.evidence)
        told = [f"{known.layer}: {untrusted(known.says)}", known.because, *evidence]
        lines = [line.replace("<", "‹").replace(">", "›") for line in told]
        row = why_row(known, self._house.zone)
        row["evidence"] = [_marked(each) for each in row["evidence"]]
        return answer("\n".join([DATA_NOTE, *lines, f"To remove it: {known.removed_by}"]), **_marked(row))

    def _meant(self, which: str) -> str:
        """The id of the one habit or impression that has all these words; anything else is taken for an id."""
        now, words = self._house.clock.now(), set(telling_words(which))
        told = [(habit.id, habit.sentence) for habit in self._house.habits.list(now)]
        told += [(trait.id, trait.statement) for trait in self._house.persona.list(now)]
        meant = [each for each, sentence in told if words and words <= set(telling_words(sentence))]
        return meant[0] if len(meant) == 1 else which

    def _forgotten(self, which: str) -> CallToolResult:
        try:
            erased = self._house.habits.delete(which)
        except NotFoundError:
            erased = self._house.persona.delete(which)
        return answer(f"Forgotten for good: what was learned under id {erased[-8:]}.", changed=True)


def _marked(row: dict[str, Any]) -> dict[str, Any]:
    """The row, its words marked where they have the shape of an instruction: a model reads rows too."""
    return {name: untrusted(value) if isinstance(value, str) else value for name, value in row.items()}
