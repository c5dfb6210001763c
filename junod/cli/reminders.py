"""`junod reminders`: what the daemon will remind of, and when."""

from __future__ import annotations

from typing import Annotated

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for


def reminders(
    days: Annotated[int, typer.Option(min=1, max=366, help="How far to look ahead.")] = 7,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show what will be reminded of, the soonest first. The daemon reminds on the page, once each."""
    from junod.assembly.house import open_house
    from junod.assembly.reminders import begins, coming_reminders, reminder_row
    from junod.cli.output import moment

    with open_house(settings_for(config, db)) as house:
        found, zone, is_on = coming_reminders(house, days), house.zone, house.reminder_settings.enabled
    if json:
        print_json([reminder_row(each, zone) for each in found])
    elif not is_on:
        print("Reminders are off (reminders.enabled).")
    elif not found:
        print(f"Nothing to be reminded of in the next {days} days.")
    for each in found if not json else ():
        rule = ", earlier by a rule" if each.by_rule else ""
        print(f"{each.memory_id[-8:]}  {moment(each.at.astimezone(zone))}  {each.text} ({begins(each)}{rule})")
