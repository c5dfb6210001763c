"""Rules as a household keeps them: proposed, confirmed by a person, switched, replaced, tried out, erased."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from memory.memory_fakes import new
from rules.rules_fakes import NOW, declare, household

from junod.clock import SimulatedClock
from junod.errors import ConflictError, NotFoundError, UsageError
from junod.events import RuleProposed, RuleUnclear
from junod.memory.rules import MAX_PROPOSED
from junod.memory.store import MemoryStore
from junod.records import Decision, NewMemory, Outcome, Passage
from junod.rules.book import RuleBook
from junod.rules.extractor import RuledExtractor
from junod.rules.reading import read_rules

ZONE = ZoneInfo("Europe/Berlin")
Home = tuple[MemoryStore, RuleBook, SimulatedClock]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with household(tmp_path) as opened:
        yield opened


@dataclass
class Extractor:
    """Keeps every passage as it was shown it."""

    seen: list[Passage] = field(default_factory=list)

    def decide(self, passage: Passage) -> Decision:
        self.seen.append(passage)
        kept = NewMemory(passage.transcript, passage.transcript, passage.spoken_at, None, passage.room)
        return Decision(passage.id, Outcome.KEPT, "kept", 0.9, memories=(kept,))


def said(book: RuleBook, words: str) -> tuple[Decision, Extractor, list[RuleProposed | RuleUnclear]]:
    inner, events = Extractor(), list[RuleProposed | RuleUnclear]()
    decision = RuledExtractor(inner, book, events.append).decide(Passage("p1", words, NOW, "kitchen"))
    return decision, inner, events


def test_a_proposal_changes_nothing_until_a_person_confirms_it(home: Home) -> None:
    _, book, _ = home
    rule = book.propose("Never put nuts on the list", source="voice").rule
    assert book.active() == ()
    for nobody in ("voice", "assistant", "habit"):
        with pytest.raises(UsageError, match="Only a person"):
            book.confirm(rule.id, by=nobody)
    book.confirm(rule.id, by="cli")
    assert len(book.active()) == 1
    with pytest.raises(ConflictError):
        book.confirm(rule.id, by="cli")


def test_only_a_person_switches_moves_or_deletes(home: Home) -> None:
    _, book, _ = home
    rule_id = declare(book, "Never put nuts on the list")
    for change in (lambda: book.switch(rule_id, on=False, by="voice"), lambda: book.delete(rule_id, by="assistant"),
                   lambda: book.move_first(rule_id, by="voice")):  # fmt: skip
        with pytest.raises(UsageError):
            change()
    assert len(book.active()) == 1


def test_switched_off_it_stays_and_does_nothing(home: Home) -> None:
    _, book, _ = home
    rule_id = declare(book, "Never put nuts on the list")
    book.switch(rule_id, on=False, by="cli")
    assert book.active() == ()
    assert [rule.stored.state for rule in book.listed()] == ["off"]
    book.switch(rule_id[-8:], on=True, by="page")
    assert len(book.active()) == 1


def test_the_same_rule_twice_is_one(home: Home) -> None:
    _, book, _ = home
    first = book.propose("Never put nuts on the list", source="voice")
    again = book.propose("Never put nuts on the list.", source="cli")
    assert (first.is_new, again.is_new) == (True, False)
    assert first.rule.id == again.rule.id


def test_what_is_replaced_is_history(home: Home) -> None:
    _, book, _ = home
    old = declare(book, "When we say swimming it is always at five")
    new_rule = book.propose("When we say swimming it is always at six", source="cli", replaces=old).rule
    assert [spec.action.model_dump()["at"] for spec in book.active()] == ["17:00"]
    book.confirm(new_rule.id, by="cli")
    assert [spec.action.model_dump()["at"] for spec in book.active()] == ["18:00"]
    chain, events = book.history(new_rule.id)
    assert [rule.stored.state for rule in chain] == ["on", "replaced"]
    assert [event.event for event in events] == ["proposed", "confirmed", "proposed", "confirmed", "replaced"]


def test_the_last_confirmed_wins_until_another_is_put_first(home: Home) -> None:
    _, book, _ = home
    five = declare(book, "When we say swimming it is always at five")
    declare(book, "When we say swimming it is always at six")
    assert [spec.action.model_dump()["at"] for spec in book.active()] == ["18:00", "17:00"]
    assert all("the first one wins" in rule.conflicts[0] for rule in book.listed())
    book.move_first(five, by="cli")
    assert [spec.action.model_dump()["at"] for spec in book.active()] == ["17:00", "18:00"]


def test_kinds_are_applied_in_their_order_whatever_was_confirmed_last(home: Home) -> None:
    _, book, _ = home
    for words in ("Never put nuts on the list", "When I say Sylvie I mean my mum", "Doctor things belong to health"):
        declare(book, words)
    assert [spec.do for spec in book.active()] == ["expand-name", "exclude", "tag"]


def test_deleted_it_is_gone_with_its_history_and_its_words(home: Home) -> None:
    store, book, _ = home
    rule_id = declare(book, "When I say Sylvie I mean my mum")
    assert book.delete(rule_id, by="cli") == (rule_id,)
    with pytest.raises(NotFoundError):
        book.show(rule_id)
    assert b"Sylvie" not in store.path.read_bytes()


def test_forgetting_a_time_takes_proposals_and_words_and_leaves_what_a_person_confirmed(home: Home) -> None:
    store, book, _ = home
    kept = declare(book, "Never put nuts on the list")
    book.propose("When I say Sylvie I mean my mum", source="voice")
    store.forget_spoken(NOW - timedelta(hours=1), None)
    assert [(rule.id, rule.stored.said) for rule in book.listed()] == [(kept, "")]
    store.forget_spoken()
    assert book.listed() == ()


def test_proposals_nobody_confirms_are_erased(home: Home) -> None:
    _, book, clock = home
    book.propose("When I say Sylvie I mean my mum", source="voice")
    declare(book, "Never put nuts on the list")
    assert book.expire_proposals(clock.now() - timedelta(days=1)) == 0
    assert book.expire_proposals(clock.now() + timedelta(days=8)) == 1
    assert [rule.told for rule in book.listed()] == ["Never put nuts on the list."]


def test_a_television_cannot_fill_the_page(home: Home) -> None:
    _, book, _ = home
    mine = book.propose("Never put nuts on the list", source="page").rule.id
    for number in range(MAX_PROPOSED + 5):
        book.propose(f"From now on, when I say Bear{number} I mean my boss", source="voice")
    waiting = book.listed()
    assert len(waiting) == MAX_PROPOSED + 1
    assert mine in [rule.id for rule in waiting]


def test_a_rule_may_not_hold_a_secret(home: Home) -> None:
    _, book, _ = home
    with pytest.raises(UsageError, match="may not hold a password"):
        book.propose("From now on Bear means 4711 street", source="cli")


def test_a_spoken_rule_is_proposed_and_is_nothing_to_remember(home: Home) -> None:
    _, book, _ = home
    decision, inner, events = said(book, "Never put nuts on the list.")
    assert (decision.outcome, decision.stage, decision.reason) == (Outcome.REJECTED, "rules", "rule-proposed")
    assert inner.seen == []
    assert [type(event) for event in events] == [RuleProposed]
    assert [rule.stored.state for rule in book.listed()] == ["proposed"]


def test_deciding_a_passage_twice_proposes_once(home: Home) -> None:
    _, book, _ = home
    said(book, "Never put nuts on the list.")
    _, _, events = said(book, "Never put nuts on the list.")
    assert events == []
    assert len(book.listed()) == 1


def test_the_rest_of_what_was_said_is_decided_without_the_rule(home: Home) -> None:
    _, book, _ = home
    declare(book, "When I say Sylvie I mean my mum")
    decision, inner, _ = said(book, "Never put nuts on the list. Sylvie comes on Friday.")
    assert inner.seen[0].transcript == "Sylvie (my mum) comes on Friday."
    (kept,) = decision.memories
    assert kept.memory == "Sylvie (my mum) comes on Friday."
    assert kept.transcript == "Never put nuts on the list. Sylvie comes on Friday."


def test_what_is_missing_is_asked_aloud(home: Home) -> None:
    _, book, _ = home
    decision, _, events = said(book, "From now on remind us earlier about the dentist.")
    assert decision.reason == "rule-unclear"
    assert events == [RuleUnclear("How long before the dentist?")]
    assert book.listed() == ()


def test_a_dry_run_tells_what_would_have_been_otherwise_and_changes_nothing(home: Home) -> None:
    store, book, clock = home
    listed = store.add(new("Shopping list:\n- nuts\n- milk"))
    dentist = store.add(new("Dentist for Leo", expires_at=NOW + timedelta(days=1)))
    store.add(new("Old nuts", spoken_at=NOW - timedelta(days=30)))
    now = clock.now() + timedelta(hours=2)

    def changes(words: str) -> list[tuple[str, str]]:
        (one,) = read_rules(words).declared
        return [(each.memory_id, each.after) for each in book.try_out(one.spec, now=now, zone=ZONE)]

    assert changes("Never put nuts on the list") == [(listed.id, "Shopping list:\n- milk")]
    assert changes("Always remind us an hour before the dentist") == [(dentist.id, "reminded Wed 25 Mar 2026, 17:00")]
    assert changes("Anything about the dentist goes under health") == [(dentist.id, "Dentist for Leo #health")]
    assert changes("No reminders after five in the afternoon") == [(dentist.id, "no reminder")]
    assert changes("Never put coffee on the list") == []
    assert store.get(listed.id).is_active
