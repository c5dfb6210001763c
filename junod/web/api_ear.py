"""/api/ear: what the ear does, and the switches that a family needs within reach."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta

from fastapi import APIRouter

from junod.errors import UsageError
from junod.web.ear import EarControlLike
from junod.web.feed import EventFeed
from junod.web.present import Presenter
from junod.web.shapes import EarOut, ForgetLastIn, MediaIn, OffRecordIn

MORNING = time(6, 0)


class EarApi:
    def __init__(self, ear: EarControlLike, feed: EventFeed, *, present: Callable[[], Presenter]) -> None:
        self._ear, self._feed, self._present = ear, feed, present

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/api/ear", tags=["ear"])
        router.add_api_route("", self.show, response_model=EarOut)
        for path, switch in (
            ("/mute", self.mute),
            ("/unmute", self.unmute),
            ("/off-record", self.off_record),
            ("/on-record", self.on_record),
            ("/forget-last", self.forget_last),
            ("/media", self.media),
        ):
            router.add_api_route(path, switch, methods=["POST"], response_model=EarOut)
        return router

    def show(self) -> EarOut:
        return self._present().ear(self._ear.snapshot())

    def mute(self) -> EarOut:
        """Close the microphone and wipe every buffer; it stays so over a restart."""
        self._ear.mute()
        return self._told()

    def unmute(self) -> EarOut:
        self._ear.unmute()
        return self._told()

    def off_record(self, given: OffRecordIn) -> EarOut:
        """As mute, but it ends by itself."""
        shown = self._present()
        if (given.minutes is None) == (given.until is None):
            raise UsageError("Say for how long.", hint='Give "minutes", or "until": "morning".')
        if given.minutes is not None:
            self._ear.off_the_record(shown.now + timedelta(minutes=given.minutes))
        else:
            self._ear.off_the_record(next_morning(shown.now.astimezone(shown.zone)))
        return self._told()

    def on_record(self) -> EarOut:
        self._ear.on_the_record()
        return self._told()

    def forget_last(self, given: ForgetLastIn) -> EarOut:
        """Erase what was spoken in the last minutes: memories, what is not decided yet, buffers."""
        wiped = self._ear.forget_last(timedelta(minutes=given.minutes))
        self._feed.gone(wiped.memories)
        return self._told()

    def media(self, given: MediaIn) -> EarOut:
        """Whether a television or radio plays, as the ear should take it."""
        self._ear.set_media(given.state)
        return self._told()

    def _told(self) -> EarOut:
        shown = self.show()
        self._feed.announce("ear", {"snapshot": shown.model_dump(mode="json")})
        return shown


def next_morning(now: datetime) -> datetime:
    """The next six o'clock in the zone of `now`; the clock on the wall counts, also where it was changed that night."""
    day = now.date() if now.time() < MORNING else now.date() + timedelta(days=1)
    return datetime.combine(day, MORNING, now.tzinfo)
