"""The recorded kitchen, played to a running `junod run` while the page is open: nothing here is a stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from browser.browser_house import LIMIT_S, eventually
from browser.conftest import DISPLAY, UNHURRIED
from browser.patience import follows, until, within_a_second
from browser.real_daemon import RealDaemon
from midnight import clear_of_midnight
from playwright.sync_api import Browser, Locator, Page, expect
from pulse_server import MICROPHONE, PulseRoom, pulse_room
from scene_sound import write_passage
from web.web_fakes import MARK

__all__ = ["pulse_room"]

ARRIVAL_S = 600.0
"""Models load, and what was said is understood, on a machine that may do other things."""
ITEM = "dishwasher tablets"
KEPT = f"SELECT memory, created_at FROM memories WHERE memory LIKE '%{ITEM}%' ORDER BY created_at"


@pytest.fixture
def daemon(pulse_room: PulseRoom, tmp_path: Path) -> Iterator[RealDaemon]:
    new = RealDaemon(tmp_path, pulse_room)
    new.start()
    yield new
    new.stop()


@pytest.mark.models
@pytest.mark.live
def test_a_kitchen_is_set_up_is_heard_and_is_muted(
    daemon: RealDaemon, pulse_room: PulseRoom, chromium: Browser, tmp_path: Path
) -> None:
    """From the first start of a new device to a mute that outlasts it. Cases m103 and v16."""
    eventually(lambda: daemon.status().get("page") and daemon.status().get("ear") == "listening", ARRIVAL_S)
    page = chromium.new_context(viewport=DISPLAY, has_touch=True).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(LIMIT_S * 1000)
    page.add_init_script(UNHURRIED)
    page.goto(daemon.url)
    set_up(follows(page))
    say_the_test_sentence(page, pulse_room, tmp_path)
    toast = page.locator(".toast[data-memory]", has_text=ITEM)
    toast.wait_for(timeout=ARRIVAL_S * 1000)
    ((_, stored_at),) = daemon.rows(KEPT)
    shown_at = page.evaluate("window.shownAt")
    late_s = (datetime.fromisoformat(shown_at) - datetime.fromisoformat(stored_at)).total_seconds()
    print(f"the toast was there {late_s:.3f} s after its memory was stored")
    expect(page.locator(".heard .quote")).to_contain_text(ITEM)
    save(page, daemon)
    undo_and_bring_back(page, toast, daemon)
    tick(page, daemon)
    assert late_s < 1 or within_a_second(lambda number: keep_by_hand(page, number))
    mute_in_the_middle_of_a_sentence(page, daemon, pulse_room, tmp_path)
    daemon.stop()
    expect(page.get_by_role("alert")).to_contain_text("junod is not running")
    assert daemon.rows("SELECT * FROM spool") == [], "what was in a buffer would have been written at the end"
    daemon.start()
    hears_again_only_when_asked(page, daemon, pulse_room)


def set_up(page: Page) -> None:
    """The first view comes by itself."""
    expect(page.get_by_role("heading", name="Set-up")).to_be_visible()
    page.get_by_label("Name of this device").fill("by-the-stove")
    page.get_by_label("Room it stands in").select_option("kitchen")
    page.get_by_label("Microphone").select_option(MICROPHONE)
    page.get_by_label("Time zone").select_option("Europe/Berlin")
    expect(page.locator(".models .there").first).to_be_visible()
    expect(page.locator(".models .missing")).to_have_count(0)


def save(page: Page, daemon: RealDaemon) -> None:
    """What was chosen is written. After the test sentence, as a new microphone is opened at once."""
    page.get_by_role("button", name="Save").tap()
    expect(page.locator(".told")).to_contain_text("Saved in")
    assert "by-the-stove" in daemon.settings.read_text("utf-8")


def say_the_test_sentence(page: Page, room: PulseRoom, folder: Path) -> None:
    """The first remark of the scene; the meter moves with it, and the page notes when its toast appears."""
    page.evaluate(
        """() => {
            const look = () => {
                if (document.querySelector('.toast[data-memory]')) window.shownAt ??= new Date().toISOString();
            };
            new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
        }"""
    )
    expect(page.locator(".heard")).to_contain_text("Listening for it")
    write_passage(folder / "remark.wav")
    playing = room.begin(folder / "remark.wav")
    until(page, "document.querySelector('meter').value > 20")
    playing.wait()


def keep_by_hand(page: Page, number: int) -> None:
    """The same way from the store to the screen, where the machine had too much to do the first time."""
    data = {"text": f"Written by hand, number {number}"}
    page.request.post(page.url.partition("#")[0] + "api/memories", data=data, headers=MARK)
    page.locator(".toast[data-memory]", has_text=data["text"]).wait_for()


def undo_and_bring_back(page: Page, toast: Locator, daemon: RealDaemon) -> None:
    toast.get_by_role("button", name="Undo").tap()
    expect(page.locator(".toast.note")).to_contain_text("Taken back")
    assert not [memory for memory in memories(page) if ITEM in memory.lower()]
    page.locator(".toast.note").get_by_role("button", name="Bring back").tap()
    expect(page.locator(".toast.note").first).to_contain_text("Back again")


def tick(page: Page, daemon: RealDaemon) -> None:
    page.evaluate("location.hash = 'home'")
    line = page.get_by_role("checkbox", name=ITEM)
    line.tap()
    expect(line).to_have_attribute("aria-checked", "true")
    eventually(lambda: len(daemon.rows(KEPT)) == 2)
    assert f"~~{ITEM}~~" in daemon.rows(KEPT)[1][0].lower()
    assert daemon.rows("SELECT count(*) FROM supersessions") == [(1,)]


def mute_in_the_middle_of_a_sentence(page: Page, daemon: RealDaemon, room: PulseRoom, folder: Path) -> None:
    """The dentist's appointment is spoken, over and over: half of it waits in the buffers when somebody mutes."""
    clear_of_midnight()  # what was heard is counted by the day
    heard = page.request.get(f"{daemon.url}api/home").json()["counts"]["heard"]
    write_passage(folder / "dentist.wav", "dentist", times=8)
    playing = room.begin(folder / "dentist.wav")
    try:
        eventually(lambda: page.request.get(f"{daemon.url}api/home").json()["counts"]["heard"] > heard, ARRIVAL_S)
        page.locator(".bar .mute").tap()
        expect(page.locator(".ear")).to_contain_text("Muted")
        eventually(lambda: room.recorders() == 0)
        eventually(lambda: daemon.status()["muted"])
        daemon.writes_status_anew()  # the first that says so may have counted before the microphone was closed
        frames = daemon.count("frames")
        daemon.writes_status_anew()
        assert daemon.count("frames") == frames > 0
    finally:
        playing.kill()
        playing.wait()


def hears_again_only_when_asked(page: Page, daemon: RealDaemon, room: PulseRoom) -> None:
    expect(page.locator(".gone")).to_have_count(0, timeout=ARRIVAL_S * 1000)
    expect(page.locator(".ear")).to_contain_text("Muted")
    assert room.recorders() == 0
    page.reload()
    expect(page.get_by_role("checkbox", name=ITEM)).to_have_attribute("aria-checked", "true")
    expect(page.locator(".ear")).to_contain_text("Muted")
    page.get_by_role("button", name="Unmute").tap()
    expect(page.locator(".ear")).to_contain_text("Listening", timeout=ARRIVAL_S * 1000)
    eventually(lambda: room.recorders() == 1)
    assert [memory for memory in memories(page) if "dentist" in memory.lower()] == []


def memories(page: Page) -> list[str]:
    found: list[dict[str, Any]] = page.request.get(page.url.partition("#")[0] + "api/memories").json()["memories"]
    return [memory["memory"] for memory in found]
