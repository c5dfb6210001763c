"""`junod config`: what is in force, and what is wrong with it."""

from __future__ import annotations

import typer

from junod.cli.options import ConfigOption, JsonOption, settings_for

app = typer.Typer(help="Show and check the settings.", no_args_is_help=True)


@app.command()
def show(config: ConfigOption = None, json: JsonOption = False) -> None:
    """Print every setting in force, with its meaning and range."""
    settings = settings_for(config)
    if json:
        print(settings.model_dump_json(indent=2))
        return
    from junod.settings import find_config
    from junod.settings_text import settings_text

    print(settings_text(settings, header=f"# In force now; read from {find_config(config) or 'the defaults'}.\n"))


@app.command()
def check(config: ConfigOption = None) -> None:
    """Say whether the settings are sound. Exit code 2 when they are not."""
    from junod.settings import find_config, household_zone

    zone = household_zone(settings_for(config))
    print(f"Settings are sound ({find_config(config) or 'defaults'}; time zone {zone.key}).")
