"""A search in the household's own words: what a name means is looked for beside the name, and what a tag stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from junod.memory.search import Hit, SearchMode, SearchRequest
from junod.rules.apply import mentions
from junod.rules.schema import ExpandName, RuleSpec, Tag

MAX_READINGS = 4
_DETERMINER = re.compile(r"^(?:my|our|your|the|a|an)\s+", re.IGNORECASE)


def readings(query: str, rules: Iterable[RuleSpec]) -> tuple[str, ...]:
    """The query, and the query with a name for its meaning, a meaning for its name, or a thing for its tag."""
    found = [query]
    for spec in rules:
        action = spec.action
        if isinstance(action, ExpandName):
            found += [_instead(query, spec.about, action.to), _instead(query, action.to, spec.about)]
        elif isinstance(action, Tag) and re.search(rf"(?<!\w)#?{re.escape(action.tag)}(?!\w)", query, re.IGNORECASE):
            found.append(spec.about)
    return tuple(dict.fromkeys(each for each in found if each.strip()))[:MAX_READINGS]


def found_by_rules(
    search: Callable[[SearchRequest], Sequence[Hit]], request: SearchRequest, rules: Sequence[RuleSpec]
) -> tuple[Hit, ...]:
    """What any reading of the query finds, each memory once with its best score, in the order the mode asks for."""
    best: dict[str, Hit] = {}
    for query in readings(request.query, rules) or (request.query,):
        for hit in search(replace(request, query=query)):
            known = best.get(hit.memory.id)
            if known is None or hit.score > known.score:
                best[hit.memory.id] = hit
    if request.mode is SearchMode.CHRONOLOGICAL:
        ordered = sorted(best.values(), key=lambda hit: (hit.memory.spoken_at, hit.memory.id))
    else:
        ordered = sorted(best.values(), key=lambda hit: (-hit.score, hit.memory.id))
    return tuple(ordered[: request.limit])


def _instead(query: str, words: str, other: str) -> str:
    """The query with `other` in the place of `words`; '' where it does not have them."""
    plain = _DETERMINER.sub("", words)
    if not mentions(query, words):
        return ""
    text, times = re.subn(
        rf"(?<!\w)(?:(?:my|our|the) )?{re.escape(plain)}(?!\w)", lambda _: _DETERMINER.sub("", other), query, count=1,
        flags=re.IGNORECASE,
    )  # fmt: skip
    return text if times else ""
