"""Is a proposal borne out by what was said? (pure)

Code decides it, never the model: each content word of a memory must have been spoken, the quote must stand in the
transcript, and talk that settles nothing is dropped. Nothing is reworded. Where the model's sentence says a word nobody
said, or loses a 'not', the quoted words themselves become the memory; where items hold unspoken words at an end, those
are cut (`shopping.tidy`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from junod.audit import is_suspect
from junod.extract import shopping
from junod.extract.evidence import Evidence, find
from junod.extract.prompt import EXAMPLES
from junod.extract.words import Word, content, four_grams, is_grounded, keys, negations, overlap, ungrounded, words
from junod.records import Kind, Passage, Proposal

MAX_CHARACTERS = 200
MAX_MEMORIES = 4

_REFUSAL = re.compile(
    r"\b(?:as an ai|language model|i(?:'m| am) (?:sorry|unable)|i (?:cannot|can't|can not) (?:help|assist|provide|"
    r"comply|answer|do that)|no memor(?:y|ies)\b|nothing to (?:keep|remember|store)|not applicable|n/a\b)",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|might|one day|some ?day|some ?time|one of these days|sooner or later|eventually|"
    r"thinking (?:of|about)|would be (?:nice|fun|good|great|lovely)|i wish|if only|(?:we|you|i|they|he|she) (?:really |"
    r"probably )?(?:should|could|ought to)|we'd love|i'd love|dream of|not sure (?:if|when|whether)|"
    r"haven't decided|let's see|we'll see|if we ever|make sure you|supposed to be nice)\b",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"\b(?:i'll|i will|i'm going to|i'm gonna|we'll|we will|she'll|he'll|they'll|booked|confirmed|decided|settled|"
    r"remind|remember to|don't forget|don't let|make a note|note|write|put|add|out of|ran out|run out|need|promise|"
    r"has to|have to|had to|got to|gotta|must|definitely|it's on|coming|moved to|at (?:\d|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|twelve|noon|half|quarter)|o'clock|\d[:.]\d\d|every|always|allergic)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^\W*(?:(?:and|oh|okay|ok|hey|so|right|also|um|uh|babe|love|honey|mum|mom|dad|darling)\W+)*"
    r"(?:can|could|will|would|won't|do|did|don't) (?:you|someone|somebody|anyone|we|one of you)\b"
    r".*\b(?:remind|get|grab|buy|pick|bring|put|add|write|note|nudge|remember|order|call|ring|book|send|take|wake|"
    r"tell|swing|fetch|collect|post|phone|be (?:home|around|there|in))\b|\bremind me\b|\bdon't forget\b|"
    r"(?<!do )(?<!did )\b(?:i|we) need\b|\b(?:we're|we are|i'm) out of\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"^\W*(?:no\b|nope|nah|not |never|i don't|we don't|none|dunno|who knows)", re.IGNORECASE)
_MASK = re.compile(r"\[[a-z -]+\]")
"""What stands in the place of a credential."""
_EXAMPLE_GRAMS = {gram for talk, answer in EXAMPLES for text in (talk, answer) for gram in four_grams(text)}


@dataclass(frozen=True, slots=True)
class Verified:
    """A proposal that stands, its text perhaps replaced by the quoted words, and the sentences behind it."""

    proposal: Proposal
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Rejected:
    """A proposal that does not stand. `reason` is a stable code and holds no speech."""

    reason: str


def verify(
    proposals: Iterable[Proposal], passage: Passage, max_memories: int = MAX_MEMORIES
) -> list[Verified | Rejected]:
    """Judge each proposal of a masked passage.

    Returns:
        one verdict for each proposal, in order, except that shopping lists are joined into the first one before.
    """
    verdicts: list[Verified | Rejected] = []
    kept: list[Verified] = []
    for proposal in _joined_lists(proposals):
        verdict = _judge(proposal, passage)
        if isinstance(verdict, Verified):
            if any(_repeats(verdict, other) for other in kept):
                verdict = Rejected("repeated")
            elif len(kept) >= max_memories:
                verdict = Rejected("too-many")
            else:
                kept.append(verdict)
        verdicts.append(verdict)
    return verdicts


def is_quotable(text: str) -> bool:
    """Whether speech may stand under a memory: no masked secret, nothing addressed to the program."""
    return not _MASK.search(text) and not is_suspect(text)


def _judge(proposal: Proposal, passage: Passage) -> Verified | Rejected:
    if _REFUSAL.search(proposal.memory) and not _REFUSAL.search(passage.transcript):
        return Rejected("refusal")
    if is_suspect(proposal.memory) or is_suspect(proposal.quote):
        return Rejected("directive")
    evidence = find(proposal.quote, passage.transcript) or _elsewhere(proposal, passage)
    if evidence is None:
        return Rejected("no-quote")
    if is_suspect(evidence.text):
        return Rejected("directive")
    if _is_question(evidence):
        return Rejected("question")
    if _is_vague(evidence):
        return Rejected("vague")
    worded = _shopping(proposal, passage) if proposal.kind is Kind.SHOPPING else _sentence(proposal, evidence, passage)
    if isinstance(worded, Rejected):
        return worded
    if _MASK.search(worded.memory) and worded.kind is Kind.FACT:
        return Rejected("credential")  # without the secret it says nothing
    if (four_grams(worded.memory) - four_grams(passage.transcript)) & _EXAMPLE_GRAMS:
        return Rejected("example-copy")
    return Verified(_with_spoken_time(worded, passage), evidence)


def _elsewhere(proposal: Proposal, passage: Passage) -> Evidence | None:
    """A list needs no quote: the sentences that name its items are the evidence."""
    found = [one for one in (find(item, passage.transcript) for item in proposal.items) if one is not None]
    if not found:
        return None
    named = tuple(dict.fromkeys(sentence for one in found for sentence in one.sentences))
    return Evidence(" ".join(named), named, found[-1].after)


def _is_question(evidence: Evidence) -> bool:
    """Only questions, none of them a request, and no answer that affirms something."""
    if any(not text.endswith("?") or _REQUEST.search(text) for text in evidence.sentences):
        return False
    answer = evidence.after
    return not answer or answer.endswith("?") or bool(_DENIAL.match(answer))


def _is_vague(evidence: Evidence) -> bool:
    """Hedged throughout, and nothing in it is settled."""
    return all(_HEDGE.search(text) for text in evidence.sentences) and not _SETTLED.search(evidence.text)


def _shopping(proposal: Proposal, passage: Passage) -> Proposal | Rejected:
    items = shopping.tidy(proposal.items, passage.transcript)
    if not items:
        return Rejected("not-grounded")
    return replace(proposal, items=items, memory=shopping.text(items), when="")


def _sentence(proposal: Proposal, evidence: Evidence, passage: Passage) -> Proposal | Rejected:
    """The model's sentence where every word of it was spoken, else the quoted words, else nothing."""
    spoken = keys("\n".join((*passage.context, passage.transcript)))
    own = proposal.memory.strip().rstrip(".")
    loses_not = negations(evidence.span) > negations(own)
    if content(own) and len(own) <= MAX_CHARACTERS and not loses_not and not ungrounded(own, spoken):
        if overlap(content(own), keys(passage.transcript)) > 0:
            return replace(proposal, memory=own)
        return Rejected("context-only")
    span = evidence.span.strip(" ,;:-")
    if not content(span):
        return Rejected("not-grounded")
    return (
        replace(proposal, memory=span[:1].upper() + span[1:]) if len(span) <= MAX_CHARACTERS else Rejected("too-long")
    )


def _with_spoken_time(proposal: Proposal, passage: Passage) -> Proposal:
    """Time words count only where all of them were spoken: a model likes to finish a date."""
    spoken = keys("\n".join((*passage.context, passage.transcript)))
    return (
        proposal
        if all(is_grounded(word, spoken) for word in _time_words(proposal.when))
        else replace(proposal, when="")
    )


def _time_words(when: str) -> list[Word]:
    return [word for word in words(when) if word.is_content or not word.text.isalpha()]


def _joined_lists(proposals: Iterable[Proposal]) -> list[Proposal]:
    """One shopping list a passage, at the place of the first."""
    joined: list[Proposal] = []
    for proposal in proposals:
        first = next((i for i, other in enumerate(joined) if other.kind is Kind.SHOPPING), None)
        if proposal.kind is Kind.SHOPPING and first is not None:
            items = (*joined[first].items, *proposal.items)
            joined[first] = replace(joined[first], items=items, memory=shopping.text(items))
        else:
            joined.append(proposal)
    return joined


def _repeats(verdict: Verified, other: Verified) -> bool:
    """The same thing said twice: at the very same time words, or in nearly the same words and at no other time."""
    here, there = verdict.proposal, other.proposal
    if Kind.SHOPPING in (here.kind, there.kind):
        return False
    if here.when and there.when:
        same = overlap(content(here.when), content(there.when)) == 1
        if not same or here.when.lower() == there.when.lower():
            return same
    return overlap(content(here.memory), content(there.memory)) >= 0.75
