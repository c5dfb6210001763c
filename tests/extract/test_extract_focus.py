"""Finding the sentence that counts, and guessing tokens that answers copy."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.errors import ModelError
from junod.extract.focus import FOCUS_FILE, LONGEST_PIECE, FocusModel, load_focus, pieces, terms
from junod.extract.lookup import draft
from junod.records import Kind
from junod.resources import data_file


@pytest.fixture(scope="module")
def model() -> FocusModel:
    return load_focus(data_file(FOCUS_FILE))


def test_the_sentence_that_counts_is_found_among_chatter(model: FocusModel) -> None:
    talk = (
        "And it's headed clear, only as far as the edge of the box. Mute that a sec. What? The joiner texted, he's "
        "coming tomorrow at half eight for the shelves. Fine. Can I have the sound back?"
    )
    (best,) = model.likely(talk, 1)
    assert best.text.startswith("The joiner texted")


def test_likely_pieces_come_in_the_order_spoken(model: FocusModel) -> None:
    places = [piece.place for piece in model.likely("We need milk. Nice hat. And bread. Remind me to call Ben.", 3)]
    assert places == sorted(places)
    assert len(places) == 3


def test_a_list_of_things_run_out_of_is_shopping(model: FocusModel) -> None:
    kinds = model.kinds("We're out of milk and eggs, put them on the list.")
    assert max(kinds, key=lambda kind: kinds[kind]) is Kind.SHOPPING
    assert sum(kinds.values()) == pytest.approx(1)


def test_support_tells_the_sentence_that_counts_from_chatter(model: FocusModel) -> None:
    talk = "Nice hat. Where did you get that? Remind me to call the plumber on Friday."
    assert model.support(talk, "Remind me to call the plumber") > model.support(talk, "Nice hat")
    assert model.support(talk, "something else entirely") == -math.inf


def test_focus_offers_at_least_one_kind_and_one_memory(model: FocusModel) -> None:
    focus = model.focus("Hm.")
    assert focus.kinds
    assert focus.most == 1


@given(st.text(max_size=300))
def test_any_talk_is_cut_into_pieces_of_bounded_length(talk: str) -> None:
    found = pieces(talk)
    assert all(len(piece.split()) <= LONGEST_PIECE for piece in found)
    assert all(terms(found, place) for place in range(len(found)))


def test_talk_without_a_full_stop_is_cut() -> None:
    assert len(pieces("word " * 60)) == 5


@pytest.mark.parametrize("data", [b"", b"x", gzip.compress(b"{}"), gzip.compress(b"[1]")])
def test_a_damaged_file_is_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "focus.json.gz"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"focus\.json\.gz"):
        load_focus(path)


def test_a_guess_is_what_followed_the_same_tokens_last_time() -> None:
    assert draft([1, 2, 3, 4, 9, 2, 3, 5, 6, 7, 2, 3], 2) == [5, 6]
    assert draft([1, 2, 3], 4) == []
    assert draft([], 4) == []


def test_a_longer_match_wins_over_a_later_one() -> None:
    assert draft([1, 2, 3, 8, 2, 3, 7, 1, 2, 3], 1) == [8]


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(0, 6))
def test_a_guess_is_never_longer_than_asked(history: list[int], most: int) -> None:
    assert len(draft(history, most)) <= most
