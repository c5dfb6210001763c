"""How records are shown: a row for programs, a line or a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from junod.memory.telling import moment as moment
from junod.memory.telling import one_line as one_line
from junod.records import Memory


def memory_row(memory: Memory) -> dict[str, Any]:
    """A memory in JSON. The keys are a contract; readers must ignore keys they do not know."""
    return {
        "id": memory.id,
        "memory": memory.memory,
        "transcript": memory.transcript,
        "room": memory.room,
        "device_id": memory.device_id,
        "spoken_at": memory.spoken_at.isoformat(),
        "created_at": memory.created_at.isoformat(),
        "expires_at": memory.expires_at.isoformat() if memory.expires_at else None,
        "archived": memory.archived,
        "source": memory.source,
        "confidence": memory.confidence,
        "supersedes": list(memory.supersedes),
        "superseded_by": list(memory.superseded_by),
    }


def print_memories(memories: Sequence[Memory]) -> None:
    """A table for people."""
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
            escape(one_line(memory.memory)),
            moment(memory.expires_at) or "for good",
            memory.room,
            moment(memory.spoken_at),
        )
    console.print(table)


def print_memory(memory: Memory) -> None:
    """Everything about one memory."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(highlight=False)
    console.print(Markdown(memory.memory))
    rows = {
        "heard": memory.transcript or "(written by hand)",
        "spoken": f"{moment(memory.spoken_at)}, {memory.room}, {memory.device_id}",
        "until": moment(memory.expires_at) or "for good",
        "source": f"{memory.source}, probability {memory.confidence:.2f}",
        "id": memory.id,
        "supersedes": ", ".join(memory.supersedes),
        "superseded by": ", ".join(memory.superseded_by),
    }
    for name, value in rows.items():
        if value:
            console.print(f"{name:>14}  {value}", markup=False)


def print_history(lineage: Sequence[Memory]) -> None:
    """A tree: the newest on top, below each what it superseded, with what was heard and when."""
    from rich.console import Console
    from rich.markup import escape
    from rich.tree import Tree

    by_id = {memory.id: memory for memory in lineage}

    def label(memory: Memory) -> str:
        heard = f"heard: {memory.transcript}" if memory.transcript else "written by hand"
        return (
            f"[bold]{escape(one_line(memory.memory))}[/bold]\n"
            f"[dim]{moment(memory.spoken_at)}, {memory.source}, {memory.id[-8:]}\n{escape(heard)}[/dim]"
        )

    def grow(branch: Tree, memory: Memory) -> None:
        for old in memory.supersedes:
            if old in by_id:
                grow(branch.add(label(by_id[old])), by_id[old])

    for memory in lineage:
        if not set(memory.superseded_by) & set(by_id):
            tree = Tree(label(memory))
            grow(tree, memory)
            Console().print(tree)


def markdown_of(memory: Memory) -> str:
    """A memory as a markdown document of its own."""
    facts = {
        "id": memory.id,
        "spoken": memory.spoken_at.isoformat(),
        "expires": memory.expires_at.isoformat() if memory.expires_at else "never",
        "room": memory.room,
        "source": memory.source,
        "superseded by": ", ".join(memory.superseded_by),
        "archived": "yes" if memory.archived else "",
    }
    heard = [f"> {line}" for line in memory.transcript.splitlines()]
    lines = [memory.memory, "", *heard, "", *(f"- {name}: {value}" for name, value in facts.items() if value)]
    return "\n".join(lines)
