"""Talking to the running daemon over its socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from junod.errors import JunodError

SOCKET_FILE = "junod.sock"
SYSTEM_RUNTIME = Path("/run/junod")
"""Where systemd's daemon has it."""
TIMEOUT_S = 10.0
SILENCE_S = 40.0
"""The daemon beats every 15 s; without a beat for so long it is gone."""


class NoDaemonError(JunodError):
    code = "no-daemon"


class RefusedError(JunodError):
    code = "refused"


def ask_daemon(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the daemon answers.

    Raises:
        NoDaemonError: none runs, or it is another user's.
        RefusedError: it said no, and why.
    """
    import httpx

    transport = httpx.HTTPTransport(uds=str(_socket()))
    try:
        with httpx.Client(transport=transport, base_url="http://junod", timeout=TIMEOUT_S) as client:
            response = client.request(method, path, json=body, headers={"X-Junod": "1"})
            answer: dict[str, Any] = response.json()
    except httpx.TimeoutException as error:
        raise NoDaemonError("The daemon does not answer.", hint="`junod status` says what it does.") from error
    except (httpx.TransportError, ValueError) as error:
        raise _absent() from error
    if response.is_error and "error" in answer:
        raise RefusedError(str(answer["message"]), hint=str(answer.get("hint", "")))
    return answer


def follow_daemon(port: int) -> Iterator[str]:
    """Names of the daemon's events as they come, over its socket or, for another user, over loopback; until it ends.

    Raises:
        NoDaemonError: none runs.
        RefusedError: it wants a token.
    """
    import httpx

    try:
        transport, base = httpx.HTTPTransport(uds=str(_socket())), "http://junod"
    except NoDaemonError:
        transport, base = httpx.HTTPTransport(), f"http://127.0.0.1:{port}"
    try:
        with (
            httpx.Client(transport=transport, base_url=base, timeout=SILENCE_S) as client,
            client.stream("GET", "/api/events") as response,
        ):
            if response.is_error:
                raise RefusedError("The daemon wants a token for its events.", hint="Run this as the daemon's user.")
            for line in response.iter_lines():
                if line.startswith("event: "):
                    yield line.removeprefix("event: ")
    except httpx.TransportError as error:
        raise _absent() from error


def _socket() -> Path:
    from junod.settings import runtime_dir

    for folder in (runtime_dir(), SYSTEM_RUNTIME):
        try:
            if (folder / SOCKET_FILE).exists():
                return folder / SOCKET_FILE
        except PermissionError as error:
            raise _absent() from error
    raise _absent()


def _absent() -> NoDaemonError:
    return NoDaemonError(
        "No daemon can be reached.",
        hint="Start it (`junod run`, or `systemctl start junod`), or run this as the daemon's user or as root.",
    )
