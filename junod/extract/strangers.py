"""Teaches the gate that what was said before need not matter.

In a kitchen every passage follows another: the television, chatter, a remark that was handled already. Authors seldom
write that, and a gate trained on their passages takes any context for a sign. So in training a share of the passages
that have none get the talk of strangers as context, those that hold something and those that do not alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from junod.extract.evaluate import Labelled

MOST_EARLIER = 4
"""Earlier passages given at most; the gate reads the last words of them only."""


def among_strangers(passages: Sequence[Labelled], share: float, seed: int) -> tuple[Labelled, ...]:
    """The passages, a `share` of those without context following others picked by chance. Deterministic."""
    rng = np.random.default_rng(seed)
    return tuple(_following(one, passages, rng) if _is_chosen(one, share, rng) else one for one in passages)


def _is_chosen(one: Labelled, share: float, rng: np.random.Generator) -> bool:
    return not one.passage.context and bool(rng.random() < share)


def _following(one: Labelled, others: Sequence[Labelled], rng: np.random.Generator) -> Labelled:
    picked = rng.integers(0, len(others), rng.integers(1, MOST_EARLIER + 1))
    context = tuple(others[int(i)].passage.transcript for i in picked)
    return replace(one, passage=replace(one.passage, context=context))
