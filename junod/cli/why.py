"""`junod why`: what bears out what junod knows, and what removes it."""

from __future__ import annotations

from typing import Annotated

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for


def why(
    known_id: Annotated[
        str,
        typer.Argument(metavar="ID", help="Id of a memory, habit, impression or rule, or its end.", show_default=False),
    ],
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Say why junod knows something: the words or events behind it, when, in which layer, and what removes it."""
    from junod.assembly.house import open_house
    from junod.assembly.why import why as explain
    from junod.assembly.why import why_row
    from junod.cli.output import moment

    with open_house(settings_for(config, db)) as house:
        known, zone = explain(house, known_id), house.zone
    if json:
        print_json(why_row(known, zone))
        return
    print(f"{known.layer}: {known.says or '(nothing to say yet)'}")
    print(f"  {known.because}")
    print(f"  since {moment(known.since.astimezone(zone))}")
    for each in known.evidence:
        print(
            f"  {moment(each.at.astimezone(zone))}  {each.text}{f' ({each.memory_id[-8:]})' if each.memory_id else ''}"
        )
    print(f"  to remove it: {known.removed_by}")
