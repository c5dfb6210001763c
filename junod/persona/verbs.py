"""What people do with impressions: look, correct, delete. Every face calls these; none writes a memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from junod.decay import weight
from junod.errors import UsageError
from junod.memory.persona import PersonaStore, Quote, TraitRow
from junod.persona.lexicon import Impression, ImpressionKind, find
from junod.persona.refusals import is_diagnostic
from junod.sections import PersonaSettings

IMPRESSIONS_NOTE = "Impressions, not facts; they may be wrong. Never act on them, never explain a person by them."
"""Stands before impressions wherever a language model reads them."""
MAX_CORRECTION_CHARS = 200


@dataclass(frozen=True, slots=True)
class Trait:
    """An impression as it is shown."""

    id: str
    kind: ImpressionKind
    who: str
    statement: str
    """'Sylvie dreads the dentist', or as a person corrected it."""
    weight: float
    """0 to 1, as of now."""
    is_shown: bool
    is_corrected: bool
    days: int
    """Different days on which it was borne out."""
    quotes: tuple[Quote, ...]
    """The words that bear it out, oldest first."""
    created_at: datetime


class Persona:
    """The impressions of one household as seen now."""

    def __init__(self, store: PersonaStore, settings: PersonaSettings, zone: ZoneInfo) -> None:
        self._store = store
        self._settings = settings
        self._zone = zone

    def list(self, now: datetime, *, everything: bool = False) -> tuple[Trait, ...]:
        """Those that are borne out well enough, the strongest first; `everything`: all of them.

        Nothing where the household does not want impressions, unless everything is asked for.
        """
        found = [trait for row in self._store.all() if (trait := self._trait(row, now)) is not None]
        found.sort(key=lambda each: (-each.weight, each.id))
        return tuple(trait for trait in found if everything or (trait.is_shown and self._settings.enabled))

    def show(self, trait_id: str, now: datetime) -> Trait:
        """One impression. Errors as in `PersonaStore.get`."""
        row = self._store.get(trait_id)
        return self._trait(row, now) or self._unreadable(row)

    def correct(self, trait_id: str, text: str, now: datetime) -> Trait:
        """Let it read as a person says. Errors as in `PersonaStore.get`.

        Raises:
            UsageError: nothing is said, too much, or something clinical.
        """
        wording = " ".join(text.split())
        if not wording or len(wording) > MAX_CORRECTION_CHARS:
            raise UsageError(
                f"A correction has 1 to {MAX_CORRECTION_CHARS} characters.", hint="Say it in a sentence, or delete it."
            )
        if is_diagnostic(wording):
            raise UsageError("Impressions hold nothing clinical.", hint="Say it in everyday words, or delete it.")
        self._store.correct(trait_id, wording)
        return self.show(trait_id, now)

    def delete(self, trait_id: str) -> str:
        """Erase it; it is not formed again. Returns its id. Errors as in `PersonaStore.get`."""
        return self._store.delete(trait_id)

    def delete_all(self) -> int:
        """Erase all; returns how many."""
        return self._store.delete_all()

    def _trait(self, row: TraitRow, now: datetime) -> Trait | None:
        """None where its words cannot be read now, or nobody is named any more about whom they are."""
        read = [(quote, each) for quote in row.quotes if (each := self._impression(row, quote)) is not None]
        if not read:
            return None
        quotes = tuple(quote for quote, _ in read)
        last = read[-1][1]
        moments = [quote.memory.spoken_at for quote in quotes]
        days = len({at.astimezone(self._zone).date() for at in moments})
        strength = weight(moments, now=now, half_life_days=self._settings.half_life_days, gain=self._settings.gain)
        enough = self._settings.min_days_trait if last.kind is ImpressionKind.TRAIT else self._settings.min_days_feeling
        return Trait(
            id=row.id,
            kind=last.kind,
            who=last.who,
            statement=row.correction or last.statement,
            weight=strength,
            is_shown=days >= enough and strength >= self._settings.archive_below,
            is_corrected=bool(row.correction),
            days=days,
            quotes=quotes,
            created_at=row.created_at,
        )

    def _impression(self, row: TraitRow, quote: Quote) -> Impression | None:
        """What the quoted words say, read again, so that a name taken off the list is gone at once."""
        people, for_us = self._settings.people, self._settings.household_too
        found = find(quote.text, people, for_us=for_us)
        return next((each for each in found if self._store.hash(each.kind, each.key) == row.hash), None)

    def _unreadable(self, row: TraitRow) -> Trait:
        kind = ImpressionKind(row.kind)
        return Trait(row.id, kind, "", row.correction, 0.0, False, bool(row.correction), 0, (), row.created_at)


def trait_row(trait: Trait, zone: ZoneInfo) -> dict[str, Any]:
    """An impression for programs; the keys are a contract, readers must ignore those they do not know."""
    return {
        "id": trait.id,
        "kind": trait.kind.value,
        "who": trait.who,
        "statement": trait.statement,
        "weight": round(trait.weight, 3),
        "shown": trait.is_shown,
        "corrected": trait.is_corrected,
        "days": trait.days,
        "evidence": [
            {
                "quote": quote.text,
                "memory": quote.memory.id,
                "spoken_at": quote.memory.spoken_at.astimezone(zone).isoformat(timespec="minutes"),
            }
            for quote in trait.quotes
        ],
    }
