"""Guess the next tokens by looking them up in what was already read (pure).

Answers copy: the format from the examples, the quote from the talk. A guess that the model then confirms costs a
fraction of a token of its own, because a batch of a few tokens takes little longer than one.

Method: prompt lookup decoding (A. Saxena, 2023), a form of speculative decoding without a draft model.
"""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST_KEY, _SHORTEST_KEY = 4, 2


def draft(history: Sequence[int], most: int) -> list[int]:
    """Up to `most` tokens that followed the latest earlier place with the same last tokens; [] where there is none.

    Args:
        history: all tokens so far, the newest last.
        most: longest guess.
    """
    for length in range(_LONGEST_KEY, _SHORTEST_KEY - 1, -1):
        key = list(history[-length:])
        for start in range(len(history) - length - 1, -1, -1):
            if history[start + length - 1] == key[-1] and list(history[start : start + length]) == key:
                return list(history[start + length : start + length + most])
    return []
