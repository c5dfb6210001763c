"""`junod mcp`: the memories for an assistant."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import typer

from junod.cli.options import ConfigOption, DbOption, settings_for
from junod.errors import UsageError

DEFAULT_PORT = 8377
SDK = ("mcp", "mcp_types", "starlette", "uvicorn")


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP on loopback instead of stdio.")] = False,
    port: Annotated[int | None, typer.Option(help="Port for --http, 0 = any.", show_default=str(DEFAULT_PORT))] = None,
    db: DbOption = None,
    config: ConfigOption = None,
) -> None:
    """Serve the memories to an assistant over the Model Context Protocol.

    On stdio nothing but the protocol is written to standard output. With --http a token is needed, which is kept in
    the file mcp-token in the data folder.
    """
    if port is not None and not http:
        raise UsageError("--port is for --http.", hint="Add --http, or leave --port out.")
    try:
        from junod.mcp_server.server import build_server
    except ModuleNotFoundError as error:
        if error.name not in SDK:
            raise
        raise UsageError("The MCP server needs the package mcp.", hint="pip install 'junod[mcp]'") from error
    from junod.assembly.house import open_house
    from junod.cli.daemon_talk import DaemonTalk

    with open_house(settings_for(config, db)) as own:
        house = own if db or config else replace(own, talk=DaemonTalk(own.store, own.clock, own.zone))
        server = build_server(house)
        if not http:
            server.run("stdio")
            return
        from junod.mcp_server.http import PATH, listen, read_token, serve
        from junod.settings import data_dir

        token_file = data_dir() / "mcp-token"
        token = read_token(token_file)
        listener = listen(DEFAULT_PORT if port is None else port)
        address = "http://{}:{}".format(*listener.getsockname())
        print(f"junod: serving {address}{PATH}, token in {token_file}", file=sys.stderr, flush=True)
        serve(server, listener, token)
