"""The lineage of a memory: as rows for programs, as trees for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from junod.cli.output import memory_row, moment, one_line
from junod.memory.lineage import Lineage, Link
from junod.records import Memory

if TYPE_CHECKING:
    from rich.tree import Tree


def history_rows(lineage: Lineage) -> list[dict[str, Any]]:
    """The memories of a lineage, each with what it took the place of, why and when."""
    return [
        memory_row(memory)
        | {
            "replaced": [
                {
                    "id": link.old,
                    "reason": link.reason,
                    "at": link.at.isoformat(),
                    "taken_back_at": link.withdrawn_at.isoformat() if link.withdrawn_at else None,
                }
                for link in lineage.made(memory.id)
            ]
        }
        for memory in lineage.memories
    ]


def print_history(lineage: Lineage, zone: ZoneInfo) -> None:
    """A tree: what holds now on top, below each what it took the place of, with what was heard, why and when."""
    from rich.console import Console

    for tree in history_trees(lineage, zone):
        Console(highlight=False).print(tree)


def history_trees(lineage: Lineage, zone: ZoneInfo) -> list[Tree]:
    """One tree for each memory that nothing took the place of, those taken back last; nothing is drawn twice."""
    from rich.tree import Tree

    by_id = {memory.id: memory for memory in lineage.memories}
    replaced = {link.old for link in lineage.links if link.withdrawn_at is None}
    roots = [memory for memory in lineage.memories if memory.id not in replaced]
    drawn: set[str] = set()

    def grow(branch: Tree, memory: Memory) -> None:
        for link in lineage.made(memory.id):
            old = by_id.get(link.old)
            if old is not None and old.id in drawn:
                branch.add(f"[dim]{_link_words(link, zone)} {old.id[-8:]}, see there[/dim]")
            elif old is not None:
                drawn.add(old.id)
                grow(branch.add(_label(lineage, old, zone, link)), old)

    trees = []
    for memory in sorted(roots, key=lambda memory: (not memory.is_active, memory.id)):
        trees.append(Tree(_label(lineage, memory, zone)))
        drawn.add(memory.id)
        grow(trees[-1], memory)
    return trees


def _label(lineage: Lineage, memory: Memory, zone: ZoneInfo, link: Link | None = None) -> str:
    from rich.markup import escape

    how = f"[dim]{_link_words(link, zone)}[/dim] " if link else ""
    state = ", put away" if memory.archived and link is None else ""
    heard = f"\nheard: {escape(memory.transcript)}" if memory.transcript else ""
    by_hand = memory.source == "manual" and not (heard or lineage.made(memory.id))
    said = f"said {moment(memory.spoken_at.astimezone(zone))}, {memory.source}{state}, {memory.id[-8:]}"
    words = "\nwritten by hand" if by_hand else heard
    return f"{how}[bold]{escape(one_line(memory.memory))}[/bold]\n[dim]{said}{words}[/dim]"


def _link_words(link: Link, zone: ZoneInfo) -> str:
    """'edit, Tue 24 Mar 2026, 18:00:', with the moment it was taken back."""
    back = f", taken back {moment(link.withdrawn_at.astimezone(zone))}" if link.withdrawn_at else ""
    return f"{link.reason or 'replaced'}, {moment(link.at.astimezone(zone))}{back}:"
