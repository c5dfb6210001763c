"""The command line: every command in a file of its own, imported only when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

import junod
from junod.cli import config, habits, memories, models, persona, rules
from junod.cli.backup import backup, check, restore
from junod.cli.calibrate import calibrate
from junod.cli.dedup import dedup
from junod.cli.doctor import doctor
from junod.cli.ear import media, mute, off_record, on_record, unmute
from junod.cli.eval import evaluate
from junod.cli.journal import journal
from junod.cli.mcp import mcp
from junod.cli.microphones import microphones
from junod.cli.page import page
from junod.cli.privacy import export, forget
from junod.cli.reminders import reminders
from junod.cli.replay import replay
from junod.cli.run import run
from junod.cli.screen import screen
from junod.cli.status import status
from junod.cli.why import why

app = typer.Typer(
    name="junod",
    help="The memory of a kitchen: it hears the room, keeps what matters, and throws the rest away.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        print(f"junod {junod.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which.")] = False,
) -> None:
    """Holds the options that belong to no command."""


app.command()(run)
app.command()(page)
app.command()(mute)
app.command()(unmute)
app.command(name="off-record")(off_record)
app.command(name="on-record")(on_record)
app.command()(media)
app.command()(screen)
app.command()(replay)
app.add_typer(memories.app, name="memories")
app.add_typer(habits.app, name="habits")
app.add_typer(persona.app, name="persona")
app.command()(why)
app.add_typer(rules.app, name="rules")
app.command()(reminders)
app.command()(dedup)
app.command()(mcp)
app.command()(export)
app.command()(forget)
app.command()(backup)
app.command()(restore)
app.command()(check)
app.command()(status)
app.command()(journal)
app.command()(doctor)
app.command()(microphones)
app.add_typer(config.app, name="config")
app.add_typer(models.app, name="models")
app.command(name="eval")(evaluate)
app.command()(calibrate)
