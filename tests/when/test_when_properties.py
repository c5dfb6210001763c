"""What holds for any text, moment and zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import given, settings
from hypothesis import strategies as st

from junod.records import Kind
from junod.when import combine, find_time_phrases, resolve

ZONES = sorted(name for name in available_timezones() if "/" in name and not name.startswith(("Etc", "posix", "right")))
VOCABULARY = (
    "tomorrow today tonight Monday Tuesday Friday Sunday weekend week month next this last the a an in at by until "
    "from to for half past quarter five seven ten twelve thirty noon midnight morning evening night every no not and "
    "or , . fifteenth 31st second May 2026 17:30 5 pm hour minutes days after before Easter Christmas 3/4 29 February "
    "ago end of"
)
WORDS = VOCABULARY.split()
phrases = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
moments = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))
zones = st.sampled_from(ZONES).map(ZoneInfo)


@given(
    text=st.text(max_size=80) | phrases,
    spoken_at=moments,
    zone=zones,
    kind=st.sampled_from(Kind),
    hint=st.text(max_size=40),
)
@settings(max_examples=400, deadline=None)
def test_any_text_resolves_to_an_aware_local_time_ahead(
    text: str, spoken_at: datetime, zone: ZoneInfo, kind: Kind, hint: str
) -> None:
    got = resolve(text, spoken_at=spoken_at, zone=zone, kind=kind, hint=hint)
    if got.expires_at is None:
        return
    assert got.expires_at.utcoffset() == got.expires_at.astimezone(zone).utcoffset()
    assert got.is_past or got.expires_at >= spoken_at.replace(microsecond=0)
    assert kind not in (Kind.FACT, Kind.SHOPPING)
    assert got.said


@given(text=st.text(max_size=200) | phrases)
@settings(max_examples=300, deadline=None)
def test_found_phrases_are_parts_of_the_text_in_order(text: str) -> None:
    found = find_time_phrases(text)
    assert all(text[phrase.start : phrase.end] == phrase.text for phrase in found)
    assert all(left.end <= right.start for left, right in pairwise(found))


@given(parts=st.lists(phrases, max_size=4), spoken_at=moments, zone=zones)
@settings(max_examples=200, deadline=None)
def test_combining_never_fails(parts: list[str], spoken_at: datetime, zone: ZoneInfo) -> None:
    got = combine(parts, spoken_at=spoken_at, zone=zone, kind=Kind.REMINDER)
    assert got.expires_at is None or got.expires_at.tzinfo is not None


def test_tomorrow_at_three_is_three_by_the_clock_on_the_wall_in_every_zone() -> None:
    for name in ZONES:
        zone = ZoneInfo(name)
        spoken = datetime(2026, 6, 10, 18, 0, tzinfo=zone)
        got = resolve("tomorrow at 3 pm", spoken_at=spoken.astimezone(UTC), zone=zone, kind=Kind.APPOINTMENT)
        assert got.expires_at is not None
        assert got.expires_at.replace(tzinfo=None) == datetime(2026, 6, 11, 15, 0)


def test_every_day_of_a_year_has_an_end_in_zones_that_change_clocks() -> None:
    for name in ("Europe/London", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo"):
        zone = ZoneInfo(name)
        spoken = datetime(2026, 1, 1, 12, 0, tzinfo=zone)
        for _ in range(366):
            got = resolve("tomorrow", spoken_at=spoken, zone=zone, kind=Kind.EVENT)
            assert got.expires_at is not None
            assert got.expires_at.date() == (spoken + timedelta(days=2)).date()
            assert got.expires_at.hour <= 1
            spoken += timedelta(days=1)
