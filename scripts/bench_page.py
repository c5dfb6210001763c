#!/usr/bin/env python3
"""The page in Chromium: first paint, what it weighs, what it costs while nobody touches it, how smoothly stars move.

    bench_page.py [--loads 9] [--idle-seconds 60] [--json]

The real app over a real store with an ordinary day in it; each load with an empty cache.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser.browser_house import Served, ordinary_day

from junod.memory import entity_index

DISPLAY = {"width": 1280, "height": 800}
PAINTS = "Object.fromEntries(performance.getEntriesByType('paint').map(it => [it.name, it.startTime]))"
DRIFT = """() => new Promise(done => {
    const gaps = [];
    let last = 0;
    const frame = now => {
        if (document.querySelector('.node[transform]')) {
            if (last) gaps.push(now - last);
            last = now;
        }
        document.querySelector('.stars.settled') ? done(gaps) : requestAnimationFrame(frame);
    };
    location.hash = 'constellation';
    requestAnimationFrame(frame);
})"""
VIEWS = ("memories", "constellation", "trust", "setup")


def load_once(browser: Browser, url: str) -> dict[str, float]:
    """Milliseconds until something, and until the day, is on the screen."""
    with browser.new_context(viewport=DISPLAY) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector(".tick")
        filled_ms = page.evaluate("performance.now()")
        paints = page.evaluate(PAINTS)
    return {"first paint": paints["first-paint"], "day shown": filled_ms}


def weigh(browser: Browser, url: str) -> dict[str, float]:
    """kB that come over the wire with the home view, and with every view."""
    sizes: dict[str, float] = {}
    with browser.new_context(viewport=DISPLAY) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.on("requestfinished", lambda request: sizes.update({request.url: request.sizes()["responseBodySize"]}))
        page.goto(url)
        page.wait_for_selector(".tick")
        page.wait_for_timeout(500)
        home = sum(sizes.values())
        for view in VIEWS:
            page.evaluate("view => { location.hash = view }", view)
            page.wait_for_timeout(700)
        page.wait_for_selector("main h1")
        files = sum(size for url, size in sizes.items() if "/static/" in url)
    return {"home": home / 1000, "all views": sum(sizes.values()) / 1000, "of it files": files / 1000}


def idle(browser: Browser, url: str, seconds: float) -> float:
    """Percent of one core, all of Chromium's processes together, with the home view open."""
    session = browser.new_browser_cdp_session()

    def cpu_s() -> float:
        return float(sum(each["cpuTime"] for each in session.send("SystemInfo.getProcessInfo")["processInfo"]))

    with browser.new_context(viewport=DISPLAY) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector(".tick")
        page.wait_for_timeout(3000)
        before, begun = cpu_s(), time.monotonic()
        page.wait_for_timeout(seconds * 1000)
        return 100 * (cpu_s() - before) / (time.monotonic() - begun)


def drift(browser: Browser, served: Served) -> dict[str, float]:
    """Milliseconds between frames while 500 memories more find their places as stars, and until they have them."""
    for number in range(500):
        served.site.say(f"Box {number} belongs to {('Mira', 'Leo', 'Tomas')[number % 3]}")
    while entity_index.fill(served.site.store.sessions):
        pass
    with browser.new_context(viewport=DISPLAY) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(served.url)
        page.wait_for_selector(".tick")
        gaps = page.evaluate(DRIFT)
    return {"usual": statistics.median(gaps), "worst": max(gaps), "until they stand": sum(gaps)}


def measure(loads: int, idle_seconds: float) -> dict[str, Any]:
    program = shutil.which("chromium")
    if program is None:
        sys.exit("bench_page: there is no chromium (apt install chromium)")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served = Served(Path(folder), ordinary_day)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        rounds = [load_once(browser, served.url) for _ in range(loads + 1)][1:]  # the first one also starts Chromium
        found = {
            "median_ms": {name: round(statistics.median(each[name] for each in rounds)) for name in rounds[0]},
            "worst_ms": {name: round(max(each[name] for each in rounds)) for name in rounds[0]},
            "weight_kb": {name: round(size) for name, size in weigh(browser, served.url).items()},
            "idle_cpu_percent": round(idle(browser, served.url, idle_seconds), 2),
            "frames_of_500_stars_ms": {name: round(ms) for name, ms in drift(browser, served).items()},
        }
        browser.close()
        served.stop()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=int, default=9)
    parser.add_argument("--idle-seconds", type=float, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.loads, options.idle_seconds)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
