"""Whatever the rendering of a credential, it is masked; whatever harmless number is said, it stays."""

from __future__ import annotations

import random
import re
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from junod.redact.credentials import mask, mask_all
from junod.redact.tokens import MASK_PATTERN

_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def _word(digit: str, zero: str) -> str:
    return zero if digit == "0" else _ONES[int(digit)]


def _spelled(digits: str, zero: str, separator: str = " ") -> str:
    return separator.join(_word(digit, zero) for digit in digits)


def _doubled(digits: str, zero: str) -> str:
    words, index = [], 0
    while index < len(digits):
        if digits[index : index + 2] == digits[index] * 2:
            words.append(f"double {_word(digits[index], zero)}")
            index += 2
        else:
            words.append(_word(digits[index], zero))
            index += 1
    return " ".join(words)


def _pair(pair: str, zero: str) -> str:
    if len(pair) == 1 or pair[0] == "0":
        return _spelled(pair, zero)
    if pair[0] == "1":
        return _TEENS[int(pair[1])]
    return _TENS[int(pair[0])] + ("" if pair[1] == "0" else f"-{_ONES[int(pair[1])]}")


def _paired(digits: str, zero: str, separator: str = " ") -> str:
    return separator.join(_pair(digits[first : first + 2], zero) for first in range(0, len(digits), 2))


def _grouped(digits: str, size: int, separator: str) -> str:
    return separator.join(digits[first : first + size] for first in range(0, len(digits), size))


def _mixed(digits: str, zero: str) -> str:
    """Groups of four, every second one in words."""
    groups = [digits[first : first + 4] for first in range(0, len(digits), 4)]
    return ", ".join(group if index % 2 else _spelled(group, zero) for index, group in enumerate(groups))


@st.composite
def _rendered(draw: st.DrawFn, digits: str) -> str:
    zero = draw(st.sampled_from(["zero", "oh"]))
    return draw(
        st.sampled_from(
            [
                digits,
                _grouped(digits, 4, " "),
                _grouped(digits, 1, "-"),
                _grouped(digits, 1, " "),
                _grouped(digits, 3, "-"),
                _spelled(digits, zero),
                _spelled(digits, zero, ", "),
                _spelled(digits, zero).capitalize(),
                _doubled(digits, zero),
                _paired(digits, zero),
                _paired(digits, zero, ", "),
                _mixed(digits, zero),
            ]
        )
    )


def _luhn_card(body: str) -> str:
    total = 0
    for index, char in enumerate(reversed(body)):
        value = int(char) * (2 if index % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return body + str(-total % 10)


def _iban(country: str, account: str) -> str:
    number = int("".join(str(int(char, 36)) for char in account + country + "00"))
    return f"{country}{98 - number % 97:02d}{account}"


_CARDS = st.from_regex(r"[3-6][0-9]{14}", fullmatch=True).map(_luhn_card)
_PIN_CUES = [
    "The PIN is",
    "The alarm code is",
    "Code for the gate's",
    "It's the door code,",
    "The key safe is",
    "My passcode is",
    "The verification code is",
    "For the lockbox it's",
    "What's the safe combination? It's",
    "Grandpa's debit card PIN, it's",
]


def _assert_only_masked(masked: str, before: str, after: str) -> None:
    assert masked.startswith(before)
    assert masked.endswith(after)
    middle = masked[len(before) : len(masked) - len(after)]
    assert re.fullmatch(rf"(?:{MASK_PATTERN.pattern}[\s,.\-]*)+", middle), masked


@settings(deadline=None)
@given(st.data(), _CARDS)
def test_a_card_number_is_masked_in_every_rendering_with_a_cue(data: st.DataObject, card: str) -> None:
    spoken = data.draw(_rendered(card))
    masked = mask(f"It's a Visa, {spoken}. We need milk.").text
    _assert_only_masked(masked, "It's a Visa, ", ". We need milk.")


@settings(deadline=None)
@given(st.data(), _CARDS)
def test_a_card_number_is_masked_without_any_cue(data: st.DataObject, card: str) -> None:
    spoken = data.draw(_rendered(card))
    _assert_only_masked(mask(f"So {spoken}. Okay.").text, "So ", ". Okay.")


@settings(deadline=None)
@given(st.data(), _CARDS)
def test_a_card_number_split_over_two_passages_is_masked_in_both(data: st.DataObject, card: str) -> None:
    first, second = data.draw(_rendered(card[:8])), data.draw(_rendered(card[8:]))
    earlier, later = f"The card number is {first}", f"{second}. Got that?"
    _assert_only_masked(mask(later, [earlier]).text, "", ". Got that?")
    masked = mask_all([earlier, later])
    _assert_only_masked(masked[0], "The card number is ", "")
    _assert_only_masked(masked[1], "", ". Got that?")


@settings(deadline=None)
@given(st.data(), st.sampled_from(_PIN_CUES), st.from_regex(r"[0-9]{4,8}", fullmatch=True))
def test_a_code_after_its_cue_is_masked_in_every_rendering(data: st.DataObject, cue: str, code: str) -> None:
    spoken = data.draw(_rendered(code))
    masked = mask(f"{cue} {spoken}. We need milk.").text
    _assert_only_masked(masked, cue + " ", ". We need milk.")


@settings(deadline=None)
@given(st.data(), st.from_regex(r"[0-9]{4}", fullmatch=True))
def test_a_code_is_masked_when_the_cue_was_in_the_earlier_passage(data: st.DataObject, code: str) -> None:
    spoken = data.draw(_rendered(code))
    _assert_only_masked(mask(f"It's {spoken}.", ["What's the alarm code again?"]).text, "It's ", ".")


@settings(deadline=None)
@given(st.data(), st.from_regex(r"[0-9]{18}", fullmatch=True))
def test_an_iban_is_masked_in_every_rendering(data: st.DataObject, account: str) -> None:
    iban = _iban("DE", account)
    spoken = data.draw(_rendered(iban[2:]))
    letters = data.draw(st.sampled_from(["DE", "de"] if spoken[0].isdigit() else ["DE", "D E", "D, E,", "Delta Echo"]))
    joint = "" if letters == "de" else data.draw(st.sampled_from(["", " "])) if spoken[0].isdigit() else " "
    masked = mask(f"The IBAN is {letters}{joint}{spoken}. Thank you.").text
    _assert_only_masked(masked, "The IBAN is ", ". Thank you.")


_HOURS, _MINUTES = st.integers(1, 12), st.sampled_from([5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55])


def _time_words(hour: int, minute: int) -> str:
    return f"{_spoken(hour)} {'oh five' if minute == 5 else _spoken(minute)}"


def _spoken(number: int) -> str:
    """A number below 100 in words."""
    return _ONES[number] if number < 10 else _pair(f"{number:02d}", "zero")


@settings(deadline=None)
@given(_HOURS, _MINUTES, st.sampled_from(["Dentist at {}.", "The plumber comes at {} on Friday.", "We leave at {}."]))
def test_times_stay(hour: int, minute: int, sentence: str) -> None:
    for time in (f"{hour}:{minute:02d}", f"{hour}.{minute:02d}", _time_words(hour, minute)):
        text = sentence.format(time)
        assert mask(text).text == text


@settings(deadline=None)
@given(st.integers(1, 99), st.integers(1, 99))
def test_prices_stay(pounds: int, pence: int) -> None:
    for price in (
        f"£{pounds}.{pence:02d}",
        f"${pounds}",
        f"{pounds} pounds {pence}",
        f"{_spoken(pounds)} pounds {_spoken(pence)}",
        f"{_spoken(pounds)} ninety-nine",
        f"{_ONES[pounds % 9 + 1]} hundred and {_spoken(pence)} euros",
    ):
        text = f"The shoes cost {price}. We need milk."
        assert mask(text).text == text


@settings(deadline=None)
@given(st.integers(10, 300))
def test_temperatures_and_quantities_stay(number: int) -> None:
    words = (
        _paired(str(number), "oh") if number < 100 else f"{_ONES[number // 100]} {_pair(f'{number % 100:02d}', 'oh')}"
    )
    for sentence in (
        "Oven at {} degrees.",
        "Buy {} grams of flour.",
        "It's {} metres long.",
        "Drive {} miles.",
        "{} people.",
    ):
        for said in (str(number), words):
            text = sentence.format(said)
            assert mask(text).text == text


_TRADES = [
    "Call the plumber on {}.",
    "The electrician's number is {}.",
    "Ring the vet, {}.",
    "The sitter's cell is {}.",
]


@settings(deadline=None)
@given(st.data(), st.from_regex(r"(0[1-9]{3}[0-9]{7}|[2-9][0-9]{9})", fullmatch=True), st.sampled_from(_TRADES))
def test_telephone_numbers_of_tradespeople_stay(data: st.DataObject, number: str, sentence: str) -> None:
    zero = data.draw(st.sampled_from(["oh", "zero"]))
    groups = [number[:-7], number[-7:-4], number[-4:]]
    for said in ("-".join(groups), " ".join(groups), ", ".join(_spelled(group, zero) for group in groups)):
        text = sentence.format(said)
        assert mask(text).text == text


@settings(deadline=None)
@given(st.integers(1900, 2026))
def test_years_stay(year: int) -> None:
    spoken = _paired(str(year), "oh")
    for sentence in ("She was born in {}.", "We've lived here since {}.", "That was in {}, in Spain."):
        for said in (str(year), spoken):
            text = sentence.format(said)
            assert mask(text).text == text


@settings(deadline=None)
@given(st.integers(1, 999))
def test_house_bus_and_flight_numbers_stay(number: int) -> None:
    for sentence in (
        "They live at {} Maple Street.",
        "Take bus {} to the pool.",
        "Flight BA {} lands at nine.",
        "Put on channel {}.",
        "She's in room {}.",
        "It's page {}.",
    ):
        for said in (str(number), _spelled(str(number), "oh")):
            text = sentence.format(said)
            assert mask(text).text == text


_FRAGMENTS = [
    "The wifi password is marmalade seven, capital M.",
    "The alarm's four four seven one.",
    "Six thirty, two twenty-eight.",
    "Call Dave on 0161 496 0321.",
    "It's a Visa.",
    "4532 8817, two two six oh, 9041.",
    "And the back? 642.",
    "No, wait.",
    "Dentist at 3:15 on Tuesday.",
    "Shopping list:\n- milk\n- eggs",
    "What's the Netflix?",
    "It's bluetractor19.",
    "Right to thirty-two, then left past it to seventeen.",
    "Petunia.",
    "Capital P, one word.",
    "double one, nine",
    "[code]",
    "[password]",
    "Then 67.",
    "It's [code] now.",
    "Nineteen eighty-four.",
    "my birthday backwards",
]


@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=8), st.sampled_from([" ", "\n", ", "]))
@settings(deadline=None, max_examples=300)
def test_masking_twice_changes_nothing(parts: list[str], joint: str) -> None:
    once = mask(joint.join(parts)).text
    assert mask(once).text == once
    assert mask(once).found == ()


@given(st.text(max_size=300), st.lists(st.text(max_size=60), max_size=3))
@settings(deadline=None, max_examples=300)
def test_any_text_is_taken(text: str, context: list[str]) -> None:
    masked = mask(text, context)
    assert len(mask_all([*context, text])) == len(context) + 1
    assert bool(masked.found) == (masked.text != text)


@given(st.integers(0, 2**32))
@settings(deadline=None, max_examples=100)
def test_shuffled_kitchen_words_are_taken(seed: int) -> None:
    words = [
        "code",
        "four",
        "oh",
        "double",
        "pin",
        "is",
        "capital",
        "password",
        ",",
        ".",
        "?",
        "12",
        "-",
        "card",
        "a",
        "i",
        "o",
        "hundred",
        "and",
        "at",
        "it's",
        "\n",
        "[code]",
        "no",
    ]
    chosen = random.Random(seed).choices(words, k=60)
    once = mask(" ".join(chosen)).text
    assert mask(once).text == once


@pytest.mark.parametrize(
    "unit",
    [
        "the wifi password is marmalade seven and we need milk ",
        "code gate alarm four seven two one ",
        "seven ",
        "what's the wifi ",
        "capital M underscore one word ",
        "to the left until ",
        "a, b, c, ",
        "x's ",
        "letters two, ",
    ],
)
def test_ten_thousand_words_take_linear_time(unit: str) -> None:
    """Compares one tenth of the input with all of it, so that a slow machine does not fail the test."""

    def seconds(words: int) -> float:
        text = unit * (words // len(unit.split()))
        started = process_time()
        mask(text)
        return process_time() - started

    seconds(1_000)
    short = min(seconds(1_000) for _ in range(3))
    assert min(seconds(10_000) for _ in range(2)) < 60 * short + 0.5  # a quadratic walk takes 100 times as long


@pytest.mark.parametrize(
    "text", ["1" * 50_000, "a1" * 25_000 + "é", "1," * 25_000, "$" * 50_000, "x" * 50_000, "'" * 9_999]
)
def test_hostile_strings_take_no_time(text: str) -> None:
    """Five seconds, or on a slow machine little more than a tenth of the text takes ten times."""

    def seconds(text: str) -> float:
        started = process_time()
        mask(text)
        return process_time() - started

    assert seconds(text) < 5 + 60 * seconds(text[: len(text) // 10])


@pytest.mark.parametrize("said", ["oh code double ² two off", "the code is two double ² now"])
def test_a_raised_digit_is_no_number(said: str) -> None:
    assert mask(said).text
