"""Striking markdown through, whole or one item of a list at a time; text that stays where it is put (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(r"(?P<mark>\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?)(?P<text>.*?)(?P<end>\s*)")
_ITEM = re.compile(r"(?P<mark>\s*(?:[-*+•]|\d+[.)])\s+)(?P<box>\[[ xX]?\]\s+)?(?P<text>\S.*?)\s*")
_STRUCK = re.compile(r"~~(?P<text>.*)~~")
_TICKED_BOX = re.compile(r"\[[xX]\]")
_BIDI_CONTROLS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])
"""Overrides and isolates could turn the text around them; letters of right-to-left scripts need none."""


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item of a markdown list."""

    line: int
    """Its line in the text."""
    text: str
    """Without list mark, box and strike."""
    is_struck: bool


def struck(memory: str) -> str:
    """The memory with each line's text between ~~ ~~, list marks outside them so that a list stays a list."""
    return "\n".join(_strike_line(line) for line in memory.split("\n"))


def list_items(memory: str) -> tuple[ListItem, ...]:
    """The items of a list below a first line; nothing where there is no list."""
    found = []
    for number, line in enumerate(memory.split("\n")):
        match = _ITEM.fullmatch(line) if number else None
        if match:
            ticked_box = bool(match["box"] and _TICKED_BOX.match(match["box"]))
            found.append(ListItem(number, _open_text(match["text"]), ticked_box or _is_struck(match["text"])))
    return tuple(found)


def ticked(memory: str, item: str, *, done: bool) -> str | None:
    """The list with one item struck through or open again; as it is where it stands so already.

    Of several items that read alike the first that is not so yet is meant. Opening one opens the lines around the
    list, which stand for the whole.

    Args:
        item: as written, with or without its list mark and strike; case and spaces make no difference.

    Returns: None where the list has no such item.
    """
    items = list_items(memory)
    wanted = _same(_open_text(re.sub(r"^\s*[-*+•]\s+", "", item)))
    named = [one for one in items if _same(one.text) == wanted]
    if not named:
        return None
    chosen = next((one for one in named if one.is_struck != done), None)
    if chosen is None:
        return memory
    lines = memory.split("\n")
    lines[chosen.line] = _strike_line(lines[chosen.line]) if done else _open_line(lines[chosen.line])
    if not done:
        listed = {one.line for one in items}
        lines = [line if number in listed else _open_line(line) for number, line in enumerate(lines)]
    return "\n".join(lines)


def open_part(memory: str) -> str:
    """The memory without what is struck through."""
    lines = memory.split("\n")
    gone = {one.line for one in list_items(memory) if one.is_struck}
    return "\n".join(line for number, line in enumerate(lines) if number not in gone and not _is_struck(line.strip()))


def _strike_line(line: str) -> str:
    match = _LINE.fullmatch(line)
    if match is None or not match["text"] or _is_struck(match["text"]):
        return line
    return f"{match['mark']}~~{match['text']}~~{match['end']}"


def _open_line(line: str) -> str:
    match = _LINE.fullmatch(line)
    if match is None:
        return line
    return f"{_TICKED_BOX.sub('[ ]', match['mark'])}{_open_text(match['text'])}{match['end']}"


def _is_struck(text: str) -> bool:
    return len(text) > 4 and _STRUCK.fullmatch(text) is not None


def _open_text(text: str) -> str:
    return text[2:-2].strip() if _is_struck(text) else text


def _same(text: str) -> str:
    return " ".join(text.casefold().split())


def plain(text: str) -> str:
    """Text that cannot turn round what stands beside it."""
    return text.translate(_BIDI_CONTROLS)
