"""`junod persona`: impressions of adults who agreed to them; correct or delete them."""

from __future__ import annotations

from typing import Annotated

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for

app = typer.Typer(help="Look at impressions, correct them, delete them. Off by default.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(help="Id of an impression, or the end of it.", show_default=False)]


@app.command("list")
def list_impressions(
    everything: Annotated[bool, typer.Option("--all", help="Also those too weak or too new to be shown.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show impressions with the words that bear them out. Nothing of it is a fact."""
    from junod.assembly.house import open_house
    from junod.cli.output import moment
    from junod.persona.verbs import trait_row

    settings = settings_for(config, db)
    with open_house(settings) as house:
        traits, zone = house.persona.list(house.clock.now(), everything=everything), house.zone
    if json:
        print_json([trait_row(trait, zone) for trait in traits])
        return
    for trait in traits:
        print(f"{trait.id[-8:]}  {trait.weight:.2f}  {trait.statement}{'' if trait.is_shown else ' (not shown)'}")
        for quote in trait.quotes:
            print(f"    {moment(quote.memory.spoken_at)}  {quote.text}")
    if not traits:
        print("There are no impressions." if settings.persona.enabled else "Impressions are off (persona.enabled).")


@app.command()
def correct(
    trait_id: Id,
    text: Annotated[list[str], typer.Argument(help="How it should read.", show_default=False)],
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Let an impression read as you say. Nothing clinical is taken."""
    from junod.assembly.house import open_house
    from junod.assembly.parts import masked
    from junod.persona.verbs import trait_row

    with open_house(settings_for(config, db)) as house:
        trait = house.persona.correct(trait_id, masked(" ".join(text)), house.clock.now())
        row = trait_row(trait, house.zone)
    if json:
        print_json(row)
    else:
        print(f"It reads: {trait.statement}")


@app.command()
def delete(
    trait_id: Annotated[str, typer.Argument(help="Id of an impression, or the end of it.", show_default=False)] = "",
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Erase an impression for good: it is not formed again. The memories stay."""
    from junod.assembly.house import open_house
    from junod.errors import UsageError

    if everything == bool(trait_id):
        raise UsageError("Say what to delete.", hint="Give the id of an impression, or --all.")
    with open_house(settings_for(config, db)) as house:
        if everything and not (yes or json):
            typer.confirm("Delete every impression for good?", abort=True, err=True)
        deleted = house.persona.delete_all() if everything else [house.persona.delete(trait_id)]
    if json:
        print_json({"deleted": deleted})
    else:
        print(f"Deleted ({deleted if everything else 1}).")
