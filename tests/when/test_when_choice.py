"""Of all the times a passage names, the one that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.records import Kind, Resolution
from junod.resources import data_file
from junod.when import resolve_talk
from junod.when.learned import LEARNED_FILE, load_learned

BERLIN = ZoneInfo("Europe/Berlin")
LEARNED = load_learned(data_file(f"models/gate/{LEARNED_FILE}"))
TUESDAY = datetime(2026, 3, 24, 18, 0, tzinfo=BERLIN)


def chosen(talk: str, kind: Kind = Kind.APPOINTMENT, about: str = "", context: Sequence[str] = ()) -> datetime | None:
    """The moment, where the talk of `about` (all of it by default) is what holds the memory."""
    start = talk.index(about) if about else 0
    end = start + len(about or talk)

    def weight(begin: int, stop: int) -> float:
        return 0.95 if begin < end and stop > start else 0.02

    found = resolve_talk(
        talk, spoken_at=TUESDAY, zone=BERLIN, kind=kind, weight=weight, learned=LEARNED, context=context
    )
    return found[1].expires_at if found else None


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("talk", "moment"),
    [
        ("Tomorrow the plumber is coming at nine, you open, I leave at eight.", at(25, 9)),
        ("The hairdresser's Thursday at eleven, I'll be back by one.", at(26, 11)),
        ("Flight's Thursday six fifty in the morning, alarm at four.", at(26, 6, 50)),
        ("Monday I can't. He can do Wednesday at nine or Friday at two. Friday at two then.", at(27, 14)),
        ("Thursday half six. Library, half six Thursday. And slips back by Friday.", at(26, 18, 30)),
        ("Is it Thursday at four? No, Friday at two.", at(27, 14)),
    ],
)
def test_a_thing_at_a_time_is_at_the_time_of_the_thing(talk: str, moment: datetime) -> None:
    assert chosen(talk) == moment


def test_the_time_stands_where_the_memory_does() -> None:
    talk = "Kick-off is tomorrow at eight. The dentist is Friday at two."
    assert chosen(talk, about="The dentist is Friday at two.") == at(27, 14)
    assert chosen(talk, about="Kick-off is tomorrow at eight.") == at(25, 20)


@pytest.mark.parametrize(
    ("talk", "hour"),
    [
        ("Dinner is tomorrow at eight.", 20),
        ("The party starts tomorrow at eight.", 20),
        ("The concert's on tomorrow at eight.", 20),
        ("The plumber is coming tomorrow at eight.", 8),
        ("Bake it tomorrow at nine.", 9),
        ("Parents' evening is tomorrow at six.", 18),
    ],
)
def test_a_bare_hour_is_the_sensible_one_for_the_thing(talk: str, hour: int) -> None:
    assert chosen(talk) == at(25, hour)


@pytest.mark.parametrize(
    ("talk", "day"),
    [
        ("Tell me tomorrow to ring Nan. I mean it, tomorrow, we leave Saturday.", 26),
        ("You'll buy it today or we sit in the dark. Fine, I'll load it tomorrow. Tomorrow, before bed.", 26),
    ],
)
def test_a_reminder_is_for_the_day_that_is_said_most(talk: str, day: int) -> None:
    assert chosen(talk, Kind.REMINDER) == at(day, 0)


def test_what_is_over_or_refused_is_not_meant() -> None:
    assert chosen("It was due last Friday. We are not going Thursday at ten. Saturday at three it is.") == at(28, 15)


def test_a_passage_without_a_time_to_come_has_none() -> None:
    assert chosen("Yesterday at five we met the neighbours.") is None
    assert chosen("Nice hat.") is None


@given(st.text(max_size=200))
def test_any_talk_gets_a_moment_to_come_or_none(talk: str) -> None:
    moment = chosen(talk)
    assert moment is None or moment >= TUESDAY


def test_the_score_of_a_match_is_no_hour_of_a_reminder() -> None:
    talk = (
        "What a goal, he walked right past three defenders! I have to call the plumber tomorrow morning, remind me. "
        "And now it's two to one."
    )
    about = "I have to call the plumber tomorrow morning, remind me."
    assert chosen(talk, Kind.REMINDER, about) == at(25, 12)
    assert chosen(talk, Kind.APPOINTMENT, about) == at(25, 12)


@pytest.mark.parametrize(
    ("talk", "moment"),
    [
        ("The plumber's coming Thursday. What time? About half eight.", at(26, 8, 30)),
        ("Piano's at five tomorrow, not at four.", at(25, 17)),
        ("Dentist Thursday. At nine? At nine. No, hang on, nine thirty, it says nine thirty.", at(26, 9, 30)),
        ("A table for six persons, on Saturday, seven o'clock.", at(28, 19)),
        ("I'm picking your mother up tomorrow at nine oh Christ are you", at(25, 9)),
    ],
)
def test_day_and_hour_are_found_wherever_they_stand(talk: str, moment: datetime) -> None:
    assert chosen(talk) == moment


def test_an_end_is_counted_from_its_beginning() -> None:
    talk = "My mother arrives on Saturday and stays until the Tuesday after."
    assert chosen(talk, Kind.EVENT) == datetime(2026, 4, 1, tzinfo=BERLIN)


def test_the_day_may_have_been_said_in_the_passage_before() -> None:
    assert chosen("At four. Bring the cake.", context=["What time are we at my folks' on Saturday?"]) == at(28, 16)


def test_a_reminder_may_have_no_time_though_one_is_named() -> None:
    talk = "You said that at Christmas. I'm telling you I'm doing it, I'll replace the flapper."
    found = resolve_talk(
        talk, spoken_at=TUESDAY, zone=BERLIN, kind=Kind.REMINDER, learned=LEARNED,
        weight=lambda start, end: 0.9 if start > 40 else 0.05,
    )  # fmt: skip
    assert found == ("", Resolution(None))


def test_talk_at_the_end_of_the_calendar_is_read() -> None:
    found = resolve_talk(
        "It was on 1/1/0001, and dinner is at seven.",
        spoken_at=datetime(9999, 12, 31, 12, tzinfo=BERLIN),
        zone=BERLIN,
        kind=Kind.APPOINTMENT,
        weight=lambda begin, stop: 0.9,
        learned=LEARNED,
    )
    assert found is not None
    assert found[1].expires_at == datetime(9999, 12, 31, 19, tzinfo=BERLIN)


@pytest.mark.parametrize("words", ["the {}th", "in {} days", "at {}", "{} o'clock", "March {}", "{}/3"])
def test_a_number_without_end_is_no_time(words: str) -> None:
    endless = words.format("9" * 5000)
    assert chosen(f"The dentist is on Thursday at nine, {endless}.") == at(26, 9)
