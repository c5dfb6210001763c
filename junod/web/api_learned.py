"""/api/learned, /api/rules, /api/habits, /api/impressions, /api/why: what is known beside the memories, and why."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from junod.assembly.house import House
from junod.assembly.why import why
from junod.habits.verbs import Habit, Suggestion
from junod.persona.verbs import Trait
from junod.rules.book import RuleState, ShownRule
from junod.rules.dry_run import Change
from junod.rules.telling import rule_row
from junod.web.api_memories import Id
from junod.web.markdown import to_html
from junod.web.shapes_learned import (
    ChangeOut,
    CorrectIn,
    DeclaredOut,
    DeclareIn,
    DeletedOut,
    DryRunOut,
    EvidenceOut,
    HabitOut,
    ImpressionOut,
    LearnedOut,
    RuleOut,
    SuggestionOut,
    WhyOut,
)

BY = "page"
Days = Annotated[int, Query(ge=1, le=366, description="How far to look back.")]


class LearnedApi:
    """Only a person reaches these routes: assistants have `/mcp`, which confirms, switches and deletes nothing here."""

    def __init__(self, house: House) -> None:
        self._house = house

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/api", tags=["learned"])
        router.add_api_route("/learned", self.learned, response_model=LearnedOut)
        router.add_api_route("/why/{known_id}", self.why, response_model=WhyOut)
        for verb in (self.confirm, self.on, self.off, self.first):
            path = f"/rules/{{rule_id}}/{verb.__name__}"
            router.add_api_route(path, verb, methods=["POST"], response_model=RuleOut)
        router.add_api_route("/rules", self.declare, methods=["POST"], status_code=201, response_model=DeclaredOut)
        router.add_api_route("/rules/{rule_id}/dry-run", self.dry_run, response_model=DryRunOut)
        router.add_api_route("/habits/{habit_id}/yes", self.yes, methods=["POST"], response_model=SuggestionOut)
        router.add_api_route("/habits/{habit_id}/no", self.no, methods=["POST"], response_model=HabitOut)
        router.add_api_route(
            "/impressions/{trait_id}/correct", self.correct, methods=["POST"], response_model=ImpressionOut
        )
        for path, delete in (
            ("/rules/{rule_id}", self.delete_rule),
            ("/habits/{habit_id}", self.delete_habit),
            ("/impressions/{trait_id}", self.delete_impression),
        ):
            router.add_api_route(path, delete, methods=["DELETE"], response_model=DeletedOut)
        return router

    def learned(self) -> LearnedOut:
        now, habits = self._house.clock.now(), self._house.habits
        rules = self._house.rules.listed()
        due = habits.suggestions(now)
        return LearnedOut(
            proposed=[_rule(rule) for rule in rules if rule.stored.state is RuleState.PROPOSED],
            rules=[_rule(rule) for rule in rules if rule.stored.state is not RuleState.PROPOSED],
            habits=[_habit(habit) for habit in habits.list(now)],
            suggestion=_suggestion(due[0]) if due else None,
            impressions=[_impression(trait) for trait in self._house.persona.list(now)],
        )

    def why(self, known_id: Id) -> WhyOut:
        """The words or events behind a memory, rule, habit or impression."""
        known, zone = why(self._house, known_id), self._house.zone
        return WhyOut.model_validate(
            {
                "layer": known.layer,
                "id": known.id,
                "says": known.says,
                "because": known.because,
                "since": known.since.astimezone(zone),
                "evidence": [
                    EvidenceOut(text=each.text, at=each.at.astimezone(zone), memory=each.memory_id)
                    for each in known.evidence
                ],
            }
        )

    def declare(self, given: DeclareIn) -> DeclaredOut:
        """Read a rule in plain words. It changes nothing before it is confirmed; what is missing is asked back."""
        proposed = self._house.rules.propose(given.text, source=BY)
        return DeclaredOut(rule=_rule(proposed.rule), is_new=proposed.is_new)

    def confirm(self, rule_id: Id) -> RuleOut:
        """Put a proposed rule into force, ahead of others of its kind."""
        return _rule(self._house.rules.confirm(rule_id, by=BY))

    def on(self, rule_id: Id) -> RuleOut:
        return _rule(self._house.rules.switch(rule_id, on=True, by=BY))

    def off(self, rule_id: Id) -> RuleOut:
        """Switch a rule off; what it changed before stays."""
        return _rule(self._house.rules.switch(rule_id, on=False, by=BY))

    def first(self, rule_id: Id) -> RuleOut:
        """Apply a rule ahead of the others of its kind: in a conflict it wins."""
        return _rule(self._house.rules.move_first(rule_id, by=BY))

    def dry_run(self, rule_id: Id, days: Days = 7) -> DryRunOut:
        """What a rule, whatever its state, would have changed in the last so many days. Changes nothing."""
        found = self._house.rules.dry_run(rule_id, now=self._house.clock.now(), zone=self._house.zone, days=days)
        return DryRunOut(days=days, changes=[_change(change) for change in found])

    def delete_rule(self, rule_id: Id) -> DeletedOut:
        """Erase a rule or a proposal, with its history and the words it was read from."""
        return DeletedOut(deleted=list(self._house.rules.delete(rule_id, by=BY)))

    def yes(self, habit_id: Id) -> SuggestionOut:
        """The suggestion was right: the habit grows. Nothing is put on a list."""
        return _suggestion(self._house.habits.yes(habit_id, self._house.clock.now()))

    def no(self, habit_id: Id) -> HabitOut:
        """It was wrong: the habit loses half its weight and keeps quiet for a while."""
        return _habit(self._house.habits.no(habit_id, self._house.clock.now()))

    def delete_habit(self, habit_id: Id) -> DeletedOut:
        """Erase it for good: it is not learned again. The memories stay."""
        return DeletedOut(deleted=[self._house.habits.delete(habit_id)])

    def correct(self, trait_id: Id, given: CorrectIn) -> ImpressionOut:
        """Let an impression read as a person says; credentials are masked, nothing clinical is taken."""
        wording = self._house.written(given.text, None).memory
        return _impression(self._house.persona.correct(trait_id, wording, self._house.clock.now()))

    def delete_impression(self, trait_id: Id) -> DeletedOut:
        """Erase it for good: it is not formed again. The memories stay."""
        return DeletedOut(deleted=[self._house.persona.delete(trait_id)])


def _rule(rule: ShownRule) -> RuleOut:
    return RuleOut.model_validate(rule_row(rule))


def _change(change: Change) -> ChangeOut:
    return ChangeOut(
        memory=change.memory_id,
        before=change.before,
        after=change.after,
        before_html=to_html(change.before),
        after_html=to_html(change.after),
    )


def _impression(trait: Trait) -> ImpressionOut:
    return ImpressionOut(id=trait.id, statement=trait.statement)


def _habit(habit: Habit) -> HabitOut:
    return HabitOut(id=habit.id, sentence=habit.sentence, shown=habit.is_shown)


def _suggestion(suggestion: Suggestion) -> SuggestionOut:
    return SuggestionOut(habit=suggestion.habit.id, text=suggestion.text, proposal=suggestion.proposal)
