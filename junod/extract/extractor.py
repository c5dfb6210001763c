"""From a passage to a verdict: mask, gate, generate, verify, mask again, date.

The neighbouring stages come in as callables; the daemon hands them over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from junod.extract.focus import Focus, FocusModel
from junod.extract.gate_protocol import Gate, GateVerdict
from junod.extract.generate import generate
from junod.extract.language_model import LanguageModel
from junod.extract.prompt import build_prompt
from junod.extract.verify import Rejected, Verified, is_quotable, verify
from junod.extract.wording import worded
from junod.records import Decision, Kind, NewMemory, Outcome, Passage, Proposal, Resolution, UnsyncedTime
from junod.sections import ExtractSettings

_SECOND = 2.0
"""Support (log-odds) that a passage's second memory needs. Of the passages of kitchen-dev that left several, five
memories lay under it, four of them ghosts."""
_CHATTER = 0.0
"""Log-odds up to which a sentence is not worth quoting, unless it is the best of its passage."""
_NEEDS_TIME = (Kind.APPOINTMENT, Kind.EVENT)


class MaskedLike(Protocol):
    """A text whose credentials are masked."""

    @property
    def text(self) -> str: ...


Mask = Callable[[str, Sequence[str]], MaskedLike]
"""(text, context) -> the text without its credentials."""


class Resolve(Protocol):
    """A spoken time phrase made absolute, as `junod.when.resolve.resolve`."""

    def __call__(
        self, phrase: str, *, spoken_at: datetime, zone: ZoneInfo, kind: Kind, day_first: bool, hint: str
    ) -> Resolution: ...


class Extractor(Protocol):
    def decide(self, passage: Passage) -> Decision:
        """What becomes of a passage.

        Raises:
            ExtractionError: the language model failed; the passage is undecided (a retry is the pipeline's business).
        """
        ...


@dataclass(frozen=True, slots=True)
class Household:
    """How this household writes time."""

    zone: ZoneInfo
    day_first: bool = True


class PassageExtractor:
    """`Extractor` over a gate and a language model. Keeps nothing between passages."""

    def __init__(
        self,
        gate: Gate,
        llm: LanguageModel,
        settings: ExtractSettings,
        *,
        mask: Mask,
        resolve: Resolve,
        home: Household,
        focus: FocusModel | None = None,
    ) -> None:
        self._focus = focus
        self._gate, self._llm, self._settings = gate, llm, settings
        self._mask, self._resolve, self._home = mask, resolve, home

    def decide(self, passage: Passage) -> Decision:
        masked = self._masked(passage)
        if not masked.transcript.strip():
            return Decision(passage.id, Outcome.REJECTED, "gate", reason="empty")
        verdict = self._gate.assess(masked, lambda: self._llm.read(build_prompt(masked)))
        if not verdict.keep:
            return _rejected(passage, verdict, verdict.stage, "below-threshold")
        focus = self._focus.focus(masked.transcript) if self._focus else Focus()
        proposals = generate(masked, self._llm, self._settings, focus)
        judged = verify(proposals, masked, self._settings.max_memories)
        verified = [one for one in judged if isinstance(one, Verified)]
        if not verified:
            reason = next((one.reason for one in judged if isinstance(one, Rejected)), "nothing-proposed")
            return _rejected(passage, verdict, "verify", reason)
        return self._dated(masked, verdict, self._supported(verified, masked))

    def _masked(self, passage: Passage) -> Passage:
        """Transcript and context without credentials, each passage masked in the light of the ones before it."""
        context = tuple(self._mask(text, passage.context[:i]).text for i, text in enumerate(passage.context))
        return replace(passage, transcript=self._mask(passage.transcript, passage.context).text, context=context)

    def _supported(self, verified: Sequence[Verified], passage: Passage) -> list[Verified]:
        """The best supported memory, and of the others those whose own sentence clearly looks like one to keep."""
        if self._focus is None:
            return list(verified)
        support = [self._focus.support(passage.transcript, one.evidence.span) for one in verified]
        kept = [one for one, score in zip(verified, support, strict=True) if score >= _SECOND or score == max(support)]
        return self._refocused(kept, passage) if max(support) <= 0 else kept

    def _refocused(self, kept: list[Verified], passage: Passage) -> list[Verified]:
        """Where the model quoted chatter and one sentence clearly counts, that sentence itself is the memory."""
        assert self._focus is not None
        (best,) = self._focus.likely(passage.transcript, 1)
        shares = self._focus.kinds(passage.transcript)
        kind = max(shares, key=lambda one: shares[one])
        if best.score <= 0 or kind is Kind.SHOPPING:
            return kept
        judged = verify([Proposal(kind, best.text, best.text)], passage)
        return [one for one in judged if isinstance(one, Verified)] or kept

    def _dated(self, passage: Passage, verdict: GateVerdict, verified: Sequence[Verified]) -> Decision:
        memories: list[NewMemory] = []
        taken: set[datetime] = set()  # two appointments of one passage at one time are one, told twice
        reason = "no-time"
        for one in verified:
            said = self._said(one, passage, alone=len(verified) == 1)
            phrase, resolution = self._resolved(one, said, passage)
            if resolution.is_past and passage.clock_synced:
                reason = "past"
            elif one.proposal.kind in _NEEDS_TIME and resolution.expires_at in taken:
                reason = "repeated"
            elif one.proposal.kind not in _NEEDS_TIME or resolution.expires_at or resolution.recurring:
                if one.proposal.kind in _NEEDS_TIME and resolution.expires_at:
                    taken.add(resolution.expires_at)
                new = self._memory(worded(one.proposal, resolution, said), resolution, passage, verdict)
                memories.append(self._datable(new, one, said, phrase, resolution, passage))
        if not memories:
            return _rejected(passage, verdict, "dates", reason)
        return Decision(passage.id, Outcome.KEPT, "kept", verdict.probability, "", tuple(memories))

    def _said(self, one: Verified, passage: Passage, *, alone: bool) -> str:
        """The talk behind a memory: of a passage's only one the two sentences that count most, else those it quotes.

        The thing, the day and the person often stand in different turns; the model's sentence names one of them.
        """
        parts: Sequence[str] = one.evidence.sentences
        if alone and self._focus is not None:
            best = self._focus.likely(passage.transcript, 2)
            peak = max(piece.score for piece in best)
            parts = [piece.text for piece in best if piece.score > _CHATTER or piece.score == peak]
        return " … ".join(part for part in parts if is_quotable(part))

    def _resolved(self, one: Verified, said: str, passage: Passage) -> tuple[str, Resolution]:
        """The first of these that names a time, and the time: time words, sentences quoted, those that count, passage.

        An appointment without a time looks further afield than a reminder, which may have none. An event is resolved
        as an appointment: with an hour it ends at that hour, without one with its day, and a span with its last day.
        """
        proposal = one.proposal
        if proposal.kind is Kind.SHOPPING:
            return "", Resolution(None)
        places = [proposal.when, one.evidence.text, said] if proposal.kind is not Kind.FACT else [proposal.when]
        if proposal.kind in _NEEDS_TIME:
            places.append(passage.transcript)
        for phrase in filter(None, places):
            found = self._resolve(
                phrase,
                spoken_at=passage.spoken_at,
                zone=self._home.zone,
                kind=_resolved_as(proposal.kind),
                day_first=self._home.day_first,
                hint=_hint(one, said),
            )
            if found.expires_at is not None or found.recurring:
                return phrase, found
        return "", Resolution(None)

    def _datable(
        self, new: NewMemory, one: Verified, said: str, phrase: str, resolution: Resolution, passage: Passage
    ) -> NewMemory:
        """Heard while the clock was not set: with what dates it once that is."""
        if passage.anchor is None:
            return new
        phrase, hint = self._mask(phrase, ()).text, self._mask(_hint(one, said), ()).text
        kind = _resolved_as(one.proposal.kind)
        return replace(new, unsynced=UnsyncedTime(passage.anchor, kind, phrase, hint, resolution.said))

    def _memory(self, text: str, resolution: Resolution, passage: Passage, verdict: GateVerdict) -> NewMemory:
        return NewMemory(
            memory=self._mask(text, ()).text,
            transcript=passage.transcript,
            spoken_at=passage.spoken_at,
            expires_at=resolution.expires_at,
            room=passage.room,
            device_id=passage.device_id,
            household_id=passage.household_id,
            confidence=verdict.probability,
            clock_synced=passage.clock_synced,
        )


def _resolved_as(kind: Kind) -> Kind:
    return Kind.APPOINTMENT if kind is Kind.EVENT else kind


def _hint(one: Verified, said: str) -> str:
    return f"{one.proposal.memory}\n{one.evidence.text}\n{said}"


def _rejected(passage: Passage, verdict: GateVerdict, stage: str, reason: str) -> Decision:
    return Decision(passage.id, Outcome.REJECTED, stage, verdict.probability, reason)
