"""The extractor between the rules: declarations are taken out and proposed, names spelt out, exclusions applied."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

from junod.audit import without_orders
from junod.errors import UsageError
from junod.events import RuleProposed, RuleUnclear
from junod.records import Decision, Outcome, Passage
from junod.rules.apply import applied, expand
from junod.rules.book import RuleBook
from junod.rules.reading import Ask, Reading, read_rules, without

log = logging.getLogger(__name__)


class ExtractorLike(Protocol):
    def decide(self, passage: Passage) -> Decision: ...


class RuledExtractor:
    """`ExtractorLike` over another. What is said can propose a rule, and no more: a person confirms it elsewhere.

    Args:
        publish: gets RuleProposed and RuleUnclear.
        listens: False = rules are applied, and none is read from what is said.
        keep_proposals: so long a proposal waits for a person before it is erased.
    """

    def __init__(
        self,
        inner: ExtractorLike,
        book: RuleBook,
        publish: Callable[[RuleProposed | RuleUnclear], None],
        *,
        ask: Ask | None = None,
        listens: bool = True,
        keep_proposals: timedelta = timedelta(days=7),
    ) -> None:
        self._inner, self._book, self._publish = inner, book, publish
        self._ask, self._listens, self._keep = ask, listens, keep_proposals

    def decide(self, passage: Passage) -> Decision:
        """See `junod.extract.extractor.Extractor.decide`; the transcript of what is kept stays as spoken."""
        self._book.expire_proposals(passage.spoken_at - self._keep)
        reading = read_rules(passage.transcript, self._ask) if self._listens else Reading()
        self._note(reading, passage)
        rest = without(passage.transcript, reading.spoken_for) if reading.spoken_for else passage.transcript
        if reading.spoken_for and not rest:
            reason = "rule-proposed" if reading.declared else "rule-unclear"
            return Decision(passage.id, Outcome.REJECTED, "rules", reason=reason)
        rules = self._book.active()
        decision = self._inner.decide(replace(passage, transcript=expand(rest, rules)))
        return without_orders(applied(decision, passage, rules))

    def _note(self, reading: Reading, passage: Passage) -> None:
        for one in reading.declared:
            try:
                proposed = self._book.note(one, source="voice", passage_id=passage.id)
            except UsageError as error:  # a credential, or words addressed to a program
                log.warning("A spoken rule was refused: %s", error.message)
                continue
            if proposed.is_new:
                self._publish(RuleProposed(proposed.rule.id, proposed.rule.told))
        for asked in reading.asked:
            self._publish(RuleUnclear(asked.question))
