"""What a household's time words mean, by kind of memory."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from junod.records import Kind, Resolution
from junod.when import combine, resolve

BERLIN = ZoneInfo("Europe/Berlin")
TUESDAY_EVENING = datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)


def said(
    phrase: str,
    kind: Kind = Kind.APPOINTMENT,
    *,
    at: datetime = TUESDAY_EVENING,
    hint: str = "",
    day_first: bool = True,
) -> Resolution:
    return resolve(phrase, spoken_at=at, zone=BERLIN, kind=kind, hint=hint, day_first=day_first)


def ends(phrase: str, kind: Kind = Kind.APPOINTMENT, *, at: datetime = TUESDAY_EVENING, hint: str = "") -> str:
    """Local wall clock at which the memory ends, '-' = permanent."""
    expires = said(phrase, kind, at=at, hint=hint).expires_at
    return expires.strftime("%a %d %b %Y %H:%M") if expires else "-"


@pytest.mark.parametrize(
    ("phrase", "when"),
    [
        ("tomorrow at 17.30", "Wed 25 Mar 2026 17:30"),
        ("tomorrow at 17:30", "Wed 25 Mar 2026 17:30"),
        ("tomorrow at half five", "Wed 25 Mar 2026 17:30"),
        ("tomorrow half 5", "Wed 25 Mar 2026 17:30"),
        ("tomorrow five thirty p.m.", "Wed 25 Mar 2026 17:30"),
        ("tomorrow at five thirty in the afternoon", "Wed 25 Mar 2026 17:30"),
        ("Tomorrow, 5:30 PM", "Wed 25 Mar 2026 17:30"),
        ("tomorrow at 5 30", "Wed 25 Mar 2026 17:30"),
        ("tomorrow at seventeen thirty", "Wed 25 Mar 2026 17:30"),
        ("tomorrow at 1730", "Wed 25 Mar 2026 17:30"),
        ("tomorrow, a quarter past five", "Wed 25 Mar 2026 17:15"),
        ("tomorrow quarter to six", "Wed 25 Mar 2026 17:45"),
        ("tomorrow at ten to six", "Wed 25 Mar 2026 17:50"),
        ("tomorrow at twenty past five", "Wed 25 Mar 2026 17:20"),
        ("tomorrow three oh five", "Wed 25 Mar 2026 15:05"),
        ("noon-ish tomorrow", "Wed 25 Mar 2026 12:00"),
        ("quarter to twelve noon tomorrow", "Wed 25 Mar 2026 11:45"),
        ("tomorrow, eighteen hundred", "Wed 25 Mar 2026 18:00"),
        ("Friday midnight", "Sat 28 Mar 2026 00:00"),
        ("Friday at 6.30 for 7 p.m.", "Fri 27 Mar 2026 18:30"),
        ("on the 2nd between 3 and 5", "Thu 02 Apr 2026 15:00"),
        ("Friday at half past twelve at night", "Sat 28 Mar 2026 00:30"),
    ],
)
def test_hours_are_read_in_every_spelling(phrase: str, when: str) -> None:
    assert ends(phrase) == when


@pytest.mark.parametrize(
    ("phrase", "when"),
    [
        ("tomorrow", "Thu 26 Mar 2026 00:00"),
        ("the day after tomorrow", "Fri 27 Mar 2026 00:00"),
        ("Friday", "Sat 28 Mar 2026 00:00"),
        ("this Friday", "Sat 28 Mar 2026 00:00"),
        ("next Friday", "Sat 04 Apr 2026 00:00"),
        ("Friday week", "Sat 04 Apr 2026 00:00"),
        ("a week on Friday", "Sat 04 Apr 2026 00:00"),
        ("a week Friday", "Sat 04 Apr 2026 00:00"),
        ("two weeks on Friday", "Sat 11 Apr 2026 00:00"),
        ("not this Friday, the one after", "Sat 04 Apr 2026 00:00"),
        ("Tuesday", "Wed 01 Apr 2026 00:00"),
        ("a week today", "Wed 01 Apr 2026 00:00"),
        ("in a fortnight", "Wed 08 Apr 2026 00:00"),
        ("in three days", "Sat 28 Mar 2026 00:00"),
        ("in a couple of weeks", "Wed 08 Apr 2026 00:00"),
        ("two weeks after Friday", "Sat 11 Apr 2026 00:00"),
        ("the fifteenth", "Thu 16 Apr 2026 00:00"),
        ("the twenty-third of April", "Fri 24 Apr 2026 00:00"),
        ("April the second", "Fri 03 Apr 2026 00:00"),
        ("2 May 2026", "Sun 03 May 2026 00:00"),
        ("Sunday the twenty-ninth", "Mon 30 Mar 2026 00:00"),
        ("the twenty-ninth, a Sunday", "Mon 30 Mar 2026 00:00"),
        ("the second Tuesday in May", "Wed 13 May 2026 00:00"),
        ("3/4", "Sat 04 Apr 2026 00:00"),
        ("end of the month", "Wed 01 Apr 2026 00:00"),
        ("Christmas Eve", "Fri 25 Dec 2026 00:00"),
        ("Easter Monday", "Tue 07 Apr 2026 00:00"),
        ("by the fifth of next month", "Mon 06 Apr 2026 00:00"),
    ],
)
def test_days_end_with_the_next_midnight(phrase: str, when: str) -> None:
    assert ends(phrase) == when
    assert ends(phrase, Kind.REMINDER) == when


def test_dates_can_be_read_month_first() -> None:
    got = said("3/4", day_first=False).expires_at
    assert got is not None
    assert (got.month, got.day) == (3, 5)


@pytest.mark.parametrize(
    ("phrase", "when"),
    [
        ("tomorrow morning", "Wed 25 Mar 2026 12:00"),
        ("first thing Monday", "Mon 30 Mar 2026 12:00"),
        ("Saturday afternoon", "Sat 28 Mar 2026 18:00"),
        ("tonight", "Wed 25 Mar 2026 00:00"),
        ("this evening", "Wed 25 Mar 2026 00:00"),
        ("Thursday evening", "Fri 27 Mar 2026 00:00"),
        ("in the morning", "Wed 25 Mar 2026 12:00"),
    ],
)
def test_a_part_of_a_day_ends_with_that_part(phrase: str, when: str) -> None:
    for kind in (Kind.APPOINTMENT, Kind.REMINDER, Kind.EVENT):
        assert ends(phrase, kind) == when


@pytest.mark.parametrize(
    ("phrase", "when"),
    [
        ("from Thursday until Sunday", "Mon 30 Mar 2026 00:00"),
        ("Saturday and Sunday", "Mon 30 Mar 2026 00:00"),
        ("from Friday till Tuesday", "Wed 01 Apr 2026 00:00"),
        ("this weekend", "Mon 30 Mar 2026 00:00"),
        ("the weekend after next", "Mon 13 Apr 2026 00:00"),
        ("the weekend of the eleventh of April", "Mon 13 Apr 2026 00:00"),
        ("next week", "Mon 06 Apr 2026 00:00"),
        ("the week of the 6th of April", "Mon 13 Apr 2026 00:00"),
        ("April 12-15", "Thu 16 Apr 2026 00:00"),
        ("Easter weekend", "Tue 07 Apr 2026 00:00"),
        ("Easter weekend, Friday till Monday", "Tue 07 Apr 2026 00:00"),
        ("Memorial Day weekend", "Tue 26 May 2026 00:00"),
        ("Monday through Wednesday, next week", "Thu 02 Apr 2026 00:00"),
        ("from the 4th to the 11th", "Sun 12 Apr 2026 00:00"),
        ("the thirtieth until the second", "Fri 03 Apr 2026 00:00"),
        ("from the first of April for two weeks", "Thu 16 Apr 2026 00:00"),
        ("until Friday", "Sat 28 Mar 2026 00:00"),
        ("Good Friday to Easter Monday", "Tue 07 Apr 2026 00:00"),
    ],
)
def test_an_event_ends_with_its_last_day(phrase: str, when: str) -> None:
    assert ends(phrase, Kind.EVENT) == when


@pytest.mark.parametrize(
    ("phrase", "hint", "when"),
    [
        ("Thursday at 5", "call the bank Thursday at 5", "Thu 26 Mar 2026 17:00"),
        ("Thursday at seven", "dinner at the Novaks Thursday at seven", "Thu 26 Mar 2026 19:00"),
        ("Thursday at seven", "the roofer comes Thursday at seven", "Thu 26 Mar 2026 07:00"),
        ("tomorrow morning at eight", "the plumber comes tomorrow morning at eight", "Wed 25 Mar 2026 08:00"),
        ("tomorrow at eight", "the school bus leaves tomorrow at eight", "Wed 25 Mar 2026 08:00"),
        ("Friday at eight", "the film is Friday at eight", "Fri 27 Mar 2026 20:00"),
        ("Friday at ten", "the boiler man is here Friday at ten", "Fri 27 Mar 2026 10:00"),
        ("at seven", "ring Opa at seven", "Tue 24 Mar 2026 19:00"),
        ("5", "", "Wed 25 Mar 2026 17:00"),
    ],
)
def test_a_bare_hour_is_the_sensible_one(phrase: str, hint: str, when: str) -> None:
    assert ends(phrase, hint=hint) == when


def test_a_stated_hour_is_an_instant_even_for_an_event() -> None:
    assert ends("Saturday at seven", Kind.EVENT, hint="the party is Saturday at seven") == "Sat 28 Mar 2026 19:00"


def test_an_event_between_two_hours_ends_with_its_day() -> None:
    assert ends("tomorrow from eight till four", Kind.EVENT) == "Thu 26 Mar 2026 00:00"


def test_a_range_of_hours_begins_an_appointment() -> None:
    assert ends("tomorrow between eight and four") == "Wed 25 Mar 2026 08:00"
    assert ends("Friday 9-11pm") == "Fri 27 Mar 2026 21:00"


def test_offsets_count_from_the_moment_of_speech() -> None:
    assert ends("in twenty minutes") == "Tue 24 Mar 2026 18:20"
    assert ends("in an hour and a half") == "Tue 24 Mar 2026 19:30"
    assert ends("back in ten", Kind.REMINDER) == "Tue 24 Mar 2026 18:10"
    assert ends("in half an hour", Kind.REMINDER) == "Tue 24 Mar 2026 18:30"


def test_an_offset_counts_real_minutes_across_a_change_of_clocks() -> None:
    before_gap = datetime(2026, 3, 29, 1, 45, tzinfo=BERLIN)
    assert ends("in half an hour", at=before_gap) == "Sun 29 Mar 2026 03:15"


@pytest.mark.parametrize(
    "phrase", ["every Tuesday at seven", "Tuesdays", "weekly", "every other Friday", "twice a day"]
)
def test_repeats_are_permanent(phrase: str) -> None:
    for kind in (Kind.FACT, Kind.APPOINTMENT, Kind.REMINDER):
        got = said(phrase, kind)
        assert got.expires_at is None
        assert got.recurring


def test_a_repeat_with_an_end_ends() -> None:
    assert ends("every day until Friday", Kind.REMINDER) == "Sat 28 Mar 2026 00:00"


@pytest.mark.parametrize("kind", [Kind.FACT, Kind.SHOPPING])
def test_facts_and_shopping_never_end(kind: Kind) -> None:
    assert said("tomorrow at five", kind).expires_at is None


@pytest.mark.parametrize("phrase", ["", "whenever", "the blue one", "may I march on", "we'd sat there"])
def test_words_without_time_are_permanent(phrase: str) -> None:
    assert said(phrase, Kind.REMINDER) == Resolution(None)


@pytest.mark.parametrize(
    ("phrase", "when"),
    [
        ("Tuesday, no, Wednesday", "Thu 26 Mar 2026 00:00"),
        ("Tuesday no Wednesday", "Thu 26 Mar 2026 00:00"),
        ("tomorrow, sorry, Saturday", "Sun 29 Mar 2026 00:00"),
        ("Friday not Thursday", "Sat 28 Mar 2026 00:00"),
        ("Friday at two, I mean three", "Fri 27 Mar 2026 15:00"),
        ("moved from Thursday to Friday at four", "Fri 27 Mar 2026 16:00"),
        ("moved to Friday from Thursday", "Sat 28 Mar 2026 00:00"),
    ],
)
def test_a_correction_wins(phrase: str, when: str) -> None:
    assert ends(phrase) == when


def test_day_and_hour_that_stand_apart_are_combined() -> None:
    got = combine(
        ["Thursday", "about nine in the morning"], spoken_at=TUESDAY_EVENING, zone=BERLIN, kind=Kind.APPOINTMENT
    )
    assert got.expires_at == datetime(2026, 3, 26, 9, 0, tzinfo=BERLIN)
    assert got.approximate


def test_the_half_that_a_phrase_lacks_is_found_in_the_hint() -> None:
    talk = "The plumber comes Thursday. About nine, so be up."
    assert ends("About nine", hint=talk) == ends("Thursday", hint=talk) == "Thu 26 Mar 2026 09:00"


@pytest.mark.parametrize(
    ("at", "when"),
    [
        (datetime(2026, 3, 25, 0, 10, tzinfo=BERLIN), "Thu 26 Mar 2026 00:00"),
        (datetime(2026, 3, 25, 2, 59, tzinfo=BERLIN), "Thu 26 Mar 2026 00:00"),
        (datetime(2026, 3, 25, 3, 0, tzinfo=BERLIN), "Fri 27 Mar 2026 00:00"),
    ],
)
def test_after_midnight_tomorrow_is_the_current_day(at: datetime, when: str) -> None:
    assert ends("tomorrow", at=at) == when


def test_friday_on_a_friday_is_today_while_its_hour_is_ahead() -> None:
    noon = datetime(2026, 3, 27, 12, 0, tzinfo=BERLIN)
    assert ends("Friday at 5", at=noon) == "Fri 27 Mar 2026 17:00"
    assert ends("Friday at 9 am", at=noon) == "Fri 03 Apr 2026 09:00"
    assert ends("Friday", at=noon) == "Sat 04 Apr 2026 00:00"


@pytest.mark.parametrize(
    "phrase", ["yesterday", "last Friday", "two days ago", "ten minutes ago", "3 May 2025", "today at 9 am"]
)
def test_a_moment_already_over_is_marked(phrase: str) -> None:
    assert said(phrase).is_past


def test_a_month_without_that_day_is_skipped() -> None:
    in_april = datetime(2026, 4, 2, 9, 0, tzinfo=BERLIN)
    assert ends("the 31st", at=in_april) == "Mon 01 Jun 2026 00:00"


def test_a_date_that_never_exists_is_clamped_and_marked() -> None:
    got = said("the 31st of June")
    assert got.approximate
    assert got.said == "Tue 30 Jun 2026"


@pytest.mark.parametrize(
    ("phrase", "kind", "words"),
    [
        ("Tuesday at three", Kind.APPOINTMENT, "Tue 31 Mar 2026, 15:00"),
        ("by Friday", Kind.REMINDER, "by Fri 27 Mar 2026"),
        ("from Thursday until Sunday", Kind.EVENT, "Thu 26 – Sun 29 Mar 2026"),
        ("from the 30th to the 2nd", Kind.EVENT, "Mon 30 Mar – Thu 2 Apr 2026"),
        ("tomorrow morning", Kind.REMINDER, "Wed 25 Mar 2026, morning"),
        ("every Tuesday at seven in the evening", Kind.FACT, "Every Tuesday, 19:00"),
        ("", Kind.FACT, ""),
    ],
)
def test_the_time_reads_well(phrase: str, kind: Kind, words: str) -> None:
    assert said(phrase, kind).said == words


def test_a_reminder_before_a_day_ends_as_that_day_begins() -> None:
    assert ends("before Friday", Kind.REMINDER) == "Fri 27 Mar 2026 00:00"


def test_a_naive_moment_of_speech_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        said("tomorrow", at=datetime(2026, 3, 24, 18, 0))
