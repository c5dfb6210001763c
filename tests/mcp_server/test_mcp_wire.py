"""`junod mcp` as a process of its own, over stdio and HTTP, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import MCPServer
from mcp.types import TextContent
from mcp_server.mcp_fakes import data
from midnight import clear_of_midnight

from junod.errors import SettingsError, UsageError
from junod.mcp_server.http import MIN_TOKEN_CHARS, guarded_app, listen, read_token

TIMEOUT_S = 240


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("JUNOD_")}
    return kept | {
        "JUNOD_DATA_DIR": str(tmp_path / "data"),
        "JUNOD_MODELS__PATH": str(tmp_path / "no-models"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "TZ": "Europe/Berlin",
    }


def junod(*arguments: str, env: dict[str, str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "junod", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        env=env,
        check=False,
    )


async def store_and_recall(client: Client) -> None:
    clear_of_midnight(ZoneInfo("Europe/Berlin"))
    stored = await client.call_tool("store_memory", {"text": "The spare key is under the blue pot"})
    assert data(stored)["changed"] is True
    found = await client.call_tool("recall_memory", {"query": "spare key", "since": "today"})
    assert [row["memory"] for row in data(found)["memories"]] == ["The spare key is under the blue pot"]
    listing = await client.read_resource("junod://shopping-list")
    assert "Shopping list" in str(listing.contents[0])


def test_over_stdio_a_client_stores_and_recalls(env: dict[str, str]) -> None:
    async def ask() -> None:
        server = StdioServerParameters(command=sys.executable, args=["-m", "junod", "mcp"], env=env)
        async with Client(server, read_timeout_seconds=TIMEOUT_S) as client:
            await store_and_recall(client)

    asyncio.run(ask())
    listed = junod("memories", "list", "--json", env=env)
    assert [memory["memory"] for memory in json.loads(listed.stdout)] == ["The spare key is under the blue pot"]


def test_an_older_client_that_shakes_hands_is_served_too(env: dict[str, str]) -> None:
    async def ask() -> None:
        server = StdioServerParameters(command=sys.executable, args=["-m", "junod", "mcp"], env=env)
        async with Client(server, mode="legacy", read_timeout_seconds=TIMEOUT_S) as client:
            await store_and_recall(client)

    asyncio.run(ask())


def test_standard_output_holds_nothing_but_the_protocol(env: dict[str, str]) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    bad_call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "recall_memory", "arguments": {"query": "the quokka", "limit": "many"}},
    }
    lines = "".join(f"{json.dumps(message)}\n" for message in (hello, ready, bad_call)) + "not json\n"
    done = junod("mcp", env=env, stdin=lines)
    assert done.returncode == 0
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    assert {message.get("id") for message in messages} >= {1}
    assert "quokka" not in done.stderr, "what was asked is not logged"


@contextmanager
def http_server(env: dict[str, str]) -> Iterator[str]:
    """A running `junod mcp --http`; its address."""
    command = [sys.executable, "-m", "junod", "mcp", "--http", "--port", "0"]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            line = server.stderr.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+/mcp", line)
            assert address, line
            yield address.group()
        finally:
            server.terminate()
            out, _ = server.communicate(timeout=TIMEOUT_S)
            assert out == ""


@pytest.fixture
def address(env: dict[str, str]) -> Iterator[str]:
    with http_server(env) as found:
        yield found


@pytest.fixture
def token_file(env: dict[str, str]) -> Path:
    return Path(env["JUNOD_DATA_DIR"]) / "mcp-token"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_http_a_client_with_the_token_stores_and_recalls(address: str, token_file: Path, mode: str) -> None:
    async def ask() -> None:
        headers = {"Authorization": f"Bearer {token_file.read_text().strip()}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=TIMEOUT_S) as http,
            Client(
                streamable_http_client(address, http_client=http), mode=mode, read_timeout_seconds=TIMEOUT_S
            ) as client,
        ):
            await store_and_recall(client)

    asyncio.run(ask())
    assert stat.S_IMODE(token_file.stat().st_mode) == 0o600


LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def _raw(name: str, value: str | bytes) -> tuple[bytes, bytes]:
    return name.encode(), value if isinstance(value, bytes) else value.encode()


def test_over_http_nothing_is_served_without_the_token_or_to_a_rebound_name(address: str, token_file: Path) -> None:
    token = token_file.read_text().strip()
    known = {"Authorization": f"Bearer {token}"}

    def status(headers: Mapping[str, str | bytes]) -> int:
        sent = [*ACCEPT.items(), *headers.items()]
        answered = httpx2.post(address, json=LIST_TOOLS, headers=[_raw(*pair) for pair in sent], timeout=TIMEOUT_S)
        assert answered.status_code == 200 or "recall_memory" not in answered.text
        return answered.status_code

    assert status({}) == 401
    assert status({"Authorization": "Bearer wrong"}) == 401
    assert status({"Authorization": f"bearer{token}"}) == 401
    assert status({"Authorization": "Bearer café".encode()}) == 401
    assert status(known | {"Host": "evil.example"}) == 421
    assert status(known | {"Origin": "https://evil.example"}) == 403
    assert status(known) == 200
    assert httpx2.get(address.replace("/mcp", "/"), timeout=TIMEOUT_S).status_code == 401


def test_the_guard_compares_the_whole_header() -> None:
    """In process: no path, no method and no websocket gets past without the token."""
    app = guarded_app(MCPServer("t"), port=1, token="s" * 40)

    async def status(path: str, method: str) -> int:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:1") as client:
            return (await client.request(method, path, headers={"Authorization": "Bearer " + "s" * 39})).status_code

    for path in ("/mcp", "/", "/docs", "/mcp/../mcp"):
        for method in ("GET", "POST", "DELETE", "OPTIONS"):
            assert asyncio.run(status(path, method)) == 401


def test_a_token_is_made_once_and_kept(tmp_path: Path) -> None:
    token = read_token(tmp_path / "new" / "mcp-token")
    assert len(token) >= MIN_TOKEN_CHARS
    assert read_token(tmp_path / "new" / "mcp-token") == token
    assert read_token(tmp_path / "other") != token


def test_a_token_that_others_may_read_or_that_is_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mcp-token"
    read_token(path)
    path.chmod(0o644)
    with pytest.raises(SettingsError, match="Others may read"):
        read_token(path)
    path.chmod(0o600)
    path.write_text("secret\n")
    with pytest.raises(SettingsError, match="too short"):
        read_token(path)
    with pytest.raises(SettingsError, match="cannot be used"):
        read_token(tmp_path / "mcp-token" / "below-a-file")


def test_a_port_in_use_is_named() -> None:
    with listen(0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=str(port)):
            listen(port)
    with pytest.raises(UsageError, match="--port"):
        listen(99_999)


def test_wrong_use_of_the_command_is_named(env: dict[str, str]) -> None:
    done = junod("mcp", "--port", "9", env=env)
    assert done.returncode == 2
    assert "--http" in done.stderr
    assert done.stdout == ""


def test_a_missing_sdk_is_named_with_the_command_that_gets_it(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "shadow").mkdir()
    (tmp_path / "shadow" / "mcp.py").write_text("raise ModuleNotFoundError('no', name='mcp')\n")
    done = junod("mcp", env=env | {"PYTHONPATH": str(tmp_path / "shadow")})
    assert done.returncode == 2
    assert "junod[mcp]" in done.stderr


def test_the_answer_of_a_tool_is_text_that_a_model_can_read(env: dict[str, str]) -> None:
    async def ask() -> str:
        server = StdioServerParameters(command=sys.executable, args=["-m", "junod", "mcp"], env=env)
        async with Client(server, read_timeout_seconds=TIMEOUT_S) as client:
            (content,) = (await client.call_tool("memory_context", {"text": "keys"})).content
            assert isinstance(content, TextContent)
            return content.text

    assert asyncio.run(ask()) == "Nothing that is remembered bears on this."
