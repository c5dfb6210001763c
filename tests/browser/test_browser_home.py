"""The home view: read in passing, touched with wet fingers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from browser.browser_house import Served, eventually
from browser.conftest import PHONE, OpenPage
from browser.patience import READY, turn_to
from playwright.sync_api import Page, expect
from web.learned_fakes import rule_said
from web.web_fakes import NOW

SIZES = """it => {
    const texts = document.createTreeWalker(it, NodeFilter.SHOW_TEXT), sizes = [];
    while (texts.nextNode()) {
        const holder = texts.currentNode.parentElement;
        const isSeen = holder.checkVisibility() && !holder.closest('.visually-hidden');
        const words = texts.currentNode.data.trim();
        if (isSeen && words) sizes.push([parseFloat(getComputedStyle(holder).fontSize), words]);
    }
    return sizes.sort((one, other) => one[0] - other[0])[0];
}"""


def smallest(page: Page, place: str) -> float:
    """The size of the smallest letters there, in px."""
    size, words = page.locator(place).first.evaluate(SIZES)
    print(f"{place}: {size} px: {words}")
    return float(size)


def test_the_day_is_there_at_a_glance(home: Page) -> None:
    expect(home.locator(".clock")).to_have_text("18:00")
    expect(home.locator(".date")).to_have_text("Tuesday 24 March")
    expect(home.locator(".day").first).to_contain_text("19:00Dentist for Leo")
    expect(home.locator(".day").last).to_contain_text("08:00Plumber comes for the sink")
    expect(home.locator(".tick")).to_have_count(5)
    expect(home.locator(".reminders")).to_contain_text("Call grandma about Easter")
    expect(home.locator(".ear")).to_contain_text("Listening")


def test_an_ordinary_day_needs_no_scrolling(home: Page) -> None:
    main = home.locator("main")
    assert main.evaluate("it => it.scrollHeight <= it.clientHeight")
    columns = home.locator(".home-left, .home-right").evaluate_all("all => all.map(it => it.getBoundingClientRect().x)")
    assert columns[1] > columns[0] + 500


def test_whatever_home_says_is_read_from_six_feet(home: Page, served: Served) -> None:
    """In letters of 28 px and more at 1280×800; axe-core looks at their contrast."""
    served.site.say("Undated", clock_synced=False)
    rule_said(served.site)
    served.keep("Vet with the cat — Fri 27 Mar 2026, 15:00", "the vet sees the cat friday at three")
    home.reload()
    served.keep("Water the plants", "do water the plants, will you")
    for place in (".warning", ".asked", ".entry small", ".toast .quote", ".toast .button"):
        expect(home.locator(place).first).to_be_visible()
    for place in ("main", ".ear", ".mute", ".toast:first-child"):
        assert smallest(home, place) >= 28, place
    assert smallest(home, "nav") >= 22
    served.stop()
    expect(home.locator(".gone")).to_be_visible()
    assert smallest(home, ".gone") >= 28
    served.restart()


@pytest.mark.parametrize("view", [view for view in READY if view not in ("home", "constellation")])
def test_views_that_are_touched_are_read_from_two_feet(home: Page, served: Served, view: str) -> None:
    """18 px look as large from two feet as 54 from six."""
    rule_said(served.site)
    served.keep("Water the plants", "do water the plants, will you")
    turn_to(home, served, view)
    assert smallest(home, "main") >= 18


def test_ticking_milk_leaves_a_struck_successor(home: Page, served: Served) -> None:
    milk = home.get_by_role("checkbox", name="milk")
    before = served.site.store.list()
    shopping = next(memory for memory in before if memory.memory.startswith("Shopping"))
    milk.tap()
    expect(milk).to_have_attribute("aria-checked", "true")
    expect(home.locator(".tick-text", has_text="milk")).to_have_css("text-decoration-line", "line-through")
    eventually(lambda: bool(served.site.store.get(shopping.id).superseded_by))
    successor = next(text for text in served.active() if text.startswith("Shopping"))
    assert "~~milk~~" in successor
    assert "~~bread~~" not in successor


def test_quick_fingers_tick_several_lines_and_take_one_back(home: Page, served: Served) -> None:
    for name in ("milk", "bread", "dish soap"):
        home.get_by_role("checkbox", name=name).tap()
    home.get_by_role("checkbox", name="bread").tap()
    expect(home.get_by_role("checkbox", name="bread")).to_have_attribute("aria-checked", "false")
    wanted = "Shopping list:\n- ~~milk~~\n- ~~dish soap~~\n- a dozen eggs\n- bread\n- olive oil"
    eventually(lambda: [text for text in served.active() if text.startswith("Shopping")] == [wanted])
    expect(home.get_by_role("checkbox", checked=True)).to_have_count(2)


def test_a_list_of_twenty_things_stays_reachable(open_page: OpenPage, served: Served) -> None:
    served.site.say("Shopping list:\n" + "\n".join(f"- thing number {n}" for n in range(20)))
    page = open_page()
    last = page.get_by_role("checkbox", name="thing number 19")
    last.tap()
    expect(last).to_have_attribute("aria-checked", "true")


def test_mute_is_one_tap_and_seen_from_across_the_room(home: Page, served: Served) -> None:
    """CASES m103: muted is honoured, and shown."""
    button = home.get_by_role("button", name="Mute", exact=True)
    box = button.bounding_box()
    assert box is not None
    assert box["width"] >= 150
    assert box["height"] >= 56
    button.tap()
    expect(home.locator(".ear")).to_contain_text("Muted")
    assert served.site.ear.muted
    expect(home.locator(".bar")).to_have_css("background-color", "rgb(143, 42, 30)")
    home.reload()
    home.get_by_role("button", name="Unmute").tap()
    expect(home.locator(".ear")).to_contain_text("Listening")
    assert not served.site.ear.muted


def test_a_deaf_ear_says_since_when_and_why_and_heals(home: Page, served: Served) -> None:
    why = "The microphone 'USB' is not there. Is it plugged in?"
    served.site.ear.lose(300, why)
    expect(home.locator(".ear")).to_contain_text("Cannot hear")
    expect(home.locator(".ear")).to_contain_text("last sound 5 min ago")
    expect(home.locator("main .warning")).to_have_text(why)
    assert smallest(home, "main .warning") >= 28
    for view in ("trust", "setup"):
        expect(turn_to(home, served, view).locator("main .warning")).to_have_text(why)
    served.site.ear.find()
    expect(home.locator("main .warning")).to_have_count(0)
    expect(home.locator(".ear")).to_contain_text("Listening")


def test_every_view_keeps_the_mute_in_reach(open_page: OpenPage) -> None:
    for size in (None, PHONE):
        page = open_page(**({"size": size} if size else {}))
        for view in ("home", "memories", "constellation", "trust", "setup"):
            page.evaluate("view => { location.hash = view }", view)
            expect(page.get_by_role("button", name="Mute", exact=True).last).to_be_in_viewport(ratio=1)


def test_another_screen_shows_the_mute_too(open_page: OpenPage, served: Served) -> None:
    here, there = open_page(), open_page("trust")
    here.locator(".bar").get_by_role("button", name="Mute", exact=True).tap()
    expect(there.locator(".ear")).to_contain_text("Muted")


@pytest.mark.parametrize(("hour", "light"), [(12, "day"), (23, "night")])
def test_it_is_dark_at_night(open_page: OpenPage, served: Served, hour: int, light: str) -> None:
    served.site.clock.set_wall(NOW.replace(hour=hour))
    page = open_page()
    expect(page.locator("html")).to_have_attribute("data-light", light)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (sum(ground) < 150) == (light == "night")


def test_what_is_remembered_elsewhere_appears_by_itself(home: Page, served: Served) -> None:
    served.keep("Return the library books — Wed 25 Mar 2026, 16:30", expires_at=NOW + timedelta(hours=22.5))
    expect(home.locator(".day").last).to_contain_text("16:30Return the library books")


def test_an_entry_opens_its_memory(home: Page) -> None:
    home.get_by_role("link", name="Dentist for Leo").tap()
    expect(home.locator(".present-text")).to_contain_text("Dentist for Leo")
    expect(home.locator(".details")).to_contain_text("somebody said Dentist for Leo")


def test_an_empty_house_says_so(open_page: OpenPage, served: Served) -> None:
    for memory in served.site.store.list():
        served.site.store.forget(memory.id)
    page = open_page()
    expect(page.locator(".home")).to_contain_text("Nothing planned")
    expect(page.locator(".shopping")).to_contain_text("Nothing to buy")
