"""The page's routes and the assistant's tools, asked what nobody would."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import httpx
from fuzz.fuzz_words import ODD, SAID, as_bytes, damaged, mangled, text, value
from mcp import Client
from mcp_server.mcp_fakes import fake_house
from web.web_fakes import MARK, Site, from_door, site

from junod.mcp_server.server import build_server

ENDLESS = ("/api/events",)
"""Streams: they answer until somebody hangs up."""
HEADERS = ("Accept", "Range", "Authorization", "If-None-Match", "Last-Event-ID", "Cookie", "Origin", "Content-Type")


@contextmanager
def faces() -> Iterator[dict[str, Callable[[Random], None]]]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web").mkdir()
        (Path(folder) / "mcp").mkdir()
        with site(Path(folder) / "web") as house, fake_house(Path(folder) / "mcp") as home:
            home.say("Dentist for Leo")
            routes = Routes(house)
            yield {"http": routes.ask, "events": routes.follow, "mcp": Assistant(build_server(home.house)).ask}


class Routes:
    """Every route of the page's server."""

    def __init__(self, house: Site) -> None:
        self._house = house
        self._ids = [house.say(f"Shopping list:\n- thing {number}").id for number in range(3)]
        document = house.app.openapi()
        self._schemas: dict[str, Any] = document.get("components", {}).get("schemas", {})
        self._operations = [
            (method.upper(), path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if path not in ENDLESS
        ]

    def ask(self, rng: Random) -> None:
        method, path, operation = rng.choice(self._operations)
        if rng.random() < 0.03:
            method, path = rng.choice(("PUT", "OPTIONS", "HEAD", "PATCH")), "/" + quote(text(rng, 2), errors="replace")
        names = {one["name"]: one["in"] for one in operation.get("parameters", ())}
        for name in [name for name, place in names.items() if place == "path"]:
            path = path.replace(f"{{{name}}}", quote(self._id(rng), safe="", errors="replace"))
        query = {name: _shown(rng) for name, place in names.items() if place == "query" and rng.random() < 0.7}
        content = self._body(rng, operation) if "requestBody" in operation else None
        headers = {"Content-Type": "application/json", **(MARK if rng.random() < 0.95 else {})}
        if rng.random() < 0.2:
            headers[rng.choice(HEADERS)] = text(rng, 2).encode("latin-1", "replace").decode("latin-1").replace("\n", "")
        _checked(method, path, asyncio.run(self._answer(method, path, query, content, headers)))

    def follow(self, rng: Random) -> None:
        """The stream of events, asked for from anywhere, and left after some of them."""
        feed, last = self._house.app.state.feed, self._house.app.state.feed.last_number
        number = rng.choice(
            (str(last - rng.randrange(400)), str(last + 5), text(rng, 2), rng.choice(ODD), "\u0663", "9" * 32)
        )
        headers = [(b"last-event-id", number.encode("latin-1", "replace"))] if rng.random() < 0.9 else []
        if rng.random() < 0.2:
            headers.append((rng.choice(HEADERS).lower().encode(), text(rng, 2).encode("latin-1", "replace")))
        for _ in range(rng.randrange(4)):
            feed.announce("saved", {"memory": text(rng, 5)})
        method = "GET" if rng.random() < 0.9 else rng.choice(("HEAD", "POST", "DELETE"))
        status, body = asyncio.run(self._streamed(method, headers, text(rng, 2), rng.randint(1, 5)))
        assert status < 500, body
        assert "Traceback" not in body
        for line in re.split(r"\r\n|\r|\n", body) if status == 200 else ():
            assert not line or line.partition(": ")[0] in ("id", "event", "data"), line
        assert feed.listeners == 0, "a listener that left is still there"

    async def _streamed(
        self, method: str, headers: list[tuple[bytes, bytes]], query: str, pieces: int
    ) -> tuple[int, str]:
        """Status and what was sent until the client left after so many pieces."""
        heard: list[bytes] = []
        status, left = [0], asyncio.Event()

        async def receive() -> dict[str, Any]:
            if not left.is_set():
                await asyncio.wait_for(left.wait(), 0.05)
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            else:
                heard.append(message.get("body", b""))
                if len(heard) >= pieces:
                    left.set()

        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
            "path": "/api/events", "raw_path": b"/api/events", "query_string": quote(query, errors="replace").encode(),
            "headers": [(b"host", b"127.0.0.1"), *headers], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        }  # fmt: skip
        await from_door(self._house.app, "loopback")(scope, receive, send)
        return status[0], b"".join(heard).decode()

    async def _answer(
        self, method: str, path: str, query: dict[str, str], content: bytes | None, headers: dict[str, str]
    ) -> httpx.Response:
        transport = httpx.ASGITransport(app=from_door(self._house.app, "loopback"))
        raw = [(name.encode(), written.encode("latin-1", "replace")) for name, written in headers.items()]
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, params=query, content=content, headers=raw)

    def _id(self, rng: Random) -> str:
        return rng.choice((rng.choice(self._ids), self._ids[0][-8:], text(rng, 1), rng.choice(ODD))) or "x"

    def _body(self, rng: Random, operation: dict[str, Any]) -> bytes:
        schema = next(iter(operation["requestBody"]["content"].values()))["schema"]
        fields = self._fields(schema)
        body: Any = {name: _fitting(rng, part) for name, part in fields.items() if rng.random() < 0.85}
        written = json.dumps(value(rng, 2) if rng.random() < 0.1 else body)
        return as_bytes(rng, mangled(rng, written)) if rng.random() < 0.25 else written.encode()

    def _fields(self, schema: dict[str, Any]) -> dict[str, Any]:
        for part in (schema, *schema.get("anyOf", ())):
            name = part.get("$ref", "").rpartition("/")[2]
            found: dict[str, Any] = self._schemas.get(name, part).get("properties", {})
            if found:
                return found
        return {}


def _fitting(rng: Random, schema: dict[str, Any]) -> Any:
    """Mostly of the type that is wanted."""
    if rng.random() < 0.25:
        return value(rng, 2)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    for part in schema.get("anyOf", ()):
        if rng.random() < 0.7:
            return _fitting(rng, part)
    kind = schema.get("type", "string")
    made: dict[str, Callable[[], Any]] = {
        "boolean": lambda: rng.random() < 0.5,
        "integer": lambda: rng.choice((0, 1, 5, -1, 2**63, 10**30)),
        "number": lambda: rng.choice((0, 1, 5, -1, 0.5, 1e300)),
        "array": lambda: [_fitting(rng, schema.get("items", {})) for _ in range(rng.randrange(3))],
        "object": lambda: value(rng, 2),
        "null": lambda: None,
    }
    return made.get(kind, lambda: text(rng, 6))()


def _shown(rng: Random) -> str:
    odd = rng.choice((rng.choice(ODD), rng.choice(SAID), text(rng, 3), str(rng.randrange(-5, 99)), "2026-03-24"))
    return odd.encode("utf-8", "replace").decode()


def _checked(method: str, path: str, response: httpx.Response) -> None:
    what = f"{method} {path}: {response.status_code}"
    assert response.status_code < 500 or response.status_code == 503, what
    assert "Traceback" not in response.text, what
    if response.status_code >= 400 and method != "HEAD":
        assert set(response.json()) == {"error", "message", "hint"}, what


class Assistant:
    """Every tool."""

    def __init__(self, server: Any) -> None:
        self._server = server

    def ask(self, rng: Random) -> None:
        asyncio.run(self._asked(rng))

    async def _asked(self, rng: Random) -> None:
        async with Client(self._server, read_timeout_seconds=120) as client:
            tools = (await client.list_tools()).tools
            for _ in range(20):
                tool = rng.choice(tools)
                fields = tool.input_schema.get("properties", {})
                arguments = {name: _fitting(rng, part) for name, part in fields.items() if rng.random() < 0.8}
                if rng.random() < 0.1:
                    arguments[text(rng, 1)] = damaged(rng, b"odd").decode("latin-1")
                result = await client.call_tool(tool.name, _sendable(arguments))
                told = "".join(getattr(part, "text", "") for part in result.content)
                assert told, tool.name
                assert "Traceback" not in told, tool.name


def _sendable(arguments: dict[str, Any]) -> dict[str, Any]:
    """Without what no client can write down."""
    written = json.dumps(arguments).replace("\\ud800", "\\ufffd").replace("Infinity", "1").replace("NaN", "1")
    found: dict[str, Any] = json.loads(written)
    return found
