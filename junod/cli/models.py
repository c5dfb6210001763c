"""`junod models`: which weights there are, get them, check them."""

from __future__ import annotations

from typing import Annotated

import typer

from junod.cli.options import ConfigOption, JsonOption, settings_for

app = typer.Typer(help="Model weights: list, pull, verify.", no_args_is_help=True)

Names = Annotated[list[str] | None, typer.Argument(help="Names of models.", show_default="the default set")]
All = Annotated[bool, typer.Option("--all", help="Every model of the manifest.")]


@app.command("list")
def list_models(config: ConfigOption = None, json: JsonOption = False) -> None:
    """Show the models junod knows and which are installed."""
    from junod.cli import models_view
    from junod.settings import models_dir

    models_view.show_list(models_dir(settings_for(config)), as_json=json)


@app.command("pull")
def pull(names: Names = None, everything: All = False, config: ConfigOption = None) -> None:
    """Download models and check them; goes on where it stopped."""
    from junod.cli import models_view
    from junod.settings import models_dir

    settings = settings_for(config)
    models_view.pull_shown(_chosen(names, everything), models_dir(settings), settings.models.hub)


@app.command("verify")
def verify(
    names: Names = None,
    everything: All = False,
    quick: Annotated[bool, typer.Option("--quick", help="Hash only what changed since it last passed.")] = False,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Check installed models against the manifest's sha256. Exit code 1 when one is wrong."""
    from junod.cli import models_view
    from junod.settings import models_dir

    folder = models_dir(settings_for(config))
    if not models_view.verify_shown(_chosen(names, everything), folder, full=not quick, as_json=json):
        raise typer.Exit(1)


def _chosen(names: list[str] | None, everything: bool) -> tuple[str, ...]:
    from junod.errors import UsageError
    from junod.weights.manifest import load_manifest

    if names and everything:
        raise UsageError("Give names or --all, not both.")
    return tuple(dict.fromkeys(names)) if names else load_manifest().names(default_only=not everything)
