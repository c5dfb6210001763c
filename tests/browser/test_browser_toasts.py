"""Toasts: what was just kept, with a way back; and the stream that carries them."""

from __future__ import annotations

from datetime import timedelta

from browser.browser_house import Served
from browser.conftest import DISPLAY, PHONE, OpenPage
from browser.patience import within_a_second
from playwright.sync_api import Locator, Page, expect
from web.web_fakes import NOW

from junod.events import ReminderDue


def toasts(page: Page) -> Locator:
    return page.locator(".toast[data-memory]")


def test_a_toast_tells_what_was_kept_and_what_was_heard(home: Page, served: Served) -> None:
    served.keep("Vet with the cat — Fri 27 Mar 2026, 15:00", "the vet sees the cat friday at three",
                expires_at=NOW.replace(day=27, hour=15))  # fmt: skip
    expect(toasts(home)).to_contain_text("Vet with the cat")
    expect(toasts(home)).to_contain_text("heard: “the vet sees the cat friday at three”")
    expect(toasts(home)).to_contain_text("kept until Friday, 15:00")
    expect(home.get_by_role("status").filter(has_text="Remembered: Vet with the cat")).to_have_count(1)


def test_a_toast_appears_within_a_second_of_saving(home: Page, served: Served) -> None:
    def saved(number: int) -> None:
        served.keep(f"Water the plants, round {number}")
        toasts(home).filter(has_text=f"round {number}").wait_for()

    assert within_a_second(saved)


def test_a_reminder_is_one_toast_however_often_it_is_told(home: Page, served: Served) -> None:
    """A daemon that died before it could note that it had told does so again."""
    memory = served.site.say("Dentist for Leo — Tue 24 Mar 2026, 18:30")
    for _ in range(2):
        served.site.bus.publish(ReminderDue(memory.id, "Dentist for Leo in 30 minutes", NOW))
    expect(home.locator(".toast.due")).to_have_count(1)
    expect(home.locator(".toast.due")).to_contain_text("Dentist for Leo in 30 minutes")
    expect(home.get_by_role("status").filter(has_text="Dentist for Leo in 30 minutes")).to_have_count(1)
    home.locator(".toast.due").get_by_role("link", name="Open").tap()
    expect(home.locator("main")).to_contain_text("Dentist for Leo")
    expect(home.locator(".toast.due")).to_have_count(0)


def test_undo_takes_back_what_was_just_kept(home: Page, served: Served) -> None:
    memory = served.keep("Buy a hundred goats")
    toasts(home).get_by_role("button", name="Undo").tap()
    expect(home.locator(".toast.note")).to_contain_text("Taken back")
    assert memory.memory not in served.active()


def test_what_was_taken_back_can_be_brought_back(home: Page, served: Served) -> None:
    served.keep("Buy a hundred goats")
    toasts(home).get_by_role("button", name="Undo").tap()
    home.locator(".toast.note").get_by_role("button", name="Bring back").tap()
    expect(home.locator(".toast.note")).to_contain_text("Back again")
    assert "Buy a hundred goats" in served.active()


def test_done_strikes_it_through_and_can_be_undone(home: Page, served: Served) -> None:
    memory = served.keep("Call the tax office")
    toasts(home).get_by_role("button", name="Done").tap()
    expect(home.locator(".toast.note")).to_contain_text("Done")
    assert "~~Call the tax office~~" in served.active()
    assert served.site.store.get(memory.id).superseded_by
    home.locator(".toast.note").get_by_role("button", name="Undo").tap()
    expect(home.locator(".toast.note")).to_contain_text("Back again")
    assert "Call the tax office" in served.active()


def test_the_same_again_is_one_toast_counted_up(home: Page, served: Served) -> None:
    """CASES m32: what is read aloud from the toast makes no second one."""
    for _ in range(3):
        served.keep("Buy stamps")
    expect(toasts(home)).to_have_count(1)
    expect(toasts(home).locator(".toast-head")).to_contain_text("3 times")


def test_toasts_stack_and_never_cover_the_mute(open_page: OpenPage, served: Served) -> None:
    for size in (DISPLAY, PHONE):
        page = open_page(size=size)
        page.wait_for_selector(".tick")
        for number in range(6):
            served.keep(f"A rather long thing to remember, number {number}, " + "with words " * 20)
        expect(page.locator(".toast-more")).to_contain_text("3 more")
        expect(toasts(page)).to_have_count(3)
        mute = page.locator(".mute").bounding_box()
        assert mute is not None
        middle = [mute["x"] + mute["width"] / 2, mute["y"] + mute["height"] / 2]
        assert page.evaluate("([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.mute'))", middle)
        bottoms = page.locator(".toast").evaluate_all("all => all.map(it => it.getBoundingClientRect().bottom)")
        assert max(bottoms) <= mute["y"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.locator(".bar .mute").tap()
        expect(page.locator(".ear")).to_contain_text("Muted")
        page.locator(".bar .mute").tap()
        page.context.close()


def test_a_toast_goes_by_itself_but_not_from_under_a_hand(open_page: OpenPage, served: Served) -> None:
    page = open_page()
    page.clock.install()
    page.reload()
    page.wait_for_selector(".tick")
    served.keep("Water the plants")
    expect(toasts(page)).to_have_count(1)
    toasts(page).hover()
    page.clock.run_for(60_000)
    expect(toasts(page)).to_have_count(1)
    page.locator(".clock").hover()
    page.clock.run_for(30_000)
    expect(toasts(page)).to_have_count(0)


def test_a_toast_stays_while_the_keyboard_is_in_it(open_page: OpenPage, served: Served) -> None:
    page = open_page()
    page.clock.install()
    page.reload()
    page.wait_for_selector(".tick")
    served.keep("Water the plants")
    toasts(page).get_by_role("button", name="Undo").focus()
    page.clock.run_for(60_000)
    expect(toasts(page)).to_have_count(1)


def test_a_finger_already_on_its_way_hits_no_new_toast(home: Page, served: Served) -> None:
    home.evaluate(
        """() => new MutationObserver((_, watcher) => {
            const toast = document.querySelector('.toast[data-memory]');
            if (!toast) return;
            watcher.disconnect();
            window.takesTouch = getComputedStyle(toast).pointerEvents;
        }).observe(document.querySelector('.toasts'), {childList: true, subtree: true})"""
    )
    served.keep("Buy a hundred goats")
    expect(toasts(home)).to_have_count(1)
    assert home.evaluate("window.takesTouch") == "none", "in the frame in which it appeared"
    expect(toasts(home)).to_have_css("pointer-events", "auto")


def test_the_page_says_when_the_daemon_is_gone_and_heals_without_losing_a_toast(home: Page, served: Served) -> None:
    """CASES v16: one side restarts alone, the other heals by itself."""
    served.keep("Before the break")
    expect(toasts(home)).to_have_count(1)
    toasts(home).hover()  # stays, however long the rest takes
    served.stop()
    expect(home.get_by_role("alert")).to_contain_text("junod is not running")
    expect(home.locator(".ear")).to_contain_text("junod is not running")
    served.restart()
    served.keep("Said while the page was still looking")
    expect(home.locator(".gone")).to_have_count(0)
    expect(toasts(home).filter(has_text="Said while the page was still looking")).to_have_count(1)
    expect(toasts(home).filter(has_text="Before the break")).to_have_count(1)


def test_a_page_that_was_never_told_anything_loses_no_toast_over_a_restart(home: Page, served: Served) -> None:
    served.stop()
    served.restart()
    served.keep("The first thing after the restart")
    expect(toasts(home)).to_contain_text("The first thing after the restart")


def test_a_reloaded_page_takes_up_what_it_missed(home: Page, served: Served) -> None:
    served.keep("Seen")
    expect(toasts(home)).to_have_count(1)
    home.goto("about:blank")
    served.keep("Not seen yet")
    home.goto(served.url)
    expect(toasts(home)).to_have_count(1)
    expect(toasts(home)).to_contain_text("Not seen yet")


def test_a_change_that_is_refused_is_told_with_what_to_do(home: Page, served: Served) -> None:
    served.keep("Here and busy")
    refusal = {"error": "store", "message": "The database is busy.", "hint": "Try again in a moment."}
    home.route("**/done", lambda route: route.fulfill(status=503, json=refusal))
    toasts(home).get_by_role("button", name="Done").tap()
    expect(home.locator(".toast.error")).to_contain_text("The database is busy. Try again in a moment.")
    expect(toasts(home)).to_have_count(1)
    assert "Here and busy" in served.active()


def test_a_memory_that_was_merged_is_shown_as_what_it_became(home: Page, served: Served) -> None:
    memory = served.keep("Shopping list:\n- yeast")
    expect(toasts(home)).to_have_count(1)
    after = served.site.store.edit(memory.id, "Shopping list:\n- milk\n- yeast")
    served.merged(after, (memory.id,))
    expect(toasts(home).get_by_role("listitem")).to_have_count(2)


def test_what_expires_leaves_the_screen(home: Page, served: Served) -> None:
    memory = served.keep("Pick up the cake", expires_at=NOW + timedelta(minutes=5))
    expect(toasts(home)).to_have_count(1)
    served.site.clock.advance(600)
    served.site.store.expire(served.site.clock.now())
    served.expired((memory.id,))
    expect(toasts(home)).to_have_count(0)
