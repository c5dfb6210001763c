"""A prompt that fits: the oldest context goes first, then the head of the transcript (pure)."""

from __future__ import annotations

from collections.abc import Sequence


def fit(
    context: Sequence[Sequence[int]], transcript: Sequence[int], room: int
) -> tuple[tuple[Sequence[int], ...], Sequence[int]]:
    """Cut tokens down to `room`.

    Args:
        context: tokens of each earlier passage, oldest first.
        transcript: tokens of the passage itself.
        room: tokens available for both, at least 1.

    Returns:
        what is left of both. The end of the transcript always survives: the newest words are the ones not yet decided.
    """
    kept_transcript = transcript[-room:] if room > 0 else transcript[len(transcript) :]
    left = room - len(kept_transcript)
    kept: list[Sequence[int]] = []
    for earlier in reversed(context):
        if len(earlier) > left:
            break
        kept.insert(0, earlier)
        left -= len(earlier)
    return tuple(kept), kept_transcript
