"""The household's rules for a command: opened, and tried out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from junod.assembly.parts import active_rules, open_store, rule_book
from junod.clock import SystemClock
from junod.errors import NotFoundError, UsageError
from junod.rules.asking import asking
from junod.settings import Settings, household_zone

if TYPE_CHECKING:
    from junod.memory.store import MemoryStore
    from junod.rules.book import RuleBook
    from junod.rules.dry_run import Change


@contextmanager
def open_rules(settings: Settings, *, read_only: bool = False) -> Iterator[RuleBook]:
    """The rules of the configured household; what no pattern reads is asked of the language model, loaded for it.

    Raises:
        StoreError: see `open_store`.
    """
    from junod.assembly.upkeep import dedup_model

    model = None if read_only or not settings.rules.ask_model else dedup_model(settings)
    try:
        with open_store(settings, read_only=read_only) as store:
            yield rule_book(store, settings.reminders, asking(model, settings.extract.deadline_s) if model else None)
    finally:
        if model is not None:
            model.close()


def quiet_now(store: MemoryStore, now: datetime, zone: ZoneInfo) -> dict[str, str | None]:
    """Until when the rules want quiet now, as ISO 8601 in the zone: of the microphone, and of reminders."""
    from junod.rules.quiet import muted_until

    rules = active_rules(store)
    ends = {what: muted_until(now.astimezone(zone), rules, what) for what in ("listening", "reminders")}
    return {what: end.isoformat(timespec="minutes") if end else None for what, end in ends.items()}


def tried_out(settings: Settings, rule: str, days: int) -> tuple[Change, ...]:
    """What a rule, given by its id or in plain words, would have changed in the last so many days.

    Raises:
        UsageError: neither the id of a rule nor understood as one.
    """
    from junod.rules.reading import read_rules

    now, zone = SystemClock().now(), household_zone(settings)
    with open_rules(settings, read_only=True) as book:
        reading = read_rules(rule)
        if len(reading.declared) == 1:
            return book.try_out(reading.declared[0].spec, now=now, zone=zone, days=days)
        if reading.asked:
            raise UsageError("Something is missing.", hint=reading.asked[0].question)
        try:
            return book.dry_run(rule, now=now, zone=zone, days=days)
        except NotFoundError as error:
            raise UsageError(
                "This is neither the id of a rule nor understood as one.", hint="`junod rules list` shows ids."
            ) from error
