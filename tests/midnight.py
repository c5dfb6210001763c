"""For tests of whole programs, which take the day from the machine: no day ends while they run."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, tzinfo


def clear_of_midnight(zone: tzinfo | None = None, margin_s: float = 120.0) -> None:
    """Where the day is about to end, wait for the next; at most `margin_s` seconds, and a few tests a night.

    Args:
        zone: whose midnight; None = this machine's.
    """
    now = datetime.now(zone).astimezone(zone)
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), now.tzinfo)
    left_s = midnight.timestamp() - now.timestamp()
    if left_s < margin_s:
        time.sleep(left_s + 1)
