"""`junod memories`: look at what is remembered, and change it."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for

if TYPE_CHECKING:
    from junod.memory.store import MemoryStore
    from junod.records import Memory

app = typer.Typer(help="List, search, add, finish and forget memories.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(help="Id of a memory, or the part of it that `list` shows.", show_default=False)]
Limit = Annotated[int, typer.Option(help="At most so many.")]
Room = Annotated[str, typer.Option(help="Only of this room.", show_default=False)]


@app.command("list")
def list_memories(
    room: Room = "",
    everything: Annotated[bool, typer.Option("--all", help="Superseded and archived ones too.")] = False,
    limit: Limit = 100,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show what is remembered, the newest first.

    What has expired is shown until the daemon erases it, which it does every minute.
    """
    from junod.memory.rows import Filter

    wanted = Filter(room=room or None, include_superseded=everything, include_archived=everything, include_expired=True)
    with _open(config, db, read_only=True) as store:
        _show(store.list(wanted, limit=limit), as_json=json)


@app.command()
def search(
    query: Annotated[list[str], typer.Argument(help="What to look for.", show_default=False)],
    mode: Annotated[str, typer.Option(help="hybrid, semantic or chronological.")] = "hybrid",
    since: Annotated[str, typer.Option(help="Spoken at this ISO 8601 moment or later.", show_default=False)] = "",
    until: Annotated[str, typer.Option(help="Spoken before this ISO 8601 moment.", show_default=False)] = "",
    room: Room = "",
    limit: Limit = 5,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Find memories by meaning and by words."""
    from junod.assembly.tools import SearchWords, search_memories

    words = SearchWords(
        " ".join(query), mode, _moment("--since", since), _moment("--until", until), room or None, limit
    )
    found = search_memories(settings_for(config, db), words)
    _show(found, as_json=json)


@app.command()
def show(memory_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Show one memory beside the words it came from."""
    with _open(config, db, read_only=True) as store:
        memory = store.get(memory_id)
    if json:
        _show([memory], as_json=True, single=True)
        return
    from junod.cli.output import print_memory

    print_memory(memory)


@app.command()
def history(memory_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Show the whole lineage of a memory: what superseded what."""
    with _open(config, db, read_only=True) as store:
        lineage = store.history(memory_id)
    if json:
        _show(lineage, as_json=True)
        return
    from junod.cli.output import print_history

    print_history(lineage)


@app.command()
def add(
    text: Annotated[list[str], typer.Argument(help="The memory, in markdown.", show_default=False)],
    expires: Annotated[str, typer.Option(help="ISO 8601 moment at which it is erased.", show_default="never")] = "",
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Write a memory by hand. Credentials in it are masked."""
    from junod.assembly.tools import manual_memory

    settings = settings_for(config, db)
    new = manual_memory(settings, " ".join(text), _moment("--expires", expires), datetime.now(UTC))
    with _open(config, db) as store:
        _changed(store.add(new), "Remembered", as_json=json)


@app.command()
def edit(
    memory_id: Id,
    text: Annotated[list[str], typer.Argument(help="The new text.", show_default=False)],
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Correct a memory. The old text stays in its history."""
    from junod.assembly.parts import masked

    with _open(config, db) as store:
        _changed(store.edit(memory_id, masked(" ".join(text))), "Corrected", as_json=json)


@app.command()
def done(memory_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Strike a memory through. `restore` undoes it."""
    with _open(config, db) as store:
        _changed(store.done(memory_id), "Done", as_json=json)


@app.command()
def restore(memory_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Undo `done`."""
    with _open(config, db) as store:
        _changed(store.restore(memory_id), "Restored", as_json=json)


@app.command()
def forget(
    memory_id: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Erase a memory for good, with its history and the words it came from."""
    from junod.cli.output import one_line

    with _open(config, db) as store:
        memory = store.get(memory_id)
        if not (yes or json):
            typer.confirm(f"Forget '{one_line(memory.memory)}' and its history for good?", abort=True)
        erased = store.forget(memory.id)
    if json:
        print(jsonlib.dumps({"forgotten": list(erased)}))
    else:
        print(f"Forgotten ({len(erased)} erased).")


@app.command()
def export(db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Print everything that is remembered, history included: markdown, or JSON with --json."""
    from junod.cli.output import markdown_of, memory_row

    with _open(config, db, read_only=True) as store:
        if json:
            print(jsonlib.dumps([memory_row(memory) for memory in store.export()], indent=2, ensure_ascii=False))
        else:
            print("\n\n".join(markdown_of(memory) for memory in store.export()))


def _open(config: Path | None, db: Path | None, *, read_only: bool = False) -> MemoryStore:
    from junod.assembly.parts import open_store

    return open_store(settings_for(config, db), read_only=read_only)


def _moment(option: str, text: str) -> datetime | None:
    from junod.cli.replay import parse_moment

    return parse_moment(option, text) if text else None


def _show(memories: Sequence[Memory], *, as_json: bool, single: bool = False) -> None:
    from junod.cli.output import memory_row, print_memories

    if not as_json:
        print_memories(memories)
        return
    rows = [memory_row(memory) for memory in memories]
    print(jsonlib.dumps(rows[0] if single else rows, indent=2, ensure_ascii=False))


def _changed(memory: Memory, verb: str, *, as_json: bool) -> None:
    from junod.cli.output import one_line

    if as_json:
        _show([memory], as_json=True, single=True)
    else:
        print(f"{verb}: {one_line(memory.memory)} ({memory.id[-8:]})")
