"""Secrets whose own wording gives them away."""

from __future__ import annotations

import pytest

from junod.redact.credentials import mask


@pytest.mark.parametrize(
    ("passage", "secret"),
    [
        ("It's for phones. And the code? Marigold seven seven. Okay, I'm on.", "seven seven"),
        ("It locked me out. What'd you put? Robin with a capital R, nineteen seventy-four.", "nineteen"),
        ("It's on the sticker, is it? Capital R, seven, badger, eight eight, exclamation mark.", "badger"),
        ("Now it's asking for the four digit, that's two four six eight, I know.", "two four"),
        ("And the code you just sent by SMS is nine zero nine, one four four. It is done?", "nine zero"),
        ("If they phone they ask for the word, and the word is biltong, right.", "biltong"),
    ],
)
def test_a_secret_that_its_own_wording_gives_away_is_masked(passage: str, secret: str) -> None:
    assert secret not in mask(passage).text.lower()


@pytest.mark.parametrize(
    "passage",
    ["The code? Ask Ben at seven.", "Our new zip code is eight oh two one eight.", "The dress code is only black tie."],
)
def test_other_codes_stay(passage: str) -> None:
    assert mask(passage).text == passage
