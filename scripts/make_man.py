"""Print junod's man page, made from the help texts of its commands: python scripts/make_man.py > junod.1"""

from __future__ import annotations

from collections.abc import Iterator

import typer
from typer.core import TyperCommand, TyperGroup

import junod
from junod.cli.app import app

FILES = (
    ("/etc/junod/junod.toml", "Settings. `junod config show` lists every key."),
    ("/var/lib/junod/junod.db", "The memories."),
    ("/var/lib/junod/backups/", "Copies of them, made every night."),
    ("/run/junod/status.json", "What the daemon does, as `junod status` shows it."),
)
EXITS = (("0", "Done."), ("1", "Failed; standard error says why and what to do."), ("2", "Wrong use."))


def roff(text: str) -> str:
    """Text that troff takes for text."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    escaped = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in escaped)
    lines = [line.strip() for line in escaped.splitlines() if line.strip()]
    return "\n".join(f"\\&{line}" if line[0] in ".'" else line for line in lines)


def commands(group: TyperGroup, names: tuple[str, ...] = ()) -> Iterator[tuple[str, TyperCommand]]:
    """Each command that does something, with its full name."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, TyperGroup):
            yield from commands(command, (*names, name))
        elif isinstance(command, TyperCommand):
            yield " ".join((*names, name)), command


def described(name: str, command: TyperCommand) -> Iterator[str]:
    context = typer.Context(command, info_name=f"junod {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    yield f".SS junod {roff(name)} {roff(usage)}"
    yield roff(command.help or "")
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record:
            yield from (".TP", f".B {roff(record[0])}", roff(record[1]) or "\\&")


def page() -> str:
    """The whole page."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    lines = [
        f'.TH JUNOD 1 "" "junod {junod.__version__}" "User Commands"',
        ".SH NAME",
        "junod \\- the memory of a kitchen",
        ".SH SYNOPSIS",
        ".B junod",
        "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGS\\fR]...",
        ".SH DESCRIPTION",
        roff(group.help or ""),
        ".SH COMMANDS",
    ]
    for name, command in commands(group):
        lines += described(name, command)
    for title, rows in (("FILES", FILES), ("EXIT STATUS", EXITS)):
        lines.append(f".SH {title}")
        lines += [part for left, right in rows for part in (".TP", f".B {roff(left)}", roff(right))]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
