"""Everything a household remembers as a folder of markdown."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from junod.cli.output import markdown_of, moment, one_line
from junod.errors import UsageError
from junod.records import Memory

if TYPE_CHECKING:
    from junod.memory.spool import SpooledPassage
    from junod.memory.store import MemoryStore

_SLUG_WORDS = 6
_SLUG_CHARS = 60


def write_folder(store: MemoryStore, folder: Path) -> int:
    """Write `index.md`, a file for each memory (older versions under `history/`) and `undecided.md`.

    Only the owner may read them. Returns the number of memories.

    Raises:
        UsageError: the folder has something in it, or cannot be written.
    """
    try:
        _make_empty(folder)
        written = [_write_memory(folder, memory) for memory in store.export()]
        _write(folder / "index.md", _index([line for line in written if line]))
        undecided = store.undecided()
        if undecided:
            _write(folder / "undecided.md", "\n\n".join(_undecided(each) for each in undecided))
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}.", hint="Give another folder.") from error
    return len(written)


def _make_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder.", hint="Give a new one: nothing is overwritten.")
    for path in (folder, folder / "memories", folder / "history"):
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.chmod(0o700)


def _write_memory(folder: Path, memory: Memory) -> str:
    """Returns the memory's line of the index, '' for one that is history."""
    name = f"{memory.spoken_at:%Y-%m-%d}-{_slug(memory.memory)}-{memory.id[-12:]}.md"
    place = "memories" if memory.is_active else "history"
    _write(folder / place / name, markdown_of(memory))
    said = f"said {moment(memory.spoken_at)}"
    return f"- [{_plain(one_line(memory.memory))}]({place}/{name}), {said}" if memory.is_active else ""


def _index(lines: list[str]) -> str:
    return "\n".join(["# What junod remembers", "", *(lines or ["Nothing."])])


def _undecided(spooled: SpooledPassage) -> str:
    passage = spooled.passage
    heard = [f"> {line}" for line in passage.transcript.splitlines()]
    facts = (f"spoken: {passage.spoken_at.isoformat()}", f"room: {passage.room}", f"state: {spooled.state.value}")
    return "\n".join([*heard, "", *(f"- {fact}" for fact in facts)])


def _slug(text: str) -> str:
    """A file name from the first words: ASCII letters and digits alone, so never a path."""
    words = re.findall(r"[a-z0-9]+", text.lower())[:_SLUG_WORDS]
    return "-".join(words)[:_SLUG_CHARS].strip("-") or "memory"


def _plain(text: str) -> str:
    """Text that cannot end a markdown link early."""
    return re.sub(r"([\[\]\\])", r"\\\1", text)


def _write(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        file.write(text + "\n")
