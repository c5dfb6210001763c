"""The gate's second, independent judge: a linear model over words and pairs of words. Pure.

Weighted as usual in text retrieval (sublinear term frequency times inverse document frequency, length 1). It reads
no context and costs microseconds; what it gets wrong, the encoder often gets right, and the other way round.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from junod.errors import ModelError
from junod.records import Passage

NGRAMS_FILE = "ngrams.json.gz"
_WORD = re.compile(r"[a-z0-9']+|[?!.,]")


@dataclass(frozen=True, slots=True)
class NgramModel:
    """Implements `gate.Judge`."""

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


def terms(passage: Passage) -> list[str]:
    """Words, marks and pairs of neighbours of the transcript, and the room."""
    words = [f"[{passage.room}]", *_WORD.findall(passage.transcript.lower())]
    return words + [f"{first} {second}" for first, second in pairwise(words)]


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
