"""/api/ear: what the ear does, and the switches that a family needs within reach."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from fastapi import APIRouter

from junod.errors import UsageError
from junod.web.ear import EarControlLike
from junod.web.present import Presenter
from junod.web.shapes import EarOut, ForgetLastIn, MediaIn, OffRecordIn


class EarApi:
    def __init__(self, ear: EarControlLike, *, present: Callable[[], Presenter]) -> None:
        self._ear, self._present = ear, present

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
        return self.show()

    def unmute(self) -> EarOut:
        self._ear.unmute()
        return self.show()

    def off_record(self, given: OffRecordIn) -> EarOut:
        """As mute, but it ends by itself."""
        if (given.minutes is None) == (given.until is None):
            raise UsageError("Say for how long.", hint='Give "minutes", or "until": "morning".')
        if given.minutes is not None:
            self._ear.off_the_record(self._present().now + timedelta(minutes=given.minutes))
        else:
            self._ear.off_the_record(self._ear.morning())
        return self.show()

    def on_record(self) -> EarOut:
        self._ear.on_the_record()
        return self.show()

    def forget_last(self, given: ForgetLastIn) -> EarOut:
        """Erase what was spoken in the last minutes: memories, what is not decided yet, buffers."""
        self._ear.forget_last(timedelta(minutes=given.minutes))
        return self.show()

    def media(self, given: MediaIn) -> EarOut:
        """Whether a television or radio plays, as the ear should take it."""
        self._ear.set_media(given.state)
        return self.show()
