"""Lists grow item by item: nothing is lost, nothing is listed twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.dedup.lists import SHOPPING, Item, bullets, combine, header_key, read_items


def merged(*lists: list[str], said: str = "") -> list[str]:
    items: tuple[Item, ...] = ()
    for further in lists:
        items = combine(items, read_items(further), said)
    return [item.line for item in items]


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ([["milk"], ["eggs"], ["milk"]], ["milk", "eggs"]),
        ([["toast and butter"], ["jam"]], ["toast", "butter", "jam"]),
        ([["salt and vinegar crisps"], ["mac and cheese"]], ["salt and vinegar crisps", "mac and cheese"]),
        ([["milk, the blue one"], ["milk"]], ["milk, the blue one"]),
        ([["milk"], ["milk (the blue one)"]], ["milk, the blue one"]),
        ([["milk, the blue one"], ["milk, the big one"]], ["milk, the blue one, the big one"]),
        ([["Egg"], ["eggs"], ["a dozen eggs"]], ["a dozen eggs"]),
        ([["oat milk"], ["milk"]], ["oat milk", "milk"]),
        ([["bread, butter"], ["butter"]], ["bread", "butter"]),
    ],
)
def test_items_are_joined_in_order_of_first_mention(lists: list[list[str]], expected: list[str]) -> None:
    """m79: 'toast and butter' two, 'salt and vinegar crisps' one; m82: the note of an item is kept."""
    assert merged(*lists) == expected


@pytest.mark.parametrize(
    ("lists", "said", "expected"),
    [
        ([["300 grams of flour"], ["another 500 grams of flour"]], "", ["800 grams of flour"]),
        ([["300 grams of flour"], ["500 grams of flour"]], "and another 500 grams of flour", ["800 grams of flour"]),
        ([["300 grams of flour"], ["500 grams of flour"]], "", ["300 grams of flour", "500 grams of flour"]),
        ([["flour"], ["500g flour"]], "", ["500g flour"]),
        ([["500g flour"], ["flour"]], "", ["500g flour"]),
        ([["two lemons"], ["another three lemons"]], "", ["5 lemons"]),
        ([["2 bags of rice"], ["another 300 grams of rice"]], "", ["2 bags of rice + 300 grams of rice"]),
        ([["2 bags of rice + 300 grams of rice"], ["rice"]], "", ["2 bags of rice + 300 grams of rice"]),
        ([["2 bags of rice + 300 grams of rice"], ["300 grams of rice"]], "", ["2 bags of rice + 300 grams of rice"]),
    ],
)
def test_no_amount_is_lost(lists: list[list[str]], said: str, expected: list[str]) -> None:
    assert merged(*lists, said=said) == expected


def test_an_item_named_as_replaced_goes_and_only_then() -> None:
    assert merged(["oat milk", "tea"], ["soy milk"], said="soy milk instead of oat milk") == ["tea", "soy milk"]
    assert merged(["oat milk", "tea"], ["soy milk"], said="soy milk") == ["oat milk", "tea", "soy milk"]


def test_a_ticked_item_is_no_wish_and_blocks_none() -> None:
    """m77, item by item: wanted again, it is open, and stands there once."""
    assert merged(["~~milk~~", "eggs"], ["milk"]) == ["eggs", "milk"]
    assert merged(["~~2 bags of rice~~", "eggs"], ["rice, the brown one"]) == ["eggs", "rice, the brown one"]
    assert merged(["~~toast and butter~~"], ["butter"]) == ["~~toast and butter~~", "butter"]


def test_what_the_later_list_has_ticked_is_ticked() -> None:
    assert merged(["milk, the blue one", "eggs"], ["~~milk~~", "jam"]) == ["~~milk, the blue one~~", "eggs", "jam"]
    assert merged(["~~milk~~"], ["~~milk~~"]) == ["~~milk~~"]
    assert merged(["eggs"], ["~~milk~~"]) == ["eggs", "~~milk~~"]


def test_a_ticked_box_stays_ticked() -> None:
    assert bullets(["- [x] milk", "- [ ] eggs", "- [X] ~~jam~~"]) == ["~~milk~~", "eggs", "~~jam~~"]


@pytest.mark.parametrize("title", ["Shopping list:", "shopping list", "Groceries:", "Grocery list:", "To buy:"])
def test_titles_of_the_shopping_list_mean_one_list(title: str) -> None:
    assert header_key(title) == SHOPPING


def test_other_titles_are_other_lists() -> None:
    titles = ("Packing list:", "Mia's packing list:", "Party guests:", "Shopping list for the party:")
    assert len({header_key(title) for title in (*titles, "Shopping list:")}) == 5


WORDS = st.sampled_from(["milk", "oat milk", "eggs", "rice", "tea", "tea towels", "figs", "jam", "soap", "bin bags"])


@given(st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=2, max_size=5))
def test_every_thing_is_there_once_and_joining_again_changes_nothing(lists: list[list[str]]) -> None:
    once = merged(*lists)
    assert once == list(dict.fromkeys(item for items in lists for item in items))
    assert merged(once, *lists) == once
