"""Is what lies in the models folder what the manifest says? By size always, by sha256 once for each state of a file.

A full hash of 1.4 GB takes seconds on a small board, so a file that passed is remembered in `.verified.json`
(size, modification time, sha256) and hashed again only when one of these changes or when asked to.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from junod.errors import ModelError
from junod.weights.manifest import Manifest, Model, Source, WeightFile, load_manifest

STAMPS = ".verified.json"
CHUNK_BYTES = 1 << 20

State = Literal["ok", "missing", "incomplete", "corrupted"]
Stamps = dict[str, tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class FileState:
    """What became of one file. `problem` is '' when it is right."""

    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class ModelState:
    """What became of one model.

    `incomplete` = files missing or of the wrong size; `corrupted` = right size, wrong bytes.
    """

    name: str
    state: State
    bytes: int
    files: tuple[FileState, ...]

    @property
    def problems(self) -> tuple[FileState, ...]:
        return tuple(file for file in self.files if file.problem)


def sha256_of(path: Path, advance: Callable[[int], None] | None = None) -> str:
    """sha256 in hex; `advance` is told the bytes as they are read."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(CHUNK_BYTES):
            digest.update(block)
            if advance:
                advance(len(block))
    return digest.hexdigest()


def has_size(path: Path, size: int) -> bool:
    """True when the file is there with that many bytes. Reads no content."""
    return _size(path) == size


def installed_source(folder: Path, model: Model) -> Source | None:
    """The source whose files lie in `folder`, by their sizes; None when the model is not installed."""
    for source in model.sources:
        if all(has_size(folder / file.path, file.size) for file in source.files):
            return source
    return None


def verify(
    names: Iterable[str],
    dest: Path,
    *,
    manifest: Manifest | None = None,
    full: bool = False,
    advance: Callable[[int], None] | None = None,
) -> tuple[ModelState, ...]:
    """Check models by name.

    Args:
        dest: the models folder.
        full: hash every byte again, whatever was remembered.
        advance: told the bytes as they are hashed.
    """
    manifest = manifest or load_manifest()
    return tuple(verify_model(manifest.find(name), dest, full=full, advance=advance) for name in names)


def verify_model(
    model: Model, dest: Path, *, full: bool = False, advance: Callable[[int], None] | None = None
) -> ModelState:
    """The state of one model; where it is wrong, of the source that fits best."""
    folder = dest / model.name
    states = []
    for source in model.sources:
        state = _verify_source(model, source, folder, full=full, advance=advance)
        if state.state == "ok":
            return state
        states.append(state)
    return min(states, key=lambda state: (len(state.problems), state.state == "missing"))


def file_is_right(folder: Path, file: WeightFile, *, advance: Callable[[int], None] | None = None) -> bool:
    """True when the file is there, whole and unaltered. Remembers a pass."""
    return not _problem(folder, file, read_stamps(folder), full=False, advance=advance)


def read_stamps(folder: Path) -> Stamps:
    """What passed before. Unreadable stamps are no stamps: the file is hashed again."""
    try:
        raw = json.loads((folder / STAMPS).read_text("utf-8"))
        return {str(path): (int(size), int(mtime_ns), str(sha)) for path, (size, mtime_ns, sha) in raw.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def remember(folder: Path, file: WeightFile) -> None:
    """Note that `file` passed. A read-only folder keeps no notes and is hashed each time."""
    status = (folder / file.path).stat()
    stamps = {**read_stamps(folder), file.path: (status.st_size, status.st_mtime_ns, file.sha256)}
    temporary = folder / f"{STAMPS}.{os.getpid()}"
    try:
        temporary.write_text(json.dumps(stamps, indent=1), "utf-8")
        temporary.replace(folder / STAMPS)
    except OSError:
        temporary.unlink(missing_ok=True)


def _verify_source(
    model: Model, source: Source, folder: Path, *, full: bool, advance: Callable[[int], None] | None
) -> ModelState:
    stamps = read_stamps(folder)
    files = tuple(
        FileState(file.path, _problem(folder, file, stamps, full=full, advance=advance)) for file in source.files
    )
    return ModelState(model.name, _summary(files), source.size, files)


def _summary(files: tuple[FileState, ...]) -> State:
    problems = [file.problem for file in files if file.problem]
    if not problems:
        return "ok"
    if all(problem == "missing" for problem in problems) and len(problems) == len(files):
        return "missing"
    return "corrupted" if all(problem == "wrong sha256" for problem in problems) else "incomplete"


def _problem(
    folder: Path, file: WeightFile, stamps: Stamps, *, full: bool, advance: Callable[[int], None] | None
) -> str:
    path = folder / file.path
    size = _size(path)
    if size is None:
        return "missing"
    if size != file.size:
        return f"{size} bytes instead of {file.size}"
    if not full and stamps.get(file.path) == (size, path.stat().st_mtime_ns, file.sha256):
        return ""
    try:
        digest = sha256_of(path, advance)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from error
    if digest != file.sha256:
        return "wrong sha256"
    remember(folder, file)
    return ""


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None
