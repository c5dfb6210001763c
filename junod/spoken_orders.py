"""Orders to the ear by voice: 'Junod, off the record for ten minutes', 'Junod, forget that', 'Junod, mute' (pure).

A speech recogniser seldom knows the name and writes 'Juno', 'You know' or 'Do not'. The first kind of spelling is taken
for the name at the end of whatever else was said; words that people say all day are taken for it only where the
utterance is nothing but the order, and never where that would turn 'do not forget that' into its opposite.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum


class OrderKind(StrEnum):
    MUTE = "mute"
    OFF_RECORD = "off-record"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class Order:
    kind: OrderKind
    duration: timedelta | None = None
    """How long off the record, how far back to forget; None = not said."""
    until_morning: bool = False


_NAME = r"(?:junod|juno|junot|junow|juneau|you ?nod|june ?oh?|jew ?hot|ju ?hot|jew ?know|jew ?no|joo ?no|geno|gino)"
_COMMON = r"(?:you know|you hot|you had|you don ?t|you re not|do not|do hot|do no|du hot|june on)"
_RECORD = r"(?:off|of|half|after|offer) (?:the |a )?(?:record|records)"
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "fifteen": 15, "twenty": 20, "thirty": 30,
    "forty five": 45, "half an": 0.5,
}  # fmt: skip
_COUNT = "|".join([r"\d{1,3}", *sorted(_NUMBERS, key=len, reverse=True)])
_SPAN = rf"(?P<count>{_COUNT}) (?P<unit>seconds?|minutes?|hours?)"
_MORNING = r"(?:until|till|til) (?:the |tomorrow )?(?:morning|tomorrow)"
_GARBLED = r" for(?: [a-z]+){1,4}"
"""'for an hour' as a recogniser may write it: off the record all the same, for as long as nobody says how long."""
_PLEASE = r"(?: please| now)?"
_ORDERS = (
    (OrderKind.OFF_RECORD, rf"(?:go )?{_RECORD}(?: for {_SPAN}| (?P<morning>{_MORNING})|{_GARBLED})?"),
    (OrderKind.FORGET, rf"forget (?:about )?(?:the )?last (?:{_SPAN}|(?P<alone>minute|hour))"),
    (OrderKind.FORGET, r"(?:please )?forget (?:about )?(?:that|it|this)"),
    (OrderKind.MUTE, r"mute(?: yourself)?"),
)
_SURE = tuple((kind, re.compile(rf"(?:^|.* ){_NAME} {order}{_PLEASE}")) for kind, order in _ORDERS)
_COMMON_NAMES = (_COMMON, _COMMON, None, r"(?:you know|du hot|do hot|do no)")
_LIKELY = tuple(
    (kind, re.compile(rf"(?:(?:hey|hay|ok|okay|a) )?{name} {order}{_PLEASE}"))
    for (kind, order), name in zip(_ORDERS, _COMMON_NAMES, strict=True)
    if name
)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}


def find_order(text: str) -> Order | None:
    """The order that an utterance is, or that one of its sentences ends with; None where it is none."""
    sentences = [plain for part in re.split(r"[.!?;]+", text) if (plain := _plain(part))]
    for sentence in sentences:
        for kind, pattern in _SURE:
            if match := pattern.fullmatch(sentence):
                return _order(kind, match)
    whole = " ".join(sentences)
    for kind, pattern in (*_SURE, *_LIKELY):
        if match := pattern.fullmatch(whole):
            return _order(kind, match)
    return None


def _plain(text: str) -> str:
    """Small letters and single spaces."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", text.casefold().replace("-", " ")).split())


def _order(kind: OrderKind, match: re.Match[str]) -> Order:
    said = match.groupdict()
    if said.get("alone"):
        return Order(kind, timedelta(seconds=_SECONDS[said["alone"]]))
    if not said.get("count"):
        return Order(kind, until_morning=bool(said.get("morning")))
    count = said["count"]
    number = _NUMBERS[count] if count in _NUMBERS else int(count)
    return Order(kind, timedelta(seconds=number * _SECONDS[said["unit"].removesuffix("s")]) or None)
