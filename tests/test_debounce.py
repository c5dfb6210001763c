"""Utterances become passages: by quiet, by a cap, with context."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from junod.debounce import Debouncer, Place, split_point
from junod.records import SAMPLE_RATE_HZ, AudioMark, Passage, PassageEnd, Utterance
from junod.sections import DebounceSettings

START = datetime(2026, 3, 24, 17, 0, tzinfo=UTC)


def said(text: str, start_s: float, end_s: float) -> Utterance:
    return Utterance(text, at(start_s), at(end_s), START + timedelta(seconds=start_s))


def at(seconds: float) -> int:
    return int(seconds * SAMPLE_RATE_HZ)


def debouncer(**settings: float) -> Debouncer:
    numbers = count(1)
    return Debouncer(DebounceSettings.model_validate(settings), Place("kitchen"), lambda: f"p{next(numbers)}")


def test_five_seconds_without_speech_close_a_passage() -> None:
    d = debouncer()
    assert d.hear(said("We need milk.", 1, 2)) == []
    assert d.mark(AudioMark(at(6.9), at(2))) == []
    (passage,) = d.mark(AudioMark(at(7.0), at(2)))
    assert passage.transcript == "We need milk."
    assert passage.closed_by is PassageEnd.QUIET
    assert passage.spoken_at == START + timedelta(seconds=1)
    assert not d.is_open


def test_speech_without_a_transcript_keeps_the_passage_open() -> None:
    """Quiet is the absence of speech, not of transcripts."""
    d = debouncer()
    d.hear(said("We need milk.", 1, 2))
    assert d.mark(AudioMark(at(8), at(7.5))) == []
    assert d.mark(AudioMark(at(12), at(7.5), is_speaking=True)) == []
    assert len(d.mark(AudioMark(at(17.5), at(12.5)))) == 1


def test_a_late_transcript_after_a_long_pause_starts_a_new_passage() -> None:
    """A slow recogniser must not glue together what silence parted."""
    d = debouncer()
    d.hear(said("We need milk.", 1, 2))
    (first,) = d.hear(said("The plumber comes at eight.", 9, 11))
    assert first.transcript == "We need milk."
    (second,) = d.flush()
    assert second.transcript == "The plumber comes at eight."
    assert second.context == ("We need milk.",)


def test_a_passage_over_its_seconds_is_split_at_the_longest_pause_near_its_end() -> None:
    d = debouncer(cap_s=20)
    closed: list[Passage] = []
    for text, start, end in (("a", 0, 4), ("b", 4.2, 9), ("c", 9.1, 12), ("d", 14, 17), ("e", 17.1, 21)):
        closed += d.hear(said(text, start, end))
    (passage,) = closed
    assert passage.closed_by is PassageEnd.CAP
    assert passage.transcript == "a b c"
    (rest,) = d.flush()
    assert rest.transcript == "d e"
    assert rest.context == ("a b c",)


def test_a_passage_over_its_words_is_split() -> None:
    d = debouncer(cap_words=20)
    d.hear(said("one two three four five six seven eight nine ten", 0, 5))
    (passage,) = d.hear(said("one two three four five six seven eight nine ten eleven", 6, 11))
    assert passage.transcript.endswith("ten")
    assert d.is_open


def test_endless_unintelligible_speech_still_closes_at_the_cap() -> None:
    d = debouncer(cap_s=10)
    d.hear(said("Dentist on Friday at ten.", 0, 3))
    (passage,) = d.mark(AudioMark(at(11), at(11), is_speaking=True))
    assert passage.closed_by is PassageEnd.CAP


def test_context_is_limited_in_utterances_and_in_age() -> None:
    d = debouncer(context_utterances=2, context_age_s=60)
    for i in range(4):
        d.hear(said(f"u{i}", 10 * i, 10 * i + 1))
    (passage,) = d.flush()
    assert passage.context == ("u1", "u2")
    d.hear(said("much later", 200, 201))
    assert d.flush()[0].context == ()


def test_a_wipe_forgets_what_was_heard_and_the_context() -> None:
    d = debouncer()
    d.hear(said("a", 0, 1))
    d.hear(said("b", 7, 8))
    d.wipe()
    assert d.flush() == []
    d.hear(said("c", 9, 10))
    assert d.flush()[0].context == ()


def test_sample_counts_far_beyond_31_bits_still_work() -> None:
    """Case v31."""
    d = debouncer()
    base = 2**40
    d.hear(Utterance("a", base, base + at(1), START))
    assert d.mark(AudioMark(base + at(5.9), base + at(1))) == []
    assert len(d.mark(AudioMark(base + at(6), base + at(1)))) == 1


@given(st.lists(st.tuples(st.floats(0, 12), st.floats(0.1, 28), st.integers(1, 80)), min_size=1, max_size=40))
def test_every_utterance_lands_in_exactly_one_passage_in_order(shape: list[tuple[float, float, int]]) -> None:
    d = debouncer()
    passages: list[Passage] = []
    spoken: list[str] = []
    clock_s = 0.0
    for number, (pause_s, length_s, words) in enumerate(shape):
        text = " ".join([f"w{number}"] * words)
        passages += d.hear(said(text, clock_s + pause_s, clock_s + pause_s + length_s))
        clock_s += pause_s + length_s
        passages += d.mark(AudioMark(at(clock_s), at(clock_s)))
        spoken.append(text)
    passages += d.flush()
    assert " ".join(p.transcript for p in passages) == " ".join(spoken)
    assert all(len(p.transcript.split()) <= 120 + 80 for p in passages)


def test_a_single_utterance_is_never_cut() -> None:
    assert split_point([said("a", 0, 28)]) == 1
