"""The door: who asks, under which name, from which page, and how much. Pure ASGI, in front of every route.

- The Host header must be one of our own names, so that no foreign name that resolves to this address gets in
  (DNS rebinding).
- A request that changes something must come from our own page: same Origin, and a header that a form cannot set.
- Elsewhere than on loopback a token is needed, and on loopback where the settings say so.
- Nothing that goes wrong inside shows a traceback, in the answer or in the log: both could quote memories.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any, Literal
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from junod.errors import JunodError
from junod.web.access import AccessError, UnknownError

log = logging.getLogger(__name__)

Source = Literal["unix", "loopback", "lan"]
SOURCE = "junod.source"
"""Key of the scope that says at which door the request came in. Set by the listener, never by the client."""
PAIRED = "junod.paired"
COOKIE = "junod"
MARK = "x-junod"
MAX_BODY_BYTES = 64 * 1024
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
OPEN_PATHS = ("/pair", "/api/pair", "/static/")
"""What somebody without a token may see: nothing of it says anything about the household."""
HEALTH_PATH = "/health"
"""Open on the machine itself, for whatever watches over it."""
FEED_PATHS = frozenset({"/calendar.ics", "/shopping.md"})
"""These look at their own token, wherever the request comes from."""
MCP_PATH = "/mcp"
"""Has its own token and its own look at the origin."""
HEADERS = {
    "content-security-policy": "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Door:
    """What the guard has to know.

    Args:
        names: host names and addresses of ours, beside those of loopback; asked at each request.
        known: whose token this is; blocking.
        require_token: on loopback too.
    """

    names: Callable[[], Collection[str]]
    known: Callable[[str], str | None]
    require_token: bool


class Guard:
    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app, self._door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        out = _Outgoing(send, is_private=not scope["path"].startswith("/static/"))
        try:
            await self._check(scope)
            await self._app(scope, _limited(receive), out.send)
        except JunodError as error:
            await out.refuse(status_of(error), error.code, error.message, error.hint, scope, receive)
        except HTTPException as error:
            await out.refuse(error.status_code, "too-large", error.detail, "Send less.", scope, receive)
        except Exception as error:  # the edge of the server: an answer without content, and no traceback that quotes
            log.error("%s %s failed: %s", scope["method"], route_of(scope), where(error))
            await out.refuse(500, "internal", "Something went wrong in junod.", "`junod doctor` may say what.",
                             scope, receive)  # fmt: skip

    async def _check(self, scope: Scope) -> None:
        headers, path = Headers(scope=scope), scope["path"]
        source: Source = scope.get(SOURCE, "loopback")
        if source != "unix":
            self._check_host(headers.get("host", ""))
        if path == MCP_PATH or path.startswith(MCP_PATH + "/"):
            if source == "lan":
                raise AccessError("Assistants reach junod on the device itself only.", hint="Use `junod mcp` there.")
            return
        if scope["method"] not in SAFE:
            check_origin(headers)
            if int(headers.get("content-length", "0")) > MAX_BODY_BYTES:  # a server lets only digits through
                raise _too_large()
        if source == "unix" or path in FEED_PATHS or path.startswith(OPEN_PATHS):
            return
        if source == "loopback" and path == HEALTH_PATH:
            return
        if source == "lan" or self._door.require_token:
            await self._check_token(scope, headers)

    def _check_host(self, host: str) -> None:
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if name.lower() not in LOOPBACK_NAMES and name.lower() not in self._door.names():
            raise AccessError("This is not reached under that name.", hint="Open http://127.0.0.1 with junod's port.")

    async def _check_token(self, scope: Scope, headers: Headers) -> None:
        token = token_of(headers)
        paired = await run_in_threadpool(self._door.known, token) if token else None
        if paired is None:
            raise UnknownError("This device is not paired.", hint="Open /pair and give the code junod shows.")
        scope[PAIRED] = paired


def check_origin(headers: Mapping[str, str]) -> None:
    """Whether a change comes from our own page, or from no page at all (a program that sets our header).

    Raises:
        AccessError: it does not.
    """
    origin, host = headers.get("origin"), headers.get("host", "")
    is_foreign = origin is not None and (urlsplit(origin).netloc.lower() != host.lower() or not host)
    if is_foreign or headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise AccessError("Another page asked for this.", hint="Use junod's own page.")
    if headers.get(MARK) != "1":
        raise AccessError("The request lacks the header X-Junod.", hint="Send X-Junod: 1 with it.")


def token_of(headers: Mapping[str, str]) -> str:
    """The bearer token, else the cookie's; '' for none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def status_of(error: JunodError) -> int:
    """The HTTP status of an error of junod."""
    by_code = {
        "not-allowed": 403, "not-paired": 401, "too-many": 429, "wrong-use": 400, "bad-settings": 400,
        "not-found": 404, "conflict": 409, "audio": 503, "model": 503, "store": 503,
    }  # fmt: skip
    return by_code.get(error.code, 500)


def route_of(scope: Scope) -> str:
    """The route's pattern, never the path: that may hold what somebody typed."""
    return getattr(scope.get("route"), "path", "a path")


def where(error: BaseException) -> str:
    """Kind and place of an error, without its message, which may quote speech."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{place}"


def _limited(receive: Receive) -> Receive:
    """The body, up to what a request of ours ever needs, also where nobody said beforehand how long it is."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BODY_BYTES:
            raise _too_large()
        return message

    return limited


def _too_large() -> HTTPException:
    return HTTPException(413, f"The request is larger than {MAX_BODY_BYTES // 1024} kB.")


class _Outgoing:
    """Sends the answer with our headers, and knows whether it has begun."""

    def __init__(self, send: Send, *, is_private: bool) -> None:
        self._send, self._is_private, self._begun = send, is_private, False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", "no-store" if self._is_private else "no-cache")
        await self._send(message)

    async def refuse(self, status: int, code: str, message: str, hint: str, scope: Scope, receive: Receive) -> None:
        if not self._begun:
            await JSONResponse(error_body(code, message, hint), status)(scope, receive, self.send)


def error_body(code: str, message: str, hint: str = "") -> dict[str, Any]:
    return {"error": code, "message": message, "hint": hint}
