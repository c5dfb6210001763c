"""Items of a shopping list: cut to what is bought, as it was said (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from junod.extract.words import find_sequence, is_grounded, keys, words

TITLE = "Shopping list:"
MAX_ITEM_WORDS = 8

_TWINS = (
    "salt and vinegar", "cheese and onion", "mac and cheese", "macaroni and cheese", "half and half", "sweet and sour",
    "fish and chips", "cookies and cream", "bread and butter pickles", "salt and pepper squid", "ham and cheese",
    "peanut butter and jelly", "pork and beans", "sour cream and onion", "sage and onion", "black and white",
    "hot and sour", "head and shoulders", "oil and vinegar dressing", "arm and hammer", "nuts and bolts",
    "lemon and ginger", "salt and caramel", "garlic and herb", "rice and beans", "gin and tonic",
)  # fmt: skip
"""Goods whose name holds an 'and'."""
_UNITS = frozenset(
    (
        "dozen", "pack", "packs", "box", "boxes", "bottle", "bottles", "litre", "litres", "liter",
        "liters", "kilo", "kilos", "gram", "grams", "pound", "pounds", "ounces", "bag", "bags", "tray", "trays",
        "big", "small", "large", "ones", "one", "couple", "bunch", "size",
    )
)  # fmt: skip
"""Words that say how much of something, not of what."""
_HEAD = re.compile(
    r"^(?:(?:and|also|plus|then|add|buy|get|grab|pick up|put|need|we need|we're out of|out of|some more|more|some|any|"
    r"the|a couple of|a|an|our|my)\s+)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,;.!?]*(?:\b(?:(?:to|on|onto) the (?:shopping |grocery )?list|on the list|to the list|please|as well|too|"
    r"though|then|also|again|for me|while you're there|while you're at it|and)\b[\s,;.!?]*)+$",
    re.IGNORECASE,
)
_KEEP_ARTICLE = re.compile(
    r"^(?:a|an|the)\s+(?:dozen|few|pint|litre|liter|loaf|bag|pack|box|tin|can|jar|bottle)\b", re.I
)
_REFUSED_BEFORE = re.compile(
    r"\b(?:not|don't need|do not need|no need for|forget|skip|never mind|we have|we've got|still have|plenty of)"
    r"[^\w.?!]+(?:the |any |more |those )*$|\bscratch[^\w.?!]+(?:the |those )*$",
    re.I,
)
_REFUSED_AFTER = re.compile(
    r"^\W+(?:no,? )?(?:scratch that|never ?mind|forget (?:it|that)|no,? wait|we have\b|we've got\b|we still have)", re.I
)


def tidy(items: Iterable[str], transcript: str) -> tuple[str, ...]:
    """Items of one list: trailing words cut, joined items split, repeats, refused and unspoken ones dropped.

    An item whose words were not all spoken keeps the spoken ones at its front or end when that leaves something to buy
    ('oat milk cartons' -> 'oat milk'); an item with no spoken word is dropped.
    """
    spoken = keys(transcript)
    kept: dict[str, str] = {}
    for given in items:
        for part in split(given):
            item = _spoken_part(cut(part), spoken)
            if item and not is_refused(item, transcript):
                kept.setdefault(" ".join(word.key for word in words(item)), item)
    return tuple(item for item in kept.values() if not any(_is_vaguer(item, other) for other in kept.values()))


def _is_vaguer(item: str, other: str) -> bool:
    """'diapers' beside 'size two diapers': the same thing, its amount or size left out."""
    here, there = {word.key for word in words(item)}, {word.key: word for word in words(other)}
    more = [word for key, word in there.items() if key not in here]
    return here < there.keys() and all(word.key.isdigit() or word.text.lower() in _UNITS for word in more)


def cut(item: str) -> str:
    """The thing alone: 'add eggs to the shopping list' -> 'eggs'."""
    text = _TAIL.sub("", " ".join(item.split())).strip(" ,;.!?-")
    return text if _KEEP_ARTICLE.match(text) else _HEAD.sub("", text).strip()


def split(item: str) -> list[str]:
    """'toast and butter' is two things, 'salt and vinegar crisps' one."""
    low = item.lower()
    if any(twin in low for twin in _TWINS):
        return [item]
    return [part for part in re.split(r"\s*,\s*(?:and\s+)?|\s+(?:and|plus)\s+", item) if part.strip()]


def text(items: Iterable[str]) -> str:
    """A markdown list under its title."""
    return "\n".join([TITLE, *(f"- {item}" for item in items)])


def is_refused(item: str, transcript: str) -> bool:
    """Whether the item's last mention takes it back: 'not light bulbs', 'butter, no, scratch that'."""
    spoken = words(transcript)
    wanted = [word.key for word in words(item)]
    found = [word.key for word in spoken]
    last, start = -1, find_sequence(wanted, found)
    while start >= 0:
        last = start
        further = find_sequence(wanted, found[last + 1 :])
        start = further + last + 1 if further >= 0 else -1
    if last < 0:
        return False
    before = transcript[: spoken[last].start]
    after = transcript[spoken[last + len(wanted) - 1].end :]
    return bool(_REFUSED_BEFORE.search(before[-40:]) or _REFUSED_AFTER.match(after[:40]))


def _spoken_part(item: str, spoken: set[str]) -> str:
    found = list(words(item))
    while found and not is_grounded(found[-1], spoken):
        found.pop()
    while found and not is_grounded(found[0], spoken):
        found.pop(0)
    things = [word for word in found if word.is_content and not word.key.isdigit() and word.text.lower() not in _UNITS]
    if "[" in item or not things or len(found) > MAX_ITEM_WORDS:
        return ""
    if any(word.is_content and not is_grounded(word, spoken) for word in found):
        return ""
    return item[found[0].start : found[-1].end]
