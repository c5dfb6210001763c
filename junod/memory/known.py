"""Does the store hold this already? The tail of a split passage, or a toast read aloud, makes no second row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from junod.memory.codec import words_of
from junod.memory.markdown import open_part
from junod.memory.store import Found
from junod.records import Memory, NewMemory

_CANDIDATES = 20
"""The same words rank first among keyword hits; this many leave room for ties."""


class KeywordStore(Protocol):
    def keyword(self, text: str, k: int) -> Sequence[Found]: ...


def same_words(store: KeywordStore, new: NewMemory) -> Memory | None:
    """The active memory that has the same words and the same end; what it has struck through does not count."""
    words = words_of(new.memory)
    for found in store.keyword(new.memory, _CANDIDATES):
        if words_of(open_part(found.memory.memory)) == words and found.memory.expires_at == new.expires_at:
            return found.memory
    return None
