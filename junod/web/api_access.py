"""/api/lan, /api/pair, /api/devices, /api/feeds: who else may look, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import APIRouter, Path, Request, Response

from junod.memory.paired import Paired, PairedDevices
from junod.web.access import AccessError, Pairing
from junod.web.guard import COOKIE, SOURCE
from junod.web.present import Presenter
from junod.web.qr import qr_svg
from junod.web.shapes import (
    DevicesOut,
    FeedIn,
    FeedOut,
    LanIn,
    OkOut,
    PairedDeviceOut,
    PairedOut,
    PairIn,
    PairingOut,
)

COOKIE_AGE_S = 400 * 86_400
"""The longest that browsers keep one."""
Id = Annotated[str, Path(pattern=r"^[0-9a-f]{1,32}$")]


class LanSwitch(Protocol):
    """Opens and closes the door to the local network, at once and without losing the ear."""

    @property
    def address(self) -> str:
        """'http://192.168.1.20:8765' while it is open, else ''."""
        ...

    def turn(self, on: bool) -> None:
        """Raises AccessError where there is no network or the port is taken."""
        ...


@dataclass(frozen=True, slots=True)
class Entrance:
    """The parts that decide who comes in."""

    pairing: Pairing
    devices: PairedDevices
    lan: LanSwitch
    home: str
    """Address on the device itself: 'http://127.0.0.1:8765'."""


class AccessApi:
    def __init__(self, entrance: Entrance, *, present: Callable[[], Presenter]) -> None:
        self._in, self._present = entrance, present

    def router(self) -> APIRouter:
        router = APIRouter(prefix="/api", tags=["access"])
        router.add_api_route("/lan", self.state, response_model=PairingOut)
        router.add_api_route("/lan", self.turn, methods=["POST"], response_model=PairingOut)
        router.add_api_route("/offer", self.offer, methods=["POST"], response_model=PairingOut)
        router.add_api_route("/pair", self.pair, methods=["POST"], response_model=PairedOut)
        router.add_api_route("/devices", self.devices, response_model=DevicesOut)
        router.add_api_route("/devices/{device_id}", self.revoke, methods=["DELETE"], response_model=OkOut)
        router.add_api_route("/feeds", self.feed, methods=["POST"], status_code=201, response_model=FeedOut)
        return router

    def state(self) -> PairingOut:
        return PairingOut(on=bool(self._in.lan.address), home=self._in.home, url=self._in.lan.address)

    def turn(self, given: LanIn, request: Request) -> PairingOut:
        """Open the page to the local network, or close it again; on opening there is a code for one device."""
        at_the_device(request)
        self._in.lan.turn(given.on)
        if not given.on:
            self._in.pairing.withdraw()
            return PairingOut(on=False, home=self._in.home)
        return self._offered(self._in.lan.address)

    def offer(self, request: Request) -> PairingOut:
        """A code for one more device, on the local network while that is open."""
        at_the_device(request)
        return self._offered(self._in.lan.address or self._in.home)

    def pair(self, given: PairIn, response: Response) -> PairedOut:
        """Use the code; from then on the cookie (or the token) lets this device in."""
        self._in.pairing.redeem(given.code)
        paired, token = self._in.devices.add(given.name, "device")
        response.set_cookie(COOKIE, token, max_age=COOKIE_AGE_S, httponly=True, samesite="strict", path="/")
        return PairedOut(id=paired.id, name=paired.name, token=token)

    def devices(self) -> DevicesOut:
        return DevicesOut(devices=[self._shown(paired) for paired in self._in.devices.list()])

    def revoke(self, device_id: Id, request: Request) -> OkOut:
        at_the_device(request)
        self._in.devices.revoke(device_id)
        return OkOut()

    def feed(self, given: FeedIn, request: Request) -> FeedOut:
        """Addresses of the calendar and the shopping list, with a token that opens nothing else."""
        at_the_device(request)
        paired, token = self._in.devices.add(given.name, "feed")
        base = self._in.lan.address or self._in.home
        return FeedOut(
            id=paired.id,
            name=paired.name,
            token=token,
            calendar_url=f"{base}/calendar.ics?token={token}",
            shopping_url=f"{base}/shopping.md?token={token}",
        )

    def _offered(self, base: str) -> PairingOut:
        offer = self._in.pairing.offer()
        # The part after # never leaves the phone's browser on its own: it is in no log.
        return PairingOut(
            on=bool(self._in.lan.address),
            home=self._in.home,
            url=f"{base}/pair",
            code=offer.code,
            qr_svg=qr_svg(f"{base}/pair#{offer.code}"),
            expires_at=self._present().local(offer.expires_at),
        )

    def _shown(self, paired: Paired) -> PairedDeviceOut:
        local = self._present().local
        return PairedDeviceOut(
            id=paired.id,
            name=paired.name,
            scope=paired.scope,
            created_at=local(paired.created_at) or paired.created_at,
            last_seen_at=local(paired.last_seen_at),
        )


def at_the_device(request: Request) -> None:
    """Some things only whoever stands before the device may do.

    Raises:
        AccessError: the request came from elsewhere.
    """
    if request.scope.get(SOURCE, "loopback") == "lan":
        raise AccessError("This can be done on the device itself only.", hint="Touch its screen, or use its shell.")
