"""Sockets to listen on, and uvicorn behind each of them."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from junod.errors import UsageError
from junod.web.guard import SOURCE, Source

SOCKET_FILE = "junod.sock"
FIRST_INHERITED = 3
"""Number of the first file descriptor that systemd hands over (sd_listen_fds(3))."""
GRACE_S = 1
"""Answers in hand may take so long at the end; streams of events end by themselves."""


class FromDoor:
    """Notes in each request at which door it came in."""

    def __init__(self, app: ASGIApp, source: Source) -> None:
        self._app, self._source = app, source

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, SOURCE: self._source}, receive, send)


class OpenDoor:
    """A server on one socket, in the running event loop."""

    def __init__(self, app: ASGIApp, source: Source, listener: socket.socket) -> None:
        config = uvicorn.Config(
            FromDoor(app, source),
            log_config=None,
            log_level="warning",
            access_log=False,  # a line would hold what somebody searched for
            proxy_headers=False,
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=GRACE_S,
        )
        self._server = uvicorn.Server(config)
        self._task = asyncio.get_running_loop().create_task(self._server.serve(sockets=[listener]))

    async def close(self) -> None:
        self._server.should_exit = True
        await self._task


def inherited_listener(name: str, environment: Mapping[str, str] = os.environ) -> socket.socket | None:
    """The socket of this name (FileDescriptorName=) that systemd opened for us; None where it did not.

    With one the daemon answers in a network that it cannot reach into: see systemd/junod.socket.
    """
    if environment.get("LISTEN_PID") != str(os.getpid()):
        return None
    names = environment.get("LISTEN_FDNAMES", "").split(":")[: int(environment.get("LISTEN_FDS", "0"))]
    if name not in names:
        return None
    return socket.socket(fileno=os.dup(FIRST_INHERITED + names.index(name)))


def tcp_listener(ip: str, port: int) -> socket.socket:
    """A listening socket; port 0 = any free one.

    Raises:
        UsageError: it is taken or not ours.
    """
    try:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    except OSError as error:  # the unit denies the whole family
        raise UsageError(f"There is no network here: {error.strerror}.", hint="See junod-lan.conf.") from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ip, port))
        listener.listen()  # from here on a page waits instead of being refused
    except OSError as error:
        listener.close()
        raise UsageError(
            f"Port {port} on {ip} cannot be had: {error.strerror}.", hint="Choose another as web.port."
        ) from error
    return listener


def unix_listener(folder: Path) -> socket.socket:
    """The socket that `junod mute` and the like talk to; its owner alone may.

    Raises:
        UsageError: another daemon listens there, or the folder cannot be written.
    """
    path = folder / SOCKET_FILE
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists():
            _clear(path)
        listener.bind(str(path))
        os.chmod(path, 0o600)
        listener.listen()  # until here nobody can connect, whatever the mode was
    except OSError as error:
        listener.close()
        raise UsageError(
            f"The socket {path} cannot be had: {error.strerror or error}.",
            hint="Set JUNOD_RUNTIME_DIR to a folder this user may write.",
        ) from error
    return listener


def _clear(path: Path) -> None:
    """Remove a socket that a daemon left behind when it died."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
    raise UsageError(f"Another junod listens on {path}.", hint="Stop it, or set another JUNOD_RUNTIME_DIR.")
