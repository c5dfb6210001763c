"""The gate's second, independent judge: a linear model over words, pairs of words and the shape of a passage. Pure.

Weighted as usual in text retrieval (sublinear term frequency times inverse document frequency, length 1). It costs
microseconds; what it gets wrong, the encoder often gets right, and the other way round.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from junod.errors import ModelError
from junod.records import Passage

NGRAMS_FILE = "ngrams.json.gz"
_WORD = re.compile(r"[a-z0-9']+|[?!.,]")
WINDOW_SENTENCES = 3
_BETWEEN_SENTENCES = re.compile(r"(?<=[.?!])\s+")
_SENTENCE_END = re.compile(r"[.?!]")
_ORDINAL = re.compile(r"\d+(st|nd|rd|th)")
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = "january february march april june july august september october november december"
_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty hundred"
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth"
)
_CLASSES = {
    word: name
    for name, words in (("DAY", _DAYS), ("MONTH", _MONTHS), ("NUMBER", _NUMBERS), ("ORDINAL", _ORDINALS))
    for word in words.split()
}


@dataclass(frozen=True, slots=True)
class NgramModel:
    """Implements `gate.WordJudge`."""

    bias: float
    terms: Mapping[str, tuple[float, float]]
    """Term -> inverse document frequency and weight."""

    def logit(self, passage: Passage) -> float:
        """How much the words are those of a passage that holds something to keep; 0 = even."""
        length, total = 0.0, 0.0
        for term, count in Counter(terms(passage)).items():
            if term in self.terms:
                rarity, weight = self.terms[term]
                value = (1 + math.log(count)) * rarity
                length += value * value
                total += value * weight
        return self.bias + (total / math.sqrt(length) if length else 0.0)

    def peak(self, passage: Passage) -> float:
        """The highest logit of any few neighbouring sentences; of the whole where it has no more than those."""
        return max(self.logit(replace(passage, transcript=part)) for part in windows(passage.transcript))


def windows(text: str) -> list[str]:
    """Every run of `WINDOW_SENTENCES` neighbouring sentences."""
    sentences = [part for part in _BETWEEN_SENTENCES.split(text) if part.strip()]
    starts = range(max(1, len(sentences) - WINDOW_SENTENCES + 1))
    return [" ".join(sentences[start : start + WINDOW_SENTENCES]) for start in starts]


def terms(passage: Passage) -> list[str]:
    """Everything the model reads off a passage.

    Days, months and numbers stand for their class, so that "Tuesday at ten" teaches "Friday at six".
    """
    words = [f"[{passage.room}]", *_classed(passage.transcript)]
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    gapped = [f"{first} _ {second}" for first, second in zip(words, words[2:], strict=False)]
    return words + pairs + gapped + _edges(passage.transcript) + _shape(passage) + _context(passage)


def _classed(text: str) -> list[str]:
    return [_class_of(word) for word in _WORD.findall(text.lower())]


def _class_of(word: str) -> str:
    if word.isdigit():
        return "NUMBER"
    return "ORDINAL" if _ORDINAL.fullmatch(word) else _CLASSES.get(word, word)


def _edges(text: str) -> list[str]:
    """Words of the first and the last sentence: openers and closers tell who is speaking."""
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    if not sentences:
        return []
    return [f"<{word}" for word in _classed(sentences[0])] + [f"{word}>" for word in _classed(sentences[-1])]


def _shape(passage: Passage) -> list[str]:
    text, hour = passage.transcript, passage.spoken_at.hour
    return [
        f"LENGTH {min(12, len(text.split()) // 8)}",
        f"ASKS {min(4, text.count('?'))}",
        f"SHOUTS {min(3, text.count('!'))}",
        f"SENTENCES {min(9, len(_SENTENCE_END.findall(text)))}",
        f"HOUR {hour // 3}",
        f"PLACE {passage.room} {hour // 6}",
    ]


def _context(passage: Passage) -> list[str]:
    if not passage.context:
        return []
    return ["CONTEXT", *(f"before {word}" for word in _classed(passage.context[-1]))]


def save_ngrams(model: NgramModel, path: Path) -> None:
    content = {"bias": model.bias, "terms": dict(sorted(model.terms.items()))}
    path.write_bytes(gzip.compress(json.dumps(content, separators=(",", ":")).encode(), 9, mtime=0))


def load_ngrams(path: Path) -> NgramModel:
    """Read a model that `save_ngrams` wrote.

    Raises:
        ModelError: the file is missing or damaged.
    """
    try:
        content = json.loads(gzip.decompress(path.read_bytes()))
        return NgramModel(float(content["bias"]), {term: (idf, w) for term, (idf, w) in content["terms"].items()})
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"The gate's weights {path} cannot be read: {error}.", hint="Install junod again.") from error
