#!/usr/bin/env python3
"""A day composed of 800 utterances, 12 of them worth keeping: how many are kept, and how many ghosts come along.

    eval_day.py [--talk TALK.jsonl]... [--days 200] [--hard 0.1] [--whole 5] [--lived 5 --unlearned FILE]

Each day is drawn with a seed of its own: 12 passages to keep from the corpus that comes with junod, a share `--hard` of
passages that its authors wrote to be taken for some, and else plain talk: of the files of --talk, the same number from
each, or without --talk what the corpus tags as plain. Passages of the corpus are judged by judges that never saw their
author (`junod eval --held-out`), talk by the gate that ships.

--whole N  goes the whole way, language model included, for the first N days.
--lived N  lives N days in order: a passage that has no context of its own follows what was said in the minutes before.
           Judges that never saw a passage's author have not seen such a context either, so what is worth keeping then
           comes from --unlearned, a file that the gate has not learned from, and is judged by the gate that ships.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from junod.assembly.parts import (
    Judge,
    build_extractor,
    gate_models,
    llm_path,
    mask_passage,
)
from junod.extract.evaluate import Labelled, answers, as_stored, load_labelled
from junod.extract.gate_files import CORPUS, LoadedGate, held_out_gate, load_gate
from junod.extract.gate_protocol import GateVerdict
from junod.extract.language_model import Reading
from junod.extract.local_llm import LocalLanguageModel
from junod.extract.prompt import build_prompt
from junod.extract.scoring import Tally, judge
from junod.resources import data_file
from junod.settings import Settings, household_zone, load_settings

WORTH_KEEPING, UTTERANCES = 12, 800
WANTED_KEPT, WANTED_GHOSTS = 10, 1
PLAIN_TAGS = frozenset({"plain", "small-talk", "chatter", "done-on-spot", "gossip"})
DEADLINE_S = 600.0
"""A busy machine is no fault of the model's."""
GHOSTS_A_DAY = (0.25, 0.5, 1.0, 2.0, 4.0)
CONTEXT_PASSAGES, CONTEXT_AGE_H = 3, 300 / 3600
RHYTHM = ((7.5, 0.7, 0.25), (12.75, 0.8, 0.15), (18.0, 1.2, 0.35), (21.0, 1.0, 0.15), (14.0, 4.0, 0.1))
"""When a household talks: hour, spread in hours, share. Assumed, not measured."""


@dataclass(frozen=True, slots=True)
class Said:
    """One passage of a day and where it comes from."""

    labelled: Labelled
    source: str
    is_corpus: bool = True
    """Of junod's own corpus: there are judges that never saw its author."""


@dataclass(frozen=True, slots=True)
class Pools:
    keepers: tuple[Said, ...]
    hard: tuple[Said, ...]
    plain: tuple[tuple[Said, ...], ...]
    """One for each file of talk."""


@dataclass(slots=True)
class Day:
    """What became of a day's passages: probability and verdict of each, those worth keeping first."""

    probabilities: NDArray[np.float64]
    kept: int = 0
    ghosts: int = 0
    ghost_sources: Counter[str] = field(default_factory=Counter)


Assess = Callable[[Said], GateVerdict]


class House:
    """The two gates, and for the whole way the language model behind them; loaded when first asked."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        models, target = gate_models(settings), settings.extract.target_precision
        self._held_out = held_out_gate(models, target_precision=target)
        self._shipped = load_gate(models, target_precision=target)
        self._llm: LocalLanguageModel | None = None
        self.assess: Assess = cache(self._assess)
        self.decide = cache(self._decide)

    def shipped(self, said: Said) -> GateVerdict:
        """The verdict of the gate that ships, whatever the passage is."""
        return self._verdict(self._shipped, said)

    def _assess(self, said: Said) -> GateVerdict:
        return self._verdict(self._judges(said), said)

    def _judges(self, said: Said) -> LoadedGate:
        return self._held_out if said.is_corpus else self._shipped

    def _verdict(self, judges: LoadedGate, said: Said) -> GateVerdict:
        passage = mask_passage(said.labelled.passage)
        return judges.gate.assess(passage, lambda: self._read(said))

    def _read(self, said: Said) -> Reading:
        return self._language_model().read(build_prompt(mask_passage(said.labelled.passage)))

    def _language_model(self) -> LocalLanguageModel:
        if self._llm is None:
            self._llm = LocalLanguageModel(llm_path(self._settings), self._settings.extract)
        return self._llm

    def _decide(self, said: Said) -> Tally:
        """The score of one passage gone the whole way."""
        judges = self._judges(said)
        zone = household_zone(self._settings)
        parts = Judge(judges.gate, judges.pieces, self._language_model())
        decision = build_extractor(self._settings, parts, zone).decide(said.labelled.passage)
        return judge(answers(said.labelled), as_stored(decision.memories)).tally


def pools(keepers: Sequence[Labelled], corpus: Sequence[Labelled], talk: Sequence[Sequence[Labelled]]) -> Pools:
    """What days are drawn from. Without talk the plain passages of the corpus stand in for it."""
    negatives = [one for one in corpus if one.holds_memory is False]
    plain = tuple(
        tuple(Said(one, _source(one), is_corpus=False) for one in each if one.holds_memory is False) for each in talk
    )
    is_plain = [not PLAIN_TAGS.isdisjoint(one.tags) for one in negatives]
    hard = [one for one, easy in zip(negatives, is_plain, strict=True) if not easy]
    easy = [one for one, easy in zip(negatives, is_plain, strict=True) if easy]
    return Pools(
        tuple(Said(one, "keep") for one in keepers if one.holds_memory),
        tuple(Said(one, "authored to confuse") for one in hard),
        plain or (tuple(Said(one, "authored as plain") for one in easy),),
    )


def _source(one: Labelled) -> str:
    return next(iter(one.tags), one.author)


def drawn(found: Pools, hard_share: float, seed: int) -> list[Said]:
    """A day's passages, those worth keeping first."""
    rng = np.random.default_rng(seed)
    others = UTTERANCES - WORTH_KEEPING
    hard = round(hard_share * others)
    parts = [(found.keepers, WORTH_KEEPING), (found.hard, hard)]
    each, left = divmod(others - hard, len(found.plain))
    parts += [(pool, each + (place < left)) for place, pool in enumerate(found.plain)]
    return [pool[int(i)] for pool, size in parts for i in rng.choice(len(pool), size, replace=size > len(pool))]


def in_order(said: Sequence[Said], seed: int) -> list[Said]:
    """The same passages, each that has no context after those said within the last minutes."""
    rng = np.random.default_rng(seed)
    peaks = rng.choice(len(RHYTHM), len(said), p=[share for _, _, share in RHYTHM])
    hours = np.array([rng.normal(RHYTHM[peak][0], RHYTHM[peak][1]) for peak in peaks])
    order = np.argsort(hours, kind="stable")
    lived = list(said)
    for place, index in enumerate(order):
        before = [i for i in order[max(0, place - CONTEXT_PASSAGES) : place] if hours[index] - hours[i] < CONTEXT_AGE_H]
        passage = said[index].labelled.passage
        context = passage.context or tuple(said[i].labelled.passage.transcript for i in before)
        lived[index] = replace(said[index], labelled=_following(said[index].labelled, context))
    return lived


def _following(one: Labelled, context: tuple[str, ...]) -> Labelled:
    return replace(one, passage=replace(one.passage, context=context))


def judged(said: Sequence[Said], assess: Assess) -> Day:
    """The gate alone: what it lets through."""
    verdicts = [assess(one) for one in said]
    day = Day(np.array([verdict.probability for verdict in verdicts]))
    for place, (one, verdict) in enumerate(zip(said, verdicts, strict=True)):
        if verdict.keep and place < WORTH_KEEPING:
            day.kept += 1
        elif verdict.keep:
            day.ghosts += 1
            day.ghost_sources[one.source] += 1
    return day


def gone_whole(said: Sequence[Said], house: House) -> Tally:
    """The whole way: memories that match (`matched` counts passages of which at least one does) and ghosts."""
    total = Tally()
    for one in said:
        if house.assess(one).keep:
            tally = house.decide(one)
            total.add(replace(tally, matched=min(tally.matched, 1)))
    return total


def figures(days: Sequence[Day]) -> dict[str, Any]:
    """Means over days, shares of days, and what other thresholds would give."""
    kept, ghosts = np.array([day.kept for day in days]), np.array([day.ghosts for day in days])
    sources = sum((day.ghost_sources for day in days), Counter[str]())
    return {
        "days": len(days),
        "kept": _spread(kept),
        "ghosts": _spread(ghosts),
        "days_with_10_kept": round(float((kept >= WANTED_KEPT).mean()), 3),
        "days_with_1_ghost_at_most": round(float((ghosts <= WANTED_GHOSTS).mean()), 3),
        "days_with_both": round(float(((kept >= WANTED_KEPT) & (ghosts <= WANTED_GHOSTS)).mean()), 3),
        "ghosts_a_day_by_source": {name: round(count / len(days), 3) for name, count in sources.most_common()},
        "other_thresholds": [_at_ghosts(days, wanted) for wanted in GHOSTS_A_DAY],
    }


def _spread(counts: NDArray[np.int64]) -> dict[str, float]:
    low, high = np.percentile(counts, [10, 90])
    return {"mean": round(float(counts.mean()), 2), "p10": float(low), "p90": float(high)}


def _at_ghosts(days: Sequence[Day], wanted: float) -> dict[str, float]:
    """The laxest threshold that lets no more ghosts through than this a day, and what it keeps of 12."""
    wrong = np.sort(np.concatenate([day.probabilities[WORTH_KEEPING:] for day in days]))[::-1]
    threshold = float(wrong[int(wanted * len(days))])
    kept = [int((day.probabilities[:WORTH_KEEPING] > threshold).sum()) for day in days]
    return {"ghosts_a_day": wanted, "threshold": round(threshold, 4), "kept": round(float(np.mean(kept)), 2)}


def shown(name: str, found: dict[str, Any]) -> None:
    kept, ghosts = found["kept"], found["ghosts"]
    print(f"{name}: {found['days']} days of {UTTERANCES} utterances, {WORTH_KEEPING} of them worth keeping")
    print(f"  kept    {kept['mean']:6.2f}  (a tenth of the days at most {kept['p10']:.0f}, at least {kept['p90']:.0f})")
    print(f"  ghosts  {ghosts['mean']:6.2f}  (at most {ghosts['p10']:.0f}, at least {ghosts['p90']:.0f})")
    print(
        f"  days with {WANTED_KEPT} kept {found['days_with_10_kept']:.0%}, with {WANTED_GHOSTS} ghost at most", end=" "
    )
    print(f"{found['days_with_1_ghost_at_most']:.0%}, with both {found['days_with_both']:.0%}")
    for source, share in found["ghosts_a_day_by_source"].items():
        print(f"  {share:6.3f} ghosts a day are {source}")
    for row in found["other_thresholds"]:
        print(f"  at {row['ghosts_a_day']:4.2f} ghosts a day {row['kept']:5.2f} are kept (from {row['threshold']})")


def main() -> int:
    options = _parser().parse_args()
    house = House(load_settings(overrides={"extract": {"deadline_s": DEADLINE_S}}))
    corpus = load_labelled(data_file(CORPUS))
    left_out = {one.passage.id for path in options.without for one in load_labelled(path)}
    talk = [[one for one in load_labelled(path) if one.passage.id not in left_out] for path in options.talk]
    found = pools(corpus, corpus, talk)
    days = [drawn(found, options.hard, seed) for seed in range(options.days)]
    report = {"gate": figures([judged(day, house.assess) for day in days])} if days else {}
    if options.lived:
        unlearned = [one for path in options.unlearned for one in load_labelled(path)]
        others = replace(found, keepers=pools(unlearned, corpus, talk).keepers, hard=_negatives(unlearned))
        lived = [in_order(drawn(others, options.hard, seed), seed) for seed in range(options.lived)]
        report["lived"] = figures([judged(day, house.shipped) for day in lived])
    for name, each in report.items():
        if not options.json:
            shown(name, each)
    whole = [gone_whole(day, house) for day in days[: options.whole]]
    rows = [
        {"kept": one.matched, "ghosts": one.ghosts, "stored": one.stored, "mistimed": _mistimed(one)} for one in whole
    ]
    if options.json:
        print(json.dumps({**report, "whole": rows}))
    elif rows:
        for number, row in enumerate(rows):
            print(f"whole way, day {number}: {row}")
    return 0


def _negatives(passages: Sequence[Labelled]) -> tuple[Said, ...]:
    return tuple(Said(one, "authored to confuse") for one in passages if one.holds_memory is False)


def _mistimed(tally: Tally) -> int:
    return tally.judged - tally.in_time


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--talk", type=Path, action="append", default=[], help="labelled talk that leaves nothing")
    parser.add_argument("--without", type=Path, action="append", default=[], help="talk that the gate learned from")
    parser.add_argument("--unlearned", type=Path, action="append", default=[], help="what --lived keeps from")
    parser.add_argument("--days", type=int, default=200)
    parser.add_argument("--whole", type=int, default=0)
    parser.add_argument("--lived", type=int, default=0)
    parser.add_argument("--hard", type=float, default=0.1, help="share of hard passages among what to throw away")
    parser.add_argument("--json", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())
