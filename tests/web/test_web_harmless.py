"""Memories are markdown from a microphone, so from anybody: whatever was said comes out harmless."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from web.web_fakes import Site, site

from junod.agenda.entries import title
from junod.web.markdown import TAGS, to_html

ATTACKS = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "![x](http://evil/p.png)",
    "<javascript:alert(1)>", "<http://evil>", "[a]: http://evil\n[a]", "<svg/onload=alert(1)>", "`<b>`", "<!-- -->",
    "&lt;script&gt;", "<style>*{display:none}</style>", "~~<iframe src=//evil>~~", "> <b onclick=x>", "<a href='//x'>",
    "\u202eevil\u202c", "\u2066x\u2069", "שלום <b>", "مرحبا", "👩‍👩‍👧‍👦🎉", "x" * 500,
    "- [ ] <u>", "# h", "    code", "```\n<b>\n```",
    "<math><mi//xlink:href=\"data:x,<script>alert(4)</script>\">", "]]>", "<![CDATA[", "\\<script\\>", "a\u0000b",
    "|a|b|\n|-|-|",
)  # fmt: skip
PIECES = st.lists(st.one_of(st.sampled_from(ATTACKS), st.text(max_size=40)), max_size=6).map("\n".join)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment got through")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError("a declaration got through")


def parsed(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    return tags


@given(PIECES)
@settings(max_examples=200, deadline=None)
def test_any_text_becomes_a_few_tags_without_attributes(text: str) -> None:
    tags = parsed(to_html(text))
    assert all(tag in TAGS and attributes == [] for tag, attributes in tags.found)
    assert not any(control in tags.text for control in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068")


@pytest.mark.parametrize("attack", ATTACKS)
def test_each_known_attack_is_shown_as_text(attack: str) -> None:
    assert all(not attributes for _, attributes in parsed(to_html(attack)).found)


def test_what_a_family_writes_keeps_its_form() -> None:
    assert to_html("Shopping list:\n- ~~milk~~\n- **eggs**") == (
        "<p>Shopping list:</p>\n<ul>\n<li><s>milk</s></li>\n<li><strong>eggs</strong></li>\n</ul>\n"
    )
    assert "👩‍👩‍👧‍👦" in to_html("👩‍👩‍👧‍👦 comes")
    assert "שלום" in to_html("שלום")


@given(text=PIECES.filter(lambda text: bool(text.strip("\x00 \n"))))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_route_gives_hostile_text_as_json_or_harmless_html(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with site(tmp_path_factory.mktemp("hostile")) as house:
        response = house.ask("POST", "/api/memories", content=json.dumps({"text": text}), headers=JSON)
        if response.status_code != 201:
            assert response.status_code in (422, 503)
            return
        row = response.json()
        assert all(not attributes for _, attributes in parsed(row["html"]).found)
        assert "\n" not in row["title"]
        for path in ("/api/home", "/api/memories", f"/api/memories/{row['id']}/history", "/api/constellation"):
            assert house.ask("GET", path).headers["content-type"] == "application/json"
        _follow_calendar(house)


JSON = {"Content-Type": "application/json"}


def _follow_calendar(house: Site) -> None:
    token = house.post("/api/feeds", {})["token"]
    assert house.ask("GET", f"/calendar.ics?token={token}").status_code == 200
    assert house.ask("GET", f"/shopping.md?token={token}").status_code == 200


def test_a_title_is_one_plain_line(tmp_path: Path) -> None:
    with site(tmp_path) as house:
        assert title(house.say("~~**Buy** `milk`~~\n> said so")) == "Buy milk"
