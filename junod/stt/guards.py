"""What stands between a speech-to-text engine and the rest: invented text is dropped, real text is cleaned.

Pure, and independent of the engine. Engines invent on silence, hum, music and kitchen noise, often with good scores;
faster-whisper's own rule (no_speech > 0.6 and logprob < -1) lets most of it through. So structure comes first (loops,
sound labels, credits, an impossible speech rate) and scores decide only what structure cannot.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from junod.stt.repetition import MAX_COMPRESSION, compression_ratio, fold, without_loops

if TYPE_CHECKING:
    from collections.abc import Callable

    from junod.records import Transcription

NO_SPEECH = 0.8
"""From here on no text is believed, whatever its log-probability (v46: 0.88 to 0.98 with -0.3)."""
SUSPICIOUS_NO_SPEECH = 0.35
SUSPICIOUS_LOGPROB = -0.8
MIN_LOGPROB = -1.1
"""Below it an engine guesses: kitchen noise scored -3.4 to -1.2 in 42 of 44 recordings (base, cut window)."""
DOUBTFUL_LOGPROB = -0.75
"""Below it a text is dropped where SUSPICIOUS_NO_SPEECH is reached too."""
MAX_WORDS_PER_S = 7.0
"""Nobody speaks faster for long; invented text often claims to."""
RATE_SLACK_S = 0.5
"""Voice activity trims the edges of speech by up to this much."""
MIN_RATE_WORDS = 5
MAX_S_PER_WORD = 2.5
"""A lone word over a long stretch of "speech" is suspicious (the "you" on silence)."""
MIN_COMPRESSION_WORDS = 12


@dataclass(frozen=True, slots=True)
class Guarded:
    """What is left of a transcription."""

    text: str
    """Clean text; '' where it was dropped."""
    dropped_reason: str | None = None
    """None = kept; else a short stable code: 'empty', 'no-speech', 'repetition', 'punctuation', 'sound-label',
    'stock-phrase', 'low-confidence', 'speech-rate', 'foreign-script'. Never speech."""


def guard(transcription: Transcription, speech_s: float) -> Guarded:
    """Clean one transcription, or drop it. Never raises, never adds anything; a second pass changes nothing.

    Args:
        transcription: what an engine made of one segment.
        speech_s: seconds of it that voice activity detection held to be speech.
    """
    text = printable(transcription.text)
    if not text:
        return Guarded("", "empty")
    if transcription.no_speech_prob >= NO_SPEECH:
        return Guarded("", "no-speech")
    trimmed = _trim(text)
    if trimmed.dropped_reason is not None:
        return trimmed
    reason = _disbelief(trimmed.text, transcription, speech_s)
    return Guarded("", reason) if reason is not None else trimmed


def printable(text: str) -> str:
    """`text` without control, format and broken characters, white space folded to single blanks."""
    kept = (" " if character.isspace() else character for character in text if not _is_broken(character))
    return " ".join("".join(kept).split())


def _is_broken(character: str) -> bool:
    if character == "\N{REPLACEMENT CHARACTER}":
        return True
    return unicodedata.category(character).startswith("C") and not character.isspace()


# --- structure ------------------------------------------------------------------------------------------------------

_LABELS = re.compile(
    r"\[[^\[\]]*\]"  # [Music]
    r"|\([^()\d]*\)"  # (gentle music), but not the (555) of a phone number
    r"|\*[^*\d]{1,60}\*"  # *sighs*
    r"|[♩-♬][^♩-♬]*[♩-♬]"  # ♪ sung words ♪
    r"|[♩-♬]|>>+"
)
_THANKS = r"(?:thank you|thanks)(?: (?:you|all|again|everyone|guys|so|very|much))*"
_A_NAME = r"(?! (?:mon|tues|wednes|thurs|fri|satur|sun)day| to(?:day|morrow|night)| noon| next| the| \d)\b.*"
_CREDIT = (
    rf"{_THANKS} for (?:watching|listening|viewing|tuning in)(?: (?:this|the|my|our) (?:video|show|channel|episode))?",
    r"(?:please )?(?:don t forget to )?(?:like and )?subscribe(?: to (?:my|our|the|this) channel)?"
    r"(?: and (?:like|hit the bell).*)?",
    r"(?:i ll |we ll )?see you (?:guys )?(?:in the next|next) (?:video|one|episode)",
    rf"(?:closed )?(?:subtitles?|captions?|captioning)(?: (?:provided|performed|created|made))? by{_A_NAME}",
    rf"(?:transcri(?:bed|ption|pts?)|translat(?:ed|ion)|edited)(?: provided)? by{_A_NAME}",
    r".*\bamara ?org\b.*",
    r"www(?: \w+){1,3}",
    r"(?:copyright|©)(?: ©)?(?: by)? .*\d{4}.*|all rights reserved",
)
_PLEASANTRY = (
    rf"{_THANKS}",
    r"you|bye(?: bye)*|good ?bye",
)
_FILLER = r"oh|ah|uh|um|mm+|hm+|huh|so|okay|ok|yeah|yes|no|hi|hello|wow|the end|i m sorry|sorry|the|a|i|and"
_CREDIT_SENTENCE = re.compile("|".join(_CREDIT))
_CREDIT_TAIL = re.compile(rf"(?i)\b{_THANKS.replace(' ', '[ ,]+')} for (?:watching|listening|viewing)\W*$")
_PLEASANTRY_SENTENCE = re.compile("|".join(_PLEASANTRY))
_STOCK_TEXT = re.compile(rf"(?:{'|'.join(_PLEASANTRY)}|{_FILLER})(?: (?:{'|'.join(_PLEASANTRY)}|{_FILLER}))*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
MIN_WORDS_BEFORE_THANKS = 2


def _trim(text: str) -> Guarded:
    """Apply each cleaner until none changes anything; what empties the text names the reason."""
    steps: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("sound-label", _without_labels),
        ("repetition", without_loops),
        ("stock-phrase", _without_credits),
        ("stock-phrase", _without_final_thanks),
    )
    before = None
    while text != before:
        before = text
        for reason, step in steps:
            shorter = " ".join(step(text).split())
            if not any(map(str.isalnum, shorter)):
                return Guarded("", reason if any(map(str.isalnum, text)) or shorter != text else "punctuation")
            text = shorter
    return Guarded(text)


def _without_labels(text: str) -> str:
    return _LABELS.sub(" ", text)


def _without_credits(text: str) -> str:
    """Less the sentences that only a video says; nobody's errand is lost with them."""
    kept = [sentence for sentence in _SENTENCE_END.split(text) if not _CREDIT_SENTENCE.fullmatch(_folded(sentence))]
    rest = _CREDIT_TAIL.sub("", " ".join(kept))
    return "" if rest != text and _STOCK_TEXT.fullmatch(_folded(rest)) else rest


def _without_final_thanks(text: str) -> str:
    """Less a thank-you or good-bye that follows real words: engines add them where speech fades (m7)."""
    sentences = _SENTENCE_END.split(text)
    while len(sentences) > 1 and _PLEASANTRY_SENTENCE.fullmatch(_folded(sentences[-1])):
        if sum(len(_folded(sentence).split()) for sentence in sentences[:-1]) < MIN_WORDS_BEFORE_THANKS:
            break
        sentences.pop()
    return " ".join(sentences)


def _folded(sentence: str) -> str:
    """Lower case, words only."""
    return " ".join(re.findall(r"[^\W_]+|©", sentence.casefold()))


# --- scores ---------------------------------------------------------------------------------------------------------


def _disbelief(text: str, transcription: Transcription, speech_s: float) -> str | None:
    """Why a well-formed text is not believed; None where it is."""
    words = [word for word in text.split() if any(map(str.isalnum, fold(word)))]
    if _is_guess(transcription):
        return "low-confidence"
    if len(words) >= MIN_COMPRESSION_WORDS and compression_ratio(text) > MAX_COMPRESSION:
        return "repetition"
    if len(words) >= MIN_RATE_WORDS and len(words) > MAX_WORDS_PER_S * (max(speech_s, 0.0) + RATE_SLACK_S):
        return "speech-rate"
    if transcription.language in _LATIN_LANGUAGES and _is_foreign(text):
        return "foreign-script"
    if _is_suspicious(len(words), transcription, speech_s) and _STOCK_TEXT.fullmatch(_folded(text)):
        return "stock-phrase"
    return None


def _is_guess(transcription: Transcription) -> bool:
    doubtful = transcription.avg_logprob < DOUBTFUL_LOGPROB and transcription.no_speech_prob >= SUSPICIOUS_NO_SPEECH
    return doubtful or transcription.avg_logprob < MIN_LOGPROB


def _is_suspicious(words: int, transcription: Transcription, speech_s: float) -> bool:
    return (
        transcription.no_speech_prob >= SUSPICIOUS_NO_SPEECH
        or transcription.avg_logprob <= SUSPICIOUS_LOGPROB
        or speech_s > MAX_S_PER_WORD * max(words, 1)
    )


_LATIN_LANGUAGES = frozenset({"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "cs"})


def _is_foreign(text: str) -> bool:
    """Whether most letters belong to another script than the household's language is written in."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(not unicodedata.name(letter, "").startswith("LATIN") for letter in letters) > len(letters)
