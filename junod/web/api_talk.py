"""/api/context: what is remembered that bears on what is being said now. The words said are not given out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Query

from junod.assembly.house import House
from junod.memory.context import DEFAULT_TOKENS, MAX_TOKENS, MIN_TOKENS
from junod.web.present import Presenter
from junod.web.shapes import ContextOut

Tokens = Annotated[int, Query(ge=MIN_TOKENS, le=MAX_TOKENS, description="At most so many tokens of text.")]


class TalkApi:
    def __init__(self, house: House, *, present: Callable[[], Presenter]) -> None:
        self._house, self._present = house, present

    def router(self) -> APIRouter:
        router = APIRouter(tags=["live"])
        router.add_api_route("/api/context", self.context, response_model=ContextOut)
        return router

    def context(self, tokens: Tokens = DEFAULT_TOKENS) -> ContextOut:
        """Five memories at most, as data for an assistant's prompt; nothing where nobody spoke within a minute."""
        talk = self._house.talk.context(tokens)
        if talk is None:
            return ContextOut(heard=False, text="", memories=[])
        present = self._present()
        memories = [present.memory(memory) for memory in talk.found.memories]
        return ContextOut(heard=True, text=talk.found.text, memories=memories)
