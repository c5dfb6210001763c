#!/usr/bin/env python3
"""How often a spoken time is resolved right: labelled kitchen passages, and published phrases where given.

usage: eval_dates.py PASSAGES.jsonl... [--phrases PHRASES.jsonl] [--misses] [--json]

For each expectation with an instant, the time phrases found in its passage are resolved with the labelled kind:
  auto   all of them combined, the last day and the last hour winning: no choice made
  best   some combination of at most three is right: what a perfect chooser (the language model) reaches
  choice right only by choosing: best without auto
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from junod.records import Kind
from junod.when import combine, find_time_phrases

_TOLERANCE_S = 60
_MOST_TOGETHER = 3
_MOST_PHRASES = 14


def passages(paths: list[Path]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Passage and expectation for each expectation that has an instant."""
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            for wanted in row["expect"]:
                if isinstance(wanted["expires_at"], list):
                    yield row, wanted


def candidates(text: str) -> list[list[str]]:
    """Every choice of up to three phrases in the order spoken; the first is all of them together."""
    found = [phrase.text for phrase in find_time_phrases(text)][-_MOST_PHRASES:]
    picks = [list(pick) for size in range(1, _MOST_TOGETHER + 1) for pick in itertools.combinations(found, size)]
    reordered = [[second, first] for first, second in itertools.combinations(found, 2)]
    return [found, *picks, *reordered]


def is_right(phrases: list[str], row: dict[str, Any], wanted: dict[str, Any], hint: str) -> bool:
    zone = ZoneInfo(row["tz"])
    got = combine(
        phrases, spoken_at=datetime.fromisoformat(row["spoken_at"]), zone=zone, kind=Kind(wanted["kind"]), hint=hint
    )
    if got.expires_at is None:
        return False
    ends = got.expires_at
    return any(abs((ends - datetime.fromisoformat(at)).total_seconds()) < _TOLERANCE_S for at in wanted["expires_at"])


def judge(row: dict[str, Any], wanted: dict[str, Any]) -> str:
    """'auto', 'choice', 'context' (only with the earlier talk) or 'miss'."""
    text = row["transcript"]
    tries = candidates(text)
    if is_right(tries[0], row, wanted, text):
        return "auto"
    if any(is_right(pick, row, wanted, text) for pick in tries[1:]):
        return "choice"
    if row.get("context"):
        longer = " . ".join([*row["context"], text])
        if any(is_right(pick, row, wanted, longer) for pick in candidates(longer)):
            return "context"
    return "miss"


def report_passages(paths: list[Path], *, misses: bool, as_json: bool) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for row, wanted in passages(paths):
        verdict = judge(row, wanted)
        counts[wanted["kind"], verdict] += 1
        if misses and verdict == "miss":
            print(f"MISS {row['id']} {wanted['kind']} {row['spoken_at']} {wanted['expires_at']} {row['transcript']}")
            print("     ", [phrase.text for phrase in find_time_phrases(row["transcript"])])
    print_table(counts, as_json=as_json)


def print_table(counts: Counter[tuple[str, str]], *, as_json: bool) -> None:
    groups = sorted({group for group, _ in counts})
    rows = {group: {v: counts[group, v] for v in ("auto", "choice", "context", "miss")} for group in groups}
    rows["all"] = {v: sum(row[v] for row in rows.values()) for v in ("auto", "choice", "context", "miss")}
    if as_json:
        print(json.dumps(rows))
        return
    print(f"{'':14}{'n':>6}{'auto':>8}{'best':>8}{'choice':>8}{'context':>9}{'miss':>6}")
    for group, row in rows.items():
        n = sum(row.values()) or 1
        best = n - row["miss"]
        print(
            f"{group:14}{n:>6}{row['auto'] / n:>8.3f}{best / n:>8.3f}"
            f"{row['choice']:>8}{row['context']:>9}{row['miss']:>6}"
        )


def published(path: Path) -> Iterator[tuple[str, str, datetime, list[str], bool]]:
    """Source, phrase, moment, right answers and day-first, for single dates, times and both together.

    An answer is 'YYYY-MM-DD', 'YYYY-MM-DD HH:MM:SS' or 'HH:MM:SS'. Spans, lengths, repeats and rows without a moment
    are out of scope.
    """
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if not row["ref"]:
            continue
        moment = datetime.fromisoformat(row["ref"]).replace(tzinfo=UTC)
        if "gold" in row:
            gold = re.fullmatch(r"Time\[\]\{(\S+) (\S+) \(X/X\)\}", row["gold"])
            if gold and "X" not in gold[1]:
                answer = gold[1] if "X" in gold[2] else f"{gold[1]} {gold[2]}:00"
                yield "ctparse", row["text"], moment, [answer], True
            continue
        single: dict[str, Any] = row["results"][0] if len(row["results"]) == 1 else {"TypeName": ""}
        if single["TypeName"] in ("datetimeV2.date", "datetimeV2.datetime", "datetimeV2.time"):
            answers = [value.get("value", "not resolved") for value in single["Resolution"]["values"]]
            if "not resolved" not in answers:
                yield f"recognizers {single['TypeName'][11:]}", single["Text"], moment, answers, False


def answers_agree(ends: datetime, answers: list[str]) -> bool:
    """Whether the instant, or the day that it ends, is one of the published answers."""
    day_over = (ends - timedelta(seconds=1)).strftime("%Y-%m-%d %H:%M:%S")
    spellings = {f"{ends:%Y-%m-%d %H:%M:%S}", f"{ends:%H:%M:%S}", day_over}
    if (ends.hour, ends.minute) == (0, 0):
        spellings.add(day_over[:10])
    return not spellings.isdisjoint(answers)


def report_phrases(path: Path, *, misses: bool, as_json: bool) -> None:
    counts: Counter[tuple[str, bool]] = Counter()
    for source, phrase, moment, answers, day_first in published(path):
        got = combine([phrase], spoken_at=moment, zone=ZoneInfo("UTC"), kind=Kind.APPOINTMENT, day_first=day_first)
        right = got.expires_at is not None and answers_agree(got.expires_at, answers)
        counts[source, right] += 1
        if misses and not right:
            print(f"MISS {source}: {phrase!r} said {moment:%a %F %H:%M}: {got.expires_at}, published {answers}")
    sources = sorted({source for source, _ in counts})
    table = {
        source: {"n": counts[source, True] + counts[source, False], "right": counts[source, True]} for source in sources
    }
    if as_json:
        print(json.dumps(table))
        return
    for source, row in table.items():
        print(f"{source:24}{row['n']:>6}{row['right']:>6}{row['right'] / row['n']:>8.3f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passages", type=Path, nargs="*")
    parser.add_argument("--misses", action="store_true", help="print each expectation that no phrase reaches")
    parser.add_argument("--phrases", type=Path, help="published phrases of Recognizers-Text and ctparse")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.passages:
        report_passages(args.passages, misses=args.misses, as_json=args.json)
    if args.phrases:
        report_phrases(args.phrases, misses=args.misses, as_json=args.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
