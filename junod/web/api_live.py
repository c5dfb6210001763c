"""/api/events: what happens, as server-sent events; /health: whether the daemon does its work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Annotated

from fastapi import APIRouter, Header, Response
from starlette.responses import StreamingResponse

from junod.errors import StoreError
from junod.health import StageHealth, judge
from junod.memory.reembedding import Progress
from junod.web.access import TooManyError
from junod.web.ear import EarControlLike
from junod.web.feed import EventFeed
from junod.web.present import Presenter
from junod.web.shapes import HealthOut, ReadingOut, StageHealthOut

MAX_LISTENERS = 64


class LiveApi:
    def __init__(
        self,
        feed: EventFeed,
        ear: EarControlLike,
        stages: Callable[[], tuple[StageHealth, ...]],
        *,
        present: Callable[[], Presenter],
        reading_again: Callable[[], Progress | None] = lambda: None,
    ) -> None:
        self._feed, self._ear, self._stages, self._present = feed, ear, stages, present
        self._reading_again = reading_again

    def router(self) -> APIRouter:
        router = APIRouter(tags=["live"])
        router.add_api_route("/api/events", self.events, response_class=StreamingResponse)
        router.add_api_route("/health", self.health, response_model=HealthOut)
        return router

    async def events(self, last_event_id: Annotated[str | None, Header(max_length=32)] = None) -> StreamingResponse:
        """saved, merged, changed, gone, ear, rule, asked, learned, reset, beat; see `junod.web.feed`."""
        if self._feed.listeners >= MAX_LISTENERS:
            raise TooManyError("Too many pages follow already.", hint="Close some of them.")
        number = int(last_event_id) if last_event_id and last_event_id.isdecimal() else None
        return StreamingResponse(self._texts(number), media_type="text/event-stream")

    async def _texts(self, number: int | None) -> AsyncIterator[str]:
        async for sent in self._feed.stream(number):
            yield sent.text()

    def health(self, response: Response) -> HealthOut:
        """200 while every stage makes progress, else 503. Holds nothing of what was said."""
        stages, ear = self._stages(), self._ear.snapshot()
        verdict = judge(stages, ear)
        response.status_code = 200 if verdict.alive else 503
        return HealthOut(
            alive=verdict.alive,
            problems=list(verdict.problems),
            stages=[
                StageHealthOut(name=stage.name, state=stage.state, alive=stage.is_alive, age_s=stage.age_s)
                for stage in stages
            ],
            ear=self._present().ear(ear),
            reading_again=self._reading(),
        )

    def _reading(self) -> ReadingOut | None:
        """Whether a stage lives does not depend on the database answering."""
        try:
            found = self._reading_again()
        except StoreError:
            return None
        return ReadingOut(done=found.done, total=found.total) if found else None
