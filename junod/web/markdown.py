"""Memories are markdown from a microphone, so from anybody: to HTML that holds text, lists and marks, and nothing else.

Two locks: markdown-it-py renders with raw HTML, links, images and autolinks off; nh3 then keeps a short list of tags
without any attribute.
"""

from __future__ import annotations

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt

from junod.memory.markdown import plain

TAGS = frozenset({"p", "br", "ul", "ol", "li", "s", "em", "strong", "code", "blockquote"})
_RULES_OFF = ("link", "image", "autolink", "html_inline", "html_block", "reference", "heading", "lheading", "fence",
              "code", "hr", "table", "entity")  # fmt: skip


def _renderer() -> MarkdownIt:
    renderer = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False, "breaks": True})
    return renderer.disable([rule for rule in _RULES_OFF if rule in _known_rules(renderer)])


def _known_rules(renderer: MarkdownIt) -> set[str]:
    return {rule for rules in renderer.get_all_rules().values() for rule in rules}


_MARKDOWN = _renderer()


@lru_cache(maxsize=2048)
def to_html(text: str) -> str:
    """Harmless HTML of a memory or transcript: the tags of `TAGS`, no attributes."""
    sound = text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair is no text
    return nh3.clean(_MARKDOWN.render(plain(sound)), tags=set(TAGS), attributes={})
