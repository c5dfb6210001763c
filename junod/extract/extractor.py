"""From a passage to a verdict: mask, gate, generate, verify, mask again, date.

The neighbouring stages come in as callables; the daemon hands them over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Protocol
from zoneinfo import ZoneInfo

from junod.extract.beside import plan_beside_list
from junod.extract.focus import Focus, PassageFocus, Piece, PieceJudge
from junod.extract.gate_protocol import Gate, GateVerdict
from junod.extract.generate import generate
from junod.extract.language_model import LanguageModel
from junod.extract.prompt import build_prompt
from junod.extract.selection import select
from junod.extract.verify import Rejected, Verified, is_quotable, verify
from junod.extract.wording import worded
from junod.records import Decision, Kind, NewMemory, Outcome, Passage, Proposal, Resolution, UnsyncedTime
from junod.sections import ExtractSettings

_OTHERS = -3.0
"""Log-odds that a piece of another memory keeps when the time of this one is looked for."""
_MIDNIGHT = time()
_NEEDS_TIME = (Kind.APPOINTMENT, Kind.EVENT)


class MaskedLike(Protocol):
    """A text whose credentials are masked."""

    @property
    def text(self) -> str: ...


Mask = Callable[[str, Sequence[str]], MaskedLike]
"""(text, context) -> the text without its credentials."""

MaskPassage = Callable[[Passage], Passage]
"""Transcript and context without credentials, each in the light of the others."""


class Resolve(Protocol):
    """A spoken time phrase made absolute, as `junod.when.resolve.resolve`."""

    def __call__(
        self, phrase: str, *, spoken_at: datetime, zone: ZoneInfo, kind: Kind, day_first: bool, hint: str
    ) -> Resolution: ...


class ResolveTalk(Protocol):
    """The time that a whole passage speaks for: its words and when it is, as `junod.when.choice.resolve_talk`."""

    def __call__(
        self,
        text: str,
        *,
        spoken_at: datetime,
        zone: ZoneInfo,
        kind: Kind,
        weight: Callable[[int, int], float],
        day_first: bool,
        context: Sequence[str],
    ) -> tuple[str, Resolution] | None: ...


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
        mask_passage: MaskPassage,
        resolve: Resolve,
        home: Household,
        pieces: PieceJudge | None = None,
        resolve_talk: ResolveTalk | None = None,
    ) -> None:
        self._pieces, self._resolve_talk = pieces, resolve_talk
        self._gate, self._llm, self._settings = gate, llm, settings
        self._mask, self._mask_passage, self._resolve, self._home = mask, mask_passage, resolve, home

    def decide(self, passage: Passage) -> Decision:
        masked = self._mask_passage(passage)
        if not masked.transcript.strip():
            return Decision(passage.id, Outcome.REJECTED, "gate", reason="empty")
        verdict = self._gate.assess(masked, lambda: self._llm.read(build_prompt(masked)))
        if not verdict.keep:
            return _rejected(passage, verdict, verdict.stage, "below-threshold")
        seen = PassageFocus(self._pieces.pieces(masked)) if self._pieces else None
        proposals = generate(masked, self._llm, self._settings, seen.focus() if seen else Focus())
        judged = verify(proposals, masked, self._settings.max_memories)
        verified = [one for one in judged if isinstance(one, Verified)]
        if seen is not None:
            verified = select(verified, seen, masked)
            if len(verified) < self._settings.max_memories:
                verified += plan_beside_list(verified, seen, masked, lambda piece: self._named_by(piece, masked))
        if not verified:
            reason = next((one.reason for one in judged if isinstance(one, Rejected)), "nothing-proposed")
            return _rejected(passage, verdict, "verify", reason)
        return self._dated(masked, verdict, verified, seen)

    def _dated(
        self, passage: Passage, verdict: GateVerdict, verified: Sequence[Verified], seen: PassageFocus | None
    ) -> Decision:
        memories: list[NewMemory] = []
        taken: set[datetime] = set()  # two appointments of one passage at one time are one, told twice
        reason = "no-time"
        plans = sum(one.proposal.kind is not Kind.SHOPPING for one in verified)
        rest = seen.apart_from(Kind.SHOPPING) if seen is not None and plans < len(verified) else seen
        for one in verified:
            alone = rest if plans == 1 else None
            said = _said(one, alone)
            view = alone or (_looking_at(one, passage, seen) if seen else None)
            phrase, resolution = self._resolved(one, said, passage, view)
            if resolution.is_past and passage.clock_synced:
                reason = "past"
            elif one.proposal.kind in _NEEDS_TIME and resolution.expires_at in taken:
                reason = "repeated"
            elif one.proposal.kind not in _NEEDS_TIME or resolution.expires_at or resolution.recurring:
                if one.proposal.kind in _NEEDS_TIME and resolution.expires_at:
                    taken.add(resolution.expires_at)
                told, said = _with_its_time(one, phrase, said, alone)
                told = replace(told, when=told.when or phrase)
                new = self._memory(worded(told, resolution, said, phrase), resolution, passage, verdict)
                memories.append(self._datable(new, one, said, phrase, resolution, passage))
        if not memories:
            return _rejected(passage, verdict, "dates", reason)
        return Decision(passage.id, Outcome.KEPT, "kept", verdict.probability, "", tuple(memories))

    def _resolved(
        self, one: Verified, said: str, passage: Passage, seen: PassageFocus | None
    ) -> tuple[str, Resolution]:
        """The time words of a memory, and when they say that it ends.

        An event ends as an appointment does: with an hour at that hour, without one with its day, a span with its last
        day.
        """
        kind = one.proposal.kind
        if kind is Kind.SHOPPING:
            return "", Resolution(None)
        if seen is not None and self._resolve_talk is not None and kind is not Kind.FACT:
            chosen = self._resolve_talk(
                passage.transcript,
                spoken_at=passage.spoken_at,
                zone=self._home.zone,
                kind=kind,
                weight=seen.probability_at,
                day_first=self._home.day_first,
                context=passage.context,
            )
            if chosen is not None:
                return self._at_its_usual_hour(chosen, one, said, passage)
        return self._first_named(one, said, passage)

    def _named_by(self, piece: Piece, passage: Passage) -> datetime | None:
        """The time to come that a piece itself names."""
        if self._resolve_talk is None:
            return None
        chosen = self._resolve_talk(
            piece.text,
            spoken_at=passage.spoken_at,
            zone=self._home.zone,
            kind=piece.kind,
            weight=lambda _start, _end: 1.0,
            day_first=self._home.day_first,
            context=(),
        )
        return None if chosen is None else chosen[1].expires_at

    def _at_its_usual_hour(
        self, chosen: tuple[str, Resolution], one: Verified, said: str, passage: Passage
    ) -> tuple[str, Resolution]:
        """A day without an hour, where the household has said at what hour this thing always is."""
        phrase, resolution = chosen
        found = self._resolve_phrase(phrase, one, said, passage)
        has_hour = found.expires_at is not None and found.expires_at.time() != _MIDNIGHT
        lacks_hour = resolution.expires_at is not None and resolution.expires_at.time() == _MIDNIGHT
        return (phrase, found) if has_hour and lacks_hour else chosen

    def _first_named(self, one: Verified, said: str, passage: Passage) -> tuple[str, Resolution]:
        """The first of these that names a time: the time words, the sentences quoted, those that count, the passage.

        An appointment without a time looks further afield than a reminder, which may have none.
        """
        kind = one.proposal.kind
        places = [one.proposal.when, one.evidence.text, said] if kind is not Kind.FACT else [one.proposal.when]
        if kind in _NEEDS_TIME:
            places.append(passage.transcript)
        for phrase in filter(None, places):
            found = self._resolve_phrase(phrase, one, said, passage)
            if found.expires_at is not None or found.recurring:
                return phrase, found
        return "", Resolution(None)

    def _resolve_phrase(self, phrase: str, one: Verified, said: str, passage: Passage) -> Resolution:
        return self._resolve(
            phrase,
            spoken_at=passage.spoken_at,
            zone=self._home.zone,
            kind=_resolved_as(one.proposal.kind),
            day_first=self._home.day_first,
            hint=_hint(one, said),
        )

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


def _looking_at(one: Verified, passage: Passage, seen: PassageFocus) -> PassageFocus:
    """Of a passage that holds several memories the view of one: the pieces it was not taken from count for little."""
    starts = [(passage.transcript.find(text), len(text)) for text in one.evidence.sentences]
    return PassageFocus(
        tuple(
            piece
            if any(start < piece.end and start + length > piece.start for start, length in starts)
            else replace(piece, score=min(piece.score, _OTHERS))
            for piece in seen.pieces
        )
    )


def _said(one: Verified, seen: PassageFocus | None) -> str:
    """The talk behind a memory: of a passage's only one the pieces that count most, else those it quotes."""
    if seen is not None:
        return seen.quoted()
    return " … ".join(part for part in one.evidence.sentences if is_quotable(part))


def _with_its_time(one: Verified, phrase: str, said: str, seen: PassageFocus | None) -> tuple[Proposal, str]:
    """A passage's only memory and the talk to quote under it, where its time stands in another piece than it does.

    That piece is quoted; if it counts for more than what the model took, it is the memory: what happens then is
    mostly said beside the time.
    """
    timed = seen.holding(phrase) if seen is not None and one.proposal.kind is not Kind.SHOPPING else None
    if seen is None or timed is None or timed.text in one.evidence.text or not is_quotable(timed.text):
        return one.proposal, said
    own = seen.at(one.evidence.span)
    if own is None or timed.score > own.score:
        return replace(one.proposal, memory=timed.text, when=phrase), seen.quoted(timed, seen.before(timed))
    return one.proposal, seen.quoted(timed, seen.before(timed))


def _rejected(passage: Passage, verdict: GateVerdict, stage: str, reason: str) -> Decision:
    return Decision(passage.id, Outcome.REJECTED, stage, verdict.probability, reason)
