"""Which of the verified memories stay, by what the encoder says of the pieces they were taken from (pure)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from junod.extract import shopping
from junod.extract.focus import PassageFocus, Piece
from junod.extract.verify import Verified, verify
from junod.records import Kind, Passage, Proposal

CHATTER = 0.0
"""Log-odds up to which a piece is not worth quoting, unless it is the best of its passage."""
_PLAIN = math.nextafter(CHATTER, 1)
"""Log-odds from which a piece may be a memory in its own words."""
_SECOND = 1.25
"""Log-odds that the piece of a passage's second memory needs."""
STAKES = 1.0
"""Log-odds that a dated memory or a fact needs of its own piece while a television is known to be on."""
_SURE_KIND = 0.6
"""Probability at which the encoder's kind counts and not the language model's."""
_LEAST_WANT = 0.25
"""Probability under which a thing named is not one to buy."""
_TERSE = 8
"""Words of a piece that is read as an item by itself: 'And the kids' shampoo.'"""


def select(verified: Sequence[Verified], seen: PassageFocus, passage: Passage) -> list[Verified]:
    """The memories of a passage.

    The best supported one stays, and of the others those whose own piece clearly looks like one to keep. Where the
    model quoted chatter, or nothing that stands, and a piece clearly counts, that piece is the memory.
    """
    wanted = [one for one in (_wanted(one, seen) for one in verified) if one is not None]
    if passage.media == "on":
        wanted = [one for one in wanted if _is_plainly_ours(one, seen)]
        seen = PassageFocus(tuple(piece for piece in seen.pieces if piece.score >= STAKES))
    support = [seen.support(one.evidence.span) for one in wanted]
    best = max(support, default=-math.inf)
    if best <= CHATTER:
        kept = in_own_words(seen.likely(1), passage) or wanted[:1]
    else:
        kept = [one for one, score in zip(wanted, support, strict=True) if score >= _SECOND or score == best]
    return [_of_its_kind(one, seen) for one in kept]


def _is_plainly_ours(one: Verified, seen: PassageFocus) -> bool:
    """While something is on, what would mislead most (a time, a lasting fact) needs a piece that clearly counts."""
    return one.proposal.kind in (Kind.SHOPPING, Kind.REMINDER) or seen.support(one.evidence.span) >= STAKES


def _wanted(one: Verified, seen: PassageFocus) -> Verified | None:
    """A list without the items that the talk names but does not want bought; None where none is left."""
    if one.proposal.kind is not Kind.SHOPPING:
        return one
    items = tuple(item for item in one.proposal.items if seen.wants(item) >= _LEAST_WANT)
    return replace(one, proposal=replace(one.proposal, items=items, memory=shopping.text(items))) if items else None


def _of_its_kind(one: Verified, seen: PassageFocus) -> Verified:
    """The memory as the kind its piece surely is; a list stays a list, and nothing becomes one."""
    piece = seen.at(one.evidence.span)
    if piece is None or one.proposal.kind is Kind.SHOPPING:
        return one
    sure = piece.kinds[piece.kind] >= _SURE_KIND and piece.kind is not Kind.SHOPPING
    return replace(one, proposal=replace(one.proposal, kind=piece.kind)) if sure else one


def in_own_words(pieces: Sequence[Piece], passage: Passage, least: float = _PLAIN) -> list[Verified]:
    """The pieces that score `least` as memories; of lists only the terse ones, which are an item or two."""
    proposals = []
    for piece in pieces:
        terse = len(piece.text.split()) <= _TERSE
        if piece.score >= least and (piece.kind is not Kind.SHOPPING or terse):
            items = (piece.text,) if piece.kind is Kind.SHOPPING else ()
            proposals.append(Proposal(piece.kind, piece.text, piece.text, items=items))
    return [one for one in verify(proposals, passage) if isinstance(one, Verified)]
