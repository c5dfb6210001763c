"""Masks credentials in what was said: passwords, PINs and codes, cards, accounts, identity numbers.

`mask` is the one entrance. It is pure, never raises, and takes time linear in the text. It prefers a lost clause over a
leaked secret, but keeps the passage's other clauses. docs/adr/0003-credentials.md tells how it was chosen and measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from junod.redact.codes import CodeFinder, Secret
from junod.redact.cues import plain
from junod.redact.tokens import tokenize
from junod.redact.words import find_word_secrets

_SEPARATOR = "\n"
_MAX_PASSES = 16


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its credentials."""

    text: str
    """Each credential replaced by a mask that names its kind, for example `[code]`."""
    found: tuple[str, ...] = ()
    """The kinds masked, in order, from `tokens.MASK_LABELS`; empty when nothing was."""


def mask(text: str, context: Sequence[str] = ()) -> Masked:
    """Mask the credentials in `text`.

    Args:
        text: a transcript, or a memory's markdown.
        context: transcripts of earlier passages of the same conversation, oldest first: the cue may stand there, or the
            first half of a card number.

    Returns:
        The masked text; masking it again changes nothing.
    """
    found: list[str] = []
    for _ in range(_MAX_PASSES):
        masked = _mask_parts([*context, text], len(context))[-1]
        if masked.text == text:
            break
        found.extend(masked.found)
        text = masked.text
    return Masked(text, tuple(found))


def mask_all(texts: Sequence[str]) -> list[str]:
    """Mask transcripts of one conversation, oldest first, each in the light of all."""
    current = list(texts)
    for _ in range(_MAX_PASSES):
        masked = [part.text for part in _mask_parts(current, 0)]
        if masked == current:
            break
        current = masked
    return current


def _mask_parts(texts: Sequence[str], first: int) -> list[Masked]:
    """Find secrets in all `texts` together, and mask them in those from index `first` on."""
    joined = _SEPARATOR.join(texts)
    secrets = _merged(_find(joined), joined)
    masked: list[Masked] = []
    offset = 0
    for index, text in enumerate(texts):
        if index >= first:
            end = offset + len(text)
            inside = [secret for secret in secrets if secret.start < end and secret.end > offset]
            masked.append(_replaced(text, inside, offset))
        offset += len(text) + len(_SEPARATOR)
    return masked


def _find(text: str) -> list[Secret]:
    tokens = tokenize(text)
    if not tokens:
        return []
    lowered = plain(text)
    finder = CodeFinder(text, lowered, tokens)
    codes = finder.secrets()
    return [*codes, *find_word_secrets(text, lowered, tokens, finder.runs, codes)]


def _merged(secrets: Iterable[Secret], text: str) -> list[Secret]:
    """In order, overlapping ones joined and neighbours of one kind too ("four four, one, nine")."""
    merged: list[Secret] = []
    for secret in sorted(secrets, key=lambda item: (item.start, -item.end)):
        last = merged[-1] if merged else None
        if last is not None and secret.start < last.end:
            merged[-1] = Secret(last.start, max(last.end, secret.end), last.kind)
        elif last is not None and secret.kind == last.kind and not text[last.end : secret.start].strip(" ,-"):
            merged[-1] = Secret(last.start, secret.end, last.kind)
        else:
            merged.append(secret)
    return merged


def _replaced(text: str, secrets: Sequence[Secret], offset: int) -> Masked:
    parts: list[str] = []
    position = 0
    for secret in secrets:
        parts += [text[position : max(secret.start - offset, 0)], f"[{secret.kind}]"]
        position = min(secret.end - offset, len(text))
    parts.append(text[position:])
    return Masked("".join(parts), tuple(secret.kind for secret in secrets))
