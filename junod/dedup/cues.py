"""Words with which people say that something changed, or that it comes on top (pure)."""

from __future__ import annotations

import re

STRONG = re.compile(
    r"\b(?:moved|rescheduled|postponed|(?:pushed|put) back|pushed (?:to|out|until)|brought forward|delayed|shifted|"
    r"switched|changed|swapped|instead|rather than|no longer|any ?more|correction|cancell?ed|called off|"
    r"(?:is|are|it's|that's) now (?:at|on)|(?:is|are|was|it's) wrong|i meant|"
    r"(?<!can't )(?<!cannot )(?<!couldn't )make (?:it|that)|"
    r"not (?:on |at )?\w+ (?:but|any)|new (?:time|date|day|number|"
    r"address|size))\b",
    re.IGNORECASE,
)
WEAK = re.compile(
    r"(?<=\w )(?<!okay )(?<!right )(?<!for )(?<!by )(?<!and )now\b(?! then)|\b(?:actually|after all|turns out)\b",
    re.IGNORECASE,
)
ADDING = re.compile(
    r"\b(?:also|another|too|as well|a second|both|in addition|plus|next (?:one|visit|appointment)|follow[- ]?up)\b",
    re.I,
)


def speaks_of_change(*texts: str) -> bool:
    """Whether any of the texts has a word of change at all, whatever it is about."""
    return any(STRONG.search(text) or WEAK.search(text) for text in texts)
