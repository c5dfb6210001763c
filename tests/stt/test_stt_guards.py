"""Guards: what an engine invents never passes, what people say does. Scores here are made up or from public reports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from junod.records import Transcription
from junod.stt.guards import Guarded, guard
from junod.stt.repetition import compression_ratio, find_loop, loops, without_loops


def heard(
    text: str, *, logprob: float = -0.3, no_speech: float = 0.02, language: str = "en", compression: float = 1.0
) -> Transcription:
    return Transcription(text, logprob, no_speech, compression, language)


SPOKEN = (
    "We're out of milk and eggs.",
    "Dentist on Friday at ten, don't forget.",
    "No, no, no, don't touch that!",
    "Call the plumber on (555) 123-4567.",
    "Come on, come on, come on, the bus leaves at 8:15.",
    "Remind me to subscribe to the newspaper by Monday.",
    "Text Sarah thank you for watching the kids on Friday at six.",
    "We need 1,000,000 things: flour, sugar, salt.",
    "The caption says it was taken in 1998 by Aunt Zoë.",
    "Happy birthday to you, happy birthday to you.",
    "Ten.",
    "Transcripts by Friday for the college, please.",
    "Copyright forms are due next week.",
)


@pytest.mark.parametrize("text", SPOKEN)
def test_real_speech_passes_unchanged(text: str) -> None:
    assert guard(heard(text), speech_s=max(1.0, len(text.split()) / 3)) == Guarded(text)


def test_v46_no_speech_alone_drops_a_credit_with_a_good_logprob() -> None:
    """v46: subtitle credit, no_speech 0.88 to 0.98, logprob -0.3."""
    for no_speech in (0.88, 0.98):
        credit = heard("Subtitles by the Amara.org community", no_speech=no_speech, logprob=-0.3)
        assert guard(credit, 2.0) == Guarded("", "no-speech")


@pytest.mark.parametrize(
    "text",
    [
        "Thank you for watching!",
        "Thanks for watching.",
        "thank you so much for watching this video",
        "Please subscribe to my channel.",
        "Don't forget to like and subscribe!",
        "Subtitles by SteamTeamExtra",
        "Captions by GetTranscribed.com",
        "See you in the next video.",
        "I'll see you next video. Bye!",
        "Transcribed by ESO. Translated by —",
        "www.mooji.org",
        "© BF-WATCH TV 2021",
    ],
)
def test_v83_video_credits_are_never_kept_however_good_their_scores(text: str) -> None:
    """v83, v46: "Thank you for watching" is never stored."""
    assert guard(heard(text, logprob=-0.1, no_speech=0.0), 2.0) == Guarded("", "stock-phrase")


def test_v83_a_credit_after_real_words_goes_and_the_words_stay() -> None:
    """v83: an invented ending costs nothing of what was said."""
    assert guard(heard("Buy oat milk. Thanks for watching!"), 2.0).text == "Buy oat milk."
    assert guard(heard("buy oat milk thank you for watching"), 2.0).text == "buy oat milk"


def test_m7_invented_thanks_at_the_end_leave_the_appointment() -> None:
    """m7: "Dentist Friday ten. Thank you." is one appointment; the thanks are ignored."""
    assert guard(heard("Dentist Friday ten. Thank you."), 1.8) == Guarded("Dentist Friday ten.")
    assert guard(heard("Dentist Friday ten. Thank you very much. Bye."), 1.8) == Guarded("Dentist Friday ten.")


def test_v61_a_spoken_thank_you_is_kept_and_an_invented_one_dropped() -> None:
    """v61: the same words, told apart by their scores."""
    assert guard(heard("Thank you.", logprob=-0.25, no_speech=0.03), 0.7) == Guarded("Thank you.")
    assert guard(heard("Thank you.", logprob=-0.3, no_speech=0.55), 0.7) == Guarded("", "stock-phrase")
    assert guard(heard("Thank you.", logprob=-0.95, no_speech=0.1), 0.7) == Guarded("", "stock-phrase")


@pytest.mark.parametrize("text", ["You", "you.", "Bye.", "Oh.", "Okay. Bye bye.", "The end.", "I'm sorry."])
def test_v58_a_stock_word_over_a_long_noise_is_dropped_whatever_the_engine_reports(text: str) -> None:
    """v58: "You" on silence through an engine that reports no scores (zeros)."""
    assert guard(heard(text, logprob=0.0, no_speech=0.0), speech_s=9.0) == Guarded("", "stock-phrase")


@pytest.mark.parametrize("text", ["...", "…", ". . . . .", "-", "?!", "....................", "—  —"])
def test_m5_segments_of_dots_are_discarded(text: str) -> None:
    """m5: repeats and "..." rows even with voice activity detection on."""
    assert guard(heard(text), 3.0) == Guarded("", "punctuation")


@pytest.mark.parametrize(
    "text", ["[Music]", "(gentle music)", "*sighs*", "♪", "♪ la la la ♪", "[BLANK_AUDIO] [fan]", "[a [b] c]"]
)
def test_v55_sound_labels_are_stripped(text: str) -> None:
    """v55: "[Music]", "(gentle music)" and the like are no speech."""
    assert guard(heard(text), 3.0) == Guarded("", "sound-label")


def test_v55_words_beside_a_sound_label_stay() -> None:
    """v55: only the label goes."""
    assert guard(heard("[door slams] We need (coughs) bread ♪"), 2.0).text == "We need bread"


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry. I'm sorry. I'm sorry. I'm sorry.",
        "the the the the the the the the",
        "Thank you. " * 20,
        "and so my fellow Americans " * 6,
        "Mmmmmmmmmmmm",
        "Hahahahahahahahaha!",
        "000000000000000000",
        "ring ring ring ring ring ring hello",
    ],
)
def test_m1_m2_v47_loops_are_dropped(text: str) -> None:
    """m1, m2, v47: silence, fan noise and music become one thing repeated for ever, with high confidence."""
    assert guard(heard(text, logprob=-0.1, no_speech=0.1), 20.0) == Guarded("", "repetition")


def test_m2_a_loop_at_the_end_is_cut_off_sound_words() -> None:
    """m2: the beginning was speech; one round of the loop may have been."""
    looping = "Pick up the kids at four" + " and then we go" * 9
    assert guard(heard(looping), 20.0) == Guarded("Pick up the kids at four and then we go")
    assert guard(heard("no no no no no no don't touch that"), 5.0).text == "no don't touch that"


def test_m2_a_text_that_repeats_itself_with_variations_is_dropped() -> None:
    """m2: no exact loop, yet nothing but repetition."""
    text = " ".join(f"I'm going to put the {n} in the oven, I'm going to put it there." for n in "abcdefghij")
    assert guard(heard(text), 30.0) == Guarded("", "repetition")


def test_m2_an_engine_that_guesses_is_not_believed() -> None:
    """m2: flagged low confidence and not sent on."""
    assert guard(heard("The shore on the tin of the lamb", logprob=-1.6), 3.0) == Guarded("", "low-confidence")
    assert guard(heard("Cut the onion into small pieces.", logprob=-1.18), 3.0) == Guarded("", "low-confidence")
    doubtful = heard("Huuuh! Huuuh!", logprob=-0.78, no_speech=0.43)
    assert guard(doubtful, 3.0) == Guarded("", "low-confidence")
    assert guard(heard("We're out of milk.", logprob=-0.95), 1.5).text == "We're out of milk."


def test_v47_more_words_than_a_mouth_can_say_are_dropped() -> None:
    """v47: invented text, high confidence: 14 words in 0.6 s."""
    text = "So we will be going to the next part of the journey of the day"
    assert guard(heard(text), 0.6) == Guarded("", "speech-rate")
    assert guard(heard(text), 4.0) == Guarded(text)


def test_v47_another_script_is_dropped() -> None:
    """v47: a multilingual engine falls into another language on noise."""
    assert guard(heard("ご視聴ありがとうございました"), 3.0) == Guarded("", "foreign-script")
    assert guard(heard("купить молоко", language="ru"), 2.0) == Guarded("купить молоко")


def test_v52_nothing_but_the_segment_decides() -> None:
    """v52: no prompt exists that could leak; an empty text is dropped, not replaced."""
    assert guard(heard(""), 3.0) == Guarded("", "empty")
    assert guard(heard(" \n\t "), 3.0) == Guarded("", "empty")


def test_control_and_broken_characters_go() -> None:
    assert guard(heard(" buy\x00 \x1b[31mmilk\u200b\n\tand\ufffd  bread\r\n"), 2.0).text in {
        "buy [31mmilk and bread",
        "buy milk and bread",
    }


def test_loops_are_found_by_structure() -> None:
    assert find_loop(["a", "b", "a", "b", "a", "b", "a", "b"]) is not None
    assert find_loop(["no", "no", "no"]) is None
    assert not loops("This is a sentence, and this is another sentence.")
    assert loops("go on go on go on go on go on and stop")
    assert without_loops("we go we go we go we go home now") == "we go home now"
    assert compression_ratio("") == 0.0


TEXT = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            ["thank", "you", "thank you.", "Bye.", "(", ")", "[", "]", "♪", "for watching!", "milk", "...", "no", "*"]
        ),
        max_size=40,
    ).map(" ".join),
)
NUMBER = st.floats(allow_nan=True, allow_infinity=True)


@given(TEXT, NUMBER, NUMBER, NUMBER, st.sampled_from(["en", "de", "ja", ""]))
def test_guarding_never_raises_never_lengthens_and_settles_at_once(
    text: str, logprob: float, no_speech: float, speech_s: float, language: str
) -> None:
    once = guard(heard(text, logprob=logprob, no_speech=no_speech, language=language), speech_s)
    again = guard(heard(once.text, logprob=logprob, no_speech=no_speech, language=language), speech_s)
    assert len(once.text) <= len(text)
    assert again.text == once.text
    assert (once.dropped_reason is None) == bool(once.text)


@given(st.lists(st.sampled_from("abcde"), max_size=60))
def test_no_loop_is_left_once_loops_are_removed(words: list[str]) -> None:
    assert find_loop(without_loops(" ".join(words)).split()) is None
