"""Chromium, a household with its page, and a page that must not complain."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.browser_house import LIMIT_S, Served, ordinary_day
from browser.patience import follows, lettered
from playwright.sync_api import Browser, Page, expect, sync_playwright

DISPLAY = {"width": 1280, "height": 800}
PHONE = {"width": 320, "height": 640}
FITS = "[document.documentElement, document.querySelector('main')].every(it => it.scrollWidth <= innerWidth)"
"""Nothing is to be scrolled sideways."""
UNHURRIED = """
    const atItsTime = window.setTimeout;
    window.setTimeout = (what, ms, ...rest) => atItsTime(what, ms >= 9000 && ms <= 25000 ? 10 * ms : ms, ...rest);
"""
"""Toasts and notes stay ten times as long: whoever reads and taps here may be slow, as the machine may be busy. How
long they stay is seen where a test has a clock of its own (`page.clock`), which knows nothing of this.
"""
OpenPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Of the module, not of the session: while it is open, no other test of this thread may run an event loop."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium: apt install chromium")
    expect.set_options(timeout=LIMIT_S * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=120_000)
        yield browser
        browser.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    household = Served(tmp_path, ordinary_day)
    yield household
    household.stop()


@pytest.fixture
def open_page(chromium: Browser, served: Served) -> Iterator[OpenPage]:
    """Opens a view in a browser of its own; in the end nothing was wrong on any: no error, no breach of the CSP."""
    complaints: list[str] = []
    contexts = []

    def opened(view: str = "home", size: dict[str, int] = DISPLAY, *, path: str = "", **options: Any) -> Page:
        context = chromium.new_context(viewport=size, has_touch=True, **options)  # type: ignore[arg-type]
        contexts.append(context)
        context.add_init_script(UNHURRIED)
        page = context.new_page()
        page.set_default_timeout(LIMIT_S * 1000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if is_complaint(message.text) else None)
        page.goto(f"{served.url}{path}#{view}" if not path else f"{served.url}{path}")
        page.wait_for_selector("main h1", state="attached")
        return page if path else follows(page)

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def is_complaint(text: str) -> bool:
    """Refused connections and refused requests are part of some tests; the page says them in its own words."""
    return "Content Security Policy" in text or "[Report Only]" in text or "Uncaught" in text


@pytest.fixture
def home(open_page: OpenPage) -> Page:
    page = open_page()
    page.wait_for_selector(".tick")
    return lettered(page)
