"""How much of an answer impressions may be: one of five, a fifth of its tokens, and only beside facts (pure)."""

from __future__ import annotations

from collections.abc import Sequence

from junod.audit import is_suspect
from junod.extract.words import keys
from junod.memory.context import tokens
from junod.persona.verbs import IMPRESSIONS_NOTE, Trait
from junod.sections import PersonaSettings


def impressions_for(
    facts_text: str, facts: int, talk: str, traits: Sequence[Trait], settings: PersonaSettings, left_tokens: int
) -> tuple[str, tuple[Trait, ...]]:
    """A block to stand after the facts, and the impressions in it; '' where none fits.

    Args:
        facts_text: the answer so far.
        facts: how many facts are in it.
        left_tokens: what may still be said.
        talk: what is being talked about; an impression must share a telling word with it or with the facts.
    """
    if not settings.enabled:
        return "", ()
    subject = set(keys(f"{talk}\n{facts_text}"))
    fit = (trait for trait in traits if not is_suspect(trait.statement))
    bearing = [trait for trait in fit if set(keys(trait.statement)) & subject]
    chosen: list[Trait] = []
    for trait in bearing:
        wanted = [*chosen, trait]
        text = _block(wanted)
        share = tokens(text) / (tokens(facts_text) + tokens(text))
        number = len(wanted) / (facts + len(wanted))
        if max(number, share) <= settings.max_share and tokens(text) <= left_tokens:
            chosen = wanted
    return (_block(chosen), tuple(chosen)) if chosen else ("", ())


def _block(traits: Sequence[Trait]) -> str:
    lines = [f"- {trait.statement}".replace("<", "‹").replace(">", "›") for trait in traits]
    return "\n".join(["", "<impressions>", IMPRESSIONS_NOTE, *lines, "</impressions>"])
