"""How records are shown: a row for programs, a line or a table for people."""

from __future__ import annotations

from collections.abc import Sequence

from junod.memory.handover import markdown_of as markdown_of
from junod.memory.handover import memory_row as memory_row
from junod.memory.telling import moment as moment
from junod.memory.telling import one_line as one_line
from junod.records import Memory
from junod.rules.apply import tags_of
from junod.rules.schema import RuleSpec


def print_memories(memories: Sequence[Memory], rules: Sequence[RuleSpec] = ()) -> None:
    """A table for people, each memory with its tags."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    if not memories:
        console.print("Nothing is remembered.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, options in (("id", {"no_wrap": True}), ("memory", {}), ("until", {}), ("room", {}), ("spoken", {})):
        table.add_column(column, **options)  # type: ignore[arg-type]
    for memory in memories:
        table.add_row(
            memory.id[-8:],
            escape(" ".join([one_line(memory.memory), *_tags(memory, rules)])),
            moment(memory.expires_at) or "for good",
            memory.room,
            moment(memory.spoken_at) if memory.clock_synced else "the clock was not set",
        )
    console.print(table)


def heard_words(memory: Memory) -> str:
    """The words behind a memory; where there are none, why."""
    if memory.transcript:
        return memory.transcript
    return "(written by hand)" if memory.source == "manual" else "(no words are kept)"


def _tags(memory: Memory, rules: Sequence[RuleSpec]) -> list[str]:
    return [f"#{tag}" for tag in tags_of(memory.memory, rules)]


def print_memory(memory: Memory, rules: Sequence[RuleSpec] = ()) -> None:
    """Everything about one memory."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(highlight=False)
    console.print(Markdown(memory.memory))
    rows = {
        "heard": heard_words(memory),
        "spoken": f"{moment(memory.spoken_at)}, {memory.room}, {memory.device_id}",
        "clock": "" if memory.clock_synced else "not set when this was heard: its dates may be wrong",
        "until": moment(memory.expires_at) or "for good",
        "source": f"{memory.source}, probability {memory.confidence:.2f}",
        "id": memory.id,
        "tags": " ".join(_tags(memory, rules)),
        "supersedes": ", ".join(memory.supersedes),
        "superseded by": ", ".join(memory.superseded_by),
    }
    for name, value in rows.items():
        if value:
            console.print(f"{name:>14}  {value}", markup=False)
