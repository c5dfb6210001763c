"""What goes into a row comes out of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from junod.memory import codec
from junod.memory.markdown import struck
from junod.records import Passage, PassageEnd

ZONES = [UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kathmandu"), timezone(timedelta(hours=-8))]
MOMENTS = st.builds(
    lambda moment, zone: moment.astimezone(zone),  # no local time that a change of the clocks left out
    st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(ZONES),
)
ANY_TEXT = st.text(alphabet=st.characters(), max_size=80)


@given(ANY_TEXT)
def test_cleaned_text_can_be_stored_and_cleaning_again_changes_nothing(text: str) -> None:
    cleaned = codec.clean(text)
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert "\x00" not in cleaned
    assert codec.clean(cleaned) == cleaned


@given(MOMENTS, MOMENTS)
def test_moments_compare_as_instants_whatever_their_offsets(one: datetime, other: datetime) -> None:
    one, other = one.astimezone(UTC), other.astimezone(ZONES[2])
    assert (codec.microseconds(one) < codec.microseconds(other)) == (one < other.astimezone(UTC))
    assert datetime.fromtimestamp(codec.microseconds(one) // 1_000_000, UTC) == one.replace(microsecond=0)


@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=3), MOMENTS)
def test_a_passage_survives_the_spool(transcript: str, context: list[str], spoken_at: datetime) -> None:
    said = Passage(
        id="p1",
        transcript=codec.clean(transcript),
        spoken_at=spoken_at,
        room="kitchen",
        context=tuple(codec.clean(line) for line in context),
        utterance_starts=(spoken_at,),
        closed_by=PassageEnd.CAP,
    )
    back = codec.passage_from_json(codec.passage_to_json(said))
    assert back == said
    assert back.spoken_at.utcoffset() == spoken_at.utcoffset()


@given(st.text(alphabet="ab -*\n[]x1.", max_size=40))
def test_striking_twice_is_striking_once_and_loses_no_letter(text: str) -> None:
    once = struck(text)
    assert struck(once) == once
    assert once.replace("~~", "") == text


@given(ANY_TEXT)
def test_a_journal_code_is_never_a_sentence(text: str) -> None:
    assert " " not in codec.code(text)
    assert len(codec.code(text)) <= 64


@given(st.lists(MOMENTS, min_size=2, max_size=2))
def test_ids_sort_by_time(moments: list[datetime]) -> None:
    early, late = sorted(moments, key=codec.microseconds)
    if codec.microseconds(late) - codec.microseconds(early) >= 1_000:
        assert codec.new_id(early) < codec.new_id(late)
