"""Take the pictures of the docs anew: `PYTHONPATH=tests .venv/bin/python tests/browser/shoot.py docs/face`."""

from __future__ import annotations

import base64
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from browser.browser_house import Served, ordinary_day
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from web.learned_fakes import coffee_is_due, rule_said
from web.web_fakes import NOW, Site

from junod.memory import entity_index

QUALITY = 82
PHONE: ViewportSize = {"width": 390, "height": 780}


def lived_in(site: Site) -> None:
    """Some weeks of a family, so that there is something to see."""
    coffee_is_due(site)
    ordinary_day(site)
    for days, text in enumerate(
        (
            "Mira’s recorder lesson moves to Thursdays at four",
            "Leo needs new football boots, size 34",
            "Anna’s parking permit is in the blue folder",
            "The boiler man said to bleed the radiators in October",
            "Book a table at Rosa’s for Leo’s birthday",
            "Tomas takes the bins out on Mondays",
            "Grandma Ruth brings the big cake tin back",
            "Mira is allergic to cat hair",
            "Anna’s choir concert is in St Mary’s church",
            "Leo borrowed the drill from Mr Okafor",
        )
    ):
        site.say(text, timedelta(days=days + 2))
    before = site.say("The piano tuner comes on Friday", timedelta(days=3))
    site.store.edit(before.id, "The piano tuner comes on Saturday at ten")
    entity_index.fill(site.store.sessions)


def shoot(page: Page, path: Path) -> None:
    page.wait_for_timeout(500)
    session = page.context.new_cdp_session(page)
    shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    path.write_bytes(base64.b64decode(shot["data"]))
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def display(browser: Browser, served: Served, folder: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(served.url)
    page.wait_for_selector(".asked")
    page.locator(".tick", has_text="bread").click()
    shoot(page, folder / "home.webp")
    served.keep("Vet with the cat — Fri 27 Mar 2026, 15:00", "the vet can see the cat on friday at three",
                expires_at=NOW.replace(day=27, hour=15))  # fmt: skip
    page.wait_for_selector(".toast")
    shoot(page, folder / "toast.webp")
    page.locator(".toast-close").click()
    page.locator(".bar .mute").click()
    page.wait_for_selector("[data-ear=muted]")
    shoot(page, folder / "muted.webp")
    page.locator(".bar .mute").click()
    served.site.house.rules.confirm(rule_said(served.site, "when I say Ruthie I mean grandma Ruth"), by="page")
    rule_said(served.site, "never put dish soap on the list")
    page.reload()
    for view, ready in (
        ("memories", ".row"),
        ("constellation", ".stars.settled"),
        ("trust", ".known"),
        ("setup", "#set-name"),
    ):
        page.evaluate("view => { location.hash = view }", view)
        page.wait_for_selector(ready)
        if view == "setup":
            page.wait_for_selector(".models li")
        if view == "constellation" and page.locator(".node.person").count():
            page.locator(".node.person circle").first.click()
        shoot(page, folder / f"{view}.webp")
        if view == "trust":
            page.locator(".known").first.scroll_into_view_if_needed()
            page.get_by_role("button", name="What would it have changed?").first.click()
            page.wait_for_selector(".evidence")
            page.locator(".card:has(.known)").evaluate("it => it.scrollIntoView()")
            shoot(page, folder / "learned.webp")
    tuner = next(memory for memory in served.site.store.list() if "Saturday at ten" in memory.memory)
    page.evaluate("view => { location.hash = view }", f"memory/{tuner.id}")
    page.wait_for_selector(".branch")
    shoot(page, folder / "memory.webp")
    served.site.clock.advance_to(NOW.replace(hour=22, minute=40))
    page.goto(served.url + "#home")
    page.reload()
    page.wait_for_selector("[data-light=night] .tick")
    shoot(page, folder / "night.webp")


def phone(browser: Browser, served: Served, folder: Path) -> None:
    page = browser.new_page(viewport=PHONE, has_touch=True)
    page.goto(served.url + "#memories")
    page.wait_for_selector(".row")
    shoot(page, folder / "phone.webp")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        served = Served(Path(home), lived_in)
        display(browser, served, folder)
        phone(browser, served, folder)
        browser.close()
        served.stop()


if __name__ == "__main__":
    main()
