"""A small hub, small wheels and a small manifest for the tests of junod.weights."""

from __future__ import annotations

import hashlib
import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from junod.weights.manifest import Manifest, Model, Part, Source, WeightFile

REPO, REVISION = "maker/model", "abc123"


def content(size: int, seed: str = "x") -> bytes:
    """Bytes that look random and are always the same."""
    block = b"".join(hashlib.sha256(f"{seed}{n}".encode()).digest() for n in range(size // 32 + 1))
    return block[:size]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def hub_source(files: dict[str, bytes]) -> Source:
    listed = tuple(WeightFile(path=path, size=len(data), sha256=sha256(data)) for path, data in files.items())
    return Source(kind="hub", repo=REPO, revision=REVISION, files=listed)


def packages_source(files: dict[str, list[bytes]]) -> Source:
    """Each piece of each file in a package of its own, named after both."""
    listed = []
    for path, pieces in files.items():
        parts = tuple(
            Part(package=f"{package(path, n)}==1.0", member=member(path, n), size=len(piece), sha256=sha256(piece))
            for n, piece in enumerate(pieces)
        )
        whole = b"".join(pieces)
        listed.append(WeightFile(path=path, size=len(whole), sha256=sha256(whole), parts=parts))
    return Source(kind="packages", files=tuple(listed))


def manifest(*sources: Source, name: str = "tiny") -> Manifest:
    model = Model(name=name, role="embedder", licence="MIT", default=True, about="For tests.", sources=sources)
    return Manifest(models=(model,))


def package(path: str, n: int) -> str:
    return re.sub(r"[^a-z0-9]+", "-", path.lower()) + f"-part{n}"


def member(path: str, n: int) -> str:
    return f"{package(path, n).replace('-', '_')}/data/{n}.bin"


def write_wheels(folder: Path, files: dict[str, list[bytes]]) -> None:
    """The wheels of `packages_source(files)`, as an index would hold them."""
    folder.mkdir(exist_ok=True)
    for path, pieces in files.items():
        for n, piece in enumerate(pieces):
            write_wheel(folder, package(path, n), {member(path, n): piece})


def write_wheel(folder: Path, name: str, members: dict[str, bytes]) -> None:
    stem = name.replace("-", "_")
    info = f"{stem}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{stem}-1.0-py3-none-any.whl", "w") as wheel:
        for path, data in members.items():
            wheel.writestr(path, data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


@dataclass
class Hub:
    """What the fake hub serves and how it misbehaves."""

    files: dict[str, bytes]
    base: str = ""
    ranges: bool = True
    break_after: int | None = None
    asked: list[tuple[str, str]] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "")
        path = self.path.removeprefix(f"/{REPO}/resolve/{REVISION}/")
        self.hub.asked.append((path, wanted))
        data = self.hub.files.get(path)
        if data is None:
            self.send_error(404)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.hub.ranges else 0
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        end = len(data) if self.hub.break_after is None else start + self.hub.break_after
        self.wfile.write(data[start:end])

    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Hub]:
    """A hub on loopback."""
    hub = Hub(files)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class Watcher:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, int, int]] = []
        self.notes: list[str] = []

    def model(self, name: str, done: int, total: int) -> None:
        self.steps.append((name, done, total))

    def note(self, line: str) -> None:
        self.notes.append(line)
