"""What junod learned, on the page: one quiet question, rules that wait, and why something is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser.browser_house import Served, eventually, ordinary_day
from browser.conftest import DISPLAY, FITS, PHONE, OpenPage
from browser.patience import within_a_second
from browser.test_browser_views import SMALL, grave
from playwright.sync_api import Page, expect
from web.learned_fakes import COFFEE, WANTED, coffee_is_due, rule_said, sylvie_dreads_the_dentist
from web.web_fakes import Site

STRANGE_THINGS = (
    "caviar",
    "truffles",
    "lobster",
    "saffron",
    "oysters",
    "quinces",
    "kumquats",
    "artichokes",
    "chestnuts",
    "marzipan",
    "nougat",
    "capers",
    "anchovies",
    "olives",
    "figs",
    "dates",
    "lychees",
    "mangoes",
    "papayas",
    "guavas",
)
TO_BUY = "Shopping list:\n- coffee"


def lived(site: Site) -> None:
    coffee_is_due(site)
    sylvie_dreads_the_dentist(site)
    ordinary_day(site)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    household = Served(tmp_path, lived, house_parts={"persona_settings": WANTED})
    yield household
    household.stop()


def test_what_is_due_is_put_on_the_list_by_a_yes(home: Page, served: Served) -> None:
    expect(home.locator(".asked")).to_contain_text(COFFEE)
    assert TO_BUY not in served.active()
    home.get_by_role("button", name="Yes, on the list").tap()
    expect(home.get_by_role("checkbox", name="coffee")).to_be_visible()
    expect(home.locator(".asked")).to_have_count(0)


def test_a_no_ends_the_question_and_changes_no_list(home: Page, served: Served) -> None:
    home.locator(".asked").get_by_role("button", name="No", exact=True).tap()
    expect(home.locator(".asked")).to_have_count(0)
    assert TO_BUY not in served.active()


def test_a_rule_that_was_heard_is_confirmed_switched_off_and_deleted(open_page: OpenPage, served: Served) -> None:
    rule_said(served.site)
    rules = served.site.house.rules
    page = open_page("home")
    expect(page.locator(".asked")).to_contain_text("Is this a rule from now on?")
    page.evaluate("location.hash = 'trust'")
    page.get_by_role("button", name="Yes, a rule").tap()
    switch = page.get_by_role("switch", name="In force")
    expect(switch).to_have_attribute("aria-checked", "true")
    assert len(rules.active()) == 1
    switch.tap()
    expect(switch).to_have_attribute("aria-checked", "false")
    assert rules.active() == ()
    page.get_by_role("listitem").filter(has=switch).get_by_role("button", name="Delete").tap()
    page.get_by_role("dialog").get_by_role("button", name="Delete").tap()
    expect(switch).to_have_count(0)
    eventually(lambda: rules.listed() == ())


def test_a_rule_that_is_said_asks_at_once_wherever_one_looks(open_page: OpenPage, served: Served) -> None:
    home, elsewhere = open_page("home"), open_page("memories")
    home.wait_for_selector(".asked")

    rules = served.site.house.rules

    def said(number: int) -> None:
        served.heard_rule(rule_said(served.site, f"never put {STRANGE_THINGS[number]} on the list"))
        home.locator(".asked", has_text=STRANGE_THINGS[number]).wait_for()

    def unsaid(number: int) -> None:
        rules.delete(rules.listed()[0].id, by="page")
        home.locator(".asked", has_text="coffee").wait_for()

    assert within_a_second(said, unsaid)
    unsaid(0)
    served.heard_rule(rule_said(served.site))
    note = elsewhere.locator(".toast.note").filter(has_text="never put nuts")
    note.get_by_role("link", name="Look at it").tap()
    expect(elsewhere.get_by_role("button", name="Yes, a rule")).to_be_visible()
    served.asked_back("How long before the dentist?")
    expect(home.locator(".toast.note")).to_contain_text("How long before the dentist?")


def test_a_rule_is_tried_out_before_it_is_confirmed(open_page: OpenPage, served: Served) -> None:
    served.site.say("Shopping list:\n- nuts\n- pears")
    rule_said(served.site)
    before = served.active()
    page = open_page("trust")
    page.get_by_role("button", name="What would it have changed?").tap()
    expect(page.locator(".would")).to_contain_text("In the last 7 days:")
    expect(page.locator(".would li .after li")).to_have_text(["pears"])
    assert grave(page) == []
    assert (served.active(), served.site.house.rules.active()) == (before, ())
    rule_said(served.site, "never put caviar on the list")
    page.get_by_role("button", name="What would it have changed? never put caviar on the list").tap()
    expect(page.locator(".would").filter(has_text="Nothing in the last 7 days.")).to_be_visible()


def test_of_two_rules_one_is_put_first(open_page: OpenPage, served: Served) -> None:
    rules = served.site.house.rules
    for hour in ("five", "six"):
        rules.confirm(rule_said(served.site, f"swimming is always at {hour}"), by="cli")
    page = open_page("trust")
    listed = page.locator(".known > li:has(.switch) > p:first-child")
    expect(listed).to_have_text(
        ["Swimming is at 18:00 where no time is said.", "Swimming is at 17:00 where no time is said."]
    )
    expect(page.locator(".known .warning").first).to_be_visible()
    page.get_by_role("button", name="Ahead of the others").tap()
    expect(listed).to_have_text(
        ["Swimming is at 17:00 where no time is said.", "Swimming is at 18:00 where no time is said."]
    )
    assert "five" in rules.listed()[0].stored.said


def test_an_impression_is_corrected(open_page: OpenPage, served: Served) -> None:
    page = open_page("trust")
    page.get_by_role("button", name="Correct: Sylvie dreads the dentist").tap()
    field = page.get_by_label("How it should read")
    expect(field).to_be_focused()
    field.fill("Sylvie has a depression")
    page.locator(".correction").get_by_role("button", name="Save").tap()
    expect(page.locator(".correction").get_by_role("alert")).to_contain_text("nothing clinical")
    field.fill("Sylvie likes her new dentist")
    assert grave(page) == []
    page.keyboard.press("Enter")
    expect(page.locator(".known").get_by_text("Sylvie likes her new dentist")).to_be_visible()
    expect(page.locator(".correction")).to_have_count(0)
    (trait,) = served.site.house.persona.list(served.site.clock.now())
    assert (trait.statement, trait.is_corrected) == ("Sylvie likes her new dentist", True)


def test_a_habit_and_an_impression_are_explained_and_deleted(open_page: OpenPage, served: Served) -> None:
    page = open_page("trust")
    for text, behind in (("You usually buy coffee", "coffee"), ("Sylvie dreads the dentist", "Sylvie dreads")):
        row = page.get_by_role("listitem").filter(has_text=text).first
        row.get_by_role("button", name="Why do you know this?").tap()
        expect(row.locator(".evidence q").first).to_contain_text(behind)
        row.get_by_role("button", name="Delete").tap()
        page.get_by_role("dialog").get_by_role("button", name="Delete").tap()
        expect(page.locator(".known").get_by_text(text)).to_have_count(0)


def test_a_memory_says_why_it_is_known_and_can_be_removed_there(open_page: OpenPage, served: Served) -> None:
    memory = next(memory for memory in served.site.store.list() if "walnuts" in memory.memory)
    page = open_page(f"memory/{memory.id}")
    page.get_by_role("button", name="Why do you know this?").tap()
    answer = page.locator(".why-answer")
    expect(answer).to_contain_text("A memory")
    expect(answer).to_contain_text(memory.transcript)
    assert grave(page) == []
    answer.get_by_role("button", name="Forget").tap()
    page.get_by_role("dialog").get_by_role("button", name="Forget it").tap()
    expect(page.get_by_role("searchbox")).to_be_visible()
    assert memory.memory not in served.active()


def test_feeds_are_offered_with_their_token(open_page: OpenPage, served: Served) -> None:
    page = open_page("trust")
    page.get_by_role("button", name="New address").tap()
    calendar = page.locator(".feeds .address").first
    expect(calendar).to_contain_text("/calendar.ics?token=")
    path = (calendar.text_content() or "").partition(":8765")[2]
    assert "Dentist for Leo" in page.request.get(served.url.rstrip("/") + path).text()
    page.get_by_role("button", name="Remove: Calendar and list").tap()
    expect(page.locator(".devices")).to_have_count(0)
    assert page.request.get(served.url.rstrip("/") + path).status == 401


@pytest.mark.parametrize("size", [DISPLAY, PHONE], ids=["display", "phone"])
def test_questions_and_lists_are_for_every_hand(open_page: OpenPage, served: Served, size: dict[str, int]) -> None:
    rule_said(served.site)
    page = open_page(size=size)
    page.wait_for_selector(".asked")
    for view, ready in (("home", ".asked"), ("trust", ".known")):
        page.evaluate("view => { location.hash = view }", view)
        page.wait_for_selector(ready)
        assert grave(page) == [], view
        assert page.evaluate(FITS), view
        assert page.locator("button, .button").evaluate_all(SMALL) == []


def test_a_rule_is_written_confirmed_and_what_is_missing_is_asked_back(open_page: OpenPage, served: Served) -> None:
    page = open_page("trust")
    page.get_by_label("Declare a rule").fill("always remind us before the dentist")
    page.get_by_role("button", name="Read it").tap()
    expect(page.locator(".problem")).to_contain_text("How long before the dentist?")
    page.get_by_label("Declare a rule").fill("always remind us an hour before the dentist")
    page.get_by_role("button", name="Read it").tap()
    expect(page.locator(".toast.note")).to_contain_text("Remind 1 hour before dentist.")
    assert served.site.house.rules.active() == ()
    page.get_by_role("button", name="Yes, a rule").tap()
    expect(page.get_by_role("switch", name="In force")).to_have_attribute("aria-checked", "true")
    assert len(served.site.house.rules.active()) == 1
