"""Lists inside memories: reading them, and putting several together without losing an item, amount or note (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from junod.extract.shopping import TITLE, split
from junod.extract.words import key, words

SHOPPING = "shopping list"
"""Key of the list that 'Shopping list:', 'Groceries:' and 'To buy:' all mean."""

_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+(?:\[(?P<box>[ xX]?)\]\s+)?(?P<item>\S.*?)\s*$")
_STRUCK = re.compile(r"^~~.*~~$")
_SHOPPING_WORDS = {"shopping", "grocery", "groceries"}
_HEADER_FILLERS = {"the", "our", "my", "a", "list", "of", "to"}
_UNITS = {
    "g": "g", "gram": "g", "grams": "g", "gr": "g", "kg": "kg", "kilo": "kg", "kilos": "kg", "kilogram": "kg",
    "kilograms": "kg", "ml": "ml", "l": "l", "litre": "l", "litres": "l", "liter": "l", "liters": "l", "pint": "pint",
    "pints": "pint", "pound": "lb", "pounds": "lb", "lb": "lb", "lbs": "lb", "ounce": "oz", "ounces": "oz", "oz": "oz",
    "dozen": "dozen", "dozens": "dozen", "tin": "tin", "tins": "tin", "can": "can", "cans": "can", "bag": "bag",
    "bags": "bag", "pack": "pack", "packs": "pack", "packet": "pack", "packets": "pack", "box": "box", "boxes": "box",
    "bottle": "bottle", "bottles": "bottle", "jar": "jar", "jars": "jar", "loaf": "loaf", "loaves": "loaf",
    "carton": "carton", "cartons": "carton", "bunch": "bunch", "bunches": "bunch", "roll": "roll", "rolls": "roll",
    "tub": "tub", "tubs": "tub", "bar": "bar", "bars": "bar", "cup": "cup", "cups": "cup",
}  # fmt: skip
_INVARIABLE = {"g", "kg", "ml", "l", "lb", "oz", "dozen"}
"""Units that read the same for one and many."""
_SUM = " + "
_WORD_AMOUNTS = {"a": 1.0, "an": 1.0, "half": 0.5, "another": 1.0}
_AMOUNT = re.compile(
    r"^(?P<more>(?:(?:another|an? extra|an? additional|extra|more)\s+)?)"
    r"(?:(?P<number>\d+(?:[.,]\d+)?|[a-z]+(?:-[a-z]+)?)\s*(?:x\s+)?)"
    rf"(?:(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})\b\.?\s*(?:more\s+)?(?:of\s+)?)?"
    r"(?P<thing>\S.*)$",
    re.IGNORECASE,
)
_MORE_ALONE = re.compile(r"^(?:another|an? extra|extra|more|some more|some)\s+(?P<thing>\S.*)$", re.IGNORECASE)
_NOTE_STARTS = (
    "the", "a", "an", "for", "not", "no", "in", "from", "with", "without", "if", "or", "but", "only", "preferably",
    "ideally", "this", "that", "ask", "big", "small", "large", "fresh", "frozen", "ripe", "organic", "any",
)  # fmt: skip
_SEPARATOR = re.compile(r"\s*(?:,|;|\s[–—-]\s|\()\s*")


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a list."""

    text: str
    """As written, amount included, without its note."""
    thing: str
    """What it is, whatever its amount, case or number: items of one thing belong together."""
    notes: tuple[str, ...] = ()
    amount: float | None = None
    unit: str = ""
    is_more: bool = False
    """Said as an addition: 'another 500 grams of flour'."""
    is_sum: bool = False
    """Several amounts in one line: '2 bags of rice + 300 grams of rice'."""
    is_struck: bool = False
    """Ticked off. Of a wish and a tick for one thing, what stands in the list spoken later counts."""

    @property
    def line(self) -> str:
        return ", ".join((self.text, *self.notes))


def header_key(line: str) -> str:
    """What a list's title has in common with other titles of the same list; '' where nothing is left of it."""
    found = [word.text.lower() for word in words(line)]
    if (_SHOPPING_WORDS & set(found) and set(found) <= _SHOPPING_WORDS | _HEADER_FILLERS) or found == ["to", "buy"]:
        return SHOPPING
    return " ".join(word for word in found if word not in _HEADER_FILLERS)


def title(header: str, written: str) -> str:
    """How the title of a merged list reads."""
    return TITLE if header == SHOPPING else written


def bullets(lines: Sequence[str]) -> list[str] | None:
    """The items' texts if every line is an item of a markdown list, else None."""
    found = [_BULLET.match(line) for line in lines]
    return [_strike_ticked(match) for match in found if match] if found and all(found) else None


def _strike_ticked(match: re.Match[str]) -> str:
    """A ticked box reads like a strike, which is how a merged list shows it."""
    is_ticked = (match["box"] or "").lower() == "x" and not _STRUCK.match(match["item"])
    return f"~~{match['item']}~~" if is_ticked else match["item"]


def read_items(texts: Iterable[str]) -> tuple[Item, ...]:
    """Items of a list; joined ones ('toast and butter') come apart, 'salt and vinegar crisps' does not."""
    return tuple(item for text in texts for item in _read(text))


def combine(older: Sequence[Item], newer: Sequence[Item], newer_said: str = "") -> tuple[Item, ...]:
    """One list in order of first mention.

    The same thing is listed once with the notes of both; an amount is kept, an additional one is added, and two
    different amounts, neither said as an addition, both stay. 'Soy milk instead of oat milk' takes the oat milk off.
    What was ticked and is wanted again is open, as a first mention; what the newer list has ticked is ticked.

    Args:
        newer_said: the transcript behind the newer list, '' where it must not count (the same speech heard twice).
    """
    kept = [item for item in older if not _is_replaced(item, newer, newer_said)]
    for item in newer:
        _put(kept, _marked_as_more(item, newer_said))
    return tuple(kept)


def written(header_line: str, items: Iterable[Item]) -> str:
    """Markdown of a list."""
    return "\n".join([header_line, *(f"- {item.line}" for item in items)])


def _read(text: str) -> list[Item]:
    if _STRUCK.match(text):
        return [Item(text, _thing(" ".join(item.thing for item in _read(text.strip("~ ")))), is_struck=True)]
    head, *notes = [part.strip(" )") for part in _SEPARATOR.split(text) if part.strip(" )")] or [text]
    if notes and not any(_is_note(note) for note in notes) and "(" not in text and ";" not in text:
        return [item for part in (head, *notes) for item in _read_parts(part, ())]
    return _read_parts(head, tuple(notes))


def _read_parts(text: str, notes: tuple[str, ...]) -> list[Item]:
    parts = split(text) or [text]
    last = len(parts) - 1
    return [_item(part.strip(), notes if place == last else ()) for place, part in enumerate(parts)]


def _is_note(part: str) -> bool:
    return part.split()[0].lower() in _NOTE_STARTS


def _item(text: str, notes: tuple[str, ...]) -> Item:
    if _SUM in text:
        first = _item(text.split(_SUM)[0], notes)
        return replace(first, text=text, amount=None, is_sum=True)
    match = _AMOUNT.match(text)
    amount = _number(match["number"]) if match else None
    if match is None or amount is None:
        more = _MORE_ALONE.match(text)
        return Item(text, _thing(more["thing"] if more else text), notes)
    unit = _UNITS.get((match["unit"] or "").lower(), "")
    number = match["number"].lower()
    if not unit and number in ("a", "an", "another"):
        return Item(text, _thing(match["thing"]), notes)
    return Item(text, _thing(match["thing"]), notes, amount, unit, bool(match["more"]) or number == "another")


def _number(text: str) -> float | None:
    low = text.lower()
    if low in _WORD_AMOUNTS:
        return _WORD_AMOUNTS[low]
    digits = low.replace(",", ".")
    if re.fullmatch(r"\d+(?:\.\d+)?", digits):
        return float(digits)
    parts = [key(part) for part in low.split("-")]
    return float(sum(map(int, parts))) if all(part.isdecimal() and len(part) < 10 for part in parts) else None


def _thing(text: str) -> str:
    keys = [word.key for word in words(text) if word.text.lower() not in ("a", "an", "the", "some", "of")]
    return " ".join(keys) or text.casefold()


def _marked_as_more(item: Item, said: str) -> Item:
    if item.amount is None or item.is_more:
        return item
    amount = re.escape(re.split(rf"\b{re.escape(item.thing.split()[0][:3])}", item.text, flags=re.I)[0].strip())
    is_more = bool(amount) and re.search(rf"\b(?:another|extra|additional|plus)\s+{amount}\b", said, re.IGNORECASE)
    return replace(item, is_more=bool(is_more))


def _is_replaced(item: Item, newer: Sequence[Item], said: str) -> bool:
    """The speech behind the newer list takes this item back in favour of another one."""
    if item.is_struck or any(new.thing == item.thing for new in newer):
        return False
    things = [_thing(match["thing"]) for match in _INSTEAD.finditer(said)]
    return any(thing == item.thing or thing.startswith(f"{item.thing} ") for thing in things)


_INSTEAD = re.compile(r"\b(?:instead of|rather than)\s+(?:the\s+|any\s+)?(?P<thing>[\w'’ -]+)", re.IGNORECASE)


def _put(kept: list[Item], new: Item) -> None:
    if not new.is_struck:
        kept[:] = [item for item in kept if not (item.is_struck and item.thing == new.thing)]
    same = [place for place, item in enumerate(kept) if item.thing == new.thing]
    if not same:
        kept.append(new)
        return
    if new.is_struck:
        kept[:] = [_ticked(item) if item.thing == new.thing else item for item in kept]
        return
    for place in same:
        joined = _joined(kept[place], new)
        if joined is not None:
            kept[place] = joined
            return
    kept.append(new)


def _ticked(item: Item) -> Item:
    return item if item.is_struck else Item(f"~~{item.line}~~", item.thing, is_struck=True)


def _joined(old: Item, new: Item) -> Item | None:
    """One item for both; None where both must stay."""
    old = replace(old, notes=tuple(dict.fromkeys((*old.notes, *new.notes))))
    if new.is_sum:
        return replace(new, notes=old.notes) if old.amount is None and not old.is_sum else None
    if new.amount is None:
        return old
    if not new.is_more:
        return _with_amount(old, new)
    if old.amount is None and not old.is_sum:
        return replace(new, notes=old.notes)
    return _added(old, new)


def _with_amount(old: Item, new: Item) -> Item | None:
    """The new amount names what the old item left open or says again; another amount stays beside it."""
    if old.is_sum:
        return old if _without_more(new.text).casefold() in old.text.casefold().split(_SUM) else None
    if old.amount is None:
        return replace(new, notes=old.notes)
    return old if (old.amount, old.unit) == (new.amount, new.unit) else None


def _added(old: Item, new: Item) -> Item:
    match = _AMOUNT.match(old.text)
    if old.amount is None or new.amount is None or match is None or old.unit != new.unit:
        return _summed(old, new)
    if old.amount <= 1 and old.unit not in _INVARIABLE:
        return _summed(old, new)
    start, end = match.span("number")
    total = old.amount + new.amount
    return replace(old, text=f"{old.text[:start]}{total:g}{old.text[end:]}", amount=total)


def _summed(old: Item, new: Item) -> Item:
    return replace(old, text=f"{old.text}{_SUM}{_without_more(new.text)}", amount=None, is_sum=True)


def _without_more(text: str) -> str:
    return re.sub(r"^(?:an? extra|an? additional|extra|more|another(?= \d))\s+", "", text, flags=re.IGNORECASE)
