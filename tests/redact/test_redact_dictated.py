# ruff: noqa: E501 (a passage stands on one line)
"""Secrets told piece by piece, and what sounds like them. All people and secrets are invented."""

from __future__ import annotations

import pytest

from junod.redact.credentials import mask

CARDS = [
    (
        "They want my card for the late fee, it's 6 2 0 1, 8 8 1 7, 4 4 0 6, 5 0 1 9. Thanks.",
        ["6 2 0 1", "8 8", "5 0 1 9"],
    ),
    (
        "She needs a card for the rent, it's six two oh one, eight eight one seven, four four oh six, five oh one nine.",
        ["six two", "eight eight", "oh one nine"],
    ),
    (
        "Card for the deposit? Six two oh one. Yes. Eight eight one seven. Four four oh six. Five oh one nine.",
        ["six two", "eight eight", "oh one nine"],
    ),
    (
        "Put the fee on the card, sixty-two oh one, eighty-eight seventeen, forty-four oh six, fifty nineteen.",
        ["sixty-two", "seventeen", "forty-four", "nineteen"],
    ),
    (
        "for the bill the card is six two oh one um eight eight one seven then four four oh six and then five oh one nine",
        ["six two", "eight eight", "oh one nine"],
    ),
    (
        "A card to hold the booking, so, six two oh one, eight eight one seven, got that, four four oh six, five oh one nine.",
        ["six two", "eight eight", "oh one nine"],
    ),
    ("You'll take my card for the order, 6201. 8817. 4406. 5019. Lovely.", ["6201", "8817", "4406", "5019"]),
]
COMBINATIONS = [
    ("What's your combo? It's twenty-six, left, thirty-one, right, nine.", ["twenty-six", "thirty-one", "nine"]),
    ("The padlock? Left twelve, right thirty, left five.", ["twelve", "thirty", "five"]),
    ("Dial's sticky. Fourteen, then right, thirty-eight, then left, two.", ["fourteen", "thirty-eight", "two"]),
    ("Forty-one, clockwise, nineteen, anticlockwise, thirty-three.", ["forty-one", "nineteen", "thirty-three"]),
    ("locker is 26 left 31 right 9", ["26", "31"]),
    ("My bike lock's twenty to the right, thirty-four to the left, eleven.", ["twenty", "thirty-four", "eleven"]),
]
ALIKE = [
    ("And for Ida's tablet it's all eights.", ["eights"]),
    ("The suitcase is just four zeros.", ["zeros"]),
    ("What's the PIN? Four nines.", ["nines"]),
    ("The gate's still all zeros, they never changed it.", ["all zeros"]),
    ("His phone? Oh, it's six fives.", ["fives"]),
    ("To unlock it, it's straight sevens.", ["sevens"]),
    ("Her phone unlocks with five ones.", ["ones"]),
    ("The combination is three, four times.", ["three"]),
]
WORDS = [
    ("You say the safe word, which is tamarind.", ["tamarind"]),
    ("If they ring there's a security word, that's tamarind.", ["tamarind"]),
    ("They'll ask for the code word, which was tamarind, and then let you through.", ["tamarind"]),
    ("You tell the school the password, and it's tamarind.", ["tamarind"]),
    ("she has to give the magic word which is tamarind", ["tamarind"]),
    ("They need a password to collect him, that'll be tamarind.", ["tamarind"]),
    ("She'll want the password, it's going to be tamarind.", ["tamarind"]),
    ("They said the security word we gave was tamarind.", ["tamarind"]),
    ("The passphrase we picked, which is still purple tamarind.", ["tamarind"]),
]
DICTATED = [
    (
        "I'll read you the temporary, ready? Capital T as in Tom, plum, nine, dash, walrus. Got it?",
        ["plum", "nine", "walrus"],
    ),
    ("The temporary password: walrus, dash, four, dot, capital K.", ["walrus", "capital k"]),
    ("You're locked out, so it's walrus dash nine dot plum.", ["walrus", "plum"]),
    ("Capital R, plum, underscore, six six, hyphen, walrus.", ["plum", "six six", "walrus"]),
    (
        "Here's the temp one. Plum, slash, capital B for Bob, eight, star, walrus, and change it tomorrow.",
        ["plum", "walrus"],
    ),
    ("write it down capital T plum dash nine dot walrus", ["plum", "walrus"]),
    (
        "Into the new account? What'd you put? Emu with a capital E, nineteen sixty-two. It's emu sixty-two exclamation mark. Who's that? Emu sixty-two, says the parrot.",
        ["sixty-two"],
    ),
]


@pytest.mark.parametrize(("passage", "secrets"), [*CARDS, *COMBINATIONS, *ALIKE, *WORDS, *DICTATED])
def test_a_secret_told_piece_by_piece_is_masked_whole(passage: str, secrets: list[str]) -> None:
    masked = mask(passage).text.lower()
    assert [secret for secret in secrets if secret in masked] == []
    assert mask(masked).text == masked


@pytest.mark.parametrize(
    "passage",
    [
        # cards, without a card's number
        "Your library card is overdue, the fee is one twenty, and the bus is the 4 4 1.",
        "Bring the birthday card for Omar at twelve, page four, row nine.",
        # turns of a road, what is left, an oven
        "Second left, twenty yards, then right, thirty metres, and it's number nine.",
        "There's twelve left and I want three of them, right? Eight is plenty.",
        "Turn the oven left to twenty, then right to thirty.",
        "Left foot, right hand, two, three.",
        # numbers alike that open nothing
        "He came down the stairs on all fours.",
        "The bill has four zeros on the end.",
        "I ring the gate people, seven, four times a week.",
        "She rolled all sixes.",
        # words about passwords
        "The password you gave me is wrong.",
        "Change the password, which is ridiculous by the way.",
        "There's a password, which is on the fridge.",
        "You need the login, that's what she said.",
        "The code word thing, which is really silly.",
        # capitals and dashes that spell no password
        "A dash of milk, seven eggs, and a dot of butter.",
        "Capital T for Tuesday, and then we dash.",
        "It's info at plum dash walrus dot co dot nz.",
        "The surname's Capital R, Rowe, dash, capital F, Finch.",
        "The temporary lights were up, left, right, and all over.",
    ],
)
def test_what_sounds_like_one_stays(passage: str) -> None:
    assert mask(passage).text == passage


@pytest.mark.parametrize(
    ("passage", "secret", "kept"),
    [
        ("The padlock's six oh one three. Six oh one three. And some WD forty on the list.", "six oh", "WD forty"),
        ("The alarm is six oh one three. Get more B twelve from the chemist.", "six oh", "B twelve"),
        ("The new password is capital K walrusberry twenty, and the plumber's name is Ines.", "walrusberry", "Ines"),
        (
            "The new password is capital K walrusberry twenty, and the tech's name was Ines, back Friday.",
            "walrusberry",
            "Ines",
        ),
        (
            "the wifi password is plum walrus 42 and the ladder is behind the shed",
            "walrus",
            "ladder is behind the shed",
        ),
        ("the wifi is plumwalrus 42 and bins go out thursday", "plumwalrus", "bins go out thursday"),
        ("The wifi's plumwalrus nine, and my sister arrives on Monday.", "plumwalrus", "sister arrives on Monday"),
    ],
)
def test_what_is_told_after_a_secret_stays(passage: str, secret: str, kept: str) -> None:
    masked = mask(passage).text
    assert secret not in masked
    assert kept in masked


@pytest.mark.parametrize(
    "passage",
    [
        # a booking's, a parcel's, a label's number
        "Do I need a number? Go on. K, four, nine, double two. Thank you.",
        "The reference, yes, one moment. I have it, it's F T, dash, six six one nine three.",
        "Confirmation's R T six six one four. Dinner's at seven.",
        "Is there a booking number? Six six one nine three. Lovely.",
        # a programme's, a relative's telephone, a part of it again
        "Can anyone help? Text us, six one double one double four.",
        "Text WIN to six five, double two, five.",
        "I'll walk. Six three double one, give us a call, what's your story?",
        "Gran's new number ends in double six five oh two one five five seven have you got that oh two one five five seven, yes",
        # hours, a time said twice, a price, a meter
        "Visiting is two to four, six to eight.",
        "weekdays nine to five. One owner complained.",
        "the jabs are at nine oh four nine oh four that's what it says nine oh four precisely",
        "We gotta cancel or it's seventeen ninety-nine. Yes, seventeen ninety-nine. Put it in the calendar.",
        "I forgot the meter reading. They're shut, but you can put it in on the keypad. Six six oh one eight, there.",
        "What's our wifi called? No idea. It's on the box.",
    ],
)
def test_numbers_that_open_nothing_stay(passage: str) -> None:
    assert mask(passage).text == passage


@pytest.mark.parametrize(
    ("passage", "secret"),
    [
        ("The man reads the meter at noon. And the alarm, it's six six oh one, then the tick.", "six six"),
        ("The gate code's six six oh one, give us a call when you're here.", "six six"),
        ("What's the gate code? Six six oh one, give us a call when you get there.", "six six"),
        ("Do I need the number for the alarm? Six six oh one.", "six six"),
        (
            "Do I need a number? The card one, six two oh one, eight eight one seven, four four oh six, five oh one nine.",
            "eight eight",
        ),
        ("It says put it in the keypad. Six six oh one.", "six six"),
        ("They texted us, six six oh one four two.", "six six"),
        ("The PIN is six six oh one. No, B twelve is the flat.", "six six"),
    ],
)
def test_a_code_stays_one_among_harmless_talk(passage: str, secret: str) -> None:
    assert secret not in mask(passage).text.lower()
