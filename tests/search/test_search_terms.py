"""What a query asks for: slips corrected, numbers and dates in their other forms, words weighed by rarity."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.memory.lexicon import stem
from junod.memory.terms import MAX_CORRECTED, correct, coverage, understood, weight
from junod.memory.words import MAX_TERMS, word_spans


class FakeVocabulary:
    """The words of a few texts."""

    def __init__(self, *texts: str) -> None:
        self.texts = [[word for word, _, _ in word_spans(text)] for text in texts]
        self.asked: list[str] = []

    def size(self) -> int:
        return len(self.texts)

    def counts(self, stems: Sequence[str]) -> dict[str, int]:
        found = {term: sum(term in map(stem, words) for words in self.texts) for term in stems}
        return {term: number for term, number in found.items() if number}

    def like(self, word: str, fits: Callable[[str], bool]) -> list[str]:
        self.asked.append(word)
        return [each for words in self.texts for each in words if each[0] == word[0] and fits(stem(each))]


HOME = FakeVocabulary(
    "Noa gets her braces tightened on Tue 14 Oct 2025",
    "Carrot cake for the bazaar",
    "Grandpa Walter's hearing aid takes size 312 batteries",
    "The sourdough starter is fed on Fridays",
    "Dinner for two on 9 November",
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Noas bracs", "Noas braces"),
        ("hearng aid baterries", "hearing aid batteries"),
        ("the SOURDOH, please", "the sourdough, please"),
        ("carrto", "carrot"),
    ],
)
def test_slips_are_corrected_to_words_of_the_memories(typed: str, meant: str) -> None:
    assert understood(typed, HOME).text == meant


def test_another_ending_than_in_the_memory_is_no_slip_of_its_own() -> None:
    home = FakeVocabulary("Lucía arrives on Sunday", "The wedding is on Wed 3 June", "Hannah had the house")
    assert understood("when does Lucia arive", home).text == "when does Lucia arrives"
    assert understood("Hanahs weding", home).text == "hannah wedding"
    assert not any(term.meant for term in understood("Auto-haus", home).terms)


def test_accents_may_be_left_out_or_put_in() -> None:
    home = FakeVocabulary("Lucía does not eat mushrooms", "Meet Renee at the cafe")
    for asked, text in (("lucia", "Lucía does not eat mushrooms"), ("Renée café", "Meet Renee at the cafe")):
        query = understood(asked, home)
        assert not any(term.meant for term in query.terms)
        assert coverage(query.terms, text) == pytest.approx(1.0)


@pytest.mark.parametrize("typed", ["parrot cage", "fare", "Walther", "9th of November", "size 313", "xq"])
def test_words_of_english_numbers_and_short_words_are_never_taken_for_slips(typed: str) -> None:
    words = [term for term in understood(typed, HOME).terms if term.word != "walther"]
    assert not any(term.meant for term in words)


def test_a_name_with_one_letter_too_many_is_still_the_name() -> None:
    assert correct("walther", HOME) == ("walter",)


def test_one_slip_is_likelier_than_two() -> None:
    assert correct("battery", FakeVocabulary("battery batter"))[0] == "battery"


@pytest.mark.parametrize(
    ("query", "memory"),
    [
        ("two", "Dinner at 2"),
        ("the second", "Room 2"),
        ("2", "two eggs"),
        ("5th", "on the fifth"),
        ("November", "9 Nov 2025"),
        ("Tuesday", "Tue 14 Oct"),
        ("9 November", "Nov 9"),
        ("the 9th of November", "Sun 9 Nov 2025, 15:00"),
    ],
)
def test_numbers_and_dates_are_found_in_their_other_forms(query: str, memory: str) -> None:
    assert coverage(understood(query, FakeVocabulary(memory)).terms, memory) == pytest.approx(1)


def test_a_day_of_a_month_is_more_than_its_parts_apart() -> None:
    terms = understood("9 November", FakeVocabulary("Sun 9 Nov 2025", "19 Nov 2025, 9:00")).terms
    assert coverage(terms, "Sun 9 Nov 2025") == pytest.approx(1)
    assert coverage(terms, "19 Nov 2025, 9:00") < 0.7


def test_half_of_what_is_asked_for_is_half_covered_at_most_by_common_words() -> None:
    terms = understood("need the penicillin", FakeVocabulary("we need milk")).terms
    assert coverage(terms, "Elias is allergic to penicillin") == 0  # no memory has the word: it is not looked for
    terms = understood("need the penicillin", FakeVocabulary("we need milk", "allergic to penicillin")).terms
    assert coverage(terms, "allergic to penicillin") > 0.6 > coverage(terms, "we need milk")


def test_what_is_rare_in_english_or_here_says_more() -> None:
    assert weight("penicillin", 1, 100) > weight("need", 1, 100) > weight("need", 90, 100)


@pytest.mark.parametrize("text", ["", "  ", "***", "-- && ||", "🗝️", '""'])
def test_without_a_word_nothing_is_asked_for(text: str) -> None:
    assert understood(text, HOME).terms == ()


def test_a_query_of_ten_thousand_words_costs_no_more_than_a_long_one() -> None:
    vocabulary = FakeVocabulary("milk")
    found = understood(" ".join(f"wrd{chr(97 + n % 26)}x{n}q" * 2 for n in range(10_000)), vocabulary)
    assert len(found.terms) <= MAX_TERMS
    assert len(vocabulary.asked) <= MAX_CORRECTED


@given(st.text(max_size=200))
def test_any_text_is_a_query_and_its_coverage_a_share(text: str) -> None:
    terms = understood(text, HOME).terms
    assert 0 <= coverage(terms, text) <= 1 + 1e-9


def test_a_word_that_stands_everywhere_is_looked_up_only_where_there_is_no_other() -> None:
    vocabulary = FakeVocabulary(*["buy milk"] * 600, "buy saffron")
    assert understood("buy saffron", vocabulary).words == "saffron"
    assert {"buy", "milk"} <= set(understood("buy milk", vocabulary).words.split())


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("groceries", "Shopping list: milk"),
        ("what do we need to buy", "Shopping list: milk"),
        ("anything from the supermarket?", "Shopping list: milk"),
        ("appointments", "Dentist for Leo on Tuesday"),
        ("health", "Dentist for Leo on Tuesday"),
        ("whose birthday is it", "Grandma turns 80 in May"),
        ("food", "Carrot cake recipe"),
    ],
)
def test_who_names_a_kind_and_nothing_else_gets_what_belongs_to_it(asked: str, found: str) -> None:
    texts = ("Shopping list: milk", "Dentist for Leo on Tuesday", "Grandma turns 80 in May", "Carrot cake recipe")
    home = FakeVocabulary(*texts)
    query = understood(asked, home)
    assert coverage(query.terms, found) >= 0.9
    assert coverage(query.terms, "The hedge is cut in March") == 0
    assert any(word in found.casefold() for word in query.words.split())


def test_a_kind_beside_other_words_is_a_word_like_any_other() -> None:
    home = FakeVocabulary("Carrot cake recipe", "Dentist for Leo")
    for asked in ("rabbit food", "health of the hamster", "dentist appointment for the goldfish"):
        kinds = [term for term in understood(asked, home).terms if term.word in ("food", "health", "appointment")]
        assert kinds
        assert not any(term.stems for term in kinds)


def test_a_number_of_thousands_of_digits_is_a_word_like_any_other() -> None:
    query = understood("carrot " + "9" * 5_000, HOME)
    assert [term.word[:6] for term in query.terms] == ["carrot", "999999"]
