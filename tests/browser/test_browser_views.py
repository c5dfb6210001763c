"""Every view, for every hand: keyboard, touch, screen reader, small screens, calm screens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser.browser_house import Served, eventually
from browser.conftest import DISPLAY, FITS, PHONE, OpenPage
from browser.patience import calm, painted, turn_to
from playwright.sync_api import Page, expect
from web.web_fakes import NOW

from junod.memory import entity_index

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
VIEWS = ("home", "memories", "memory", "constellation", "trust", "setup")
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
}


SMALL = """all => all.filter(it => it.offsetParent !== null && it.type !== 'checkbox')
    .map(it => [it.outerHTML.slice(0, 80), it.getBoundingClientRect()])
    .filter(([_, box]) => box.height < 47.5 || box.width < 47.5)
    .map(([what, box]) => `${what} ${box.width}x${box.height}`)"""


DRIFT = """() => {
    window.places = new Set();
    const frame = () => {
        const place = document.querySelector('.node')?.getAttribute('transform');
        if (place) window.places.add(place);
        requestAnimationFrame(frame);
    };
    frame();
}"""
"""Notes in `window.places` wherever the first star is drawn from now on."""


def opened(open_page: OpenPage, served: Served, view: str, **options: Any) -> Page:
    """A view with everything on it loaded."""
    page = open_page("home", **options)
    return turn_to(page, served, view)


def grave(page: Page) -> list[str]:
    """What axe-core calls serious or critical."""
    calm(page).evaluate(AXE)
    found = page.evaluate("rules => axe.run(document, rules)", RULES)
    assert len(found["passes"]) > 15
    return [
        f"{fault['id']}: {fault['help']}: {node['html'][:120]} {node['failureSummary'][:200]}"
        for fault in found["violations"]
        for node in fault["nodes"]
        if fault["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(("light", "hour"), [("day", 12), ("night", 23)])
def test_axe_finds_nothing_serious(open_page: OpenPage, served: Served, light: str, hour: int) -> None:
    served.site.clock.set_wall(NOW.replace(hour=hour))
    page = open_page()
    expect(page.locator("html")).to_have_attribute("data-light", light)
    served.keep("Water the plants", "water the plants will you")
    page.wait_for_selector(".toast")
    for view in VIEWS:
        turn_to(page, served, view)
        assert grave(page) == [], view


def test_axe_finds_nothing_serious_when_the_ear_is_closed(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "trust")
    page.get_by_role("button", name="1 hour").tap()
    expect(page.locator(".ear")).to_contain_text("Off the record")
    assert grave(page) == []
    served.site.ear.muted = True
    page.reload()
    expect(page.locator(".ear")).to_contain_text("Muted")
    assert grave(page) == []
    served.stop()
    expect(page.locator(".gone")).to_be_visible()
    served.restart()
    assert grave(page) == []


@pytest.mark.parametrize("size", [DISPLAY, PHONE], ids=["display", "phone"])
def test_no_view_scrolls_sideways_and_every_target_is_large(
    open_page: OpenPage, served: Served, size: dict[str, int]
) -> None:
    page = open_page(size=size)
    for view in VIEWS:
        turn_to(page, served, view)
        assert page.evaluate(FITS), view
        assert page.locator("button, select, input, textarea, nav a, .button, .entry, .row").evaluate_all(SMALL) == []


def test_everything_is_reached_by_keyboard(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "home")
    reached: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
    for name in (
        "Skip to the content",
        "19:00Dentist for Leo",
        "milk",
        "Call grandma about Easter",
        "Memories",
        "Mute",
    ):
        assert name in reached
    page.locator(".tick", has_text="bread").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox", name="bread")).to_have_attribute("aria-checked", "true")
    page.locator("nav a", has_text="Memories").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("searchbox")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("walnuts")
    expect(page.locator(".row").first).to_contain_text("walnuts")
    page.locator(".row a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".present-text")).to_contain_text("walnuts")


def test_focus_is_always_seen(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "trust")
    for _ in range(12):
        page.keyboard.press("Tab")
        style = page.evaluate("(it => [it.outlineStyle, it.outlineWidth])(getComputedStyle(document.activeElement))")
        assert style == ["solid", "3px"]


def test_stars_are_opened_by_touch_and_by_keyboard(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "constellation")
    star = page.locator(".node").first
    box = star.locator("circle").bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] / 2 + 18, box["y"] + 12)  # near is enough
    expect(page.locator(".star h2")).not_to_be_empty()
    page.locator(".stars").focus()
    before = page.locator(".star h2").text_content()
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert before is not None
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp") * 10:
        if painted(page).locator(".star-kind").text_content() == "memory":
            break
        page.keyboard.press(key)
    expect(page.locator(".star-kind")).to_have_text("memory")
    page.keyboard.press("Enter")
    expect(page.locator(".present-text")).not_to_be_empty()


def test_five_hundred_stars_find_their_places_and_stand_still(open_page: OpenPage, served: Served) -> None:
    for number in range(500):
        served.site.say(f"Box {number} belongs to {('Mira', 'Leo', 'Tomas')[number % 3]}")
    while entity_index.fill(served.site.store.sessions):
        pass
    page = open_page()
    page.evaluate(DRIFT)
    turn_to(page, served, "constellation")
    drawn = page.evaluate("window.places.size")
    assert page.locator(".node").count() >= 500
    assert drawn >= 5, "they drift there, and the page is drawn meanwhile"
    places = "[...document.querySelectorAll('.node')].map(it => it.getAttribute('transform')).join()"
    settled = page.evaluate(places)
    page.evaluate("new Promise(done => setTimeout(done, 400))")
    assert page.evaluate(places) == settled


def test_reduced_motion_means_none(open_page: OpenPage, served: Served) -> None:
    page = open_page(reduced_motion="reduce")
    page.evaluate(DRIFT)
    turn_to(page, served, "constellation")
    assert painted(page).evaluate("window.places.size") == 1
    served.keep("Water the plants")
    page.wait_for_selector(".toast")
    durations = page.locator(".toast").evaluate("it => getComputedStyle(it).animationDuration")
    assert "s" in durations
    assert all(float(each.strip().removesuffix("s")) <= 0.001 for each in durations.split(","))


def test_off_the_record_and_back(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "trust")
    page.get_by_role("button", name="10 minutes").tap()
    expect(page.locator(".ear")).to_contain_text("Off the recorduntil 18:10")
    assert served.site.ear.until is not None
    page.locator(".bar").get_by_role("button", name="Listen again").tap()
    expect(page.locator(".ear")).to_contain_text("Listening")
    page.get_by_role("button", name="Until morning").tap()
    expect(page.locator(".ear")).to_contain_text("until 06:00")


def test_the_last_five_minutes_are_forgotten_after_a_question(open_page: OpenPage, served: Served) -> None:
    served.site.say("What nobody should have heard")
    page = opened(open_page, served, "trust")
    expect(page.locator(".figure")).to_have_text("Today: heard 812, kept 12")
    page.get_by_role("button", name="Forget the last 5 minutes").tap()
    page.get_by_role("dialog").get_by_role("button", name="Erase it").tap()
    expect(page.locator(".toast.note")).to_contain_text("Erased")
    assert "What nobody should have heard" not in served.active()
    assert len(served.active()) == 8


def test_everything_is_deleted_only_when_typed(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "trust")
    button = page.get_by_role("button", name="Delete everything")
    expect(button).to_be_disabled()
    page.get_by_label("To confirm, type").fill("delete everythin")
    expect(button).to_be_disabled()
    page.get_by_label("To confirm, type").fill("Delete everything")
    button.tap()
    expect(page.locator(".toast.note")).to_contain_text("All is erased: 8 memories.")
    assert served.active() == []


@pytest.mark.parametrize(("name", "ending"), [("As JSON", ".json"), ("As pages of text", ".zip")])
def test_everything_can_be_taken_along(open_page: OpenPage, served: Served, name: str, ending: str) -> None:
    page = opened(open_page, served, "trust")
    with page.expect_download() as download:
        page.get_by_role("link", name=name).tap()
    assert download.value.suggested_filename.endswith(ending)


def test_a_phone_is_paired_by_a_code_and_sent_away_again(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "trust")
    page.get_by_role("switch").tap()
    expect(page.locator(".offer img")).to_have_js_property("complete", True)
    assert page.locator(".offer img").evaluate("it => it.naturalWidth") > 0
    code = page.locator(".code").text_content()
    phone = open_page(path=f"pair#{code}", size=PHONE)
    phone.get_by_label("Name of this device").fill("Mira’s phone")
    phone.get_by_role("button", name="Pair").tap()
    phone.wait_for_selector(".tick")
    page.reload()
    page.get_by_role("button", name="Remove: Mira’s phone").tap()
    expect(page.locator(".devices")).to_have_count(0)


def test_a_wrong_code_is_refused_in_words(open_page: OpenPage) -> None:
    page = open_page(path="pair", size=PHONE)
    page.get_by_label("Code").fill("000000")
    page.get_by_role("button", name="Pair").tap()
    expect(page.get_by_role("alert")).not_to_be_empty()


def test_the_set_up_is_saved_and_says_what_waits_for_a_restart(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "setup")
    expect(page.locator("meter")).to_have_attribute("value", "32")
    page.get_by_label("Name of this device").fill("kitchen-display")
    page.get_by_label("Time zone").select_option("Europe/Zurich")
    page.get_by_role("button", name="Save").tap()
    expect(page.locator(".told")).to_contain_text("Saved in")
    written = (served.folder / "junod.toml").read_text("utf-8")
    assert "kitchen-display" in written
    assert "Europe/Zurich" in written
    eventually(lambda: bool(served.site.reloads))


def test_the_test_sentence_is_shown_where_one_waits_for_it(open_page: OpenPage, served: Served) -> None:
    page = opened(open_page, served, "setup")
    expect(page.locator(".heard")).to_contain_text("Listening for it")
    served.time_passes()
    served.keep("Shopping list:\n- olive oil", "we are out of olive oil")
    expect(page.locator(".heard")).to_contain_text("we are out of olive oil")
