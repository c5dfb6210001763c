"""Hostile text, JSON and bytes from a source of chance: a seeded `Random`, or one that hypothesis can shrink."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

LONG = ("9" * 5000, "[" * 3000, '{"a":' * 3000, "a" * 4000, "nine " * 900, "\u0301" * 2000)
"""One of these costs as much as hundreds of others, so they are rare."""
ODD = (
    "", " ", "\x00", "\n", "\r\n", "\t", '"', "'", "\\", "[", "]", "{", "}", "]}", "<", ">", "&", "%", "%s", "~~", "- ",
    "# ", "```", "<script>alert(1)</script>", "' OR 1=1 --", '" OR "', "NEAR(", "*", "^", "(", ")", "\ud800", "\ufeff",
    "\u202e", "\u0301", "\U0001f469\u200d\U0001f467", "\u05e9\u05dc\u05d5\u05dd", "\u00bd", "\u0663", "\u2028", "null",
    "NaN", "1e999", "-0", "9" * 30, "0000-00-00", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00", "\u00b2",
    "../../etc/passwd", "\x1b[31m", "2026-02-30", "24:61", "<|im_end|>", "\u2460", "\u0969", "\u1e9e",
    "\u0130", "\uff11",
)  # fmt: skip
SAID = (
    "remind", "me", "to", "we", "need", "milk", "and", "eggs", "tomorrow", "at", "half", "past", "seven", "on", "the",
    "31st", "of", "February", "next", "Tuesday", "in", "two", "hours", "every", "other", "day", "last", "week", "until",
    "noon", "midnight", "1/1/0001", "29 February", "in 99999999 years", "a million weeks ago", "25 o'clock", "password",
    "is", "my", "code", "pin", "4711", "4111 1111 1111 1111", "double", "oh", "a", "b", "c", "from", "now", "junod",
    "off", "record", "forget", "minutes", "never", "remember", "rule", "when", "Leo", "says", "loves", ",", ".", "?",
)  # fmt: skip
SENTENCES = (
    "Remind me to call the plumber in {} days.", "The dentist is on the {}th of May at {}.", "Born on {}.{}.{}.",
    "It was {} {} ago, on {}/{}/{}.", "Every {} weeks on Tuesday at {}:{} pm.", "From {} to {} o'clock on the {}nd.",
    "The code is {} {} {}, call me at +{} {}.", "Half past {}, or {} minutes to {}.", "My card is {} {} {} {}.",
    "Junod, off the record for {} minutes.", "Junod, forget the last {} hours.", "In {} {}, by March {}, {}.",
    "Never remember anything about Leo's {}.", "Moved from {} to {}, not {}.", "Don't listen between {} and {}.",
    "From now on dinner is at {}.", "Remind me {} hours before appointments.", "We need {} eggs and {} g of rice.",
)  # fmt: skip
FILLED = (
    "0", "1", "7", "12", "31", "32", "60", "99", "2026", "4711", "00", "0001", "9999", "-1", "1,000", "1.5", "5e9",
    "\u00b2", "\u00bd", "\u0663", "\u2460", "9" * 30, "9" * 400, "twenty", "twenty-one", "a hundred", "oh",
    "thirty five", "double seven", "February", "weeks", "Saturday", "noon", "March", "milk", "",
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**40, 0.5, 1e308, True, False, None)


def text(rng: Random, most: int = 14) -> str:
    """Words as spoken, with odd pieces between them, or whole sentences with odd numbers in them."""
    if most > 4 and rng.random() < 0.4:
        said = " ".join(_sentence(rng) for _ in range(rng.randint(1, 3)))
        return mangled(rng, said) if rng.random() < 0.5 else said
    pieces = [_odd(rng) if rng.random() < 0.25 else rng.choice(SAID) for _ in range(rng.randint(0, most))]
    glue = " " if rng.random() < 0.8 else ""
    return glue.join(pieces)


def _sentence(rng: Random) -> str:
    parts = rng.choice(SENTENCES).split("{}")
    return "".join(part + (_odd(rng) if rng.random() < 0.03 else rng.choice(FILLED)) for part in parts[:-1]) + parts[-1]


def _odd(rng: Random) -> str:
    return rng.choice(LONG if rng.random() < 0.01 else ODD)


def character(rng: Random) -> str:
    return chr(rng.choice((rng.randrange(128), rng.randrange(0x3000), rng.randrange(0x110000))))


def value(rng: Random, depth: int = 3) -> Any:
    """Anything JSON can hold."""
    kind = rng.randrange(6 if depth else 4)
    if kind < 2:
        return text(rng, 5)
    if kind == 2:
        return rng.choice(NUMBERS)
    if kind == 3:
        return _odd(rng)
    if kind == 4:
        return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {text(rng, 1): value(rng, depth - 1) for _ in range(rng.randrange(4))}


def bent(rng: Random, good: Any) -> Any:
    """A good JSON value, something in it put wrong."""
    if rng.random() < 0.15:
        return value(rng, 2)
    if isinstance(good, dict) and good:
        key = rng.choice(list(good))
        if rng.random() < 0.1:
            return {name: part for name, part in good.items() if name != key}
        return {**good, key: bent(rng, good[key])}
    if isinstance(good, list) and good:
        place = rng.randrange(len(good))
        return [*good[:place], bent(rng, good[place]), *good[place + 1 :]]
    if isinstance(good, str) and rng.random() < 0.6:
        return mangled(rng, good)
    return value(rng, 1)


def mangled(rng: Random, good: str) -> str:
    """A good text with pieces put in, taken out or doubled."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(good))
        end = min(len(good), start + rng.choice((0, 0, 1, 2, 8)))
        piece = rng.choice((character(rng), _odd(rng), rng.choice(SAID), good[start:end] * 2))
        good = good[:start] + piece + good[end:]
    return good


def document(rng: Random, good: Any) -> str:
    """JSON text of a bent value, sometimes no JSON any more."""
    written = json.dumps(bent(rng, good), ensure_ascii=rng.random() < 0.7)
    return mangled(rng, written) if rng.random() < 0.4 else written


def as_bytes(rng: Random, written: str) -> bytes:
    raw = written.encode("utf-8", "surrogatepass")
    return damaged(rng, raw) if rng.random() < 0.2 else raw


def damaged(rng: Random, good: bytes) -> bytes:
    """Bytes changed, cut out, doubled or cut off."""
    raw = bytearray(good)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        place = rng.randrange(len(raw) + 1)
        kind = rng.randrange(6)
        if kind < 2 and raw:
            raw[place % len(raw)] = rng.randrange(256)
        elif kind == 2:
            raw[place : place + rng.choice((1, 4, 64))] = bytes(rng.choice((0, 255)) for _ in range(4))
        elif kind == 3:
            del raw[place : place + rng.choice((1, 16, 512))]
        elif kind == 4:
            del raw[place:]
        else:
            raw[place:place] = rng.randbytes(rng.choice((1, 8, 64)))
    return bytes(raw)


def one_of(rng: Random, seeds: Sequence[bytes]) -> bytes:
    return rng.randbytes(rng.randrange(200)) if rng.random() < 0.05 else damaged(rng, rng.choice(seeds))
