"""The cheapest gate: is this frame loud enough to be speech at all? (pure)"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SILENCE_DBFS = -120.0
"""Level given to digital silence."""


def level_dbfs(samples: NDArray[np.float32]) -> float:
    """Root mean square of `samples`, shape (n,), in dB below a full-scale square wave; a constant offset is removed.

    NaN where a sample is NaN or infinite.
    """
    if not len(samples):
        return SILENCE_DBFS
    mean = samples.mean()
    if not math.isfinite(mean):
        return math.nan
    centred = samples - mean
    power = float(np.dot(centred, centred)) / len(samples)
    return max(SILENCE_DBFS, 10.0 * math.log10(power)) if power > 0.0 else SILENCE_DBFS
