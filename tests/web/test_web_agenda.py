"""What memories mean for the days to come, and the calendar made of it."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import icalendar
import pytest
from web.web_fakes import BERLIN, NOW, Site, site

from junod.agenda.entries import Entry, entry_of
from junod.agenda.repeats import Repeat
from junod.records import Memory
from junod.web.calendar import calendar_text


def read(text: str, ends: datetime | None = None) -> Entry:
    return entry_of(Memory("m1", text, "", "kitchen", "d", NOW, NOW, ends, False, "voice", 1.0), BERLIN)


@pytest.mark.parametrize(
    ("text", "ends", "first", "last", "clock"),
    [
        ("Dentist — Tue 31 Mar 2026, 15:00", datetime(2026, 3, 31, 15, tzinfo=BERLIN), "03-31", "03-31", "15:00"),
        ("Gran is here — Sat 28 – Sun 29 Mar 2026", datetime(2026, 3, 30, tzinfo=BERLIN), "03-28", "03-29", None),
        ("Ferry — Mon 30 Mar – Sun 5 Apr 2026", datetime(2026, 4, 6, tzinfo=BERLIN), "03-30", "04-05", None),
        ("Plumber — Wed 25 Mar 2026, morning", datetime(2026, 3, 25, 12, tzinfo=BERLIN), "03-25", "03-25", None),
        ("Pay the rent — by Fri 27 Mar 2026", datetime(2026, 3, 28, tzinfo=BERLIN), "03-27", "03-27", None),
        ("Clean up — before Sat 28 Mar 2026", datetime(2026, 3, 28, tzinfo=BERLIN), "03-27", "03-27", None),
        ("Dentist, by hand", datetime(2026, 3, 31, 15, tzinfo=BERLIN), "03-31", "03-31", "15:00"),
        ("School trip, by hand", datetime(2026, 4, 1, tzinfo=BERLIN), "03-31", "03-31", None),
        ("Told in UTC", datetime(2026, 3, 31, 22, tzinfo=UTC), "03-31", "03-31", None),
    ],
)
def test_a_dated_memory_has_its_days(text: str, ends: datetime, first: str, last: str, clock: str | None) -> None:
    entry = read(text, ends)
    assert (f"{entry.first:%m-%d}", f"{entry.last:%m-%d}") == (first, last)
    assert (f"{entry.at:%H:%M}" if entry.at else None) == clock


@pytest.mark.parametrize(
    "said",
    ["Mon 30 Feb 2026", "Tue 24 Mar 2026, 32:60", "before Mon 1 Jan 0001", "Fri 31 Dec 9999", "Sat 2 – Sun 9 Foo 2026"],
)
def test_a_day_that_cannot_be_is_left_as_words(said: str) -> None:
    entry = read(f"Party — {said}")
    assert entry.text == f"Party — {said}"
    assert (entry.first, entry.last, entry.at) == (None, None, None)
    assert b"VEVENT" not in calendar_text([entry], BERLIN, NOW)


@pytest.mark.parametrize(
    ("text", "repeat"),
    [
        ("The bins go out every Tuesday at 7 pm", Repeat("WEEKLY", 1, (1,), date(2026, 3, 24), time(19))),
        ("Swimming on Mondays and Thursdays", Repeat("WEEKLY", 1, (0, 3), date(2026, 3, 26), None)),
        ("Recycling every other Wednesday", Repeat("WEEKLY", 2, (2,), date(2026, 3, 25), None)),
        ("School starts on weekdays at 8", Repeat("WEEKLY", 1, (0, 1, 2, 3, 4), date(2026, 3, 24), time(8))),
        ("Leo's birthday is on the ninth of June", Repeat("YEARLY", 1, (), date(2026, 6, 9), None)),
        ("Our anniversary is on 29 February", Repeat("YEARLY", 1, (), date(2028, 2, 29), None)),
        ("Rent is due every month on the 15th", Repeat("MONTHLY", 1, (), date(2026, 4, 15), None)),
        ("The cat gets a pill every morning", Repeat("DAILY", 1, (), date(2026, 3, 24), None)),
    ],
)  # fmt: skip
def test_a_lasting_memory_may_name_a_repeat(text: str, repeat: Repeat) -> None:
    assert read(text).repeat == repeat


@pytest.mark.parametrize(
    "text", ["The spare key is under the pot", "Leo was born on a Monday", "Anna is allergic to nuts", "Every cloud"]
)  # fmt: skip
def test_a_fact_without_a_repeat_has_no_day(text: str) -> None:
    entry = read(text)
    assert (entry.repeat, entry.first, entry.is_task) == (None, None, False)


def test_every_other_week_falls_on_every_other_week() -> None:
    entry = read("Recycling every other Wednesday")
    days = [NOW.date() + timedelta(days=n) for n in range(30)]
    assert [day.day for day in days if entry.falls_on(day)] == [25, 8, 22]


def calendar_of(house: Site) -> icalendar.Calendar:
    token = house.post("/api/feeds", {"name": "Anna's calendar"})["token"]
    response = house.ask("GET", f"/calendar.ics?token={token}")
    assert response.headers["content-type"].startswith("text/calendar")
    found = icalendar.Calendar.from_ical(response.content)
    assert isinstance(found, icalendar.Calendar)
    return found


def test_appointments_are_timed_events_all_day_and_repeats_keep_local_time(tmp_path: Path) -> None:
    """Case m52: 07:00 local in the weeks before and after the clock changes."""
    with site(tmp_path) as house:
        house.say("Dentist — Wed 25 Mar 2026, 15:00", expires_at=datetime(2026, 3, 25, 15, tzinfo=BERLIN))
        house.say("Gran is here — Sat 28 – Sun 29 Mar 2026", expires_at=datetime(2026, 3, 30, tzinfo=BERLIN))
        house.say("The bins go out every Monday at 7 in the morning")
        house.say("The spare key is under the pot")
        house.say("Shopping list:\n- milk")
        calendar = calendar_of(house)
    events: dict[str, Any] = {str(event["SUMMARY"]): event for event in calendar.walk("VEVENT")}
    assert len(events) == 3
    assert events["Dentist"]["DTSTART"].dt == datetime(2026, 3, 25, 15, tzinfo=BERLIN)
    assert events["Dentist"]["DTSTART"].params["TZID"] == "Europe/Berlin"
    gran = events["Gran is here"]
    assert (gran["DTSTART"].dt, gran["DTEND"].dt) == (date(2026, 3, 28), date(2026, 3, 30))
    bins = events["The bins go out every Monday at 7 in the morning"]
    assert bins["RRULE"] == {"FREQ": ["WEEKLY"], "BYDAY": ["MO"]}
    assert bins["DTSTART"].params["TZID"] == "Europe/Berlin"
    assert f"{bins['DTSTART'].dt:%H:%M}" == "07:00"
    assert [str(zone["TZID"]) for zone in calendar.walk("VTIMEZONE")] == ["Europe/Berlin"]


def test_what_was_heard_does_not_leave_with_the_calendar(tmp_path: Path) -> None:
    with site(tmp_path) as house:
        ends = datetime(2026, 3, 25, 15, tzinfo=BERLIN)
        house.say("Dentist — Wed 25 Mar 2026, 15:00", transcript="he hates it, you know", expires_at=ends)
        token = house.post("/api/feeds", {})["token"]
        assert "hates" not in house.ask("GET", f"/calendar.ics?token={token}").text


def test_text_with_line_breaks_and_commands_stays_one_summary(tmp_path: Path) -> None:
    with site(tmp_path) as house:
        ends = datetime(2026, 3, 25, 15, tzinfo=BERLIN)
        house.say("Dinner; bring, wine\r\nEND:VEVENT\nX: ü — 🎉", expires_at=ends)
        (event,) = calendar_of(house).walk("VEVENT")
    assert str(event["SUMMARY"]) == "Dinner; bring, wine"


@pytest.mark.parametrize("path", ["/calendar.ics", "/shopping.md"])
def test_the_feeds_need_a_token_from_everywhere(tmp_path: Path, path: str) -> None:
    with site(tmp_path) as house:
        for source in ("loopback", "unix"):
            house.refused("GET", path, 401, source=source)
            house.refused("GET", f"{path}?token=wrong", 401, source=source)
        feed = house.post("/api/feeds", {})
        assert house.ask("GET", f"{path}?token={feed['token']}").status_code == 200
        house.ask("DELETE", f"/api/devices/{feed['id']}")
        house.refused("GET", f"{path}?token={feed['token']}", 401)


def test_a_token_of_a_feed_opens_nothing_else(tmp_path: Path) -> None:
    with site(tmp_path, require_token=True) as house:
        token = house.post("/api/feeds", {}, source="unix")["token"]
        house.refused("GET", "/api/home", 401, headers={"Authorization": f"Bearer {token}"})


def test_the_shopping_list_is_markdown_that_says_nothing_else(tmp_path: Path) -> None:
    with site(tmp_path) as house:
        house.say("Shopping list:\n- milk\n- ~~eggs~~\n- [x](http://evil) <img>")
        token = house.post("/api/feeds", {})["token"]
        text = house.ask("GET", f"/shopping.md?token={token}").text
    assert text == "# Shopping list\n\n- [ ] milk\n- [x] eggs\n- [ ] \\[x\\](http://evil) \\<img\\>\n"
