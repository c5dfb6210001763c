"""Striking markdown through (pure)."""

from __future__ import annotations

import re

_LINE = re.compile(r"(?P<mark>\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?)(?P<text>.*?)(?P<end>\s*)")


def struck(memory: str) -> str:
    """The memory with each line's text between ~~ ~~, list marks outside them so that a list stays a list."""
    return "\n".join(_strike_line(line) for line in memory.split("\n"))


def _strike_line(line: str) -> str:
    match = _LINE.fullmatch(line)
    if match is None or not match["text"] or (match["text"].startswith("~~") and match["text"].endswith("~~")):
        return line
    return f"{match['mark']}~~{match['text']}~~{match['end']}"
