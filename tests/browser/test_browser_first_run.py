"""The first start of a device that nobody has used yet."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from browser.browser_house import Served
from browser.conftest import DISPLAY, FITS, PHONE, OpenPage
from browser.test_browser_views import SMALL, grave
from playwright.sync_api import Page, expect

from junod import settings
from junod.settings import load_settings
from junod.web import api_setup
from junod.web.setup_writer import SetupWriter

MICROPHONES = [
    {"name": "Webcam", "channels": 1, "rate_hz": 44100, "is_default": True},
    {"name": "USB conference microphone", "channels": 1, "rate_hz": 48000, "is_default": False},
]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """No settings file anywhere, no memories."""
    monkeypatch.delenv("JUNOD_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(settings, "SYSTEM_CONFIG", tmp_path / "etc" / "junod.toml")

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 0, json.dumps(MICROPHONES), "")

    listing = SimpleNamespace(run=run, SubprocessError=subprocess.SubprocessError)
    monkeypatch.setattr(api_setup, "subprocess", listing)
    household = Served(tmp_path, around={"config": None})
    yield household
    household.stop()


def first_visit(open_page: OpenPage, size: dict[str, int] = DISPLAY) -> Page:
    page = open_page("", size)
    expect(page.get_by_role("heading", name="Set-up")).to_be_visible()
    page.wait_for_selector("#set-name")
    return page


def test_a_new_device_is_set_up_from_the_first_thing_it_shows(open_page: OpenPage, served: Served) -> None:
    page = first_visit(open_page)
    level = page.locator("meter")
    for level_dbfs, value, words in (
        (None, "0", "no sound arrives"),
        (-60.0, "20", "very quiet"),
        (-20.0, "60", "good"),
    ):
        served.site.ear.level_dbfs = level_dbfs
        expect(level).to_have_attribute("value", value)
        expect(page.locator(".hint", has_text=words)).to_be_visible()
    page.get_by_label("Name of this device").fill("by-the-stove")
    page.get_by_label("Room it stands in").select_option("Living room")
    page.get_by_label("Microphone").select_option("USB conference microphone")
    page.get_by_label("Time zone").select_option("Europe/Zurich")
    page.get_by_label("Language spoken").select_option("German")
    page.get_by_label("3/4 means the third of April").uncheck()
    expect(page.locator(".models")).to_contain_text("searching by meaning")
    expect(page.locator(".heard")).to_contain_text("Listening for it")
    served.time_passes()
    served.keep("Shopping list:\n- olive oil", "we are out of olive oil")
    expect(page.locator(".heard")).to_contain_text("we are out of olive oil")
    assert not served.site.reloads
    page.get_by_role("button", name="Save").tap()
    written = served.folder / "config" / "junod" / "junod.toml"
    expect(page.locator(".told")).to_contain_text(f"Saved in {written}.")
    expect(page.locator(".told")).to_contain_text("after the next start: name, room, time zone, language, dates")
    assert served.site.reloads == [1], "the microphone counts at once"
    chosen = load_settings(written)
    assert (chosen.device.id, chosen.device.room, chosen.audio.device) == (
        "by-the-stove", "living_room", "USB conference microphone"
    )  # fmt: skip
    household = chosen.household
    assert (household.timezone, household.day_first, chosen.stt.language) == ("Europe/Zurich", False, "de")
    page.goto("about:blank")
    page.goto(served.url)
    expect(page.get_by_role("checkbox", name="olive oil")).to_be_visible()


def test_it_comes_by_itself_once_and_not_where_a_device_is_set_up(open_page: OpenPage, served: Served) -> None:
    page = first_visit(open_page)
    page.goto("about:blank")
    page.goto(served.url)
    expect(page.locator(".home")).to_be_visible()
    expect(page.get_by_role("heading", name="Set-up")).to_have_count(0)
    SetupWriter(None).write({"device_id": "by-the-stove"})
    second = open_page("")
    with second.expect_response("**/api/setup"):
        second.reload()
    expect(second.locator(".home")).to_be_visible()


@pytest.mark.parametrize("size", [DISPLAY, PHONE], ids=["display", "phone"])
def test_the_first_view_is_for_every_hand(open_page: OpenPage, served: Served, size: dict[str, int]) -> None:
    page = first_visit(open_page, size)
    page.wait_for_selector(".models li")
    assert grave(page) == []
    assert page.evaluate(FITS)
    assert page.locator("button, select, input, nav a, .button").evaluate_all(SMALL) == []
