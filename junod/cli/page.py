"""`junod page`: where the page is, and how other devices get to it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from junod.cli.as_json import print_json
from junod.cli.options import JsonOption
from junod.cli.talk import ask_daemon
from junod.errors import UsageError


def page(
    pair: Annotated[bool, typer.Option("--pair", help="A code that lets one more device in.")] = False,
    lan: Annotated[
        str, typer.Option(help="on: open the page to the local network, for paired devices. off: close it.")
    ] = "",
    calendar: Annotated[
        bool, typer.Option("--calendar", help="Addresses that a calendar or list program can follow, with a new token.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Say where the page is. Other devices see it only after `--lan on`, and only once they are paired."""
    if lan not in ("", "on", "off"):
        raise UsageError(f"--lan {lan} is unknown.", hint="Give on or off.")
    if lan:
        _show(ask_daemon("POST", "/api/lan", {"on": lan == "on"}), as_json=json)
    elif pair:
        _show(ask_daemon("POST", "/api/offer"), as_json=json)
    elif calendar:
        _show_feeds(ask_daemon("POST", "/api/feeds", {}), as_json=json)
    else:
        _show_address(as_json=json)


def _show_address(*, as_json: bool) -> None:
    setting = ask_daemon("GET", "/api/lan")
    if as_json:
        print_json({"home": setting["home"], "lan": setting["url"]})
        return
    print(setting["home"])
    print(setting["url"] or "The local network cannot reach it; `junod page --lan on` opens it.")


def _show(offered: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(offered)
    elif not offered["code"]:
        print("The page is closed to the local network.")
    else:
        print(f"Open {offered['url']} on the other device and type {_spaced(offered['code'])}.")
        print(f"The code lets one device in and is good until {offered['expires_at']}.")


def _show_feeds(feeds: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(feeds)
        return
    print(f"Calendar: {feeds['calendar_url']}")
    print(f"Shopping list: {feeds['shopping_url']}")
    print("Whoever has these addresses can read them. The page's Setup view takes them back.")


def _spaced(code: str) -> str:
    return f"{code[:4]} {code[4:]}"
