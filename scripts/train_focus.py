#!/usr/bin/env python3
"""Learn which sentence of a passage holds its memory, and of what kind it is: writes models/focus/sentences.json.gz.

usage: train_focus.py PASSAGES.jsonl[.gz]... [--without PREFIX] [--test PASSAGES.jsonl] [--out FILE]

The shipped file was learned from models/gate/corpus.jsonl.gz without the ids that start with d0, which stay for tests.

A piece counts as holding a memory when it has at least half of the strings that the memory must have.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from junod.extract.focus import FOCUS_FILE, FocusModel, load_focus, pieces, terms
from junod.records import Kind

LEAST_SEEN = 2
MIN_WEIGHT = 0.02
NO_KIND = -1


def share(text: str, wanted: list[str]) -> float:
    """Share of the wanted strings that `text` has."""
    low = text.lower()
    return sum(any(one.strip().lower() in low for one in need.split("|")) for need in wanted) / len(wanted)


def passages(paths: Iterable[Path], without: str = "") -> Iterator[dict[str, Any]]:
    """Rows that hold a memory, those whose id starts with `without` left out."""
    for path in paths:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in data.decode("utf-8").splitlines():
            row = json.loads(line)
            if row["expect"] and not (without and row["id"].startswith(without)):
                yield row


def examples(rows: Iterable[dict[str, Any]]) -> tuple[list[set[str]], list[int]]:
    """Terms of each piece, and the kind it holds (its place in `Kind`), NO_KIND = none."""
    found: list[set[str]] = []
    labels: list[int] = []
    for row in rows:
        texts = pieces(row["transcript"])
        for place, text in enumerate(texts):
            best = max(row["expect"], key=lambda wanted: share(text, wanted["all"]))
            holds = share(text, best["all"]) >= 0.5
            found.append(set(terms(texts, place)))
            labels.append(list(Kind).index(Kind(best["kind"])) if holds else NO_KIND)
    return found, labels


def matrix(found: list[set[str]], places: dict[str, int]) -> csr_matrix:
    columns = [[places[term] for term in one if term in places] for one in found]
    starts = np.cumsum([0, *map(len, columns)])
    flat = [column for one in columns for column in one]
    return csr_matrix((np.ones(len(flat)), flat, starts), shape=(len(found), len(places)))


def fit(rows: list[dict[str, Any]]) -> dict[str, Any]:
    found, labels = examples(rows)
    seen = Counter(term for one in found for term in one)
    vocabulary = [term for term, count in seen.items() if count >= LEAST_SEEN]
    data = matrix(found, {term: i for i, term in enumerate(vocabulary)})
    kinds = np.array(labels)
    holds = LogisticRegression(C=1.0, solver="liblinear").fit(data, kinds != NO_KIND)
    kept = np.flatnonzero(kinds != NO_KIND)
    which = LogisticRegression(C=1.0, max_iter=300).fit(data[kept], kinds[kept])
    return {
        "bias": round(float(holds.intercept_[0]), 3),
        "weights": large(vocabulary, holds.coef_[0]),
        "kind_bias": {str(kind): round(float(bias), 3) for kind, bias in zip(Kind, which.intercept_, strict=True)},
        "kind_weights": {
            term: [round(float(weight), 2) for weight in column]
            for term, column in zip(vocabulary, which.coef_.T, strict=True)
            if np.abs(column).max() >= MIN_WEIGHT
        },
    }


def large(vocabulary: list[str], weights: NDArray[np.float64]) -> dict[str, float]:
    pairs = zip(vocabulary, weights, strict=True)
    return {term: round(float(weight), 3) for term, weight in pairs if abs(weight) >= MIN_WEIGHT}


def report(model: FocusModel, rows: list[dict[str, Any]]) -> str:
    """How often the best 1, 2, 3 pieces hold all strings of a memory, and the likeliest kind is right."""
    wanted, inside, kinds = 0, Counter[int](), 0
    for row in rows:
        for one in row["expect"]:
            wanted += 1
            for most in (1, 2, 3):
                text = " ".join(piece.text for piece in model.likely(row["transcript"], most))
                inside[most] += share(text, one["all"]) == 1
        if len(row["expect"]) == 1:
            guess = model.kinds(row["transcript"])
            kinds += max(guess, key=lambda kind: guess[kind]) == Kind(row["expect"][0]["kind"])
    singles = sum(len(row["expect"]) == 1 for row in rows)
    tops = ", ".join(f"best {most}: {inside[most] / wanted:.3f}" for most in (1, 2, 3))
    return f"{wanted} memories; {tops}; kind {kinds / singles:.3f} of {singles}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passages", type=Path, nargs="+")
    parser.add_argument("--without", default="")
    parser.add_argument("--test", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent.parent / FOCUS_FILE)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps(
        fit(list(passages(args.passages, args.without))), ensure_ascii=False, separators=(",", ":")
    ).encode()
    args.out.write_bytes(gzip.compress(data, mtime=0))
    print(f"{args.out}: {args.out.stat().st_size} bytes")
    if args.test:
        print(report(load_focus(args.out), list(passages(args.test))))


if __name__ == "__main__":
    main()
