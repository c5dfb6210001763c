"""Finding the sentence that counts, and guessing tokens that answers copy."""

from __future__ import annotations

import math

import pytest
from extract_fakes import WordPieces, passage
from hypothesis import given
from hypothesis import strategies as st

from junod.extract.focus import PassageFocus
from junod.extract.lookup import draft
from junod.extract.pieces import LONGEST_PIECE, owners, pieces, spans
from junod.records import Kind

KINDS = {"joiner": Kind.APPOINTMENT, "remind": Kind.REMINDER, "need": Kind.SHOPPING, "out of": Kind.SHOPPING}
WORDS = WordPieces(KINDS)


def seen(talk: str) -> PassageFocus:
    return PassageFocus(WORDS.pieces(passage(talk)))


def test_likely_pieces_come_in_the_order_spoken() -> None:
    found = seen("We need milk. Nice hat. And bread. Remind me to call Ben.").likely(3)
    texts = [piece.text for piece in found]
    assert (texts[0], texts[-1]) == ("We need milk.", "Remind me to call Ben.")
    assert len(texts) == 3


def test_a_list_of_things_run_out_of_is_asked_for_first() -> None:
    focus = seen("We're out of milk and eggs, put them on the list.").focus()
    assert focus.list_first
    assert focus.likely == ()


def test_kinds_that_are_unlikely_are_not_offered() -> None:
    focus = seen("Nice hat. Remind me to call Ben.").focus()
    assert focus.kinds == {Kind.REMINDER}
    assert focus.most == 1


def test_support_tells_the_sentence_that_counts_from_chatter() -> None:
    talk = seen("Nice hat. Where did you get that? Remind me to call the plumber on Friday.")
    assert talk.support("Remind me to call the plumber") > talk.support("Nice hat")
    assert talk.support("something else entirely") == -math.inf


def test_an_item_is_wanted_where_the_talk_that_names_it_is() -> None:
    talk = seen("The cake is lovely. We need candles and a big box of matches.")
    assert talk.wants("candles") > 0.5 > talk.wants("cake")
    assert talk.wants("large box of matches") > 0.5
    assert talk.wants("paper") == 0


@given(st.text(max_size=300))
def test_any_talk_can_be_focused_on(talk: str) -> None:
    found = seen(talk)
    assert found.focus().kinds
    assert found.focus().most >= 1
    assert sum(found.kinds().values()) == pytest.approx(1 if found.pieces else 0)


@given(st.text(max_size=300))
def test_any_talk_is_cut_into_pieces_of_bounded_length(talk: str) -> None:
    found = pieces(talk)
    assert all(0 < len(piece.split()) <= LONGEST_PIECE for piece in found)
    assert spans(talk) == sorted(spans(talk))


def test_talk_without_a_full_stop_is_cut() -> None:
    assert len(pieces("word " * 60)) == 5


def test_tokens_belong_to_the_piece_they_lie_in() -> None:
    assert owners([(0, 0), (0, 4), (5, 9), (10, 14), (0, 0)], [(5, 9), (10, 14)]) == [-1, -1, 0, 1, -1]


def test_a_guess_is_what_followed_the_same_tokens_last_time() -> None:
    assert draft([1, 2, 3, 4, 9, 2, 3, 5, 6, 7, 2, 3], 2) == [5, 6]
    assert draft([1, 2, 3], 4) == []
    assert draft([], 4) == []


def test_a_longer_match_wins_over_a_later_one() -> None:
    assert draft([1, 2, 3, 8, 2, 3, 7, 1, 2, 3], 1) == [8]


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(0, 6))
def test_a_guess_is_never_longer_than_asked(history: list[int], most: int) -> None:
    assert len(draft(history, most)) <= most
