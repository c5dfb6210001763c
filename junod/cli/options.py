"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from junod.settings import Settings

ConfigOption = Annotated[
    Path | None, typer.Option("--config", "-c", help="Settings file.", envvar="JUNOD_CONFIG", show_default=False)
]
DbOption = Annotated[Path | None, typer.Option("--db", help="Database file.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def settings_for(config: Path | None, db: Path | None = None, **sections: dict[str, Any]) -> Settings:
    """Settings with the command line laid over them."""
    from junod.settings import load_settings

    overrides: dict[str, Any] = {name: values for name, values in sections.items() if values}
    if db is not None:
        overrides["memory"] = {**overrides.get("memory", {}), "path": db}
    return load_settings(config, overrides=overrides)
