"""Proposals from the language model: a grammar that bounds the answer, and a parser that does not trust it.

The gate has decided that the passage holds something, so the grammar makes the list open with an entry: asked plainly,
a small model answers "nothing" to nearly everything.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from junod.errors import ExtractionError
from junod.extract import shopping
from junod.extract.focus import Focus
from junod.extract.language_model import LanguageModel
from junod.extract.prompt import OPENING, build_prompt
from junod.records import Kind, Passage, Proposal
from junod.sections import ExtractSettings

MAX_QUOTE, MAX_WHEN, MAX_MEMORY, MAX_ITEM, MAX_ITEMS = 240, 80, 160, 48, 14
_ANY_KIND = '"fact"'  # a rule may not be empty, even one that nothing uses
_NO_FOCUS = Focus()


def generate(
    passage: Passage, llm: LanguageModel, settings: ExtractSettings, focus: Focus = _NO_FOCUS
) -> tuple[Proposal, ...]:
    """What the model would keep of a masked passage that passed the gate; at least one proposal, unverified.

    Args:
        passage: already masked.
        llm: writes the answer.
        settings: limits of the answer.
        focus: what to point the model at, and what to let it answer.

    Raises:
        ExtractionError: the model failed, was too slow, or answered outside its format. Never 'nothing found'.
    """
    most = min(settings.max_memories, focus.most)
    prompt = build_prompt(passage, focus.likely)
    answer = llm.complete(
        prompt, grammar(most, focus.kinds, list_first=focus.list_first), settings.max_tokens, settings.deadline_s
    )
    return parse(answer, settings.max_memories)


def grammar(max_memories: int, kinds: frozenset[Kind] = frozenset(Kind), *, list_first: bool = False) -> str:
    """GBNF of what follows `prompt.OPENING`: no free whitespace, every length bounded."""
    others = [f'"{kind}"' for kind in Kind if kind in kinds and kind is not Kind.SHOPPING]
    return "\n".join(
        (
            f'root ::= ({" | ".join(_orders(max_memories, kinds, bool(others), list_first))}) "]}}"',
            r'shopping ::= "{\"kind\": \"shopping\", \"items\": [" items "]}"',
            r'other ::= "{\"kind\": \"" kind "\", \"quote\": \"" quote "\", " rest "\"}"',
            r'rest ::= "\"when\": \"" when "\", \"memory\": \"" memory',
            f"kind ::= {' | '.join(others) or _ANY_KIND}",
            f'items ::= item (", " item){{0,{MAX_ITEMS - 1}}}',
            rf'item ::= "\"" char{{1,{MAX_ITEM}}} "\""',
            f"quote ::= char{{1,{MAX_QUOTE}}}",
            f"when ::= char{{0,{MAX_WHEN}}}",
            f"memory ::= char{{3,{MAX_MEMORY}}}",
            r'char ::= [^"\\\x00-\x1f]',
        )
    )


def _orders(most: int, kinds: frozenset[Kind], has_others: bool, list_first: bool) -> list[str]:
    """The orders in which entries may come: one shopping list at most, first or last."""
    more = f'(", " other){{0,{most - 1}}}' if has_others and most > 1 else ""
    orders = [f"shopping {more}"] if list_first or Kind.SHOPPING in kinds else []
    if has_others and not list_first:
        orders.append(f"other {more}")
        if most > 1 and Kind.SHOPPING in kinds:
            orders.append(f'other (", " other){{0,{most - 2}}} ", " shopping')
    return [order.rstrip() for order in orders]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    kind: Literal["shopping", "appointment", "event", "reminder", "fact"]
    quote: Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_QUOTE)] = ""
    when: Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_WHEN)] = ""
    items: list[Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_ITEM)]] = Field(
        default_factory=list, max_length=MAX_ITEMS
    )
    memory: Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_MEMORY)] = ""


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    memories: list[_Entry]


def parse(answer: str, max_memories: int) -> tuple[Proposal, ...]:
    """The model's continuation of `prompt.OPENING` as proposals.

    Raises:
        ExtractionError: not exactly one JSON object of the format, or more entries than allowed, or none.
    """
    try:
        entries = _Answer.model_validate_json(OPENING + answer.strip()).memories
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise ExtractionError(
            f"The language model answered outside its format ({problem['type']} {place}).".replace(" )", ")"),
            permanent=False,
        ) from None  # the validation error quotes what was spoken
    if not 1 <= len(entries) <= max_memories:
        raise ExtractionError(f"The language model answered with {len(entries)} entries.", permanent=False)
    if any(not (entry.items if entry.kind == "shopping" else entry.quote and entry.memory) for entry in entries):
        raise ExtractionError("The language model left out what an entry must have.", permanent=False)
    return tuple(_proposal(entry) for entry in entries)


def _proposal(entry: _Entry) -> Proposal:
    kind = Kind(entry.kind)
    if kind is not Kind.SHOPPING:
        return Proposal(kind, " ".join(entry.memory.split()), entry.quote, entry.when)
    items = tuple(item for item in entry.items if item)
    return Proposal(kind, shopping.text(items), entry.quote, "", items)
