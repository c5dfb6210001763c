"""The household's rules as every face uses them: one class of verbs over the store. SQL is in `junod.memory.rules`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from junod.errors import UsageError
from junod.memory.rows import Filter
from junod.memory.rules import RuleEvent, RuleStore, StoredRule
from junod.memory.rules import RuleState as RuleState  # faces get it here, never from the store
from junod.memory.store import MemoryStore
from junod.rules.conflicts import conflicts
from junod.rules.dry_run import Change, dry_run
from junod.rules.reading import Ask, Asked, Declared, read_rules
from junod.rules.schema import KINDS, RuleSpec, parse_spec, told
from junod.sections import RemindersSettings

LIVE = (RuleState.ON,)
WRITE_HINT = (
    'Write it as you would say it: "when I say Sylvie I mean my mum", "never put nuts on the list", "doctor things '
    'belong to health", "always remind us an hour before the dentist", "swimming is always at five", "no reminders '
    'after nine in the evening".'
)


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A rule as a face shows it."""

    stored: StoredRule
    spec: RuleSpec
    told: str
    """In plain words."""
    conflicts: tuple[str, ...] = ()
    """Why it does not go together with others; each names the other's short id."""
    is_suspect: bool = False
    """It has the shape of an instruction to a program: never obeyed, shown with a warning."""

    @property
    def id(self) -> str:
        return self.stored.id


@dataclass(frozen=True, slots=True)
class Proposed:
    rule: ShownRule
    is_new: bool


class RuleBook:
    """Rules of one household. Nothing here makes a rule active but `confirm`, which a person calls.

    Args:
        suspects: whether a text has the shape of an instruction to a program.
        mask: takes credentials out of a text before anything of it is stored.
        ask: reads sentences that no pattern reads; None = patterns alone.
        reminders: how reminders are set, for the dry run of rules about them.
    """

    def __init__(
        self,
        memories: MemoryStore,
        *,
        mask: Callable[[str], str],
        suspects: Callable[[str], bool],
        ask: Ask | None = None,
        reminders: RemindersSettings | None = None,
    ) -> None:
        self._memories = memories
        self._rules = RuleStore(memories.sessions)
        self._mask, self._suspects, self._ask, self._reminders = mask, suspects, ask, reminders

    def active(self) -> tuple[RuleSpec, ...]:
        """The rules that are on, in the order in which they are applied."""
        specs = [parse_spec(rule.spec) for rule in self._rules.list(*LIVE)]
        return tuple(sorted(specs, key=lambda spec: KINDS.index(spec.do)))

    def listed(self) -> tuple[ShownRule, ...]:
        """Proposals first, then what is on or off in the order of application, conflicts named."""
        stored = sorted(self._rules.list(), key=self._place)
        specs = [parse_spec(rule.spec) for rule in stored]
        live = [place for place, rule in enumerate(stored) if rule.state is not RuleState.OFF]
        found: dict[int, list[str]] = {}
        for one in conflicts([specs[place] for place in live]):
            first, second = live[one.first], live[one.second]
            found.setdefault(first, []).append(f"{one.why} (with {stored[second].id[-8:]})")
            found.setdefault(second, []).append(f"{one.why} (with {stored[first].id[-8:]})")
        return tuple(self._shown(rule, specs[place], tuple(found.get(place, ()))) for place, rule in enumerate(stored))

    def show(self, rule_id: str) -> ShownRule:
        stored = self._rules.get(rule_id)
        return next((rule for rule in self.listed() if rule.id == stored.id), self._shown(stored))

    def propose(self, words: str, *, source: str, replaces: str = "") -> Proposed:
        """Read a rule as written or said, and note it for a person to confirm.

        Raises:
            UsageError: it is no rule, or something it needs was not said; the hint asks for it.
            ExtractionError: the language model was needed and failed.
        """
        reading = read_rules(words, self._ask)
        if len(reading.declared) == 1:
            return self.note(reading.declared[0], source=source, replaces=replaces)
        if reading.declared:
            raise UsageError("These are several rules.", hint="Give one at a time.")
        asked: tuple[Asked, ...] = reading.asked
        if asked:
            raise UsageError("Something is missing.", hint=asked[0].question)
        raise UsageError("This is not understood as a rule.", hint=WRITE_HINT)

    def propose_data(self, spec_json: str, *, source: str, replaces: str = "") -> Proposed:
        """The same from `{"trigger": …, "action": …}`.

        Raises:
            UsageError: not of the schema.
        """
        return self.note(Declared(parse_spec(spec_json), ""), source=source, replaces=replaces)

    def note(self, declared: Declared, *, source: str, passage_id: str | None = None, replaces: str = "") -> Proposed:
        """Store a proposal. From anybody but a person, one that looks like an instruction to a program is refused.

        Raises:
            UsageError: it holds a credential, or it was refused.
        """
        text = declared.spec.model_dump_json()
        if self._mask(told(declared.spec)) != told(declared.spec):
            raise UsageError("A rule may not hold a password, a code or a number of a card.", hint="Leave it out.")
        if source in ("voice", "assistant") and self._suspects(told(declared.spec)):
            raise UsageError(
                "This has the shape of an instruction to a program.", hint="Write it in `junod rules add`."
            )
        said = self._mask(declared.said)
        stored, is_new = self._rules.propose(text, said=said, source=source, passage_id=passage_id, replaces=replaces)
        return Proposed(self.show(stored.id), is_new)

    def confirm(self, rule_id: str, *, by: str) -> ShownRule:
        """A person says yes. `by` is 'cli' or 'page'; see `RuleStore.confirm` for errors."""
        return self.show(self._rules.confirm(rule_id, by=by).id)

    def switch(self, rule_id: str, *, on: bool, by: str) -> ShownRule:
        return self.show(self._rules.switch(rule_id, on=on, by=by).id)

    def move_first(self, rule_id: str, *, by: str) -> ShownRule:
        return self.show(self._rules.move_first(rule_id, by=by).id)

    def delete(self, rule_id: str, *, by: str) -> tuple[str, ...]:
        """Erase it for good; returns the erased ids."""
        return self._rules.delete(rule_id, by=by)

    def history(self, rule_id: str) -> tuple[tuple[ShownRule, ...], tuple[RuleEvent, ...]]:
        """It and what it replaced, the newest first, and what happened to them, the oldest first."""
        chain, events = self._rules.history(rule_id)
        return tuple(self._shown(rule) for rule in chain), events

    def dry_run(self, rule_id: str, *, now: datetime, zone: ZoneInfo, days: int = 7) -> tuple[Change, ...]:
        """What the rule would have changed in the last so many days, whatever its state."""
        return self.try_out(parse_spec(self._rules.get(rule_id).spec), now=now, zone=zone, days=days)

    def try_out(self, spec: RuleSpec, *, now: datetime, zone: ZoneInfo, days: int = 7) -> tuple[Change, ...]:
        """The same for a rule that nobody stored."""
        since = now - timedelta(days=days)
        memories = self._memories.list(Filter(since=since), oldest_first=True)
        decided = [each.at for each in self._memories.journal(None) if each.event == "decided" and each.at >= since]
        return dry_run(spec, memories, decided, zone, self._reminders)

    def expire_proposals(self, before: datetime) -> int:
        return self._rules.expire_proposals(before)

    def _place(self, rule: StoredRule) -> tuple[bool, int, int]:
        kind = KINDS.index(parse_spec(rule.spec).do)
        return rule.state is not RuleState.PROPOSED, kind, rule.position

    def _shown(self, stored: StoredRule, spec: RuleSpec | None = None, found: tuple[str, ...] = ()) -> ShownRule:
        spec = spec or parse_spec(stored.spec)
        words = told(spec)
        return ShownRule(stored, spec, words, found, self._suspects(f"{words}\n{stored.said}"))
