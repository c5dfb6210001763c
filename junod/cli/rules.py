"""`junod rules`: what the household declared. Here a person confirms; nothing else does but the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from junod.cli.as_json import print_json
from junod.cli.options import ConfigOption, DbOption, JsonOption, settings_for

if TYPE_CHECKING:
    from junod.rules.book import RuleBook, ShownRule
    from junod.rules.dry_run import Change

BY = "cli"
app = typer.Typer(
    help="Rules the household declares: list, add, confirm, switch, delete, try out.", no_args_is_help=True
)

Id = Annotated[str, typer.Argument(help="Id of a rule, or the part of it that `list` shows.", show_default=False)]


@app.command("list")
def list_rules(db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Show proposals first, then the rules in the order in which they are applied, with their conflicts."""
    with _book(config, db, read_only=True) as book:
        rules = book.listed()
    if json:
        print_json(_rows(rules))
    elif not rules:
        print("No rules. `junod rules add` takes one in plain words.")
    for rule in rules if not json else ():
        _print_rule(rule)


@app.command()
def add(
    words: Annotated[list[str], typer.Argument(help="The rule as you would say it.", show_default=False)],
    replaces: Annotated[str, typer.Option(help="Id of the rule whose place it takes.", show_default=False)] = "",
    data: Annotated[bool, typer.Option("--data", help='The words are {"trigger": …, "action": …} in JSON.')] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Confirm it at once, without being asked.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Propose a rule in plain words; it changes nothing before it is confirmed."""
    text = " ".join(words)
    with _book(config, db) as book:
        propose = book.propose_data if data else book.propose
        proposed = propose(text, source=BY, replaces=replaces)
        rule = book.confirm(proposed.rule.id, by=BY) if yes and proposed.is_new else proposed.rule
    if json:
        print_json(_rows([rule])[0] | {"is_new": proposed.is_new})
        return
    if not proposed.is_new:
        print("This rule is there already:")
    _print_rule(rule)
    if rule.stored.state == "proposed":
        print(f"Confirm it with `junod rules confirm {rule.id[-8:]}`.")


@app.command()
def confirm(
    rule_id: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Put a proposed rule into force, ahead of others of its kind."""
    with _book(config, db) as book:
        rule = book.show(rule_id)
        if not (yes or json):
            _print_rule(rule)
            typer.confirm("Put this rule into force?", abort=True)
        _changed(book.confirm(rule.id, by=BY), json=json)


@app.command()
def on(rule_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Switch a confirmed rule on again."""
    with _book(config, db) as book:
        _changed(book.switch(rule_id, on=True, by=BY), json=json)


@app.command()
def off(rule_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Switch a rule off. What it changed before stays."""
    with _book(config, db) as book:
        _changed(book.switch(rule_id, on=False, by=BY), json=json)


@app.command()
def first(rule_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Apply a rule ahead of the others of its kind: in a conflict it wins."""
    with _book(config, db) as book:
        _changed(book.move_first(rule_id, by=BY), json=json)


@app.command()
def delete(
    rule_id: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Erase a rule for good, with its history and the words it was read from."""
    with _book(config, db) as book:
        rule = book.show(rule_id)
        if not (yes or json):
            typer.confirm(f"Delete '{rule.told}' for good?", abort=True)
        erased = book.delete(rule.id, by=BY)
    if json:
        print_json({"deleted": list(erased)})
    else:
        print(f"Deleted ({len(erased)} erased).")


@app.command()
def history(rule_id: Id, db: DbOption = None, config: ConfigOption = None, json: JsonOption = False) -> None:
    """Show a rule, what it replaced, and what happened to them."""
    from junod.cli.output import moment

    with _book(config, db, read_only=True) as book:
        chain, events = book.history(rule_id)
    if json:
        told = [{"rule": one.rule_id, "at": one.at.isoformat(), "event": one.event, "by": one.by} for one in events]
        print_json({"rules": _rows(chain), "events": told})
        return
    for rule in chain:
        _print_rule(rule)
    for event in events:
        print(f"  {moment(event.at)}  {event.rule_id[-8:]}  {event.event} ({event.by})")


@app.command("dry-run")
def dry_run(
    rule: Annotated[list[str], typer.Argument(help="Id of a rule, or a rule in plain words.", show_default=False)],
    days: Annotated[int, typer.Option(min=1, max=366, help="How far to look back.")] = 7,
    db: DbOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show what a rule would have changed in the last days. Nothing is changed or noted."""
    from junod.assembly.rules import tried_out

    changes = tried_out(settings_for(config, db), " ".join(rule), days)
    if json:
        print_json([_change_row(change) for change in changes])
    elif not changes:
        print(f"It would have changed nothing in the last {days} days.")
    for change in changes if not json else ():
        print(f"{change.memory_id[-8:]:>8}  {' / '.join(change.before.splitlines())}\n       →  {change.after}")


@contextmanager
def _book(config: Path | None, db: Path | None, *, read_only: bool = False) -> Iterator[RuleBook]:
    from junod.assembly.rules import open_rules

    with open_rules(settings_for(config, db), read_only=read_only) as book:
        yield book


def _rows(rules: Sequence[ShownRule]) -> list[dict[str, Any]]:
    from junod.rules.telling import rule_row

    return [rule_row(rule) for rule in rules]


def _changed(rule: ShownRule, *, json: bool) -> None:
    if json:
        print_json(_rows([rule])[0])
    else:
        _print_rule(rule)


def _print_rule(rule: ShownRule) -> None:
    from junod.cli.output import moment

    print(f"{rule.id[-8:]}  {rule.stored.state:<9} {rule.told}")
    if rule.stored.said:
        print(f"          said: {rule.stored.said} ({rule.stored.source}, {moment(rule.stored.created_at)})")
    if rule.is_suspect:
        print("          careful: this has the shape of an instruction to a program")
    for why in rule.conflicts:
        print(f"          conflict: {why}")


def _change_row(change: Change) -> dict[str, Any]:
    return {"id": change.memory_id or None, "before": change.before, "after": change.after}
