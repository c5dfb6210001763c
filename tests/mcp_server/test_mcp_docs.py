"""What docs/mcp.md shows is so: its tools, its calls, its resources and its settings."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from mcp_server.mcp_fakes import FakeHouse, fake_house, live
from mcp_server.test_mcp_tools import TOOLS

from junod.cli.mcp import DEFAULT_PORT
from junod.mcp_server.http import PATH
from junod.mcp_server.server import SHOPPING_URI, WEEK_URI

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
CALLS = [line.split(" ", 1) for line in re.findall(r"^[a-z_]+ \{.*\}$", PAGE, re.MULTILINE)]


def fill(home: FakeHouse) -> None:
    live(home)
    home.say("The spare key is under the blue pot", timedelta(days=2))
    home.say("Dentist for Leo", timedelta(days=7))
    home.say("Dentist for Mia", timedelta(hours=1))
    home.say("The plumber has a new number", timedelta(hours=1))


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[" ".join(call)[:40] for call in CALLS])
def test_a_shown_call_is_answered(tmp_path: Path, tool: str, arguments: str) -> None:
    with fake_house(tmp_path) as home:
        fill(home)
        assert not home.call(tool, **json.loads(arguments)).is_error


def test_the_page_names_every_tool_and_resource_and_shows_a_call_of_each_tool() -> None:
    assert set(re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE)) == TOOLS == {tool for tool, _ in CALLS}
    assert SHOPPING_URI in PAGE
    assert WEEK_URI in PAGE
    assert f"http://127.0.0.1:{DEFAULT_PORT}{PATH}" in PAGE


def test_the_settings_for_an_assistant_are_json_that_starts_the_server() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    server = json.loads(block)["mcpServers"]["junod"]
    assert server["command"].endswith("/junod")
    assert server["args"] == ["mcp"]
