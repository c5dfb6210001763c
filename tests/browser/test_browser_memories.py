"""Finding, reading and changing memories; whatever they hold."""

from __future__ import annotations

from datetime import timedelta

import pytest
from browser.browser_house import Served, eventually
from browser.conftest import DISPLAY, FITS, PHONE, OpenPage
from browser.patience import painted, turn_to
from playwright.sync_api import Page, Route, expect

HOSTILE = (
    "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>"
    "[click](javascript:alert(1)) ![i](http://evil.example/i.png) <iframe src=/></iframe><style>*{display:none}</style>"
)
STRANGE = {
    "hostile": HOSTILE,
    "long word": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 3,
    "right to left": "תור לרופא שיניים — Wed 25 Mar 2026, 09:00",
    "arabic list": "Shopping list:\n- حليب\n- خبز\n- زيت زيتون",
    "emoji": "Cake 🎂 for 👨‍👩‍👧‍👦 and 🇨🇭 flags ✅",
    "turned round": "Call \u202egnimoc eb ot\u202c Anna",
    "many lines": "Shopping list:\n" + "\n".join(f"- thing {n}" for n in range(60)),
}


@pytest.fixture
def listed(open_page: OpenPage) -> Page:
    page = open_page("memories")
    page.wait_for_selector(".row")
    return page


def test_search_finds_while_one_types(listed: Page) -> None:
    listed.get_by_role("searchbox").press_sequentially("spare key", delay=20)
    expect(listed.locator(".row").first).to_contain_text("The spare key is under the blue pot")
    listed.get_by_role("searchbox").fill("")
    expect(listed.locator(".row")).to_have_count(8)


def test_a_slow_answer_never_overwrites_a_newer_one(listed: Page) -> None:
    held: list[Route] = []
    listed.route("**/api/memories?q=key*", lambda route: held.append(route))
    box = listed.get_by_role("searchbox")
    with listed.expect_request("**/api/memories?q=key*"):
        box.fill("key")
    box.fill("walnuts")
    expect(listed.locator(".row").first).to_contain_text("walnuts")
    with listed.expect_response("**/api/memories?q=key*"):
        held[0].continue_()
    listed.evaluate("fetch('/api/ear').then(answer => answer.text())")  # by then the late one was looked at, too
    expect(painted(listed).locator(".row").first).to_contain_text("walnuts")


def test_filters_narrow_the_list_and_stay_when_one_comes_back(open_page: OpenPage, served: Served) -> None:
    served.site.say("Bedroom window sticks", room="bedroom")
    page = open_page("memories")
    page.get_by_role("combobox", name="Room").select_option("bedroom")
    expect(page.locator(".row")).to_have_count(1)
    page.locator(".row a").tap()
    expect(page.locator(".present-text")).to_have_text("Bedroom window sticks")
    page.get_by_role("link", name="Back").tap()
    expect(page.locator(".row")).to_have_count(1)
    page.get_by_role("combobox", name="Room").select_option("")
    page.get_by_role("combobox", name="When").select_option("today")
    expect(page.locator(".row")).to_have_count(6)


def test_done_and_history_are_there_when_asked_for(listed: Page, served: Served) -> None:
    memory = next(memory for memory in served.site.store.list() if "grandma" in memory.memory)
    served.site.store.done(memory.id)
    listed.reload()
    expect(listed.locator(".row")).to_have_count(7)
    listed.get_by_role("button", name="Done too").tap()
    expect(listed.locator(".row")).to_have_count(8)
    expect(listed.locator(".row s")).to_have_count(1)
    listed.get_by_role("button", name="History too").tap()
    expect(listed.locator(".row.past")).to_contain_text("no longer in force")


def test_editing_supersedes_and_the_history_shows_it(listed: Page, served: Served) -> None:
    """CASES m70: a correction leaves the right one active, the old one in its history."""
    listed.locator(".row", has_text="spare key").locator("a").tap()
    listed.get_by_role("button", name="Edit").tap()
    expect(listed.get_by_label("The memory’s text")).to_be_focused()
    listed.get_by_label("The memory’s text").fill("The spare key is under the green pot")
    listed.get_by_role("button", name="Save").tap()
    expect(listed.locator(".present-text")).to_have_text("The spare key is under the green pot")
    expect(listed.locator(".tree .branch")).to_have_count(2)
    expect(listed.locator(".branch[aria-current]")).to_contain_text("green pot")
    assert "The spare key is under the green pot" in served.active()
    assert "The spare key is under the blue pot" not in served.active()
    listed.locator(".branch", has_text="blue pot").tap()
    expect(listed.locator(".present .warning")).to_contain_text("A newer memory took its place")


def test_done_can_be_brought_back_from_its_page(listed: Page, served: Served) -> None:
    listed.locator(".row", has_text="grandma").locator("a").tap()
    listed.get_by_role("button", name="Done").first.tap()
    expect(listed.locator(".present-text s")).to_have_count(1)
    listed.get_by_role("button", name="Bring back").tap()
    expect(listed.locator(".present-text s")).to_have_count(0)
    eventually(lambda: "Call grandma about Easter" in served.active())


def test_forgetting_asks_first_and_can_be_taken_back_for_a_while(listed: Page, served: Served) -> None:
    listed.locator(".row", has_text="walnuts").locator("a").tap()
    listed.get_by_role("button", name="Forget", exact=True).tap()
    listed.get_by_role("dialog").get_by_role("button", name="Cancel").tap()
    assert "Tomas is allergic to walnuts" in served.active()
    listed.get_by_role("button", name="Forget", exact=True).tap()
    listed.get_by_role("dialog").get_by_role("button", name="Forget it").tap()
    expect(listed.locator(".row")).to_have_count(7)
    assert "Tomas is allergic to walnuts" not in served.active()
    listed.locator(".toast.note").get_by_role("button", name="Bring back").tap()
    expect(listed.locator(".row")).to_have_count(8)
    assert "Tomas is allergic to walnuts" in served.active()


def test_a_memory_can_be_written_by_hand(listed: Page, served: Served) -> None:
    listed.get_by_label("Write a memory").fill("The fuse box is behind the coats")
    listed.get_by_role("button", name="Remember").tap()
    expect(listed.locator(".row").first).to_contain_text("The fuse box is behind the coats")
    assert "The fuse box is behind the coats" in served.active()


def test_a_memory_that_is_gone_says_so(open_page: OpenPage, served: Served) -> None:
    memory = served.site.say("Short-lived")
    page = open_page(f"memory/{memory.id}")
    expect(page.locator(".present-text")).to_have_text("Short-lived")
    served.site.store.forget(memory.id)
    page.reload()
    expect(page.locator("main")).to_contain_text("This memory is no longer there.")


@pytest.mark.parametrize("size", [DISPLAY, PHONE], ids=["display", "phone"])
def test_whatever_a_memory_holds_it_stays_text_inside_the_screen(
    open_page: OpenPage, served: Served, size: dict[str, int]
) -> None:
    for text in STRANGE.values():
        served.site.say(text, timedelta(minutes=1), transcript=text)
    page = open_page(size=size)
    for view in ("home", "memories", "constellation", "trust"):
        turn_to(page, served, view)
        assert page.evaluate(FITS), view
        assert page.locator("main img, main script, main iframe, main style, main a[href^=javascript]").count() == 0
        assert page.title() != "broken"
    page.evaluate("location.hash = 'memories'")
    expect(page.locator(".row", has_text="<img src=x onerror=")).to_have_count(1)
    ends = page.locator(".row", has_text="תור").locator(".markdown")
    assert ends.evaluate("it => getComputedStyle(it).direction") == "rtl"
    served.keep(HOSTILE + " again", HOSTILE)
    expect(page.locator(".toast[data-memory]", has_text="again")).to_contain_text("<script>")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_five_hundred_memories_stay_quick(open_page: OpenPage, served: Served) -> None:
    for number in range(500):
        served.site.say(f"Thing number {number} is in box {number % 7}", timedelta(minutes=number + 10))
    page = open_page("memories")
    expect(page.locator(".row")).to_have_count(60)
    for shown in (180, 508):
        page.get_by_role("button", name="Show more").tap()
        expect(page.locator(".row")).to_have_count(shown)
    page.locator(".row a").last.scroll_into_view_if_needed()
    page.get_by_role("searchbox").fill("number 499")
    expect(page.locator(".row", has_text="Thing number 499 ")).to_have_count(1)
    page.evaluate("location.hash = 'home'")
    expect(page.locator(".tick")).to_have_count(5)
