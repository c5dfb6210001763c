"""Asked by the kind of a thing, by another word for it, or by what goes with it: what the thesaurus gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.clock import SimulatedClock
from junod.memory import thesaurus
from junod.memory.relevance import FULL_COVERAGE
from junod.memory.search import SearchRequest, search
from junod.memory.store import MemoryStore
from junod.memory.terms import MAX_RELATED, MAX_RELATED_SOUGHT, coverage, understood
from junod.memory.thesaurus import GOES_WITH, KIND, SYNONYM, Thesaurus, household, read_line, stemmed
from junod.memory.words import telling_words
from junod.records import NewMemory

NOW = datetime(2026, 11, 3, 12, tzinfo=UTC)
DATA = Path(thesaurus.__file__).with_name("thesaurus.txt")
LINES = [line for line in DATA.read_text("utf-8").splitlines() if line and not line.startswith("#")]
NONE = Thesaurus([])
SMALL = Thesaurus(
    ["sofa, couch", "rodent > mouse, mice, guinea pig", "wifi ~ router", "power tool > drill", "tool > hammer"]
)


class Household:
    """A vocabulary of a few memories."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def size(self) -> int:
        return len(self.texts)

    def counts(self, stems: Sequence[str]) -> dict[str, int]:
        found = {term: sum(term in stemmed(text).split() for text in self.texts) for term in stems}
        return {term: number for term, number in found.items() if number}

    def like(self, word: str, fits: Callable[[str], bool]) -> list[str]:
        return []


def covered(query: str, memory: str, which: Thesaurus = SMALL) -> float:
    return coverage(understood(query, Household(memory), which).terms, memory)


def test_a_synonym_counts_both_ways() -> None:
    assert covered("couch", "The sofas come on Friday") == pytest.approx(SYNONYM)
    assert covered("sofas", "Mira slept on the couch") == pytest.approx(SYNONYM)


def test_a_kind_finds_what_belongs_to_it_and_not_the_reverse() -> None:
    assert covered("rodents", "A mouse lives behind the stove") == pytest.approx(KIND)
    assert covered("mouse", "Rodents are not allowed in the flat") == 0


def test_what_goes_with_a_word_counts_least() -> None:
    assert covered("wifi", "The router stands in the hall") == pytest.approx(GOES_WITH)
    assert covered("router", "The wifi is down") == 0


def test_the_word_itself_counts_most() -> None:
    assert covered("couch", "The couch, a sofa from Ole") == 1


def test_a_phrase_stands_for_all_its_words_and_must_stand_in_a_row() -> None:
    assert covered("power tools", "Ole has the drill") == pytest.approx(KIND)
    assert covered("power tools", "Ole has the hammer") == 0
    assert covered("rodent", "The guinea pigs get hay") == pytest.approx(KIND)
    assert covered("rodent", "A pig from Guinea") == 0


def test_a_hint_alone_does_not_answer() -> None:
    """Only a synonym says as much as the word."""
    assert max(KIND, GOES_WITH) < FULL_COVERAGE <= SYNONYM


def test_a_kind_of_memory_is_asked_for_as_before() -> None:
    assert not any(term.related for term in understood("groceries", Household("buy milk at the supermarket")).terms)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    with MemoryStore.open(tmp_path / "junod.db", clock=SimulatedClock(NOW)) as opened:
        for text in (
            "A mouse lives behind the stove",
            "The guinea pig gets hay at six",
            "The settee comes on Friday",
            "The cheese is in the cellar",
        ):
            opened.add(NewMemory(text, "", NOW, None, "kitchen"))
        yield opened


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("rodents", ["A mouse lives behind the stove", "The guinea pig gets hay at six"]),
        ("where is the couch", ["The settee comes on Friday"]),
        ("dairy", ["The cheese is in the cellar"]),
        ("vehicles", []),
        ("musical instruments", []),
    ],
)
def test_search_finds_by_related_words_without_a_model(store: MemoryStore, asked: str, found: list[str]) -> None:
    hits = search(store, SearchRequest(asked), embedder=None, now=NOW)
    assert sorted(hit.memory.memory for hit in hits) == sorted(found)


@pytest.mark.parametrize(
    "line",
    ["sofa", "sofa,", "sofa, , couch", "rodent >", "> mouse", "rodent > mouse > rat", "wifi ~ router > cable", ""],
)
def test_a_bad_line_is_refused_by_name(line: str) -> None:
    with pytest.raises(ValueError, match=r"A line of the thesaurus .*") as refused:
        read_line(line)
    assert repr(line) in str(refused.value)


def test_every_line_that_is_shipped_is_read() -> None:
    household()
    assert DATA.stat().st_size < 120_000


def test_no_entry_is_there_twice_or_says_nothing() -> None:
    for line in LINES:
        about, others, _ = read_line(line)
        for side in (about, others):
            assert len(set(map(stemmed, side))) == len(side), f"an entry stands twice but for its ending: {line}"
            assert all(telling_words(f"the {entry}") != ["the"] for entry in side), f"an entry of empty words: {line}"
        assert about is others or not set(map(stemmed, about)) & set(map(stemmed, others)), f"gives itself: {line}"
    assert len(set(LINES)) == len(LINES)


ENTRIES = sorted({entry for line in LINES for side in read_line(line)[:2] for entry in side})


class Everything(Household):
    """Memories that have every word of the thesaurus."""

    def size(self) -> int:
        return 5_000

    def counts(self, stems: Sequence[str]) -> dict[str, int]:
        return dict.fromkeys(stems, 3)


def test_no_word_explodes_into_lookups() -> None:
    for begin in range(0, len(ENTRIES), 4):
        asked = understood(" ".join(ENTRIES[begin : begin + 4]), Everything())
        assert all(len(term.related) <= MAX_RELATED for term in asked.terms)
        assert len(telling_words(asked.related)) <= MAX_RELATED_SOUGHT


def test_a_long_text_is_not_widened() -> None:
    spoken = "the sofa the dog the car the dentist the milk the bin the bike the pan the wifi the key the coat mum"
    assert any(term.related for term in understood(spoken, Everything()).terms[:1])
    assert not any(term.related for term in understood(f"{spoken} dad", Everything()).terms)


TEXTS = st.lists(st.sampled_from([*ENTRIES, "Ole", "on 9 November", "the", "at six", "grnadma"]), max_size=8).map(
    " ".join
)


@given(asked=TEXTS, said=st.lists(TEXTS, min_size=1, max_size=4))
def test_the_thesaurus_never_makes_less_of_a_memory(asked: str, said: list[str]) -> None:
    home = Household(*said)
    without, with_it = understood(asked, home, NONE), understood(asked, home)
    assert (with_it.text, with_it.words) == (without.text, without.words)  # what was found is found
    for memory in said:
        assert coverage(without.terms, memory) <= coverage(with_it.terms, memory) + 1e-9 <= 1 + 2e-9
