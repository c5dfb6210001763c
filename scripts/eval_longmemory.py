#!/usr/bin/env python3
"""Recall of the evidence for questions about long conversations: hybrid against plain vectors and plain BM25.

    eval_longmemory.py LOCOMO.json [--conversations 10]

The file is LoCoMo's (Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents", ACL 2024;
CC BY-NC 4.0, not part of this project). Each turn of a conversation is stored as a memory; of each question the share
of its evidence turns among the first five is counted. Questions without evidence are left out. Nothing is fitted.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from junod.assembly.embedders import build_embedder
from junod.clock import SimulatedClock
from junod.memory import changes
from junod.memory.embedder import Embedder, QuestionEmbedder, embed_texts
from junod.memory.store import MemoryStore
from junod.records import NewMemory
from junod.settings import load_settings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from scripts.eval_search import Ask, ways

FIRST = datetime(2023, 1, 1, tzinfo=UTC)
KINDS = {1: "several turns", 2: "time", 3: "open domain", 4: "one turn", 5: "adversarial"}
WAYS = ("plain vector", "plain BM25", "vector and BM25, rank fusion", "hybrid, nothing cut off")


class Remembering:
    """An embedder that is asked for each text once: every way asks the same questions."""

    def __init__(self, embedder: Embedder) -> None:
        self.name, self.dims = embedder.name, embedder.dims
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            self._known.update(zip(fresh, self._embedder.embed(fresh), strict=True))
        return np.stack([self._known[text] for text in texts])


class RememberingQuestions(Remembering):
    """The same, of an embedder that has learned how households ask."""

    def __init__(self, embedder: QuestionEmbedder) -> None:
        super().__init__(embedder)
        self.embed_questions = embedder.embed_questions


def turns(conversation: dict[str, Any]) -> list[tuple[str, str]]:
    """(id, 'Speaker: words') in order; what a shared picture shows is part of the words."""
    found = []
    number = 1
    while f"session_{number}" in conversation:
        for turn in conversation[f"session_{number}"]:
            picture = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            found.append((turn["dia_id"], f"{turn['speaker']}: {turn['text']}{picture}"))
        number += 1
    return found


def fill(store: MemoryStore, said: list[tuple[str, str]], embedder: Embedder) -> dict[str, str]:
    """Store the turns; returns the turn's id for each memory's."""
    embeddings = embed_texts(embedder, [text for _, text in said])
    labels = {}
    with store.sessions.write() as session:
        for number, ((label, text), embedding) in enumerate(zip(said, embeddings, strict=True)):
            new = NewMemory(text[:4000], "", FIRST + timedelta(minutes=number), None, "living_room")
            labels[changes.store(session, new, embedding)] = label
    return labels


def recall(ask: Ask, labels: dict[str, str], question: str, evidence: set[str]) -> float:
    found = {labels[each] for each in ask(question)[:5]}
    return len(found & evidence) / len(evidence)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--first", type=int, default=0, help="number of the first conversation, from 0")
    parser.add_argument("--conversations", type=int, default=10)
    options = parser.parse_args()
    samples = json.loads(options.path.read_text("utf-8"))[options.first : options.first + options.conversations]
    built = build_embedder(load_settings())
    embedder = RememberingQuestions(built) if isinstance(built, QuestionEmbedder) else Remembering(built)
    told: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in WAYS}
    for sample in samples:
        measure(sample, embedder, told)
        print(f"{sample.get('sample_id', '')} done", file=sys.stderr)
    print("| questions | " + " | ".join(WAYS) + " |\n" + "| --- " * (len(WAYS) + 1) + "|")
    for kind in ("all", *KINDS.values()):
        number = len(told[WAYS[0]][kind])
        if number:
            print(f"| {kind} ({number}) | " + " | ".join(f"{mean(told[name][kind]):.3f}" for name in WAYS) + " |")


def measure(sample: dict[str, Any], embedder: Embedder, told: dict[str, dict[str, list[float]]]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryStore.open(Path(folder) / "junod.db", clock=SimulatedClock(FIRST + timedelta(days=365))) as store,
    ):
        labels = fill(store, turns(sample["conversation"]), embedder)
        asks = ways(store, embedder)
        for row in sample["qa"]:
            evidence = set(row.get("evidence") or ()) & set(labels.values())
            for name in WAYS if evidence else ():
                share = recall(asks[name], labels, row["question"], evidence)
                told[name]["all"].append(share)
                told[name][KINDS[row["category"]]].append(share)


if __name__ == "__main__":
    main()
