"""`junod memories`: look at what is remembered, and change it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for

if TYPE_CHECKING:
    from junod.memory.grace import Forgetting
    from junod.memory.store import MemoryStore
    from junod.records import Memory
    from junod.rules.schema import RuleSpec

app = typer.Typer(help="List, search, add, finish and forget memories.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(help="Id of a memory, or the part of it that `list` shows.", show_default=False)]
Limit = Annotated[int, typer.Option(help="At most so many.")]
Room = Annotated[str, typer.Option(help="Only of this room.", show_default=False)]
Device = Annotated[str, typer.Option(help="Only of this device.", show_default=False)]
Source = Annotated[str, typer.Option(help="Only of this source: voice, manual, merge or done.", show_default=False)]
OfTag = Annotated[str, typer.Option("--tag", help="Only with this tag of a rule.", show_default=False)]
Since = Annotated[
    str, typer.Option(help="Spoken from then on: today, 'last week', Monday, 2026-03-24.", show_default=False)
]
Until = Annotated[
    str, typer.Option(help="Spoken up to the end of that: yesterday, 'last week', 2026-03-24.", show_default=False)
]


@app.command("list")
def list_memories(
    room: Room = "",
    device: Device = "",
    source: Source = "",
    tag: OfTag = "",
    everything: Annotated[bool, typer.Option("--all", help="Superseded and archived ones too.")] = False,
    limit: Limit = 100,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show what is remembered, the newest first.

    What has expired is shown until the daemon erases it, which it does every minute.
    """
    from junod.assembly.parts import active_rules
    from junod.assembly.spoken import checked_source
    from junod.memory.rows import Filter
    from junod.rules.apply import with_tag

    wanted = Filter(
        room=room or None,
        device_id=device or None,
        source=checked_source(source),
        include_superseded=everything,
        include_archived=everything,
        include_expired=True,
    )
    with _open(config, db, read_only=True) as store:
        rules = active_rules(store)
        found = with_tag(store.list(wanted, limit=None if tag else limit), tag, rules, limit)
    _show(found, as_json=json, rules=rules)


@app.command()
def search(
    query: Annotated[
        list[str] | None, typer.Argument(help="What to look for; nothing along a time range.", show_default=False)
    ] = None,
    mode: Annotated[str, typer.Option(help="hybrid, semantic or chronological.")] = "hybrid",
    since: Since = "",
    until: Until = "",
    room: Room = "",
    device: Device = "",
    source: Source = "",
    tag: OfTag = "",
    limit: Limit = 5,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Find memories by meaning and by words; with a time range and no words, what was said then."""
    from junod.assembly.tools import SearchWords, search_memories
    from junod.rules.apply import with_tag

    words = SearchWords(" ".join(query or []), mode, since, until, limit, room, device, source)
    found = search_memories(settings_for(config, db), words)
    rules = _rules(config, db)
    _show(with_tag(found, tag, rules), as_json=json, rules=rules)


@app.command()
def show(memory_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Show one memory beside the words it came from."""
    with _open(config, db, read_only=True) as store:
        memory = store.get(memory_id)
    rules = _rules(config, db)
    if json:
        _show([memory], as_json=True, single=True, rules=rules)
        return
    from junod.cli.output import print_memory

    print_memory(memory, rules)


@app.command()
def history(memory_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Draw the whole lineage of a memory: what took the place of what, when, why, and the words that were heard."""
    from junod.cli.history_view import history_rows, print_history
    from junod.settings import household_zone

    with _open(config, db, read_only=True) as store:
        lineage = store.lineage(memory_id)
    if json:
        print_json(history_rows(lineage))
    else:
        print_history(lineage, household_zone(settings_for(config, db)))


@app.command()
def add(
    text: Annotated[
        list[str],
        typer.Argument(help="The memory, in markdown; - reads it from standard input.", show_default=False),
    ],
    expires: Annotated[str, typer.Option(help="ISO 8601 moment at which it is erased.", show_default="never")] = "",
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Write a memory by hand. Credentials in it are masked.

    Other users of the machine can see the arguments of a running command; what they must not read comes from standard
    input.
    """
    from junod.assembly.tools import manual_memory

    settings = settings_for(config, db)
    new = manual_memory(
        settings,
        sys.stdin.read() if text == ["-"] else " ".join(text),
        _moment("--expires", expires),
        datetime.now(UTC),
    )
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
    """Strike a memory through. `undo` takes that back."""
    with _open(config, db) as store:
        _changed(store.done(memory_id), "Done", as_json=json)


@app.command()
def restore(memory_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Take back `done`, or bring back what was archived."""
    with _open(config, db) as store:
        _changed(store.restore(memory_id), "Restored", as_json=json)


@app.command()
def tick(
    memory_id: Id,
    item: Annotated[list[str], typer.Argument(help="The item, as the list shows it.", show_default=False)],
    reopen: Annotated[bool, typer.Option("--reopen", help="The other way: it is needed after all.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Strike one item of a list through. With its last item the list is done."""
    from junod.memory.verbs import tick as tick_item

    with _open(config, db) as store:
        ticked = tick_item(store, memory_id, " ".join(item), not reopen)
        _changed(ticked, "Open again" if reopen else "Ticked", as_json=json)


@app.command()
def undo(memory_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Take back the last change that led to a memory: done, tick, edit, merge, or forgetting it.

    A memory of the last 24 hours that changed nothing is forgotten, with time to take that back too.
    """
    from junod.cli.output import memory_row, one_line
    from junod.memory.verbs import undo as take_back

    settings = settings_for(config, db)
    with _open(config, db) as store:
        undone = take_back(store, memory_id, grace_s=settings.memory.forget_grace_s)
    if json:
        row = {"change": undone.change, "memories": [memory_row(memory) for memory in undone.memories]}
        print_json(row | _forgetting_row(undone.forgetting))
    elif undone.forgetting:
        _say_forgotten(undone.forgetting)
    else:
        print(f"Taken back: {undone.change}. Active again:")
        for memory in undone.memories:
            print(f"  {one_line(memory.memory)} ({memory.id[-8:]})")


@app.command()
def forget(
    memory_id: Id,
    now: Annotated[bool, typer.Option("--now", help="Erase it at once, with no way back.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Forget a memory with its history and the words it came from.

    It is hidden at once and can be brought back for a while (memory.forget_grace_s) with `unforget`; then it is erased
    for good, by the daemon or by the next command that changes something. --now erases it at once.
    """
    from junod.cli.output import one_line
    from junod.memory.verbs import forget as hide

    grace_s = 0.0 if now else settings_for(config, db).memory.forget_grace_s
    with _open(config, db) as store:
        if grace_s:
            forgetting = hide(store, memory_id, grace_s=grace_s)
        else:
            memory = store.get(memory_id)
            if not (yes or json):
                typer.confirm(f"Forget '{one_line(memory.memory)}' and its history for good?", abort=True)
            forgetting = hide(store, memory.id, grace_s=0)
    if json:
        print_json(_forgetting_row(forgetting))
    else:
        _say_forgotten(forgetting)


@app.command()
def unforget(memory_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Bring back what was forgotten a moment ago and is not erased yet."""
    from junod.cli.output import one_line
    from junod.memory.verbs import unforget as bring_back

    with _open(config, db) as store:
        memories = bring_back(store, memory_id)
    if json:
        _show(memories, as_json=True)
        return
    for memory in memories:
        print(f"Back: {one_line(memory.memory)} ({memory.id[-8:]})")


@app.command()
def reembed(db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Read every memory with the configured embedding model. The daemon does the same in idle moments.

    It may be interrupted at any time: what is done stays done, and until the end the old model answers.
    """
    from junod.assembly.tools import reembed as read_again

    def tell(done: int, total: int) -> None:
        if not json:
            print(f"{done} of {total}", flush=True)

    number = read_again(settings_for(config, db), tell)
    if json:
        print_json({"embedded": number})
    else:
        print(f"{number} memories were read; all have their vectors.")


@app.command()
def export(db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Print everything that is remembered, history included: markdown, or JSON with --json."""
    from junod.cli.output import markdown_of, memory_row

    with _open(config, db, read_only=True) as store:
        if json:
            print_json([memory_row(memory) for memory in store.export()])
        else:
            print("\n\n".join(markdown_of(memory) for memory in store.export()))


def _open(config: Path | None, db: Path | None, *, read_only: bool = False) -> MemoryStore:
    from junod.assembly.parts import open_store

    return open_store(settings_for(config, db), read_only=read_only)


def _moment(option: str, text: str) -> datetime | None:
    from junod.cli.replay import parse_moment

    return parse_moment(option, text) if text else None


def _rules(config: Path | None, db: Path | None) -> tuple[RuleSpec, ...]:
    from junod.assembly.parts import active_rules

    with _open(config, db, read_only=True) as store:
        return active_rules(store)


def _show(
    memories: Sequence[Memory], *, as_json: bool, single: bool = False, rules: Sequence[RuleSpec] | None = None
) -> None:
    """Args: rules: those in force, which give tags; None = memories are shown without any."""
    from junod.cli.output import memory_row, print_memories
    from junod.rules.apply import tags_of

    if not as_json:
        print_memories(memories, rules or ())
        return
    shown = [memory_row(memory) for memory in memories]
    if rules is not None:
        shown = [row | {"tags": list(tags_of(row["memory"], rules))} for row in shown]
    print_json(shown[0] if single else shown)


def _forgetting_row(forgetting: Forgetting | None) -> dict[str, Any]:
    if forgetting is None:
        return {}
    until = forgetting.until.isoformat() if forgetting.until else None
    return {"forgotten": list(forgetting.ids), "until": until}


def _say_forgotten(forgetting: Forgetting) -> None:
    number = len(forgetting.ids)
    if forgetting.until is None:
        print(f"Forgotten for good ({number} erased).")
        return
    until = forgetting.until.astimezone()
    print(
        f"Forgotten ({number} with its history). Until {until:%H:%M:%S} it can be brought back:"
        f" junod memories unforget {forgetting.ids[-1][-8:]}"
    )


def _changed(memory: Memory, verb: str, *, as_json: bool) -> None:
    from junod.cli.output import one_line

    if as_json:
        _show([memory], as_json=True, single=True)
    else:
        print(f"{verb}: {one_line(memory.memory)} ({memory.id[-8:]})")
