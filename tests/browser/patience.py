"""Waiting for the page, on any machine: for what it shows or tells, never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable

from browser.browser_house import LIMIT_S, Served
from playwright.sync_api import Page

READY = {
    "home": ".tick",
    "memories": ".row",
    "memory": ".branch",
    "constellation": ".stars.settled",
    "trust": "table",
    "setup": "#set-name",
}
"""What a view shows when it has all it needs."""
TRIES = 20


def follows(page: Page) -> Page:
    """The page has a place in the stream of events: whatever is told from now on reaches it."""
    return until(page, "sessionStorage.getItem('junod.last-event') !== null")


def lettered(page: Page) -> Page:
    """The fonts are there: others are of another size."""
    page.evaluate("() => document.fonts.ready.then(() => true)")
    return page


def until(page: Page, condition: str) -> Page:
    """What Playwright's own wait_for_function does, which asks for an eval that the page forbids."""
    page.evaluate(
        f"""async () => {{
            const end = performance.now() + {LIMIT_S * 1000};
            while (!({condition})) {{
                if (performance.now() > end) throw new Error('it did not happen in time');
                await new Promise(done => setTimeout(done, 50));
            }}
        }}"""
    )
    return page


def turn_to(page: Page, served: Served, view: str) -> Page:
    """Another view, with everything on it loaded."""
    ready = READY[view]
    if view == "memory":
        memory = next(memory for memory in served.site.store.list() if "spare key" in memory.memory)
        view = f"memory/{served.site.store.edit(memory.id, memory.memory.replace('blue', 'green') + '!').id}"
    page.evaluate("view => { location.hash = view }", view)
    page.wait_for_selector(f".view-{view.partition('/')[0]} {ready}")
    return lettered(page)


def painted(page: Page) -> Page:
    """What was asked of the page before is on the screen."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page


def calm(page: Page) -> Page:
    """Nothing moves or fades any more."""
    page.evaluate(
        """async () => {
            const moving = () => document.getAnimations().filter(it => it.playState === 'running');
            while (moving().length) await Promise.allSettled(moving().map(it => it.finished));
        }"""
    )
    return painted(page)


def within_a_second(once: Callable[[int], None], again: Callable[[int], None] = lambda number: None) -> bool:
    """Whether it takes less than a second at least once in some tries: all that a machine with other things to do can
    tell of a promised time. `again` makes ready for another try.
    """
    for number in range(TRIES):
        begun = time.monotonic()
        once(number)
        if time.monotonic() - begun < 1:
            return True
        again(number)
    return False
