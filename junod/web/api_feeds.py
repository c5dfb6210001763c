"""/calendar.ics and /shopping.md: what may leave the house's walls, behind a token of its own."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Query, Response

from junod.agenda.entries import entry_of
from junod.assembly.house import House
from junod.memory.paired import PairedDevices
from junod.memory.store import MAX_LIMIT
from junod.web.access import UnknownError
from junod.web.calendar import calendar_text
from junod.web.lists import shopping_lines

Token = Annotated[str, Query(max_length=200)]


class FeedsApi:
    def __init__(self, house: House, devices: PairedDevices) -> None:
        self._house, self._devices = house, devices

    def router(self) -> APIRouter:
        router = APIRouter(tags=["feeds"])
        router.add_api_route("/calendar.ics", self.calendar, response_class=Response)
        router.add_api_route("/shopping.md", self.shopping, response_class=Response)
        return router

    def calendar(self, token: Token = "") -> Response:
        """Appointments, events, due tasks and repeats for a calendar program to follow."""
        self._check(token)
        zone, day_first = self._house.zone, self._house.day_first
        memories = [memory for memory in self._house.store.list(limit=MAX_LIMIT) if memory.source != "done"]
        text = calendar_text(
            (entry_of(memory, zone, day_first=day_first) for memory in memories), zone, self._house.clock.now()
        )
        return Response(text, media_type="text/calendar; charset=utf-8")

    def shopping(self, token: Token = "") -> Response:
        """What is to be bought, as a markdown list with boxes."""
        self._check(token)
        lines = shopping_lines(self._house.store.list(limit=MAX_LIMIT), self._house.clock.now())
        boxes = [f"- [{'x' if line.is_done else ' '}] {_plain(line.item)}" for line in lines]
        return Response("\n".join(["# Shopping list", "", *boxes]) + "\n", media_type="text/markdown; charset=utf-8")

    def _check(self, token: str) -> None:
        if not token or self._devices.known(token) is None:
            raise UnknownError("This address needs a token.", hint="Make a new address on the device, under Trust.")


def _plain(item: str) -> str:
    """An item that is no link, image or HTML for whoever renders the list."""
    return re.sub(r"([\\`*_\[\]<>!])", r"\\\1", item)
