"""What reads the wording of memories: dedup, habits, the page's days, search. Pure functions, which take any text."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from fuzz.fuzz_words import FILLED, ODD, mangled, text

from junod.agenda.entries import entry_of
from junod.dedup.lists import combine, read_items, written
from junod.dedup.parsed import parse
from junod.dedup.policy import judge
from junod.errors import JunodError
from junod.habits.sightings import moment_in, observe
from junod.memory.entities import about
from junod.memory.terms import coverage, understood
from junod.records import Memory
from junod.web.calendar import calendar_text
from junod.web.lists import shopping_lines

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 24, 18, tzinfo=UTC)
WORDINGS = (
    "Shopping list: {} eggs, {} g of flour, milk ({} l)", "Shopping list:\n- ~~{} milk~~\n- {} more eggs\n- {}",
    "Dentist for Leo — Tue 24 Mar 2026, {}:{}", "The dentist is on the {}th at {} — {} {} {}", "Pay {} euros by the {}",
    "Every {} {}: take out the bins — Mon {} Mar 2026", "Leo's birthday is on {} {}", "{} past {} on the {}nd of {}",
    "Moved: the dentist is at {} instead of {}", "Holiday — {} Jul to {} Aug {}", "Chess at {} pm, not at {} am",
    "Rent — by Fri 31 Dec {}", "Tax — before Mon 1 Jan {}, {}:30", "Fair — Sat {} – Sun {} Jul {}",
    "Run — Mon 30 Feb 2026", "The spare key is in drawer {}", "- [ ] {} apples\n- [x] {} pears\n{}", "{}",
)  # fmt: skip


class Vocabulary:
    """Words that might be meant."""

    def size(self) -> int:
        return 99

    def counts(self, stems: object) -> dict[str, int]:
        return {}

    def like(self, word: str, fits: Callable[[str], bool]) -> list[str]:
        return [other for other in ("milk", "dentist", "2026", word[:-1]) if other and fits(other)]


def wording(rng: Random) -> str:
    parts = rng.choice(WORDINGS).split("{}")
    filled = (rng.choice(ODD if rng.random() < 0.1 else FILLED) for _ in parts[1:])
    said = parts[0] + "".join(fill + part for fill, part in zip(filled, parts[1:], strict=True))
    return mangled(rng, said) if rng.random() < 0.3 else said


def memory(rng: Random) -> Memory:
    said = wording(rng).encode("utf-8", "ignore").decode()  # the database holds nothing else
    spoken = rng.choice(
        (NOW, NOW - timedelta(days=400), datetime(1, 1, 2, tzinfo=UTC), datetime(2099, 12, 30, tzinfo=UTC))
    )
    return Memory(
        id=str(rng.randrange(10**9)), memory=said, transcript=text(rng, 6) if rng.random() < 0.5 else said,
        room="kitchen", device_id="", spoken_at=spoken, created_at=NOW,
        expires_at=rng.choice((None, NOW, NOW + timedelta(days=1))), archived=False,
        source=rng.choice(("voice", "merge", "assistant", "page")), confidence=0.5, supersedes=(), household_id="home",
    )  # fmt: skip


def merging(rng: Random) -> None:
    older = memory(rng)
    newer = replace(memory(rng), spoken_at=older.spoken_at)
    judge(parse(older), parse(newer))
    items = combine(read_items(older.memory.splitlines()), read_items(newer.memory.splitlines()), newer.transcript)
    written("Shopping list:", items)
    observe(newer, [older], BERLIN)


def page(rng: Random) -> None:
    known = [memory(rng) for _ in range(2)]
    entries = [entry_of(one, BERLIN, day_first=rng.random() < 0.5) for one in known]
    for entry in entries:
        entry.falls_on(NOW.date())
        entry.clock_on(NOW.date())
    shopping_lines(known, NOW)
    calendar_text(entries, BERLIN, NOW)
    moment_in(known[0].memory, BERLIN)


def search(rng: Random) -> None:
    asked, found = wording(rng) if rng.random() < 0.5 else text(rng, 8), wording(rng)
    about(found)
    with suppress(JunodError):
        query = understood(asked, Vocabulary())
        coverage(query.terms, found)


MEMORIES: dict[str, Callable[[Random], None]] = {"merge": merging, "page": page, "search": search}
