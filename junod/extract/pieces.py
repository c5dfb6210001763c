"""A transcript cut into pieces: sentences, those without an end in runs of a dozen words (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from junod.extract.evidence import sentences

LONGEST_PIECE = 24
"""Words; a recogniser may write minutes of talk without a full stop."""
_CUT = 12
_WORD = re.compile(r"\S+")


def spans(transcript: str) -> list[tuple[int, int]]:
    """(start, end) of each piece, in order."""
    found: list[tuple[int, int]] = []
    for start, end, _ in sentences(transcript):
        words = [match.span() for match in _WORD.finditer(transcript, start, end)]
        step = _CUT if len(words) > LONGEST_PIECE else len(words)
        runs = [words[i : i + step] for i in range(0, len(words), step)]
        found += [(run[0][0], run[-1][1]) for run in runs]
    return found


def pieces(transcript: str) -> list[str]:
    """The text of each piece, its whitespace made single."""
    return [" ".join(transcript[start:end].split()) for start, end in spans(transcript)]


def owners(tokens: Sequence[tuple[int, int]], places: Sequence[tuple[int, int]]) -> list[int]:
    """For each token's (start, end) the piece it lies in, -1 = none: a special token, or talk before the transcript."""
    found = []
    for start, end in tokens:
        touched = (i for i, (begin, stop) in enumerate(places) if start < stop and end > begin)
        found.append(next(touched, -1) if end > start else -1)
    return found
